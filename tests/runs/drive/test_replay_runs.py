import asyncio

import pytest
from django.core.management import call_command
from msgspec.structs import replace

from simulator.engine.course.replay import Course
from simulator.engine.kernel.records import Record
from simulator.headless.sweeps.workers import CellLimits, Crew
from simulator.models import Run, StoredReplay
from simulator.runs.drive.jobs.worker import JobWorker
from simulator.runs.log import storage
from simulator.runs.log.db import in_db
from simulator.runs.services.replays import replay_ask
from tests.factories import make_run, own
from tests.runs.drive.test_jobs import Hands
from tests.runs.log.kept import GONE_RULE, old_run, records_of, rewrite
from tests.runs.services.test_sweeps import ask

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


@pytest.mark.django_db(transaction=True)
async def test_job_gives_the_verdicts_that_the_command_gives(capsys):
    """Real processes play the runs, with nothing but the messages they receive."""
    await in_db(lambda: (stored_run(), stored_run(changed), old_run()))
    broken = await in_db(stored_run)
    await in_db(lambda: Run.objects.filter(id=broken.id).update(header_body=b"{"))
    row = await in_db(lambda: replay_ask(Run.objects.filter(head_seq__gt=0)))
    crew = Crew(1, CellLimits(seconds=60, memory_mib=1024))
    working = JobWorker(owner="one", crew=crew)
    await working.look()
    await working.finish()
    await crew.rest()
    said = []
    for command in (["replay_runs"], ["replay_runs", "--job"]):
        with pytest.raises(SystemExit):
            await in_db(lambda command=command: call_command(*command))
        said.append(sorted(capsys.readouterr().out.splitlines()))
    assert said[0] == said[1] and len(said[0]) == 5 and "1 of 3 runs agree" in said[0]
    await in_db(row.refresh_from_db)
    assert (row.state, row.done) == ("done", 4)


def test_replay_of_the_same_heads_is_the_same_job():
    run = stored_run()
    first, again = replay_ask(Run.objects.all()), replay_ask(Run.objects.all())
    Run.objects.filter(id=run.id).update(head_ms=run.head_ms + 1000)
    assert first.id == again.id != replay_ask(Run.objects.all()).id


def test_replay_that_was_left_alone_begins_anew_when_it_is_asked_for_again():
    stored_run()
    row = replay_ask(Run.objects.all())
    StoredReplay.objects.update(state="failed", attempts=4)
    again = replay_ask(Run.objects.all())
    assert (again.id, again.state, again.attempts) == (row.id, "queued", 0)


@pytest.mark.django_db(transaction=True)
async def test_sweeps_have_room_while_a_replay_goes_on():
    await in_db(stored_run)
    await in_db(lambda: replay_ask(Run.objects.all()))
    working = JobWorker(owner="one", crew=(hands := Hands(answers=0)))
    hands.size = 1
    await working.look()
    row = (await in_db(ask)).work
    await working.look()
    await in_db(row.refresh_from_db)
    assert row.state == "running"
    serving = asyncio.create_task(working.serve())
    await asyncio.sleep(0)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
