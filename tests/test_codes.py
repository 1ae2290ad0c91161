"""No text that is shown to people is used by code as a key: codes are, and texts are looked up by them.

A text that code matches, or looks up in the database, cannot be corrected: its readers would silently keep the old wording.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps
from django.db import models

from lifecycle_site.settings import BASE_DIR

MARKS = {"gettext_noop", "gettext_lazy", "gettext", "ngettext", "_"}
MATCHING = {"compile", "fullmatch", "match", "search", "escape", "findall", "finditer"}
ASKING = {"startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "split", "index", "find"}
TITLES = {"title", "summary", "story", "what_to_try", "what_to_watch", "label"}
"""Titles of stories and labels of keys: content written by a story or by people, not a state. An unknown one is shown as it is."""
ELSEWHERE = {"suite.note"}
"""Named like a column, but not one: read from a file of the product."""
SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")
REGEX = re.compile(r"/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/[a-z]*(?=\.(?:exec|test)\(|\))")
COMPARED = re.compile(r'[=!]== "([^"\n]+)"|case "([^"\n]+)":|\.(?:includes|startsWith|endsWith|indexOf)\("([^"\n]+)"')


@cache
def texts() -> tuple[str, ...]:
    """Every translatable text, with a number in place of its values."""
    catalog = (BASE_DIR / "locale/zh_Hans/LC_MESSAGES/django.po").read_text(encoding="utf-8")
    found = re.findall(r'^msgid(?:_plural)? "(.+)"$', catalog, re.MULTILINE)
    return tuple(re.sub(r"%\(\w+\)[ds]|\{\w+\}", "7", text).replace('\\"', '"') for text in found)


def sources(*folders: str, suffix: str) -> list[Path]:
    """The product's files in these folders, without migrations, which concern earlier releases, and bundles."""
    found = (path for folder in folders for path in (BASE_DIR / folder).rglob(f"*{suffix}"))
    return sorted(path for path in found if not {"migrations", "bundles", "node_modules", "vendor", "bundle-src"} & {*path.parts})


PYTHON = sources("simulator", "lifecycle_site", suffix=".py")


def name_of(node: ast.AST) -> str:
    """``re.compile`` is ``compile``."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


KINDS = (
    ast.Assign, ast.Call, ast.Compare, ast.Dict, ast.For, ast.FunctionDef, ast.ImportFrom, ast.MatchValue, ast.comprehension, ast.keyword,
)  # fmt: skip
"""The node types examined, a tenth of those in a module. Walking all of them again takes longer than all the checks."""


class Module:
    """A module, and the names in it that stand for a text: assigned one, a collection of texts or an element of it, or passed one."""

    def __init__(self, source: str) -> None:
        self.nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, KINDS)]
        self.names: set[str] = set()
        self.learn(frozenset())

    def learn(self, texts_of_others: frozenset[str]) -> None:
        """Take these names as standing for texts too, and what is assigned from them."""
        self.names |= texts_of_others
        while self._learn():
            pass

    def is_text(self, node: ast.AST | None) -> bool:
        """Whether an expression is a marked text, or contains one."""
        if isinstance(node, ast.Call):
            return name_of(node.func) == "gettext_noop" or (name_of(node.func) in MATCHING | {"sub"} and any(map(self.is_text, node.args)))
        if isinstance(node, ast.BinOp):
            return self.is_text(node.left)
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return any(map(self.is_text, node.elts))
        return isinstance(node, ast.Name) and node.id in self.names

    def _learn(self) -> bool:
        before = len(self.names)
        functions = {node.name: node for node in self.nodes if isinstance(node, ast.FunctionDef)}
        for node in self.nodes:
            if isinstance(node, ast.Assign) and self.is_text(node.value):
                self._name(*node.targets)
            elif isinstance(node, ast.For | ast.comprehension) and self.is_text(node.iter):
                self._name(node.target)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
                given = zip(functions[node.func.id].args.args, node.args, strict=False)
                self.names |= {taken.arg for taken, value in given if self.is_text(value)}
        return len(self.names) > before

    def _name(self, *targets: ast.expr) -> None:
        self.names |= {target.id for target in targets if isinstance(target, ast.Name)}

    def matched(self) -> Iterator[int]:
        """The lines in which something is compared with a text, searched with one, looked up by one, or split into its words."""
        for node in self.nodes:
            if isinstance(node, ast.Compare):
                asked: list[ast.AST | None] = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and name_of(node.func) in MATCHING:
                asked = [*node.args]
            elif isinstance(node, ast.Call) and name_of(node.func) in ASKING and isinstance(node.func, ast.Attribute):
                asked = [*node.args, node.func.value]
            elif isinstance(node, ast.Dict):
                asked = [*node.keys]
            elif isinstance(node, ast.MatchValue):
                asked = [node.value]
            else:
                continue
            if any(map(self.is_text, asked)):
                yield node.lineno if hasattr(node, "lineno") else 0

    def stored(self, columns: frozenset[str]) -> Iterator[int]:
        """The lines in which a text is assigned to something named like a column."""
        for node in self.nodes:
            if isinstance(node, ast.keyword) and node.arg in columns and self.is_text(node.value):
                yield node.value.lineno

    def found_again(self, columns: frozenset[str]) -> Iterator[int]:
        """The lines in which a text is looked up in the catalog by the value of a column."""
        for node in self.nodes:
            if isinstance(node, ast.Call) and name_of(node.func) in MARKS and node.args:
                asked = node.args[0]
                if isinstance(asked, ast.Attribute) and asked.attr in columns and ast.unparse(asked) not in ELSEWHERE:
                    yield node.lineno


@cache
def columns() -> frozenset[str]:
    """The names of columns with texts or JSON, and of the fields of what is stored as JSON; not those in TITLES."""
    kinds = (models.CharField, models.TextField, models.JSONField)
    fields = (field for model in apps.get_app_config("simulator").get_models() for field in model._meta.get_fields())
    return frozenset({field.name for field in fields if isinstance(field, kinds)} | {"problem", "failure"}) - TITLES


@cache
def modules() -> dict[Path, Module]:
    """Every module of the product; one that imports another's text recognises its name."""
    found = {path: Module(path.read_text(encoding="utf-8")) for path in PYTHON}
    known = {f"{path.relative_to(BASE_DIR).with_suffix('')}".replace("/", "."): frozenset(each.names) for path, each in found.items()}
    for module in found.values():
        if imported := _imported(module, known):
            module.learn(imported)
    return found


def _imported(module: Module, known: dict[str, frozenset[str]]) -> frozenset[str]:
    lines = [node for node in module.nodes if isinstance(node, ast.ImportFrom) and node.module in known]
    return frozenset(alias.name for line in lines for alias in line.names if alias.name in known[line.module or ""])


def places(lines: dict[Path, list[int]]) -> list[str]:
    """File and line of each."""
    return [f"{path.relative_to(BASE_DIR)}:{line}" for path, found in lines.items() for line in found]


def test_no_text_is_matched():
    assert places({path: [*module.matched()] for path, module in modules().items()}) == []


def test_no_text_is_stored():
    assert places({path: [*module.stored(columns())] for path, module in modules().items()}) == []


def test_no_text_is_found_again_by_what_is_stored():
    assert places({path: [*module.found_again(columns())] for path, module in modules().items()}) == []


def test_no_template_finds_a_text_by_what_is_stored():
    found = {path: re.findall(r"\.(\w+)\|translated", path.read_text(encoding="utf-8")) for path in sources("templates", suffix=".html")}
    assert {path.name: names for path, asked in found.items() if (names := {*asked} & columns())} == {}


def matched_by_scripts(source: str) -> list[str]:
    """The patterns and words of a script that occur in a text of the site."""
    patterns = [pattern for pattern in REGEX.findall(source) if SENTENCE.search(pattern)]
    words = [word for found in COMPARED.findall(source) if SENTENCE.search(word := "".join(found))]
    return [each for each in (*patterns, *map(re.escape, words)) if any(re.search(each, text) for text in texts())]


def test_no_script_matches_a_text():
    found = {path.name: matched_by_scripts(path.read_text(encoding="utf-8")) for path in sources("static/js", suffix=".js")}
    assert {name: patterns for name, patterns in found.items() if patterns} == {}


PARSED = """
TIME_MET = gettext_noop("This run has reached its limit of %(hours)d hours.")

def text(note):
    for sentence in (TIME_MET,):
        if _pattern(sentence).fullmatch(note):
            return gettext(sentence)

def _pattern(sentence):
    return re.compile(re.sub("x", "y", re.escape(sentence)))
"""


@pytest.mark.parametrize(
    "source",
    [
        PARSED,
        'A = gettext_noop("It failed.")\nB = {A: 1}',
        'A = gettext_noop("It failed.")\nB = note == A',
        'B = note in (gettext_noop("It failed."), "")',
        'A = gettext_noop("It took %(n)d s.") % {"n": 3}\nnote.startswith(A)',
    ],
)
def test_text_that_is_matched_is_found(source):
    assert [*Module(source).matched()]


def test_text_that_is_stored_or_found_again_is_found():
    stored = Module('A = gettext_noop("It failed.")\nrows.update(state="failed", state_note=A)\nB = gettext(row.state_note)')
    assert ([*stored.stored(columns())], [*stored.found_again(columns())]) == ([2], [3])


@pytest.mark.parametrize(
    "script", ['/limit of (\\d+) (?:simulated )?(hours|records|pods)/.exec(note || "")', 'note === "Waiting for a free slot"']
)
def test_script_that_matches_a_text_is_found(script):
    assert matched_by_scripts(script)
