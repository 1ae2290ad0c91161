"""The data files behind the profiles: which rows and gates are invalid."""

import msgspec
import pytest

from simulator.engine.versions import FIELDS, MINORS, resolve
from simulator.engine.versions.rows import GATES, ROWS, VersionRow, merged, parse_gates, parse_rows
from simulator.engine.versions.versions import check_coverage

TEXTS = 'note = "n"\nsource = "s"\n'


@pytest.mark.parametrize("name", sorted(ROWS.keys() | GATES.keys()))
def test_every_row_has_a_note_and_a_source(name):
    row = ROWS.get(name) or GATES[name]
    assert row.note.strip()
    assert row.source.strip()


@pytest.mark.parametrize("missing", ["note", "source"])
def test_parse_rows_refuses_a_row_without_its_text(missing):
    with pytest.raises(msgspec.ValidationError, match=missing):
        parse_rows("[relist_ms]\nvalue = 1\n" + "".join(line + "\n" for line in TEXTS.splitlines() if missing not in line))


def test_parse_rows_refuses_an_empty_source():
    with pytest.raises(ValueError, match="needs a source"):
        parse_rows('[relist_ms]\nvalue = 1\nnote = "n"\nsource = ""\n')


def test_parse_rows_refuses_a_key_it_does_not_know():
    with pytest.raises(msgspec.ValidationError, match="sinse"):
        parse_rows('[relist_ms]\nsinse = "1.22"\n' + TEXTS)


@pytest.mark.parametrize("ways", ["", 'value = 1\nsince = "1.22"\n'])
def test_parse_rows_refuses_a_row_unless_it_gives_one_value(ways):
    with pytest.raises(ValueError, match="give one of"):
        parse_rows("[relist_ms]\n" + ways + TEXTS)


@pytest.mark.parametrize(("second", "found"), [("1.23", 0), ("1.21", 2)])
def test_parse_rows_refuses_ranges_when_they_leave_a_gap_or_overlap(second, found):
    ranges = f'values = [{{ until = "1.21", value = 1 }}, {{ since = "{second}", value = 2 }}]\n'
    with pytest.raises(ValueError, match=rf"{found} values for 1\.2"):
        parse_rows("[relist_ms]\n" + ranges + TEXTS)


def test_parse_gates_refuses_a_need_that_is_not_a_gate():
    with pytest.raises(ValueError, match="Missing"):
        parse_gates('[Some]\nstages = { "1.30" = "alpha" }\nneeds = ["Missing"]\n' + TEXTS)


def test_parse_gates_refuses_a_stage_it_does_not_know():
    with pytest.raises(msgspec.ValidationError, match="gamma"):
        parse_gates('[Some]\nstages = { "1.30" = "gamma" }\n' + TEXTS)


def test_merged_refuses_a_field_when_two_files_give_it():
    row = VersionRow(note="n", source="s", value=1)
    with pytest.raises(ValueError, match="given twice"):
        merged({"relist_ms": row}, {"relist_ms": row})


def test_check_coverage_refuses_a_row_when_the_profile_has_no_such_field():
    with pytest.raises(ValueError, match="unknown to the profile.*no_such_field"):
        check_coverage(FIELDS, {**ROWS, "no_such_field": ROWS["relist_ms"]}, GATES)


def test_check_coverage_refuses_a_field_when_no_row_gives_it():
    rows = {name: row for name, row in ROWS.items() if name != "relist_ms"}
    with pytest.raises(ValueError, match="without a row.*relist_ms"):
        check_coverage(FIELDS, rows, GATES)


def test_check_coverage_refuses_a_field_when_row_and_gate_give_it():
    with pytest.raises(ValueError, match="both a row and a gate.*sidecar_containers"):
        check_coverage(FIELDS, {**ROWS, "sidecar_containers": ROWS["restarts_ago"]}, GATES)


def test_check_coverage_refuses_a_row_when_its_gate_does_not_exist():
    gates = {name: gate for name, gate in GATES.items() if name != "KubeletCrashLoopBackOffMax"}
    with pytest.raises(ValueError, match="no gate.*KubeletCrashLoopBackOffMax"):
        check_coverage(FIELDS, ROWS, gates)


@pytest.mark.parametrize("name", sorted(GATES))
def test_stages_of_a_gate_come_in_the_order_of_versions(name):
    minors = [int(minor.split(".")[1]) for minor in GATES[name].stages]
    assert minors == sorted(set(minors))


def test_profile_refuses_a_word_that_its_field_does_not_know():
    with pytest.raises(msgspec.ValidationError, match="phase_algorithm"):
        msgspec.convert({**msgspec.to_builtins(resolve(MINORS[0])), "phase_algorithm": "all"}, type(resolve(MINORS[0])))
