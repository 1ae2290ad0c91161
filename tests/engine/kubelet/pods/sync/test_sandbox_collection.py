"""What delays the deletion of a pod that never had a container on a 1.20.2 node: its sandbox, until garbage collection."""

from typing import Any

import pytest

from simulator.engine import Record
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.rules.explain import why
from tests.engine.worlds import container, header, moment, pod, run

BAD_IMAGE = pod(container(image="nosuch/app:1"))


def gone(records: list[Record], asked: float = 20) -> float:
    """Seconds from the deletion to the end of the object."""
    return moment(records, machine="object", target="gone") - asked


def deleted(document: dict[str, Any], version: str = "1.20", seconds: float = 100, **more: Any) -> list[Record]:
    return run(header(document, kubernetes=version, **more), seconds, (20, DeletePod(target="default/p")))[1]


@pytest.mark.parametrize(("version", "least", "most"), [("1.20", 37, 39), ("1.21", 6, 9), ("1.22", 0, 3)])
def test_pod_whose_image_never_came_waits_for_the_collection_of_its_sandbox_in_1_20(version: str, least: float, most: float) -> None:
    """Recorded once on a 1.20.2 node: 38 s. The mean wait is half a minute for the collection plus half of ten seconds for the tick."""
    assert least <= gone(deleted(BAD_IMAGE, version)) <= most


@pytest.mark.parametrize(
    "container_of",
    [
        container(image="nosuch/app:1", imagePullPolicy="Never"),
        container(image="Not A Name"),
        container(env=[{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "none", "key": "a"}}}]),
    ],
    ids=["ErrImageNeverPull", "InvalidImageName", "CreateContainerConfigError"],
)
def test_whatever_kept_its_containers_from_being_made(container_of: dict[str, Any]) -> None:
    assert gone(deleted(pod(container_of))) > 30


@pytest.mark.parametrize(
    "document",
    [
        pod(container("exit 1")),
        pod(container(image="nosuch/app:1"), initContainers=[container("true", name="i")]),
        pod(container(), volumes=[{"name": "v", "configMap": {"name": "none"}}]),
    ],
    ids=["crash loop", "an init container was there", "no sandbox"],
)
def test_sandbox_goes_with_the_containers_where_there_were_some(document: dict[str, Any]) -> None:
    """The removal of a container triggers the deletion of the sandbox (pull request 92817)."""
    assert gone(deleted(document)) < 15


def test_pods_of_one_node_are_collected_in_one_round() -> None:
    documents = [{**BAD_IMAGE, "metadata": {"name": name}} for name in ("p", "q")]
    acts = [(20, DeletePod(target="default/p")), (30, DeletePod(target="default/q"))]
    _, records = run(header(*documents, kubernetes="1.20"), 120, *acts)
    ends = [item.at_ms for item in records if item.machine == "object" and item.target == "gone"]
    assert len(ends) == 2 and ends[0] == ends[1]


def test_rounds_come_once_a_minute_with_a_phase_of_each_kubelet() -> None:
    waits = [gone(deleted(BAD_IMAGE, jitter=True, seed=seed)) for seed in range(12)]
    assert min(waits) < 25 < 45 < max(waits) < 75


@pytest.mark.parametrize(("stopped", "rounds"), [(19, 1), (26, 0)])
def test_restarted_kubelet_collects_at_once_and_then_each_minute(stopped: float, rounds: int) -> None:
    """A sandbox that still ran when the kubelet came waits for the second round; one that had been stopped before goes with the first."""
    stop, start = (NodeControl(node="node1", kubelet=word) for word in ("stop", "start"))
    acts = sorted([(stopped, stop), (20, DeletePod(target="default/p")), (30, start)], key=lambda act: act[0])
    _, records = run(header(BAD_IMAGE, kubernetes="1.20"), 140, *acts)
    up = [item.at_ms / 1000 for item in records if item.machine == "kubelet" and item.target == "running"][-1]
    assert 0 < moment(records, machine="object", target="gone") - up - rounds * 60 < 15


def test_words_say_what_the_object_waited_for() -> None:
    records = deleted(BAD_IMAGE)
    (end,) = [item for item in records if item.machine == "pod_worker" and item.target == "finished"]
    assert why(records, end.seq)[0].text.startswith("The pod never had a container, so its stopped sandbox stayed until")
