"""The Downward API's values for a container, compared with the pod's current ones."""

import json
from typing import Any

from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.projection.downward_view import Downward, downward_view
from tests.engine.worlds import container, header, pod, run


def labelled(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    document = pod(*containers, **spec)
    document["metadata"]["labels"] = {"tier": "web"}
    return document


def variable(name: str, **source: Any) -> dict[str, Any]:
    return {"name": name, "valueFrom": source}


def relabel(tier: str) -> PatchPod:
    return PatchPod(target="default/p", patch=json.dumps({"metadata": {"labels": {"tier": tier}}}), kind="merge")


def seen(document: dict[str, Any], seconds: float, *commands: Any) -> tuple[Downward, ...]:
    world, _ = run(header(document), seconds, *commands)
    return downward_view(world, world.tables.pods["default/p"])


TIER = variable("TIER", fieldRef={"fieldPath": "metadata.labels['tier']"})
FILES = {"name": "podinfo", "downwardAPI": {"items": [{"path": "tier", "fieldRef": {"fieldPath": "metadata.labels['tier']"}}]}}
MOUNT = {"name": "podinfo", "mountPath": "/etc/podinfo"}


def test_variable_has_the_value_of_the_container_and_the_pod() -> None:
    (found,) = seen(labelled(container(env=[TIER])), 20)
    assert (found.place, found.name, found.source, found.shown, found.now) == ("env", "TIER", "metadata.labels['tier']", "web", "web")


def test_variable_keeps_its_value_when_the_label_changes() -> None:
    (found,) = seen(labelled(container(env=[TIER])), 60, (20, relabel("db")))
    assert (found.shown, found.now, found.is_stale) == ("web", "db", True)


def test_file_follows_the_label_when_the_kubelet_has_seen_it() -> None:
    document = labelled(container(volumeMounts=[MOUNT]), volumes=[FILES])
    (before,) = seen(document, 20, (20, relabel("db")))
    (after,) = seen(document, 140, (20, relabel("db")))
    assert (before.name, before.shown, before.is_stale) == ("/etc/podinfo/tier", "web", True)
    assert (after.shown, after.is_stale, after.rule) == ("db", False, "DOWNWARD-FILE")


def test_unset_limit_shows_what_the_node_offers() -> None:
    (found,) = seen(labelled(container(env=[variable("CORES", resourceFieldRef={"resource": "limits.cpu"})])), 20)
    assert (found.source, found.rule) == ("app: limits.cpu", "DOWNWARD-ALLOCATABLE")
    assert found.shown == found.now
    assert int(found.now) > 0


def test_nothing_is_shown_before_the_container_exists() -> None:
    (found,) = seen(labelled(container(env=[TIER]), nodeSelector={"no": "node"}), 20)
    assert (found.shown, found.now, found.is_stale) == (None, "web", False)
