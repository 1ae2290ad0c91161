"""What belongs to a run so far: the acts up to a moment, and how far its history is fixed."""

from types import SimpleNamespace

import pytest

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.log import so_far
from simulator.runs.log.so_far import given_by


@pytest.mark.parametrize(("until_ms", "numbers"), [(4999, []), (5000, [1]), (8999, [1]), (9000, [1, 2])])
def test_acts_up_to_a_moment_belong_to_it(until_ms, numbers):
    acts = [Stamped(at_ms=at_ms, n=n, command=DeletePod(target="default/web")) for n, at_ms in ((1, 5000), (2, 9000))]
    assert [each.n for each in given_by(acts, until_ms)] == numbers


def head(**fields):
    usual = {"state": Run.State.LIVE, "head_ms": 5000, "base_ms": 7000, "parent_ms": None, "controls": 0, "id": 1, "head_seq": 9}
    return SimpleNamespace(**usual | fields)


@pytest.mark.parametrize(
    ("fields", "least_ms"),
    [
        ({}, 7000),
        ({"controls": 1}, 5000),
        ({"controls": 1, "parent_ms": 6000}, 6000),
        ({"parent_ms": 8000}, 8000),
        ({"head_ms": 9000}, 9000),
    ],
)
def test_act_that_waits_can_happen_no_earlier_than_the_log_the_branch_and_the_first_clock(fields, least_ms):
    assert so_far._least_ms(head(**fields)) == least_ms


@pytest.mark.parametrize(
    ("fields", "is_kept", "is_awaited", "stands", "until_ms"),
    [
        ({}, False, False, True, 7000),
        ({"head_ms": 8000}, False, False, True, 8000),
        ({"controls": 1}, False, True, True, 5000),
        ({}, False, False, False, None),
        ({}, True, False, False, 5000),
        ({"state": Run.State.STOPPED}, False, False, False, 5000),
    ],
)
def test_history_is_fixed_up_to_where_the_clock_was_set_or_an_act_waits(monkeypatch, fields, is_kept, is_awaited, stands, until_ms):
    monkeypatch.setattr(so_far, "is_kept", lambda run: is_kept)
    monkeypatch.setattr(so_far, "_awaits_act", lambda run: is_awaited)
    rows = SimpleNamespace(filter=lambda **_: SimpleNamespace(exists=lambda: stands))
    monkeypatch.setattr(so_far, "Run", SimpleNamespace(State=Run.State, objects=rows))
    assert so_far._recorded_ms(head(**fields)) == until_ms
