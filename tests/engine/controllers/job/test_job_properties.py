"""Invariants of every Job, whatever happens to its pods."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.engine import RunHeader, World, advance, apply, new_world, replay, verify
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.controllers.job.job import job_sync
from simulator.engine.controllers.job.round import FINALIZER, is_finished
from simulator.engine.workloads.refs import is_active, owned_pods
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import JobSync
from tests.engine.controllers.job.jobs import job, status
from tests.engine.worlds import header, stamped

SCRIPTS = (
    "exit 0",
    "exit 1",
    "sleep 3",
    "sleep 2; exit 42",
    "trap 'exit 0' TERM; sleep 20 & wait $!",
    "test $((JOB_COMPLETION_INDEX % 2)) = 0",
)
POLICY = {
    "rules": [
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}},
    ]
}
END_S = 60


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, object]:
    """A Job of any shape."""
    spec: dict[str, object] = {"parallelism": draw(st.integers(0, 4)), "backoffLimit": draw(st.integers(0, 3))}
    indexed = draw(st.booleans())
    if indexed or draw(st.booleans()):
        spec["completions"] = draw(st.integers(0, 5))
    if indexed:
        spec["completionMode"] = "Indexed"
        if draw(st.booleans()):
            spec |= {"backoffLimitPerIndex": draw(st.integers(0, 2)), "backoffLimit": 20}
    if draw(st.booleans()):
        spec["podFailurePolicy"] = POLICY
    elif draw(st.booleans()):
        spec["podReplacementPolicy"] = "Failed"
    if draw(st.integers(0, 4)) == 0:
        spec["activeDeadlineSeconds"] = draw(st.integers(3, 30))
    return job(draw(st.sampled_from(SCRIPTS)), pod={"terminationGracePeriodSeconds": 3}, **spec)


def acts() -> st.SearchStrategy[AnyCommand]:
    """Actions of a user on the Job or its pods."""
    pods = st.sampled_from([f"default/[{place}]" for place in range(5)])
    patches = (
        '{"spec": {"suspend": true}}',
        '{"spec": {"suspend": false}}',
        '{"spec": {"parallelism": 1}}',
        '{"spec": {"parallelism": 3}}',
    )
    return st.one_of(
        st.builds(DeletePod, target=pods, grace_s=st.sampled_from([None, 0]), force=st.just(value=True)),
        st.builds(EvictPod, target=pods),
        st.builds(PatchObject, kind=st.just("Job"), namespace=st.just("default"), name=st.just("j"), patch=st.sampled_from(patches)),
        st.just(DrainNode(node="node1", force=True)),
    )


scripts = st.lists(st.tuples(st.integers(1, END_S - 1), acts()), max_size=5).map(lambda items: sorted(items, key=lambda item: item[0]))
versions = st.sampled_from(["1.20", "1.24", "1.26", "1.30", "1.36"])
tracked = st.sampled_from(["1.25", "1.26", "1.30", "1.36"])  # earlier, a Job counts existing pods, so a deleted one is forgotten
thorough = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def head(document: dict[str, object], version: str) -> RunHeader:
    return header(document, kubernetes=version, nodes=2)


def second_by_second(document: dict[str, object], version: str, given_acts: list[tuple[int, AnyCommand]]):
    """The world after every second."""
    world = new_world(head(document, version))
    for second in range(1, END_S + 1):
        advance(world, until_ms=second * 1000)
        for at, command in given_acts:
            if at == second:
                apply(world, command)
        yield world


def looked_at(world: World) -> list[str]:
    """The rules of what one more sync of the Job writes."""
    records: list = []
    fx = Effects(world, records)
    fx.component = "job-controller"
    job_sync(fx, JobSync("default", "j"))
    return [record.rule for record in records]


@thorough
@given(jobs(), versions, scripts)
def test_second_round_of_an_unchanged_world_writes_nothing(document, version, given_acts):
    for world in second_by_second(document, version, given_acts):
        if world.now_ms % 7000 == 0:
            twin = world.fork()
            looked_at(twin), looked_at(twin)
            held = status(twin)
            assert looked_at(twin) == []
            assert status(twin) == held


@thorough
@given(jobs(), tracked, scripts)
def test_counts_never_shrink_and_no_more_pods_are_made_than_may_be_active(document, version, given_acts):
    counted, active = 0, 0
    for world in second_by_second(document, version, given_acts):
        held = status(world)
        now = held.get("succeeded", 0) + held.get("failed", 0)
        assert now >= counted
        counted = now
        row = world.tables.objects[("Job", "default", "j")]
        pods = sum(is_active(pod) for pod in owned_pods(Effects(world, []), row))
        parallelism = 3 if any(getattr(act, "patch", "").endswith("3}}") for _, act in given_acts) else 1
        assert pods <= max(active, document["spec"]["parallelism"], parallelism)
        active = pods


@thorough
@given(jobs(), versions, scripts)
def test_every_finalizer_is_taken_away_in_the_end(document, version, given_acts):
    *_, world = second_by_second(document, version, given_acts)
    apply(world, DeleteObject(kind="Job", namespace="default", name="j", propagation="Background"))
    advance(world, until_ms=(END_S + 30) * 1000)
    assert not [row.name for row in world.tables.pods.values() if FINALIZER in row.pod.metadata.finalizers]


@thorough
@given(jobs(), versions, scripts)
def test_job_that_is_over_has_no_active_pod_and_counts_no_more(document, version, given_acts):
    end = None
    for world in second_by_second(document, version, given_acts):
        held = status(world)
        if end is not None:
            assert held == end
        elif is_finished(held):
            end = held
            assert not held.get("active")
            assert not held.get("uncountedTerminatedPods")


@thorough
@given(jobs(), versions, scripts, st.integers(1, END_S - 1))
def test_replay_and_fork_tell_the_same(document, version, given_acts, fork_s):
    commands = stamped(*given_acts)
    records: list = []
    whole = replay(head(document, version), commands, until_ms=END_S * 1000, into=records)
    assert verify(head(document, version), commands, records) is None
    for world in second_by_second(document, version, [(at, act) for at, act in given_acts if at < fork_s]):
        if world.now_ms == fork_s * 1000:
            twin = world.fork()
            for at, command in given_acts:
                if at >= fork_s:
                    advance(twin, until_ms=at * 1000)
                    apply(twin, command)
            advance(twin, until_ms=END_S * 1000)
            assert twin.digest() == whole.digest()
            return
