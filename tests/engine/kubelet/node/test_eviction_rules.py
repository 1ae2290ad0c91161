"""Node-pressure eviction as pure rules: order, messages, thresholds."""

import pytest

from simulator.engine.kubelet.base.storage_limits import has_storage_limits
from simulator.engine.kubelet.node.eviction_rules import Candidate, ContainerUse, Use, low_on, over_local_limit, rank
from simulator.engine.kubelet.node.thresholds import amount_of, thresholds
from simulator.engine.model.manifest import pod_from_document

MIB = 1 << 20


def spec(requests=None, limits=None, **more):  # noqa: ANN001, ANN201 - a small builder of documents
    container = {"name": "app", "image": "i", "resources": {"requests": requests or {}, "limits": limits or {}}}
    return pod_from_document({"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container], **more}}).spec


def candidate(name, memory_mib, **given):  # noqa: ANN001, ANN201
    return Candidate(name=name, spec=spec(**given), use=Use(memory_bytes=memory_mib * MIB))


def names(candidates, pressure="memory"):  # noqa: ANN001, ANN201
    return [item.name for item in rank(candidates, pressure)]


def test_rank_puts_pods_above_their_request_first_whatever_they_use() -> None:
    within = candidate("within", 900, requests={"memory": "1Gi"})
    above = candidate("above", 60, requests={"memory": "50Mi"})
    assert names([within, above]) == ["above", "within"]


def test_rank_looks_at_priority_before_use() -> None:
    assert names([candidate("big", 500, priority=10), candidate("low", 1, priority=1)]) == ["low", "big"]


def test_rank_puts_what_was_never_measured_first() -> None:
    assert names([candidate("known", 500), Candidate(name="new", spec=spec())]) == ["new", "known"]


def test_rank_keeps_the_order_of_equals() -> None:
    assert names([candidate("b", 5), candidate("a", 5)]) == ["b", "a"]


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("short", "The node was low on resource: memory. Container app was using 60Mi, which exceeds its request of 50Mi. "),
        (
            "threshold",
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: 20Mi. "
            "Container app was using 60Mi, request is 50Mi, has larger consumption of memory. ",
        ),
    ],
)
def test_message_names_containers_above_their_request(style: str, expected: str) -> None:
    use = [ContainerUse(name="app", memory_bytes=60 * MIB)]
    given = spec(requests={"memory": "50Mi"})
    assert low_on("memory.available", given, use, threshold="100Mi", available="20Mi", style=style) == expected


def test_message_is_silent_about_containers_within_their_request() -> None:
    use = [ContainerUse(name="app", memory_bytes=10 * MIB)]
    assert low_on("memory.available", spec(requests={"memory": "50Mi"}), use) == "The node was low on resource: memory. "


VOLUME = {"volumes": [{"name": "d", "emptyDir": {"sizeLimit": "1Mi"}}]}


def test_local_limit_names_the_empty_dir_that_is_over() -> None:
    assert over_local_limit(spec(**VOLUME), {"d": MIB + 1}, []) == 'Usage of EmptyDir volume "d" exceeds the limit "1Mi". '
    assert over_local_limit(spec(**VOLUME), {"d": MIB}, []) == ""


def test_local_limit_of_the_pod_counts_volumes_layers_and_logs() -> None:
    given = spec(limits={"ephemeral-storage": "2Mi"}, volumes=[{"name": "d", "emptyDir": {}}])
    use = [ContainerUse(name="app", disk_bytes=MIB)]
    assert over_local_limit(given, {"d": MIB + 1}, use).startswith("Pod ephemeral local storage usage exceeds the total limit")
    assert over_local_limit(given, {"d": MIB}, use) == ""


def test_local_limit_of_the_pod_leaves_memory_volumes_out() -> None:
    given = spec(limits={"ephemeral-storage": "1Mi"}, volumes=[{"name": "d", "emptyDir": {"medium": "Memory"}}])
    assert over_local_limit(given, {"d": 5 * MIB}, []) == ""


@pytest.mark.parametrize(("given", "expected"), [({}, False), (VOLUME, True), ({"limits": {"ephemeral-storage": "1Gi"}}, True)])
def test_storage_limits_are_looked_for_where_they_can_be(given: dict, expected: bool) -> None:
    assert has_storage_limits(spec(**given)) is expected


@pytest.mark.parametrize(("text", "expected"), [("10%", 100), ("100Mi", 100 * MIB), ("0", 0)])
def test_threshold_is_a_quantity_or_a_share_of_the_capacity(text: str, expected: int) -> None:
    assert amount_of(text, 1000) == expected


def test_thresholds_of_memory_come_first_and_hard_before_soft() -> None:
    capacity = {"memory.available": 1000, "nodefs.available": 1000}
    soft = {"memory.available": "20%"}
    found = thresholds({"nodefs.available": "10%", "memory.available": "5%"}, soft, {"memory.available": 90}, capacity)
    assert [(item.signal, item.amount, item.soft_ms) for item in found] == [
        ("memory.available", 50, None),
        ("memory.available", 200, 90_000),
        ("nodefs.available", 100, None),
    ]
