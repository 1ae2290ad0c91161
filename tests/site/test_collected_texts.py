"""Texts for translation stand where xgettext finds them: it does not read what an f-string calls."""

import ast
from collections.abc import Iterator

import pytest

from simulator.bench.site import ROOT

MARKS = {"_", "gettext", "gettext_lazy", "ngettext", "pgettext", "npgettext"}
PLACES = ("lifecycle_site", "simulator")


def hidden_texts(source: str) -> Iterator[int]:
    """The lines on which an f-string marks a text of its own for translation."""
    for part in ast.walk(ast.parse(source)):
        if isinstance(part, ast.FormattedValue):
            yield from (call.lineno for call in ast.walk(part.value) if _is_mark(call))


def _is_mark(node: ast.AST) -> bool:
    is_named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS
    return is_named and bool(node.args) and isinstance(node.args[0], ast.Constant)


@pytest.mark.parametrize("place", PLACES)
def test_no_text_is_marked_within_an_f_string(place):
    files = sorted((ROOT / place).rglob("*.py"))
    found = [f"{file.relative_to(ROOT)}:{line}" for file in files for line in hidden_texts(file.read_text(encoding="utf-8"))]
    assert files and not found


def test_a_marked_text_within_an_f_string_is_seen():
    assert list(hidden_texts("a = f\"{_('one')} two\"\nb = f'{_(name)}' + _('three')\n")) == [1]
