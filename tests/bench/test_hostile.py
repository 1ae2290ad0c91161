"""The suite of attacks itself: it has as many as promised, each can be measured, and one that hangs is reported."""

import json
from urllib.parse import parse_qsl, unquote

import pytest

from lifecycle_site.bodies import READER_BYTES_MAX
from simulator.bench.hostile import SCRIPTS, TEXTS, api_asks, measure, siege
from simulator.bench.hostile.doors import DOORS
from simulator.bench.hostile.model import HostileScript
from simulator.bench.hostile.play import EXEC_AT_MS, TURNS_MAX, play
from simulator.door.answering import answer
from simulator.door.exchange import DoorRequest
from simulator.door.scene import DoorScene
from simulator.engine import RunHeader, advance, apply, new_world
from simulator.engine.acts.objects.apply import ApplyManifest


def test_suite_holds_a_hundred_scripts_and_sixty_texts_with_names_of_their_own():
    assert len({item.name for item in SCRIPTS}) == len(SCRIPTS) >= 100
    assert len({item.name for item in TEXTS}) == len(TEXTS) >= 60


def test_script_is_no_longer_than_an_argument_may_be_unless_that_is_the_attack():
    assert [item.name for item in SCRIPTS if len(item.script.encode()) >= 128 * 1024] == ["argument-too-long"]


def test_every_text_has_a_door_and_fits_through_that_of_the_site():
    assert {item.door for item in TEXTS} == set(DOORS)
    assert [item.name for item in TEXTS if len(item.build()) > 1_200_000] == []


def test_container_is_resumed_at_each_moment_that_it_names():
    steps = list(play(HostileScript(name="a", attacks="nothing", script="sleep 2; echo a; sleep 3; exit 7"), lambda: 0.0))
    assert [step.at_ms for step in steps] == [0, 2000, 5000]
    assert steps[-1].exit_code == 7


def test_container_gets_no_more_turns_than_agreed():
    steps = list(play(HostileScript(name="a", attacks="nothing", script="while :; do sleep 0.01; echo a; done"), lambda: 0.0))
    assert len(steps) == TURNS_MAX


def test_exec_session_begins_a_second_later_and_is_resumed_too():
    steps = list(play(HostileScript(name="a", attacks="nothing", script="sleep 8", exec="sleep 3; echo a"), lambda: 0.0))
    assert EXEC_AT_MS in [step.at_ms for step in steps]
    assert EXEC_AT_MS + 3000 in [step.at_ms for step in steps]


def test_longest_turn_is_the_figure_of_a_script():
    measured = measure.measure_script("wait-loop")
    assert 0 < measured.longest_ms <= measured.total_ms


def test_attack_that_does_not_end_in_time_is_reported_as_killed(monkeypatch):
    monkeypatch.setattr(measure, "KILLED_AFTER_S", 0.01)
    measured = measure.measure_apart("script", "exec-loop")
    assert measured.end.startswith("KILLED")


def test_attack_that_breaks_its_process_is_reported_as_crashed():
    measured = measure.measure_apart("script", "no such attack")
    assert measured.end == "CRASHED: KeyError: 'no such attack'"


def test_siege_asks_as_another_visitor_while_attackers_get_their_answers():
    seen = siege.besiege("bodies of 500 MB", attack_s=1.0)
    assert seen.asked
    assert all(0 < p50 <= p95 <= p99 for p50, p95, p99 in seen.waits.values())
    assert not [status for status in seen.answers if status.startswith("guest")]
    assert seen.answers


def test_siege_of_an_api_is_answered_and_the_guest_meets_nothing():
    seen = siege.besiege("a run's API", attack_s=1.0)
    assert seen.asked and seen.answers
    assert not [status for status in seen.answers if status.startswith("guest") or (status[0] == "5" and status != "503")]


@pytest.fixture(scope="module")
def besieged():
    world = new_world(RunHeader(kubernetes="1.33"))
    apply(world, ApplyManifest(documents=(api_asks.DOOR,), namespace="default", create=True))
    advance(world, until_ms=5_000)
    return DoorScene(world=world, now_ms=world.now_ms, wall_ms=1_800_000_000_000)


@pytest.mark.parametrize("ask", api_asks.ASKS, ids=lambda ask: f"{ask[0]} {ask[1][:40]}")
def test_attacks_on_an_api_get_an_error_message(besieged, ask):
    method, tail, body, kind = ask
    path, _, query = tail.partition("?")
    sent = (body or b"")[: READER_BYTES_MAX + 1]
    asked = DoorRequest(method=method, path=unquote(path), query=tuple(parse_qsl(query)), headers={"content-type": kind}, body=sent)
    reply = answer(asked, besieged)
    assert reply.status < 500 and json.loads(reply.body)


def test_siege_compares_the_slowest_twentieth_of_whatever_suffered_most():
    idle = siege.SiegeSight(
        attack="nobody", asked=9, pages_ms=(30, 40, 50), acts_ms=(10, 20, 30), live_ms=(10, 25, 30), lists_ms=(9, 10, 11), answers={}
    )
    seen = siege.SiegeSight(
        attack="pings", asked=9, pages_ms=(90, 60, 50), acts_ms=(10, 20, 900), live_ms=(10, 75, 80), lists_ms=(9, 11, 12), answers={}
    )
    assert (idle.times(idle), seen.times(idle)) == (1.0, 3.0)


def test_siege_sends_forms_that_name_another_encoding():
    seen = siege.besiege("a foreign charset", attack_s=1.0)
    assert not [status for status in seen.answers if status.startswith("guest")]
    assert seen.answers
