"""The eviction manager between two evictions: it checks every second whether the evicted pod is cleaned up."""

import json
from typing import Any

from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.pressure import SetNodePressure
from tests.engine.worlds import container, header, pod, run


def hungry(name: str) -> dict[str, Any]:
    """A pod that uses 60 MiB of memory and has requested none."""
    document = pod(container("sleep 3600"), name=name)
    behaviour = json.dumps({"app": {"memory": [{"at": 0, "bytes": "60Mi"}]}})
    document["metadata"]["annotations"] = {"podscope.dev/behaviour": behaviour}
    return document


def test_next_pod_is_evicted_at_the_first_second_after_the_one_before_is_cleaned_up() -> None:
    """The kubelet was restarted, so that it sees the end of a pod in the first half of a second."""
    short = SetNodePressure(node="node1", signal="memory.available", available="0")
    _, records = run(
        header(hungry("a"), hungry("b")),
        60,
        (2, NodeControl(node="node1", kubelet="stop")),
        (2.5, NodeControl(node="node1", kubelet="start")),
        (22, short),
    )
    evicted = [record.at_ms for record in records if record.rule == "EVICTED" and record.machine == "k8s_event"]
    cleaned = [record.at_ms for record in records if record.machine == "pod_worker" and record.target == "finished"]
    assert (evicted, cleaned[0]) == ([25_000, 26_000], 25_300)
