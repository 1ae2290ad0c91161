"""A Kubernetes version is data: only ``engine/versions/`` compares minors; elsewhere tables have spans, or code asks for a fact."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import simulator
from simulator.engine.versions.facts import FACTS, check_facts, facts_of
from simulator.engine.versions.gates import ON_SINCE
from simulator.engine.versions.release import Release, release_of
from simulator.engine.versions.rows import FACT_ROWS, ROWS, VersionRow
from simulator.engine.versions.span import OPEN, Span

ROOT = Path(simulator.__file__).parent
VERSIONS = ROOT / "engine" / "versions"
MADE_OF_MINORS = ("minor_number", "minor_of")


def compared(path: Path) -> Iterator[str]:
    """Comparisons of a minor with something else, by line; a membership test does not count."""
    text = path.read_text(encoding="utf-8")
    if "minor" not in text:
        return
    tree = ast.parse(text)
    names = {"minor", *_names_of_minors(tree)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or all(isinstance(each, ast.In | ast.NotIn | ast.Is | ast.IsNot) for each in node.ops):
            continue
        if any(_is_minor(each, names) for each in (node.left, *node.comparators)):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def _names_of_minors(tree: ast.Module) -> Iterator[str]:
    """Names to which a minor is assigned."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _is_minor(node.value, {"minor"}):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _is_minor(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Attribute):
        return node.attr == "minor"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MADE_OF_MINORS


def test_only_the_versions_compare_minors() -> None:
    paths = [path for path in sorted(ROOT.rglob("*.py")) if VERSIONS not in path.parents]
    assert {f"{path.relative_to(ROOT)}: {what}" for path in paths for what in compared(path)} == set()


@pytest.mark.parametrize(
    "line",
    ["release.minor >= SINCE", "minor == 30", "20 < minor <= 25", "minor_number(text) < 30", "number = minor_number(text)\nnumber >= 30"],
)
def test_comparison_of_a_minor_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "late.py").write_text(line, encoding="utf-8")
    assert len(list(compared(tmp_path / "late.py"))) == 1


@pytest.mark.parametrize("line", ["minor in MINORS", "span.holds_for(minor)", "number >= 30"])
def test_what_compares_no_minor_is_let_pass(tmp_path: Path, line: str) -> None:
    (tmp_path / "fine.py").write_text(line, encoding="utf-8")
    assert list(compared(tmp_path / "fine.py")) == []


@pytest.mark.parametrize(("minor", "holds"), [(24, False), (25, True), (30, True), (31, False)])
def test_span_holds_for_both_of_its_ends(minor: int, holds: bool) -> None:
    assert Span(since=25, until=30).holds_for(minor) is holds


def test_gate_is_on_by_its_default_unless_it_is_set() -> None:
    assert [Release(minor).has("SidecarContainers") for minor in (28, 29)] == [False, True]
    assert release_of(28, {"SidecarContainers": True}).has("SidecarContainers")
    assert not release_of(29, {"SidecarContainers": False}).has("SidecarContainers")


def test_gate_that_was_never_on_by_default_has_no_first_version() -> None:
    assert ON_SINCE["ContainerStopSignals"] == OPEN
    assert not Release(37).has("ContainerStopSignals")


def test_release_knows_no_gate_of_another_name() -> None:
    with pytest.raises(KeyError):
        Release(30).has("Sidecars")


@pytest.mark.parametrize("name", sorted(FACT_ROWS))
def test_fact_has_a_note_and_a_source(name: str) -> None:
    assert FACT_ROWS[name].note.strip() and FACT_ROWS[name].source.strip()


@pytest.mark.parametrize("minor", [1, 19, 20, 30, 37, 99])
def test_facts_are_known_of_any_minor(minor: int) -> None:
    assert facts_of(minor).bound_tokens is (minor > 20)


ROW = VersionRow(note="n", source="s", value=True)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ({**FACT_ROWS, "nothing_such": ROW}, "no fact.*nothing_such"),
        ({name: row for name, row in FACT_ROWS.items() if name != "self_link"}, "without a row.*self_link"),
        ({**FACT_ROWS, "memory_limit_may_shrink": ROW}, "both a fact and of the profile"),
    ],
)
def test_facts_and_their_rows_are_the_same(rows: dict[str, VersionRow], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_facts(FACTS, rows, ROWS)
