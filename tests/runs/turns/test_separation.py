"""Which runs a runner leaves to another, so that heavy users delay nobody else."""

import asyncio
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers
from django.db.models.functions import Now

from simulator.models import Run, Runner
from simulator.runs.drive import lease
from simulator.runs.drive.pool import RunnerPool
from simulator.runs.turns.constants import RUN_HALF_S, RUN_MUCH_S
from simulator.runs.turns.fair_turns import FairTurns
from simulator.runs.turns.places import Contender, OtherRunner, PlaceQuota, plan
from simulator.runs.turns.separation import separation_of
from tests.factories import make_run
from tests.runs.drive.test_pool_places import settle, stop

GREEDY, CALM = (1, 2), (3, 4)
"""Runs of an address that uses a lot, and of one that does not."""
EVERYBODY = {*GREEDY, *CALM}


def separated(*, runner, held=EVERYBODY, takers=("greedy",), others=("b",), said=(), runs=0, idle=()):
    """What this runner leaves to one of the others."""
    contenders = [
        Contender(run_id=UUID(int=number), address="greedy" if number in GREEDY else "calm", is_held=number in held, is_idle=number in idle)
        for number in sorted(EVERYBODY)
    ]
    rows = tuple(OtherRunner(name=name, runs=runs, places=5, takers=tuple(said)) for name in others)
    dealt = plan(contenders, places=5, quota=PlaceQuota(), others=rows)
    return separation_of(dealt, runner=runner, held=[UUID(int=number) for number in held], takers=frozenset(takers))


def left(**situation):
    """The runs that it leaves."""
    return {run_id.int for run_id in separated(**situation).elsewhere}


def test_runs_that_take_much_go_to_the_runner_that_stands_aside():
    assert left(runner="a") == set(GREEDY)


def test_runner_with_calm_runs_takes_none_that_take_much_elsewhere():
    assert left(runner="a", held=CALM, takers=(), said=("greedy",)) == set(GREEDY)


def test_other_runs_leave_the_runner_that_stands_aside():
    assert left(runner="c") == set(CALM)


def test_runner_that_stands_aside_takes_no_calm_runs_while_somebody_takes_much_of_it():
    assert left(runner="c", held=GREEDY) == set(CALM)


def test_runner_that_stands_aside_takes_whoever_takes_much_of_another_one():
    assert left(runner="c", held=CALM, takers=(), said=("greedy",)) == set()
    assert left(runner="c", held=(1, *CALM), takers=(), said=("greedy",)) == set(CALM)


@pytest.mark.parametrize("runner", ["a", "c"])
@pytest.mark.parametrize("why_not", [{"takers": ()}, {"others": ()}, {"runs": 5}], ids=["nobody takes much", "no other", "no room there"])
def test_runs_stay_where_they_are(runner, why_not):
    assert left(runner=runner, **why_not) == set()


@pytest.mark.parametrize("runner", ["a", "c"])
def test_no_more_go_than_there_is_room_for(runner):
    assert len(left(runner=runner, runs=4)) == 1


@pytest.mark.parametrize(("runner", "stays"), [("a", 1), ("c", 3)])
def test_what_has_nothing_to_do_stays(runner, stays):
    assert stays not in left(runner=runner, idle=(stays,))


def test_whoever_is_alone_on_a_runner_stays_there():
    assert left(runner="a", held=GREEDY) == set()


def test_of_many_runners_one_stands_aside():
    asides = [name for name in "abcd" if left(runner=name, others=tuple(set("abcd") - {name})) == set(CALM)]
    assert asides == ["d"]


@pytest.mark.parametrize(
    ("runner", "held", "takers"),
    [("a", CALM, ("greedy",)), ("c", CALM, ()), ("c", EVERYBODY, ("greedy",)), ("c", EVERYBODY, ("greedy", "calm"))],
    ids=["another stands aside", "nobody takes much", "calm runs are here yet", "nobody is calm"],
)
def test_nobody_is_computed_for_last(runner, held, takers):
    assert not separated(runner=runner, held=held, takers=takers).lowers_priority


def test_takers_by_themselves_are_computed_for_last():
    assert separated(runner="c", held=GREEDY).lowers_priority


@pytest.fixture
def watch():
    class Watch:
        s = now_s = 0.0

    return Watch()


@pytest.fixture
def turns(watch):
    own = FairTurns(clock=lambda: watch.s, now_s=lambda: watch.now_s)
    yield own
    own.shutdown()


def computed(turns, watch, seconds, *, owner="o", address="greedy", counts=True):
    """Let an address use this much of the thread."""

    def work():
        watch.s += seconds

    seat = turns.seat(owner, address)
    seat.counts = counts
    seat.submit(work).result(timeout=10)
    turns.seat("next").submit(lambda: None).result(timeout=10)  # everything before it has been counted by now


def test_browsers_of_one_address_take_together(turns, watch):
    computed(turns, watch, RUN_MUCH_S / 2, owner="one")
    computed(turns, watch, RUN_MUCH_S / 4, address="calm")
    assert turns.takers() == frozenset()
    computed(turns, watch, RUN_MUCH_S / 2, owner="two")
    assert turns.takers() == {"greedy"}


def test_what_is_sent_ahead_counts_against_nobody(turns, watch):
    computed(turns, watch, 10 * RUN_MUCH_S, counts=False)
    assert turns.takers() == frozenset()


def test_whoever_took_much_counts_as_such_for_a_while_after(turns, watch):
    computed(turns, watch, RUN_MUCH_S)
    taken = []
    for half_lives in (0, 1, 2, 4):
        watch.now_s = half_lives * RUN_HALF_S
        taken.append(bool(turns.takers()))
    assert taken == [True, True, True, False]


@pytest.fixture
def runners(monkeypatch):
    """Two runners: one of each kind."""
    channel_layers.backends = {}
    names = iter(("host:1:a", "host:1:b"))
    monkeypatch.setattr(lease, "owner_name", lambda: next(names))
    return RunnerPool(), RunnerPool()


def owner_of(run):
    return Run.objects.get(id=run.id, lease_until__gt=Now()).owner


def opened(who):
    return make_run(owner_key=who, address=f"address of {who}")


async def taking(pool, run):
    """Let the run use all of the runner's thread."""
    (address,) = await sync_to_async(list)(Run.objects.filter(id=run.id).values_list("address_hash", flat=True))
    pool._turns._had.add(address, 60.0, pool._turns._now_s())


async def owners_of(*runs):
    return [await sync_to_async(owner_of)(run) for run in runs]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("first", [0, 1])
async def test_runs_move_apart_whichever_runner_took_them(runners, first):
    calm, aside = runners
    greedy, modest = await sync_to_async(opened)("greedy"), await sync_to_async(opened)("modest")
    await settle(runners[first])
    await taking(runners[first], greedy)
    await settle(*runners)
    for pool in runners:
        await pool.claim()
    owners, known = await owners_of(greedy, modest), [len(pool._turns.known) for pool in runners]
    lowered = [pool._turns._is_aside for pool in runners]
    await stop(*runners)
    assert owners == [aside.name, calm.name]
    assert (known, lowered) == ([1, 1], [False, True])


@pytest.mark.django_db(transaction=True)
async def test_second_address_that_takes_much_goes_to_the_first(runners):
    calm, aside = runners
    first, second, modest = [await sync_to_async(opened)(who) for who in ("first", "second", "modest")]
    await settle(calm)
    await taking(calm, first)
    await settle(*runners)
    await taking(aside, first)
    await taking(calm, second)
    await settle(*runners)
    owners = await owners_of(first, second, modest)
    await stop(*runners)
    assert owners == [aside.name, aside.name, calm.name]


@pytest.mark.django_db(transaction=True)
async def test_runner_that_stops_is_left_no_more_runs(runners, monkeypatch):
    (pool, _), places = runners, []
    await sync_to_async(opened)("somebody")
    await settle(pool)
    (actor,) = pool._actors.values()
    work = actor.stop
    rows = Runner.objects.filter(name=pool.name).values_list("places", flat=True)
    monkeypatch.setattr(actor, "stop", lambda: places.append(asyncio.ensure_future(sync_to_async(list)(rows))) or work())
    await pool.drain()
    assert await places[0] in ([0], [])


@pytest.mark.django_db(transaction=True)
async def test_run_that_moves_says_that_it_is_being_taken_up(runners, monkeypatch):
    told, tell = [], "simulator.runs.wire.announce.notified"

    async def note(run_id, *, frame):
        told.append(frame)

    calm, _ = runners
    await sync_to_async(opened)("greedy")
    await settle(calm)
    monkeypatch.setattr(tell, note)
    (actor,) = calm._actors.values()
    actor.move()
    await asyncio.wait_for(asyncio.gather(*calm._tasks), 10)
    await stop(calm)
    assert '"state":"released"' in told[-1] and '"note":"opening"' in told[-1]
