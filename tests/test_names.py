"""One word, one meaning: a class name exists once in the project, and so do a type alias and the list of final phases.

A function's name may exist in several modules of the engine as long as readers see it with its module or not at all (the programs of the
runtime, the rules of a field); imported on its own it means one function.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import simulator
from simulator.engine.model.status import TERMINAL_PHASES

ROOT = Path(simulator.__file__).parent
NAMED_BY_DJANGO = {"Command": "management/commands", "Migration": "migrations"}
"""Class names that Django requires, with the folder in which it looks for them."""


def classes(tree: ast.Module) -> Iterator[str]:
    """The classes at the top of a module."""
    return (node.name for node in tree.body if isinstance(node, ast.ClassDef))


def aliases(tree: ast.Module) -> Iterator[str]:
    """The names of type aliases at the top of a module: ``Json = dict[str, Any]``."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
            yield from (ast.unparse(node) for target in node.targets if isinstance(target, ast.Name) and not target.id.isupper())


@pytest.fixture(scope="module", autouse=True)
def _forgotten() -> Iterator[None]:
    """Free a million syntax nodes as soon as they are no longer needed."""
    yield
    trees.cache_clear()


@cache
def trees() -> dict[Path, ast.Module]:
    """The syntax tree of each module; parsed once, which takes longer than all the checks."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(ROOT.rglob("*.py"))}


def places(of: str) -> dict[str, list[str]]:
    """The modules in which each name is defined."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees().items():
        module = path.relative_to(ROOT).as_posix()
        for name in classes(tree) if of == "class" else aliases(tree):
            folder = NAMED_BY_DJANGO.get(name)
            if folder is None or not module.startswith(folder):
                found[name].append(module)
    return found


@cache
def functions_imported() -> dict[str, set[str]]:
    """The modules of the engine from which a public function of each name is imported on its own."""
    functions = {
        (module_name(path), node.name) for path, tree in trees().items() for node in tree.body if isinstance(node, ast.FunctionDef)
    }
    found: dict[str, set[str]] = defaultdict(set)
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("simulator.engine."):
                for item in node.names:
                    if (node.module, item.name) in functions:
                        found[item.name].add(str(node.module))
    return found


def module_name(path: Path) -> str:
    """The dotted name of a module, such as ``simulator.engine.acts``."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def terminal_phases(tree: ast.AST) -> Iterator[ast.expr]:
    """The literals that list exactly the final phases of a pod."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            values = {item.value if isinstance(item, ast.Constant) else None for item in node.elts}
            if values == set(TERMINAL_PHASES):
                yield node


def test_class_name_stands_once() -> None:
    assert {name: modules for name, modules in places("class").items() if len(modules) > 1} == {}


def test_alias_of_a_type_stands_once() -> None:
    assert {alias: modules for alias, modules in places("alias").items() if len(modules) > 1} == {}


def test_function_that_is_imported_by_its_name_stands_once() -> None:
    assert {name: modules for name, modules in functions_imported().items() if len(modules) > 1} == {}


def test_functions_of_the_engine_are_found() -> None:
    assert functions_imported()["parse_script"] == {"simulator.engine.containers.syntax.parser"}


def test_final_phases_are_listed_once() -> None:
    modules = [path for path, tree in trees().items() for _ in terminal_phases(tree)]
    assert [path.relative_to(ROOT).as_posix() for path in modules] == ["engine/model/status.py"]


def test_classes_and_aliases_of_a_module_are_found() -> None:
    tree = ast.parse("class Pod:\n    class Meta: ...\n\nJson = dict[str, Any]\nLIMIT = 5 * 3\n")
    assert ([*classes(tree)], [*aliases(tree)]) == (["Pod"], ["Json = dict[str, Any]"])
