"""A line diff of two documents, with the line numbers of both."""

from simulator.manifests.editor.preview.differ import diff_lines


def test_a_line_that_goes_has_its_number_before_and_one_that_comes_its_number_after() -> None:
    found = diff_lines({"a": 1, "b": 2, "c": 3}, {"a": 1, "c": 4, "d": 5})
    assert [(line.op, line.text, line.old, line.new) for line in found] == [
        (" ", "a: 1", 1, 1),
        ("-", "b: 2", 2, 0),
        ("-", "c: 3", 3, 0),
        ("+", "c: 4", 0, 2),
        ("+", "d: 5", 0, 3),
    ]


def test_a_change_far_down_is_shown_with_its_start_on_either_side() -> None:
    before = [f"x{n}" for n in range(30)]
    first, *lines = diff_lines({"l": before}, {"l": [*before[:20], "new", *before[20:]]})
    (added,) = (line for line in lines if line.op == "+")
    assert (first.op, added.old, added.new, added.new - first.new) == (
        "@",
        0,
        22,
        sum(line.op == " " for line in lines[: lines.index(added)]),
    )


def test_equal_documents_do_not_differ() -> None:
    assert not any(line.op in "+-" for line in diff_lines({"a": 1}, {"a": 1}))
