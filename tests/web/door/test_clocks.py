"""Clocks and branches in addresses: who may advance time and how far, the result of a look ahead, where a write in the past goes."""

import asyncio
import json
import re
from collections.abc import Iterator

import pytest
from django.urls import reverse
from msgspec.structs import replace

from simulator.door.exchange import DoorRequest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.services.door_keys import door_key_create
from simulator.runs.services.errors import NotAllowed
from simulator.runs.services.runs import run_branch
from simulator.runs.services.shares import share_create, shared_run
from simulator.runs.turns.allowance import StillComputing
from simulator.web.door import paces, skipping
from simulator.web.door.addresses import door_address
from simulator.web.door.application import opened
from simulator.web.door.branches import branch_made
from simulator.web.door.clocks import DoorClock, clock_in, kept_going, skipped_to
from simulator.web.door.moments import AskedOf
from simulator.web.door.paces import DoorPace, RealPace, SkipPace, pace_of
from simulator.web.door.skipping import Ahead, SkipSpending, look_ahead
from simulator.web.door.watches import watch_begun
from simulator.web.door.writes import given
from tests.factories import OWNER, STRANGER, make_run
from tests.web.door.test_door import PODS, ask
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = 60_000


def of(run, *, may_write=True, clock="skip"):
    return AskedOf(run_id=run.id, at_ms=None, may_write=may_write, clock=clock_in(clock))


def watching(name="web"):
    query = (("watch", "true"), ("fieldSelector", f"metadata.name={name}"))
    return DoorRequest(path=PODS, query=query, headers={"user-agent": "kubectl/v1"})


def key_of(run, *, can_write=True):
    return door_key_create(run=run, owner_key=OWNER, can_write=can_write)


@pytest.mark.parametrize(
    ("word", "clock"),
    [
        ("live", DoorClock("live")),
        ("real", DoorClock("real")),
        ("skip", DoorClock("skip", 60 * MINUTE)),
        ("skip-90", DoorClock("skip", 90 * MINUTE)),
        ("skip-1", DoorClock("skip", MINUTE)),
        ("skip-1440", DoorClock("skip", 1440 * MINUTE)),
        ("skip-1441", None),
        ("real-5", None),
        ("skip-0", None),
        ("skip-9999", None),
        ("fast", None),
    ],
)
def test_words_of_addresses(word, clock):
    assert clock_in(word) == clock


def test_a_clock_stands_where_a_moment_would():
    address = door_address(f"/r/1a@skip-5/k8s/w-{'x' * 32}/version")
    assert (address.clock, address.at_ms, address.path) == (DoorClock("skip", 5 * MINUTE), None, "/version")


def test_a_key_that_reads_moves_no_clock_but_may_ask_what_there_is():
    run = play(make_run(), 10_000)
    key = key_of(run, can_write=False)
    status, _, body = ask(f"/r/{run.id}@skip/k8s/{key}{PODS}?watch=1")
    assert (status, "moves the run's clock" in json.loads(body)["message"]) == (403, True)
    assert ask(f"/r/{run.id}@real/k8s/{key}{PODS}")[0] == 403
    assert ask(f"/r/{run.id}@skip/k8s/{key}/version")[0] == 200
    with pytest.raises(NotAllowed):
        skipped_to(run.id, 20_000, may_write=False)


def test_a_look_ahead_finds_the_next_event_that_the_watch_selects():
    run = play(make_run(), 0)
    standing, _ = watch_begun(of(run), watching())
    ahead = look_ahead(of(run), watching(), standing, MINUTE)
    assert ahead.at_ms is not None and not ahead.is_bound_met
    skipped_to(run.id, ahead.at_ms, may_write=True)
    assert Run.objects.get(id=run.id).base_ms == ahead.at_ms


def test_a_look_ahead_passes_over_what_others_are_told():
    run = play(make_run(), 0)
    standing, _ = watch_begun(of(run), watching("other"))
    assert look_ahead(of(run), watching("other"), standing, MINUTE) == Ahead(is_bound_met=True)


def test_a_look_ahead_finds_what_goes():
    run = play(make_run(), 10_000)
    given(of(run), DeletePod(target="default/web"), "door-1")
    standing, _ = watch_begun(of(run), watching())
    assert look_ahead(of(run), watching(), standing, 5 * MINUTE) == Ahead()  # the act takes its place first
    play(run, 10_001)
    standing, _ = watch_begun(of(run), watching())
    ahead = look_ahead(of(run), watching(), standing, 5 * MINUTE)
    assert ahead.at_ms is not None and ahead.at_ms > 10_001


def test_a_look_ahead_sees_rows_go_of_what_was_not_there_before():
    run = play(make_run(), 10_000)
    standing, _ = watch_begun(of(run), watching())
    gone = {("default", "never"): ("uid", "1")}
    standing = replace(standing, sent={**standing.sent, **gone}, position=standing.position - 1)
    table = DoorRequest(path=PODS, query=(("watch", "true"),), headers={"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})
    assert look_ahead(of(run), table, standing, 5 * MINUTE) == Ahead()  # it is due by now


def test_a_run_is_kept_at_its_own_pace_of_one_second_a_second():
    run = play(make_run(), 10_000)
    Run.objects.filter(id=run.id).update(is_paused=True, rate_permille=4000)
    kept_going(run.id, may_write=True)
    run.refresh_from_db()
    assert (run.is_paused, run.rate_permille) == (False, 1000)


@pytest.mark.parametrize(("is_paused", "rate"), [(True, 1000), (False, 4000), (True, 4000), (False, 1000)])
def test_an_address_at_1x_has_a_run_go_that_is_paused_or_goes_at_another_pace(is_paused, rate):
    run = play(make_run(), 10_000)
    Run.objects.filter(id=run.id).update(is_paused=is_paused, rate_permille=rate)
    assert asyncio.run(RealPace(of(run, clock="real")).go_on(None)) == b""
    run.refresh_from_db()
    assert (run.is_paused, run.rate_permille) == (False, 1000)


def test_an_address_at_1x_leaves_a_run_alone_that_goes_so_or_goes_no_more(monkeypatch):
    asked = []
    monkeypatch.setattr(paces, "kept_going", lambda *_, **__: asked.append(1))
    going, over = (play(make_run(), 10_000) for _ in range(2))
    Run.objects.filter(id=going.id).update(is_paused=False, rate_permille=1000)
    Run.objects.filter(id=over.id).update(is_paused=True, state=Run.State.STOPPED)
    for run in (going, over):
        asyncio.run(RealPace(of(run, clock="real")).begin())
    assert asked == []


@pytest.mark.parametrize(
    ("clock", "at_ms", "pace"), [("real", None, RealPace), ("skip", None, SkipPace), ("live", None, DoorPace), ("real", 5, DoorPace)]
)
def test_time_is_moved_at_addresses_that_say_so_and_never_in_the_past(clock, at_ms, pace):
    asked = replace(of(make_run(), clock=clock), at_ms=at_ms)
    assert type(pace_of(asked, watching(), look_ahead)) is pace


def _spending(monkeypatch):
    """What commands have skipped, with a clock in seconds that is the list's last element."""
    seconds = [1.0]
    monkeypatch.setattr(skipping, "monotonic", lambda: seconds[-1])
    return SkipSpending(), seconds


def test_a_command_that_still_waits_keeps_its_bound_and_one_long_gone_gets_another(monkeypatch):
    spent, seconds = _spending(monkeypatch)
    assert spent.end_of("a", now_ms=1000, bound_ms=MINUTE) == 61_000
    for now_s in (50.0, 100.0, 150.0):
        seconds.append(now_s)
        spent.keep("a")
    seconds.append(200.0)
    assert spent.end_of("a", now_ms=9000, bound_ms=MINUTE) == 61_000
    spent.end("a")
    seconds.append(261.0)
    assert (spent.end_of("a", now_ms=9000, bound_ms=MINUTE), spent.is_over("a")) == (69_000, False)


def test_what_a_command_never_asked_for_is_not_remembered_of_it(monkeypatch):
    spent, _ = _spending(monkeypatch)
    spent.keep("a")
    spent.end("a")
    assert (spent.is_over("a"), spent.end_of("a", now_ms=9000, bound_ms=MINUTE)) == (False, 69_000)


def test_only_so_many_commands_are_remembered_the_latest(monkeypatch):
    monkeypatch.setattr(skipping, "SPENT_MAX", 2)
    spent, _ = _spending(monkeypatch)
    for name, now_ms in (("a", 1000), ("b", 2000)):
        spent.end_of(name, now_ms=now_ms, bound_ms=MINUTE)
        spent.end(name)
    spent.end_of("a", now_ms=9000, bound_ms=MINUTE)  # comes back
    spent.end_of("c", now_ms=3000, bound_ms=MINUTE)
    assert [spent.is_over(name) for name in "abc"] == [True, False, False]
    assert [spent.end_of(name, now_ms=5000, bound_ms=MINUTE) for name in "ab"] == [61_000, 65_000]


async def _skipping(run, monkeypatch, ahead):
    """A command whose look ahead finds this: what it does too early, where it sends the run, and when it wants to be asked again."""
    sent, seconds = [], [100.0]
    monkeypatch.setattr(paces, "monotonic", lambda: seconds[-1])
    monkeypatch.setattr(paces, "skipped_to", lambda _run, at_ms, **_: sent.append(at_ms))
    pace = SkipPace(
        of(run, clock="skip-1"), DoorRequest(path=PODS, headers={"kubectl-session": str(run.id)}), lambda *_: asyncio.sleep(0, ahead)
    )
    await pace.begin()
    early = await pace.go_on(None), [*sent]
    seconds.append(pace.due_s)
    assert await pace.go_on(None) == b""
    return early, sent, pace.due_s - seconds[-1]


def test_a_run_is_sent_to_the_next_event_once_the_client_has_had_its_moment(monkeypatch):
    early, sent, again_s = asyncio.run(_skipping(play(make_run(), 10_000), monkeypatch, Ahead(at_ms=12_000)))
    assert (early, sent, round(again_s, 3)) == ((b"", []), [12_000], paces.AGAIN_S)


def test_where_nothing_can_be_skipped_for_now_it_is_looked_for_again_soon(monkeypatch):
    early, sent, again_s = asyncio.run(_skipping(play(make_run(), 10_000), monkeypatch, Ahead()))
    assert (early, sent, round(again_s, 3)) == ((b"", []), [], paces.BUSY_S)


def test_a_client_that_was_told_something_has_a_moment_to_go_unless_its_bound_is_met(monkeypatch):
    monkeypatch.setattr(paces, "monotonic", lambda: 50.0)
    pace = SkipPace(of(make_run(), clock="skip-1"), watching(), None)
    pace.told()
    assert pace.due_s == paces.NEVER_S
    pace.due_s = 1.0
    pace.told()
    assert pace.due_s == 50.0 + paces.GRACE_S


def test_a_command_is_bounded_however_often_it_comes_back():
    spent = SkipSpending()
    assert spent.end_of("a", now_ms=1000, bound_ms=MINUTE) == 61_000
    assert spent.end_of("a", now_ms=50_000, bound_ms=MINUTE) == 61_000
    assert spent.end_of("b", now_ms=50_000, bound_ms=MINUTE) == 110_000
    assert not spent.is_over("a")
    spent.end("a")
    assert spent.is_over("a")


async def _bound_met(run, monkeypatch, agent):
    """The last event of a watch that reaches its limit, whether it ends, and the warning to the same command's next watch."""
    monkeypatch.setattr(paces, "GRACE_S", -1.0)
    asked = DoorRequest(path=PODS, headers={"kubectl-session": str(run.id), "user-agent": agent})
    first = SkipPace(of(run, clock="skip-1"), asked, lambda *_: asyncio.sleep(0, Ahead(is_bound_met=True)))
    await first.begin()
    last = await first.go_on(None)
    second = SkipPace(of(run, clock="skip-1"), asked, None)
    await second.begin()
    return last, first.is_over, second.warning, second.due_s


def test_a_client_is_told_that_the_bound_is_met_and_then_only_waits(monkeypatch):
    last, _, warning, due_s = asyncio.run(_bound_met(play(make_run(), 10_000), monkeypatch, "python"))
    told = json.loads(last)["object"]
    assert (told["code"], "within 1 simulated minutes" in told["message"]) == (504, True)
    assert (told["message"], due_s) == (warning, float("inf"))


def test_a_client_that_comes_back_is_warned_then_and_hears_of_no_error(monkeypatch):
    agent = "kubectl/v1.37.1 (linux/amd64) kubernetes/1234"
    last, is_over, warning, _ = asyncio.run(_bound_met(play(make_run(), 10_000), monkeypatch, agent))
    assert (last, is_over, "within 1 simulated minutes" in warning) == (b"", True, True)


# ---- branches --------------------------------------------------------------------------------------------------------
def address(run, key, at=""):
    return door_address(f"/r/{run.id.hex}{at}/k8s/{key}{PODS}")


def test_a_write_in_the_past_names_the_context_of_the_branch():
    run = play(make_run(), 60_000)
    status, _, body = ask(f"/r/{run.id}@42/k8s/{key_of(run)}{PODS}/web", method="DELETE")
    message = json.loads(body)["message"]
    assert status == 409
    assert f"podscope-{run.id.hex[:8]}-branch@00:42" in message and f"/r/{run.id.hex}@branch-42/k8s/" in message


def test_that_context_reads_the_moment_and_a_write_makes_the_branch_once():
    run = play(make_run(), 60_000)
    key = key_of(run)
    before = opened(address(run, key, "@branch-42"))
    assert (before.run_id, before.at_ms, before.makes_branch) == (run.id, 42_000, True)
    branch = branch_made(before)
    assert branch_made(before) == branch == opened(address(run, key, "@branch-42"))
    made = Run.objects.get(id=branch.run_id)
    assert (made.parent_id, made.parent_ms, made.owner_hash, branch.at_ms) == (run.id, 42_000, run.owner_hash, None)


def test_a_key_that_reads_makes_no_branch():
    run = play(make_run(), 60_000)
    key = key_of(run, can_write=False)
    assert ask(f"/r/{run.id}@branch-42/k8s/{key}{PODS}/web", method="DELETE")[0] == 409
    assert not opened(address(run, key, "@branch-42")).makes_branch
    assert Run.objects.count() == 1


def test_a_key_opens_branches_and_writes_those_of_the_same_owner():
    run = play(make_run(), 60_000)
    key = key_of(run)
    own = run_branch(parent=run, owner_key=OWNER, at_ms=10_000)
    others = run_branch(parent=own, owner_key=STRANGER, at_ms=5000)
    assert [opened(address(each, key)).may_write for each in (run, own, others)] == [True, True, False]


def test_a_key_of_a_branch_does_not_open_the_run_that_it_comes_from():
    run = play(make_run(), 60_000)
    branch = run_branch(parent=run, owner_key=STRANGER, at_ms=10_000)
    assert opened(address(run, door_key_create(run=branch, owner_key=STRANGER, can_write=True))) is None


def test_the_file_has_contexts_for_clocks_and_branches(client):
    run = play(make_run(), 60_000)
    branch = run_branch(parent=run, owner_key=OWNER, at_ms=10_000)
    sign_in_as_owner(client)
    text = text_of(client.post(reverse("sim:run-door", args=[run.id]), {"do": "file", "key": key_of(run), "t": "42000"}))
    short = run.id.hex[:8]
    named = re.findall(r"name: [\"']?(podscope-[^\s\"']+)", text)
    wanted = ("", "@real", "@skip", "@00:42", "-branch@00:42", f"-branch-{branch.id.hex[:8]}")
    assert {f"podscope-{short}{each}" for each in wanted} <= set(named)
    assert f"/r/{branch.id.hex}/k8s/" in text


def test_a_key_that_reads_gets_no_context_that_moves_time_or_branches(client):
    run = play(make_run(), 60_000)
    text = text_of(client.post(reverse("sim:run-door", args=[run.id]), {"do": "file", "key": key_of(run, can_write=False), "t": "42000"}))
    assert "@skip" not in text and "branch-" not in text


def test_a_key_of_another_run_makes_no_run_of_a_link():
    run = play(make_run(), 60_000)
    share = share_create(run=run)
    Run.objects.filter(is_frozen=True).delete()
    status, _, _ = ask(f"/s/{share.id}/k8s/{key_of(run)}{PODS}")
    assert (status, Run.objects.filter(is_frozen=True).exists()) == (401, False)
    key = door_key_create(run=shared_run(share=share), owner_key="", can_write=False)
    assert ask(f"/s/{share.id}/k8s/{key}{PODS}")[0] == 200


@pytest.mark.parametrize(("reached_ms", "at_ms"), [(9_000, None), (10_000, None), (10_001, 10_001)])
def test_a_look_ahead_that_takes_too_long_goes_as_far_as_it_came(monkeypatch, reached_ms, at_ms):
    run = play(make_run(), 10_000)
    standing, _ = watch_begun(of(run), watching())

    def walk(*_: object, **__: object) -> Iterator[None]:
        raise StillComputing(reached_ms=reached_ms, goal_ms=MINUTE)
        yield

    monkeypatch.setattr(skipping.timemachine, "walk", walk)
    assert look_ahead(of(run), watching(), standing, MINUTE) == Ahead(at_ms=at_ms)
