"""A run whose computing kills or freezes its process is eventually left alone; its neighbours are not blamed."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers

from simulator.engine.acts.all_acts import Applied
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.drive import lease
from simulator.runs.drive.actor import RunActor
from simulator.runs.drive.pool import RunnerPool
from simulator.runs.log import storage
from simulator.runs.services.commands import command_submit
from simulator.runs.wire import announce
from tests.factories import make_content, make_record, make_run, own, pod_json
from tests.runs.drive.stage import staged, successor

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _fresh_layer():
    channel_layers.backends = {}


def take_overs(run):
    return Run.objects.get(id=run.id).take_overs


def lost(run, times=1):
    """Owners took up the run and were never heard of again."""
    for _ in range(times):
        epoch = own(run)
        Run.objects.filter(id=run.id).update(lease_until=None)
    return epoch


def test_take_overs_are_counted():
    run = make_run()
    lost(run, times=2)
    assert take_overs(run) == 2


def test_run_that_is_given_back_in_order_counts_no_take_over():
    run = make_run()
    lost(run)
    lease.release(run.id, epoch=own(run))
    assert take_overs(run) == 1


@pytest.mark.parametrize(
    ("batch", "count"),
    [
        (storage.Addition(records=(make_record(1),), head_seq=1, head_ms=1, digest=b""), 0),
        (storage.Addition(applied=(Applied(n=1, at_ms=0, seq=0, outcome="accepted"),), head_seq=0, head_ms=0, digest=b""), 0),
        (storage.Addition(head_seq=0, head_ms=0, digest=b""), 1),
    ],
)
def test_only_what_is_brought_forward_makes_take_overs_forgotten(batch, count):
    run = make_run()
    storage.append(run.id, epoch=own(run), batch=batch)
    assert take_overs(run) == count


def test_run_somebody_owns_is_not_given_up():
    run = make_run()
    epoch = own(run)
    assert lease.give_up(run.id, epoch=epoch, note="why") is False


async def reopened(wall, **fields):
    """A run with a past that now gets a new owner."""
    stage = await staged(wall, **fields)
    await stage.turn(9000)
    heir = await successor(stage)
    return await heir.open()


@pytest.mark.parametrize("fields", [{"paused": True}, {}])
async def test_run_that_opens_and_rests_counts_no_take_over(wall, fields):
    heir = await reopened(wall, **fields)
    assert (await heir.row()).take_overs == 0


async def test_run_with_something_due_at_once_is_not_believed_to_be_well(wall):
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 1}
    busy = {"name": "app", "image": "busybox:1.28", "command": ["sleep", "3600"], "livenessProbe": probe}
    heir = await reopened(wall, content=make_content(pod_json(containers=[busy])))
    assert (await heir.row()).take_overs == 1


async def test_run_with_something_due_at_once_is_believed_once_it_has_lived_on(wall):
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 1}
    busy = {"name": "app", "image": "busybox:1.28", "command": ["sleep", "3600"], "livenessProbe": probe}
    heir = await reopened(wall, content=make_content(pod_json(containers=[busy])))
    await heir.turn(6000)
    assert (await heir.row()).take_overs == 0


async def test_command_that_ends_its_process_counts_a_take_over(wall, monkeypatch):
    stage = await staged(wall, paused=True)
    await stage.ask(command_submit, command=DeletePod(target="default/web"), client_key="k")
    heir = await successor(stage)
    monkeypatch.setattr(heir.actor.__class__, "_take_commands", killed)
    with pytest.raises(asyncio.CancelledError):
        await heir.open()
    assert (await heir.row()).take_overs == 1


async def killed(self, clock_ms):
    raise asyncio.CancelledError


async def test_run_that_too_many_owners_were_lost_over_is_marked_as_failed(settings, monkeypatch):
    told = []

    async def note(run_id, *, frame):
        told.append(frame)

    monkeypatch.setattr(announce, "notified", note)
    run = await sync_to_async(make_run)()
    await sync_to_async(lost)(run, times=settings.SIM_TAKE_OVERS_MAX)
    await RunnerPool().claim()
    row = await sync_to_async(Run.objects.get)(id=run.id)
    assert (row.state, row.owner) == ("failed", "")
    assert row.state_note == {"code": "quarantined", "times": 3}
    assert '"state":"failed"' in told[0] and '"note":"quarantined","numbers":{"times":3}' in told[0]


async def test_runs_that_owners_were_lost_over_are_tried_one_at_a_time(monkeypatch):
    runs = [await sync_to_async(make_run)() for _ in range(3)]
    for run in runs[:2]:
        await sync_to_async(lost)(run)
    may_open = asyncio.Event()

    async def open_later(self):
        await may_open.wait()
        self.is_proven = True
        self.stop()

    monkeypatch.setattr(RunActor, "open", open_later)
    pool = RunnerPool()
    await pool.claim()
    before = len(pool._actors)
    may_open.set()
    await asyncio.gather(*pool._tasks)
    await pool.claim()
    assert (before, await sync_to_async(own_count)(runs)) == (2, 3)
    await pool.drain()


def own_count(runs):
    return sum(Run.objects.get(id=run.id).epoch > 0 for run in runs)


SETUP = """
import os, django
os.environ['DJANGO_SETTINGS_MODULE'] = 'lifecycle_site.settings'
django.setup()
from simulator.models import Run
from django.db.models.functions import Now
"""
MAKE = """
from tests.factories import make_run
for title in ('bad', 'good'):
    make_run(title=title, paused=title == 'good')
Run.objects.filter(title='bad').update(header_body=Run.objects.get(title='bad').header_body.replace(b'"scenario":""', b'"scenario":"bad"'))
"""
SERVE = """
Run.objects.update(viewers_seen_at=Now())
from simulator.engine.course.replay import Course
from simulator.runs.drive import pool, server
drive = Course.drive
def kill(course, *args, **kwargs):
    if course.world.header.scenario == 'bad':
        os._exit(7)
    return drive(course, *args, **kwargs)
Course.drive = kill
from simulator.runs.drive.pool import RunnerPool
import asyncio
async def serve():
    runners = RunnerPool()
    task = asyncio.create_task(runners.serve())
    await asyncio.sleep(3)
    runners.stop()
    await task
asyncio.run(serve())
"""
TELL = "print(sorted(Run.objects.values_list('title', 'state', 'take_overs')))"


def python(code, environment):
    return subprocess.run([sys.executable, "-c", SETUP + code], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_site_lives_on_after_a_run_has_killed_it_a_few_times(tmp_path):
    environment = os.environ | {"PODSCOPE_DATA_DIR": str(tmp_path), "PODSCOPE_DATABASE_URL": "", "PODSCOPE_REDIS_URL": ""}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, cwd=ROOT, check=True, timeout=60)
    assert python(MAKE, environment).returncode == 0
    codes = [python(SERVE, environment).returncode for _ in range(4)]
    assert (codes, python(TELL, environment).stdout.strip()) == ([7, 7, 7, 0], "[('bad', 'failed', 3), ('good', 'live', 0)]")


def test_run_that_hangs_ends_its_runner_and_counts_a_take_over(tmp_path):
    environment = os.environ | {"PODSCOPE_DATA_DIR": str(tmp_path), "PODSCOPE_DATABASE_URL": "", "PODSCOPE_REDIS_URL": ""}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, cwd=ROOT, check=True, timeout=60)
    assert python(MAKE, environment).returncode == 0
    in_short = "import asyncio\nfrom time import sleep\npool.TURN_S_MAX = 0.5"
    ended = python(SERVE.replace("os._exit(7)", "sleep(50)").replace("import asyncio", in_short), environment)
    assert (ended.returncode, "without a pause" in ended.stderr) == (1, True)
    assert "('bad', 'live', 1)" in python(TELL, environment).stdout


async def test_fault_of_the_actor_itself_is_not_blamed_on_the_run(wall, monkeypatch):
    def at_fault(self, records, applied):
        raise LookupError("a fault of the bookkeeping")

    stage = await staged(wall)
    monkeypatch.setattr(RunActor, "_collect", at_fault)
    with pytest.raises(LookupError):
        await stage.turn(1000)
