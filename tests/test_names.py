"""One word, one thing: a class name stands once in the project, and so does an alias of a type."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import simulator

ROOT = Path(simulator.__file__).parent
NAMED_BY_DJANGO = {"Command": "management/commands", "Migration": "migrations"}
"""Class names that Django asks for, with the folder in which it looks for them."""


def classes(tree: ast.Module) -> Iterator[str]:
    """The classes at the top of a module."""
    return (node.name for node in tree.body if isinstance(node, ast.ClassDef))


def aliases(tree: ast.Module) -> Iterator[str]:
    """The names of types at the top of a module, each with what it stands for: ``Json = dict[str, Any]``."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
            yield from (ast.unparse(node) for target in node.targets if isinstance(target, ast.Name) and not target.id.isupper())


def places(of: str) -> dict[str, list[str]]:
    """The modules in which each name stands."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        module = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name in classes(tree) if of == "class" else aliases(tree):
            folder = NAMED_BY_DJANGO.get(name)
            if folder is None or not module.startswith(folder):
                found[name].append(module)
    return found


def test_class_name_stands_once() -> None:
    assert {name: modules for name, modules in places("class").items() if len(modules) > 1} == {}


def test_alias_of_a_type_stands_once() -> None:
    assert {alias: modules for alias, modules in places("alias").items() if len(modules) > 1} == {}


def test_classes_and_aliases_of_a_module_are_found() -> None:
    tree = ast.parse("class Pod:\n    class Meta: ...\n\nJson = dict[str, Any]\nLIMIT = 5 * 3\n")
    assert ([*classes(tree)], [*aliases(tree)]) == (["Pod"], ["Json = dict[str, Any]"])
