"""Which runs a runner takes, gives back and moves with one look at the plan: the plan and the runs are stand-ins."""

import asyncio
from types import SimpleNamespace

import pytest

from simulator.runs.drive import pool as pool_module
from simulator.runs.drive.pool import CLAIMS_AT_ONCE, RunnerPool
from simulator.runs.turns.places import Contender


class Actor:
    def __init__(self, *, is_open=True):
        self.is_open, self.did = is_open, []

    def free_place(self):
        self.did.append("free")

    def move(self):
        self.did.append("move")


@pytest.fixture
def claim(monkeypatch, settings):
    """One claim with so many places, actors by run, waiting contenders, and what the plan says; returns what was taken."""

    def claimed(*, places=8, actors=None, entitled=(), waits=(), known=(), elsewhere=(), takers=frozenset(), others=(), is_trying=False):
        settings.SIM_RUNS_PER_PROCESS = places
        plan = SimpleNamespace(entitled=entitled, waits=waits, knows=lambda run_id: run_id in known, others=others)
        separation = SimpleNamespace(takers=takers, lowers_priority=False, elsewhere=frozenset(elsewhere))
        monkeypatch.setattr(pool_module, "separation_of", lambda plan, **_: separation)
        seen, taken = [], []

        async def in_db(call, **kwargs):
            return plan

        async def take(wanted):
            taken.append(wanted.run_id)

        def without_others(able, found):
            seen.append(found)
            return [*able]

        monkeypatch.setattr(pool_module, "in_db", in_db)
        turns = SimpleNamespace(takers=frozenset, set_takers=lambda _: None, set_low_priority=lambda _: None)
        pool = SimpleNamespace(
            _is_being_replaced=False, name="one", _actors=actors or {}, _turns=turns, _take=take, _without_others=without_others,
            _is_trying=is_trying, _awake=SimpleNamespace(set=lambda: taken.append("again")),
        )  # fmt: skip
        asyncio.run(RunnerPool.claim(pool))
        return taken, seen[0]

    return claimed


def waiting(*names, **fields):
    return [Contender(run_id=name, **fields) for name in names]


NAMES = [*"abcdefghijklmnop"]


@pytest.mark.parametrize(
    ("places", "count", "taken", "again"),
    [
        (8, 1, 1, False),
        (0, 3, 0, False),
        (2, 3, 2, False),
        (99, CLAIMS_AT_ONCE, CLAIMS_AT_ONCE, False),
        (99, CLAIMS_AT_ONCE + 1, CLAIMS_AT_ONCE, True),
        (CLAIMS_AT_ONCE, CLAIMS_AT_ONCE + 1, CLAIMS_AT_ONCE, False),
    ],
)
def test_few_runs_are_taken_at_once_and_the_next_look_comes_soon_if_there_are_more(claim, places, count, taken, again):
    assert claim(places=places, entitled=waiting(*NAMES[:count]))[0] == NAMES[:taken] + ["again"] * again


def test_runs_that_somebody_has_or_that_belong_elsewhere_are_not_taken(claim):
    entitled = [*waiting("a", is_held=True), *waiting("b", "c", "d")]
    assert claim(entitled=entitled, actors={"b": Actor()}, elsewhere={"c"})[0] == ["d"]


def test_runs_on_trial_come_last_and_one_at_a_time(claim):
    entitled = [*waiting("a", take_overs=1), *waiting("b")]
    assert claim(entitled=entitled)[0] == ["b", "a"]
    assert claim(entitled=entitled, is_trying=True)[0] == ["b"]


@pytest.mark.parametrize(
    ("fields", "did"),
    [
        ({}, []),
        ({"waits": {"own"}}, ["free"]),
        ({"places": 1, "entitled": waiting("a")}, ["free"]),
        ({"places": 1, "entitled": waiting("a"), "known": {"own"}}, []),
        ({"places": 2, "entitled": waiting("a")}, []),
        ({"elsewhere": {"own"}}, ["move"]),
        ({"elsewhere": {"own"}, "waits": {"own"}}, ["free"]),
    ],
)
def test_run_gives_way_to_others_or_moves_to_another_runner(claim, fields, did):
    actor = Actor()
    claim(**{"actors": {"own": actor}} | fields)
    assert actor.did == did


def test_run_that_is_still_being_opened_does_not_move(claim):
    actor = Actor(is_open=False)
    claim(actors={"own": actor}, elsewhere={"own"})
    assert actor.did == []


@pytest.mark.parametrize(("takers", "counts"), [(frozenset(), ("other",)), (frozenset({"x"}), ())])
def test_runs_are_left_to_other_runners_unless_somebody_takes_much(claim, takers, counts):
    assert claim(entitled=waiting("a"), takers=takers, others=("other",))[1] == counts
