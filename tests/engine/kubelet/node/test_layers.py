"""What the eviction manager knows about writable layers: they are measured periodically, by containerd, or by cAdvisor for Docker."""

from typing import Any

import pytest

from simulator.engine import Record
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.world.events import MeasureLayers
from tests.engine.worlds import container, header, pod, run


def limited(script: str, limit: str = "2Mi", **more: Any) -> dict[str, Any]:
    """A container with this limit on the node's disk."""
    return container(script, resources={"limits": {"ephemeral-storage": limit}}, **more)


def evicted(records: list[Record]) -> list[tuple[int, str]]:
    """When pods were evicted, and with which message."""
    return [
        (record.at_ms, str(record.get("message"))) for record in records if record.machine == "k8s_event" and record.target == "Evicted"
    ]


BIG = "dd if=/dev/zero of=/tmp/x bs=1M count=5"
POD_WORDS = "Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. "


@pytest.mark.parametrize(("written_s", "evicted_s"), [(1, 15), (8, 15), (11, 25)])
def test_layer_counts_from_containerds_next_measuring_on(written_s: int, evicted_s: int) -> None:
    """containerd measures at 10, 20, …, the eviction manager looks at 5, 15, …"""
    _, records = run(header(pod(limited(f"sleep {written_s}; {BIG}; sleep 3600"))), 40)
    assert evicted(records) == [(evicted_s * 1000, POD_WORDS)]


def test_log_is_measured_at_every_look() -> None:
    _, records = run(header(pod(limited("sleep 3; seq 300; sleep 3600", "1000"))), 40)
    assert [at for at, _ in evicted(records)] == [5_000]


def test_use_is_as_old_as_chance_has_it() -> None:
    """With jitter both periods have random phases: never before containerd has measured, and at most two periods late."""
    seen = set()
    for seed in range(8):
        _, records = run(header(pod(limited(f"sleep 20; {BIG}; sleep 3600")), jitter=True, seed=seed), 60)
        at_ms = evicted(records)[0][0]
        assert 20_000 < at_ms < 42_000
        seen.add(at_ms)
    assert len(seen) == 8


def test_new_instance_begins_with_an_empty_layer() -> None:
    """What the first instance wrote was measured at 10 s; at 15 s only the second one runs, and it has written nothing."""
    writes_once = f"if [ -e /shared/done ]; then sleep 3600; fi; touch /shared/done; {BIG}; sleep 11; exit 1"
    mounted = limited(writes_once, volumeMounts=[{"name": "v", "mountPath": "/shared"}])
    _, records = run(header(pod(mounted, volumes=[{"name": "v", "emptyDir": {}}])), 40)
    assert evicted(records) == []


def test_layer_of_an_ephemeral_container_counts_for_the_pod() -> None:
    debug = DebugPod(target="default/p", container="debugger", image="busybox:1.28", command=("sh", "-c", f"{BIG}; sleep 3600"))
    _, records = run(header(pod(limited("sleep 3600"))), 40, (6, debug))
    assert evicted(records) == [(15_000, POD_WORDS)]


def test_limit_of_an_init_container_alone_is_one_of_the_pod() -> None:
    """PodLimits takes the largest of the init containers, even if no other container has that limit."""
    asks = container("true", name="first", resources={"limits": {"ephemeral-storage": "2Mi"}})
    _, records = run(header(pod(container(f"{BIG}; sleep 3600"), initContainers=[asks])), 40)
    assert evicted(records) == [(15_000, POD_WORDS)]


def test_cadvisor_measures_a_docker_container_once_a_minute_from_its_start() -> None:
    """Started at 0.4 s, so measured at 60.4 s; in the statistics half of 15 s later; the eviction manager checks at 75 s."""
    story = header(pod(limited(f"sleep 5; {BIG}; sleep 3600")), kubernetes="1.20", runtime="docker")
    _, records = run(story, 100)
    assert evicted(records) == [(75_000, POD_WORDS)]


def test_cadvisor_shows_until_then_what_it_measured_before() -> None:
    """Written at 63 s: the measurement at 60.4 s does not include it, that of 120.4 s is seen at 135 s."""
    story = header(pod(limited(f"sleep 63; {BIG}; sleep 3600")), kubernetes="1.20", runtime="docker")
    _, records = run(story, 160)
    assert evicted(records) == [(135_000, POD_WORDS)]


def test_log_of_a_docker_container_is_measured_with_its_layer() -> None:
    story = header(pod(limited("seq 300; sleep 3600", "1000")), kubernetes="1.20", runtime="docker")
    _, records = run(story, 100)
    assert [at for at, _ in evicted(records)] == [75_000]


def test_docker_container_that_restarts_is_measured_from_there() -> None:
    """The instance that failed at 10 s is never measured; the one that began a moment later is, a minute after its start."""
    story = header(pod(limited(f"{BIG}; sleep 10; exit 1")), kubernetes="1.20", runtime="docker")
    _, records = run(story, 50)
    assert evicted(records) == []


def test_without_the_runtime_there_are_no_statistics() -> None:
    steps = ((2, NodeControl(node="node1", runtime="stop")), (21, NodeControl(node="node1", runtime="start")))
    _, records = run(header(pod(limited(f"{BIG}; sleep 3600"))), 60, *steps)
    assert [at for at, _ in evicted(records)] == [25_000]


def test_nothing_is_measured_where_nothing_is_limited() -> None:
    free, _ = run(header(pod(container(f"{BIG}; sleep 3600"))), 12)
    held, _ = run(header(pod(limited("sleep 3600"))), 12)
    looks = [any(type(key) is MeasureLayers for key in world.tables.checks) for world in (free, held)]
    assert looks == [False, True]


def test_measuring_ends_with_the_last_limited_pod() -> None:
    world, _ = run(header(pod(limited("exit 0"), restartPolicy="Never")), 40)
    assert not any(type(key) is MeasureLayers for key in world.tables.checks)
