"""Declared loads: the annotation, and the number of requests with each outcome."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from simulator.engine import World, advance, new_world
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.hang import HangContainer
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.step import apply
from simulator.engine.network.load.count import by_outcome, rates, taken, totals
from simulator.engine.network.load.requests import load_look
from simulator.engine.network.load.spec import BadLoad, Load, read_load, written
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import LoadLook
from simulator.engine.world.rows import Fate, LoadRow, Slot
from tests.engine.worlds import container, header, pod, run

Json = dict[str, Any]
KEY = ("default", "web")


def web(name: str = "a", **more: Any) -> Json:
    """A pod that serves on port 80."""
    found = pod({"name": "nginx", "image": "nginx:1.16.1", **more}, name=name)
    found["metadata"]["labels"] = {"app": "web"}
    return found


def service(load: str, **spec: Any) -> Json:
    metadata = {"name": "web", "annotations": {"podscope.dev/load": load}}
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80}], **spec}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}], **spec},
    }


def outcomes(world: World) -> dict[str, int]:
    return by_outcome(totals(world.tables.loads[KEY], world.now_ms))


def played(load: str, *pods: Json, seconds: float = 10, at: tuple[tuple[float, AnyCommand], ...] = (), **more: Any) -> World:
    return run(header(service(load), *pods, **more), seconds, *at)[0]


@pytest.mark.parametrize(
    ("text", "load"),
    [
        ("rate=100", Load(rate_milli=100_000)),
        ("rate=0.25, duration=2s timeout=500ms", Load(rate_milli=250, duration_ms=2000, timeout_ms=500)),
        ("rate=1 retries=2 from=outside port=8080 path=/a connections=7 after=1m", Load(
            rate_milli=1000, retries=2, origin="outside", port=8080, path="/a", connections=7, after_ms=60_000)),
    ],
)  # fmt: skip
def test_annotation_says_how_many_and_how(text: str, load: Load) -> None:
    assert read_load(text) == load and read_load(written(load)) == load


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("duration=1s", "rate= is missing: how many requests a second"),
        ("rate=-1", "rate=-1: a number of requests a second up to 1000000, with at most three decimals"),
        ("rate=1 rate=2", "rate is given twice"),
        ("rate=1 burst=2", '"burst=2" is none of rate=, duration=, timeout=, retries=, after=, from=, port=, path=, connections='),
        ("rate=1 retries=11", "retries=11: a whole number up to 10"),
        ("rate=1 duration=soon", "duration: must be a duration such as 500ms, 10s or 1m30s"),
        ("rate=1 from=", "from= needs a value of at most 253 characters"),
    ],
)
def test_annotation_that_cannot_be_read_says_which_word(text: str, problem: str) -> None:
    with pytest.raises(BadLoad) as caught:
        read_load(text)
    assert caught.value.problem == problem


def test_unreadable_annotation_sends_nothing_and_says_so() -> None:
    world, records = run(header(service("rate=many"), web()), 5)
    assert outcomes(world) == {}
    (note,) = [record for record in records if record.rule == "LOAD-UNREADABLE"]
    assert note.get("text") == "rate=many: a number of requests a second up to 1000000, with at most three decimals"


def test_slots_share_the_requests_between_them() -> None:
    slots = [Slot(residue, 3, "p", Fate("answered", "R")) for residue in range(3)]
    assert [taken(slot, 0, 10) for slot in slots] == [4, 3, 3]
    assert [taken(slot, 4, 5) for slot in slots] == [0, 1, 0]


def test_rates_are_the_shares_of_the_plan_that_holds() -> None:
    row = LoadRow(namespace="default", name="web", text="", rate_milli=100_000)
    fates = ("answered", "answered", "refused")
    assert rates(row) == {}
    plan = tuple(Slot(place, len(fates), f"p{place}", Fate(outcome, "")) for place, outcome in enumerate(fates))
    assert rates(replace(row, plan=plan)) == {"answered": 66_666, "refused": 33_333}


def test_connections_that_are_kept_alive_stay_with_a_pod_that_is_no_longer_listed() -> None:
    staying = {"lifecycle": {"preStop": {"exec": {"command": ["sleep", "9"]}}}}
    world = played("rate=100 connections=4 after=3s", web("a", **staying), web("b"), at=((5, DeletePod(target="default/a")),), seconds=12)
    found = totals(world.tables.loads[KEY], world.now_ms)
    assert found[("a", "answered")] == found[("b", "answered")] + found[("b", "waiting")]


def test_without_kept_connections_a_pod_that_is_no_longer_listed_gets_none() -> None:
    staying = {"lifecycle": {"preStop": {"exec": {"command": ["sleep", "9"]}}}}
    world = played("rate=100 after=3s", web("a", **staying), web("b"), at=((5, DeletePod(target="default/a")),), seconds=12)
    found = totals(world.tables.loads[KEY], world.now_ms)
    assert found[("a", "answered")] == 112


def test_rate_that_is_changed_goes_on_counting() -> None:
    more = ApplyManifest(documents=(json.dumps(service("rate=50")),))
    world = played("rate=10", web(), at=((5, more),))
    assert sum(outcomes(world).values()) == 10 * 5 + 50 * 5


def test_load_that_is_taken_away_ends_its_requests() -> None:
    world = played("rate=10", web(), at=((5, DeleteObject(kind="Service", namespace="default", name="web")),))
    assert sum(outcomes(world).values()) == 50 and world.tables.loads[KEY].plan == ()


def test_cost_is_that_of_changes_not_of_requests() -> None:
    world, records = run(header(service("rate=1000 after=10s"), web("a"), web("b")), 3600)
    assert outcomes(world)["answered"] > 3_000_000 and len(world.tables.loads[KEY].open) == 0
    assert len([record for record in records if record.machine == "requests"]) == 2


def test_cluster_without_a_load_has_none_to_look_at() -> None:
    plain = {**service(""), "metadata": {"name": "web"}}
    world = run(header(plain, web()), 5)[0]
    assert not world.tables.loads and not world.tables.load_pods


def test_a_second_look_writes_nothing() -> None:
    world = played("rate=10 retries=1", web("a"), web("b"))
    records: list[Any] = []
    load_look(Effects(world, records), LoadLook(*KEY))
    assert records == []


PARTS = st.sampled_from(["duration=0ms", "duration=70ms", "duration=3s", "connections=5", "retries=1", "from=outside", "timeout=200ms"])
ACTS: list[AnyCommand] = [
    DeletePod(target="default/a"),
    DeletePod(target="default/b", grace_s=1),
    HangContainer(target="default/b", container="nginx"),
    HangContainer(target="default/b", container="nginx", hang=False),
    DeleteObject(kind="Pod", namespace="default", name="a"),
]


@settings(max_examples=25, deadline=None)
@given(
    rate=st.sampled_from([1, 7.5, 100, 997]),
    parts=st.sets(PARTS, max_size=3),
    steps=st.lists(st.tuples(st.integers(1, 9000), st.sampled_from(ACTS)), max_size=4),
    cuts=st.lists(st.integers(1, 10_000), max_size=5),
)
def test_outcomes_add_up_to_what_was_sent_however_the_run_is_sliced(
    rate: float, parts: set[str], steps: list[tuple[int, AnyCommand]], cuts: list[int]
) -> None:
    words = {part.partition("=")[0]: part for part in sorted(parts)}
    head = header(service(f"rate={rate} {' '.join(words.values())}"), web("a"), web("b"), pod(container(), name="c"), nodes=2)
    whole, sliced = new_world(head), new_world(head)
    for world, marks in ((whole, []), (sliced, cuts)):
        acts = {moment: [act for at, act in steps if at == moment] for moment, _ in steps}
        for moment in sorted({*acts, *marks, 10_000}):
            advance(world, until_ms=moment)
            found = outcomes(world) if KEY in world.tables.loads else {}
            assert sum(found.values()) == moment * round(rate * 1000) // 1_000_000
            for act in acts.get(moment, []):
                apply(world, act)
    assert totals(whole.tables.loads[KEY], 10_000) == totals(sliced.tables.loads[KEY], 10_000)
    assert whole.digest() == sliced.digest()
