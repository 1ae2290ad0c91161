import pytest
from django.core.management import call_command
from msgspec.structs import replace

from simulator.engine.course.replay import Course
from simulator.engine.kernel.records import Record
from simulator.models import Run
from simulator.runs import storage
from tests.factories import make_run, own
from tests.runs.kept import GONE_RULE, old_run, records_of, rewrite

pytestmark = pytest.mark.django_db


def stored_run(change=lambda records: records):
    run = make_run()
    course = Course(run.header())
    records = change([*course.world.first_records, *course.drive(20_000).records])
    world = course.world
    batch = storage.Addition(records=tuple(records), head_seq=len(records), head_ms=world.now_ms, digest=world.digest())
    storage.append(run.id, epoch=own(run), batch=batch)
    return run


def test_replay_agrees_with_what_was_recorded(capsys):
    stored_run()
    call_command("replay_runs")
    assert capsys.readouterr().out == "1 of 1 runs agree\n"


def changed(records):
    first, second, *rest = records
    return [first, Record(*[getattr(second, name) for name in second.__struct_fields__][:-1], data=(("reason", "other"),)), *rest]


@pytest.mark.parametrize(("change", "seq"), [(changed, 2), (lambda records: records[:-1], None)])
def test_replay_names_the_first_record_that_differs(capsys, change, seq):
    run = stored_run(change)
    with pytest.raises(SystemExit):
        call_command("replay_runs")
    assert f"{run.id} differs from record {seq or ''}" in capsys.readouterr().out


def test_replay_is_limited_to_the_runs_named(capsys):
    stored_run(changed)
    call_command("replay_runs", str(stored_run().id))
    assert "1 of 1 runs agree" in capsys.readouterr().out


def test_replay_counts_runs_of_other_revisions_apart(capsys):
    run = old_run()
    call_command("replay_runs")
    out = capsys.readouterr().out
    assert f"{run.id} of revision 2 differs from record" in out and f"(rule {GONE_RULE}, now PRINT-TERMINATING)" in out
    assert out.endswith("0 of 1 runs of other revisions agree\n")


def test_replay_agrees_with_a_run_of_another_revision_whose_records_said_less(capsys):
    run = old_run(differs=False)
    rewrite(run, replace(records_of(run)[-1], data=()))
    call_command("replay_runs")
    assert "1 of 1 runs of other revisions agree" in capsys.readouterr().out


def test_replay_names_a_run_that_cannot_be_read_and_goes_on(capsys):
    run = stored_run()
    stored_run()
    Run.objects.filter(id=run.id).update(header_body=b"{")
    with pytest.raises(SystemExit):
        call_command("replay_runs")
    assert f"{run.id} cannot be replayed: Unreadable" in (out := capsys.readouterr().out)
    assert "1 of 2 runs agree" in out
