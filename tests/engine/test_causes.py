"""Causes as contexts: the cause that ``because``, ``aside`` and ``each`` leave for what follows."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import simulator.engine
from simulator.engine.world.effects import Effects
from tests.engine.worlds import header, run

FIRST, SECOND = 7, 9


@pytest.fixture
def fx() -> Effects:
    world, _ = run(header(), 0)
    effects = Effects(world, [])
    effects.cause = FIRST
    return effects


def test_a_cause_holds_inside_its_context_only(fx: Effects) -> None:
    with fx.because(SECOND):
        inside = fx.cause
    assert (inside, fx.cause) == (SECOND, FIRST)


def test_a_cause_set_inside_a_context_ends_with_it(fx: Effects) -> None:
    with fx.because(SECOND):
        fx.cause = fx.note("run", "step", "text")
    assert fx.cause == FIRST


def test_contexts_nest(fx: Effects) -> None:
    with fx.because(SECOND):
        with fx.because(FIRST):
            pass
        assert fx.cause == SECOND


def test_a_refusal_ends_a_context(fx: Effects) -> None:
    with pytest.raises(LookupError), fx.because(SECOND):
        raise LookupError
    assert fx.cause == FIRST


def test_what_is_done_aside_begins_with_the_cause_and_leaves_it(fx: Effects) -> None:
    with fx.aside():
        inside, fx.cause = fx.cause, SECOND
    assert (inside, fx.cause) == (FIRST, FIRST)


def test_each_item_begins_with_the_same_cause_and_the_loop_leaves_it(fx: Effects) -> None:
    causes = []
    for item in fx.each((1, 2)):
        causes.append(fx.cause)
        fx.cause = SECOND + item
    assert (causes, fx.cause) == ([FIRST, FIRST], FIRST)


def test_a_loop_left_early_keeps_the_cause_of_its_last_item(fx: Effects) -> None:
    for item in fx.each((1, 2)):
        fx.cause = SECOND + item
        break
    assert fx.cause == SECOND + 1


# ---- nobody saves a cause to restore it --------------------------------------------------------------------------
ENGINE = Path(simulator.engine.__file__).parent
BY_HAND = {
    "world/effects.py each": "is what others use for it",
    "world/effects.py notify": "is what every write goes through, and gives each watcher its component as well",
}
"""Functions that may, each with its reason."""
HOLDERS = ("fx", "self")
DANCE = """
def handler(fx):
    {before}
    for row in rows:
        {inside}
        act(fx, row)
    {after}
"""


def test_no_function_puts_a_cause_back_by_hand() -> None:
    found = {f"{path.relative_to(ENGINE)} {name}" for path in sorted(ENGINE.rglob("*.py")) for name in by_hand(path.read_text())}
    assert found == set(BY_HAND)


@pytest.mark.parametrize(
    ("before", "inside", "after", "is_found"),
    [
        ("cause = fx.cause", "pass", "fx.cause = cause", True),
        ("row, cause = row, fx.cause", "fx.cause = cause", "pass", True),
        ("fx.cause = seq", "pass", "fx.cause = seq", True),
        ("_, seq = fx.fire()", "fx.cause = seq", "pass", True),
        ("cause = fx.cause", "fx.note(cause)", "pass", False),
        ("_, seq = fx.fire()", "pass", "fx.cause = seq", False),
        ("pass", "_, seq = fx.fire(); fx.cause = seq", "pass", False),
        ("pass", "fx.cause = row.seq", "pass", False),
    ],
)
def test_the_ways_to_put_a_cause_back_are_known(before: str, inside: str, after: str, is_found: bool) -> None:
    assert bool(by_hand(DANCE.format(before=before, inside=inside, after=after))) == is_found


def by_hand(source: str) -> list[str]:
    """The functions of a module that restore a cause: one they have read, one they assign twice, or one assigned again for each item."""
    if ".cause" not in source:
        return []
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return [node.name for node in functions if _reads_and_gives(node) or _gives_twice(node) or _gives_to_each(node)]


def _reads_and_gives(function: ast.AST) -> bool:
    kept = {name for name, value in _assignments(function) if any(_is_cause(part) for part in ast.walk(value))}
    return not kept.isdisjoint(_given(function))


def _gives_twice(function: ast.AST) -> bool:
    given = _given(function)
    return len(given) > len(set(given))


def _gives_to_each(function: ast.AST) -> bool:
    """Whether a loop assigns a variable that is not the item's own."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
    return any(set(_given(loop)) - {node.id for node in ast.walk(loop) if _is_stored(node)} for loop in loops)


def _given(tree: ast.AST) -> list[str]:
    """The variables that are assigned to a cause."""
    return [
        value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target, value in _pairs(node)
        if _is_cause(target) and isinstance(value, ast.Name)
    ]


def _assignments(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield from ((target.id, value) for target, value in _pairs(node) if isinstance(target, ast.Name))


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target of an assignment with its value, if both are written out one by one."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=True)
        elif not isinstance(target, ast.Tuple):
            yield target, node.value


def _is_cause(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "cause" and isinstance(node.value, ast.Name) and node.value.id in HOLDERS


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
