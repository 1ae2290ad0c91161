"""Aligned text: columns are aligned locally, as Go's tabwriter does."""

from simulator.kubectl.align import align, table


def test_cells_align_when_consecutive_lines_have_the_column() -> None:
    assert align(["Name:\tweb", "Priority:\t0"]) == "Name:      web\nPriority:  0\n"


def test_column_ends_when_a_line_has_no_cell_there() -> None:
    assert align(["a:\t1", "break", "longer:\t2"]) == "a:  1\nbreak\nlonger:  2\n"


def test_second_column_spans_only_the_lines_that_have_it() -> None:
    assert align(["a\tb\tc", "long\tx", "a\tbbbb\tc"]) == "a     b  c\nlong  x\na     bbbb  c\n"


def test_last_cell_keeps_its_blanks() -> None:
    assert align(["  Ready \tTrue "]) == "  Ready   True \n"


def test_text_with_a_line_break_ends_its_column() -> None:
    assert align(["Message:\tbye\n", "Exit Code:\t1"]) == "Message:  bye\n\nExit Code:  1\n"


def test_table_leaves_three_blanks_between_columns() -> None:
    assert table([("NAME", "READY"), ("web", "0/1")]) == "NAME   READY\nweb    0/1\n"
