"""Identical notes are reported once, the most important first."""

from simulator.manifests.check.gathered import gathered, printed, weightiest
from simulator.manifests.problems import ERROR, INFO, WARNING, Problem


def note(code: str, message: str, line: int, severity: str = INFO) -> Problem:
    return Problem(severity=severity, message=message, code=code, line=line)


def told(*problems: Problem) -> list[tuple[int, str]]:
    return [(problem.line, message) for problem, message in gathered(problems)]


def test_notes_of_the_same_words_are_one_with_their_number():
    found = told(note("not-modelled", "a", 3), note("not-modelled", "b", 4), note("not-modelled", "a", 9))
    assert found == [(3, "a (×2)"), (4, "b")]


def test_errors_and_warnings_each_stand_for_themselves():
    found = told(note("x", "a", 3, WARNING), note("x", "a", 9, WARNING), note("x", "a", 5, ERROR), note("x", "a", 6, ERROR))
    assert found == [(5, "a"), (6, "a"), (3, "a"), (9, "a")]


def test_notes_come_by_their_consequence():
    codes = ("default", "not-modelled", "other", "not-simulated", "custom-kind", "no-controller", "bare-server", "presumed", "noted")
    found = told(*(note(code, code, line) for line, code in enumerate(codes)))
    assert [message for _, message in found] == list(reversed(codes))


def test_note_that_has_no_rank_stands_before_fields_without_effect():
    found = told(note("not-modelled", "field", 1), note("other", "other", 2), note("custom-kind", "custom", 3))
    assert [message for _, message in found] == ["custom", "other", "field"]


def test_of_too_many_the_weightiest_are_kept():
    fields = [note("not-modelled", f"field {n}", n) for n in range(5)]
    kept = weightiest([*fields, note("custom-kind", "custom", 9)], 3)
    assert [item.message for item in kept] == ["custom", "field 0", "field 1"]


def test_lines_go_file_by_file_each_with_its_own_number():
    a, b = note("noted", "a", 3), note("noted", "b", 4)
    found = [("x.yaml", b), ("y.yaml", a), ("x.yaml", a), ("x.yaml", b)]
    assert [*printed(found)] == ["x.yaml:3:1: info: a", "x.yaml:4:1: info: b (×2)", "y.yaml:3:1: info: a"]
