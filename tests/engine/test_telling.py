"""The times of lines in golden stories: relative to earlier ones, by the usual times, and never lost."""

from simulator.engine import Record
from simulator.engine.kernel.records import RecordKind
from tests.engine.tell_story import with_seconds
from tests.engine.telling import lines, times, usual_times


def record(
    seq: int, at_ms: int, target: str, *, cause: int = 0, machine: str = "note", subject: str = "pod/default/p", **data: int
) -> Record:
    """A record of the rule X-<machine>."""
    return Record(seq, at_ms, RecordKind.NOTE, subject, machine, "", "", target, cause, f"X-{machine.upper()}", (*data.items(),))


def said(records: list[Record], usuals=None) -> list[str]:
    """The times in the story of these records, all of which it shows."""
    seqs = [each.seq for each in records]
    story = lines(records, seqs, usuals or {})
    assert times(story, usuals or {}) == [each.at_ms for each in records]
    return [each.time for each in story]


def test_moment_is_said_once() -> None:
    assert said([record(1, 0, "a"), record(2, 0, "b"), record(3, 42, "c"), record(4, 42, "d")]) == ["0.000", "", "+0.042", ""]


def test_what_users_do_is_at_its_second() -> None:
    assert said([record(1, 0, "a"), record(2, 12_345, "accepted", machine="command")]) == ["0.000", "12.345"]


def test_beat_is_said_rather_than_a_crooked_time() -> None:
    assert said([record(1, 0, "a"), record(2, 427, "b"), record(3, 2_700, "c")])[2] == "~.700 +2"


def test_cause_is_named_where_the_time_since_it_is_rounder() -> None:
    assert said([record(1, 3, "a"), record(2, 17, "b"), record(3, 6_013, "c", cause=1)])[2] == "+6.010 since note a"


def test_cause_is_not_named_where_a_later_line_says_the_same() -> None:
    assert said([record(1, 3, "a"), record(2, 17, "a"), record(3, 6_013, "c", cause=1)])[2] == "+5.996"


def test_cause_that_is_not_shown_stands_for_its_own() -> None:
    records = [record(1, 3, "a"), record(2, 17, "b"), record(3, 6_013, "hidden", cause=1), record(4, 6_013, "c", cause=3)]
    assert [each.time for each in lines(records, [1, 2, 4], {})][2] == "+6.010 since note a"


def test_process_is_said_since_its_start() -> None:
    running = record(1, 427, "running", machine="container", subject="container/default/p/app")
    ended = record(3, 3_427, "exited", machine="container", subject="container/default/p/app")
    assert said([running, record(2, 1_000, "a"), ended])[2] == "run+3.000"


def test_usual_time_is_not_said_and_counts_from_an_earlier_moment_where_another_came_between() -> None:
    usuals = {("note", "b", "X-NOTE"): ("+", 370)}
    assert said([record(1, 0, "a"), record(2, 370, "b")], usuals) == ["0.000", "·"]
    assert said([record(1, 0, "a"), record(2, 5, "a"), record(3, 370, "b"), record(4, 375, "b")], usuals)[2:] == ["·2", "·2"]


def test_usual_beat_says_how_many_were_left_out() -> None:
    assert said([record(1, 0, "a"), record(2, 500, "b"), record(3, 3_500, "b")], {("note", "b", "X-NOTE"): ("~", 500)}) == [
        "0.000",
        "·",
        "· +2",
    ]


def test_line_at_another_time_than_the_usual_says_its_time() -> None:
    assert said([record(1, 0, "a"), record(2, 371, "b")], {("note", "b", "X-NOTE"): ("+", 370)})[1] == "+0.371"


def test_rules_of_a_kind_have_a_usual_time_too() -> None:
    assert said([record(1, 0, "a"), record(2, 11, "b")], {("note", "*", "X-*"): ("+", 11)})[1] == "··"


def test_moment_in_data_is_said_since_the_roundest_of_what_is_near() -> None:
    begun = record(1, 42, "a")
    found = lines([begun, record(2, 500, "b", until_ms=10_042), record(3, 500, "c", next_ms=1_500)], [1, 2, 3], {})
    assert [each.said for each in found] == ["", "until_ms=before+10.000", "next_ms=+1.000"]


def test_usual_time_is_what_most_lines_say() -> None:
    story = [
        record(seq, at_ms, "b" if seq % 2 == 0 else "a") for seq, at_ms in enumerate((0, 371, 2_011, 2_382, 4_444, 4_815, 9_000, 9_999), 1)
    ]
    assert usual_times([(story, range(1, 9))])["note", "b", "X-NOTE"] == ("+", 371)


def test_two_lines_make_no_usual_time() -> None:
    story = [record(1, 0, "a"), record(2, 371, "b"), record(3, 2_000, "a"), record(4, 2_371, "b")]
    assert ("note", "b", "X-NOTE") not in usual_times([(story, range(1, 5))])


def test_story_that_only_shifts_reads_the_same() -> None:
    """A changed figure changes the usual time, and no line."""

    def story(ms: int) -> list[Record]:
        return [each for at in range(0, 20_000, 5_000) for each in (record(at // 2500 + 1, at, "a"), record(at // 2500 + 2, at + ms, "b"))]

    told = [lines(records, range(1, 9), usual_times([(records, range(1, 9))])) for records in (story(370), story(371))]
    assert told[0] == told[1]


def test_story_is_printed_with_its_seconds() -> None:
    story = [line.split() for line in with_seconds("crash-loop")]
    assert [line[0] for line in story if "BACKOFF-WAIT" in line and "container" in line] == ["5.500", "21.500", "50.500"]
