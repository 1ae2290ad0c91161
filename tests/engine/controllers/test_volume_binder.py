"""Claims and volumes: bound to each other, provisioned by a class, waiting for a pod, released and reclaimed."""

import json
from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.kernel.json_text import Json
from simulator.engine.world.storage import STANDARD, claim_facts, default_class, volume_facts
from tests.engine.worlds import container, events, header, pod, run

SLEEPS = "sleep 3600"


def claim(name: str = "c", *, size: str = "1Gi", **spec: Any) -> Json:
    given = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": given}


def volume(name: str, size: str = "1Gi", *, labels: dict[str, str] | None = None, **spec: Any) -> Json:
    given = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}, **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name, "labels": labels or {}}, "spec": given}


def storage_class(name: str, *, waits: bool = True, provisioner: str = "example.com/disks", default: bool = False) -> Json:
    marked = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}} if default else {}
    return {
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name, **marked}, "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer" if waits else "Immediate",
    }  # fmt: skip


def user(name: str = "c", **spec: Any) -> Json:
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
    return pod(container(SLEEPS), volumes=volumes, terminationGracePeriodSeconds=1, **spec)


def bound_to(world: World, name: str = "c") -> str:
    found = claim_facts(world.tables.objects[("PersistentVolumeClaim", "default", name)])
    return found.volume if found.is_bound else ""


def phase(world: World, name: str) -> str:
    row = world.tables.objects.get(("PersistentVolume", "", name))
    return volume_facts(row).phase if row is not None else "gone"


def applied(at_s: float, *documents: Json) -> tuple[float, AnyCommand]:
    return at_s, ApplyManifest(documents=tuple(json.dumps(document) for document in documents))


def claim_events(records: list[Record]) -> list[str]:
    return events([record for record in records if record.subject.startswith("persistentvolumeclaim/")])


def test_claim_without_a_class_gets_the_default_one_and_is_bound_before_its_pod_is_placed() -> None:
    world, records = run(header(claim(), user()), 2)
    row = world.tables.objects[("PersistentVolumeClaim", "default", "c")]
    assert claim_facts(row).class_name == STANDARD.name
    assert bound_to(world) == f"pvc-{row.uid}"
    assert phase(world, f"pvc-{row.uid}") == "Bound"
    assert not [text for text in events(records) if text.startswith("FailedScheduling")]


def test_newest_class_that_is_marked_is_the_default() -> None:
    world, _ = run(header(storage_class("fast", default=True)), 5, applied(3, storage_class("faster", default=True)))
    found = default_class(world.tables)
    assert found is not None
    assert found.name == "faster"


def test_class_of_the_clusters_own_name_takes_its_place() -> None:
    world, _ = run(header(storage_class("standard")), 1)
    assert default_class(world.tables) is None


def test_smallest_volume_that_fits_is_taken() -> None:
    volumes = [volume("big", "10Gi"), volume("fits", "2Gi"), volume("small", "500Mi"), volume("other", "1Gi", storageClassName="x")]
    more = [volume("block", "1Gi", volumeMode="Block"), volume("shared", "1Gi", accessModes=["ReadOnlyMany"])]
    world, _ = run(header(*volumes, *more, claim(storageClassName="")), 2)
    assert bound_to(world) == "fits"
    assert [phase(world, name) for name in ("fits", "big")] == ["Bound", "Available"]


def test_selector_chooses_among_volumes() -> None:
    volumes = [volume("a", labels={"tier": "slow"}), volume("b", labels={"tier": "fast"})]
    world, _ = run(header(*volumes, claim(storageClassName="", selector={"matchLabels": {"tier": "fast"}})), 2)
    assert bound_to(world) == "b"


def test_claim_that_names_its_volume_waits_for_that_one() -> None:
    named = claim(storageClassName="", volumeName="mine")
    world, _ = run(header(volume("other"), named), 2)
    assert bound_to(world) == ""
    world, _ = run(header(volume("other"), named), 20, applied(5, volume("mine")))
    assert bound_to(world) == "mine"


def test_volume_that_is_kept_for_a_claim_is_left_to_it() -> None:
    kept = volume("kept", claimRef={"namespace": "default", "name": "c"})
    world, _ = run(header(kept, claim("other", storageClassName=""), claim(storageClassName="")), 2)
    assert (bound_to(world), bound_to(world, "other")) == ("kept", "")


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"size": "2Gi"}, "requested PV is too small"),
        ({"storageClassName": "by-hand"}, "storageClassName does not match"),
        ({"volumeMode": "Block"}, "incompatible volumeMode"),
        ({"accessModes": ["ReadWriteMany"]}, "incompatible accessMode"),
    ],
)
def test_claim_that_names_a_volume_too_unlike_it_is_not_bound_and_says_why(spec: Json, problem: str) -> None:
    named = claim(**{"storageClassName": "", "volumeName": "v", **spec})
    world, records = run(header(volume("v"), volume("other", "5Gi"), named), 2)
    assert bound_to(world) == ""
    assert claim_events(records) == [f'VolumeMismatch: Cannot bind to requested volume "v": {problem}']
    assert "CLAIM-VOLUME-MISMATCH" in {record.rule for record in records}


def test_claim_that_names_a_volume_of_another_claim_says_so() -> None:
    kept = volume("v", claimRef={"namespace": "default", "name": "other"})
    world, records = run(header(kept, claim(storageClassName="", volumeName="v")), 2)
    assert bound_to(world) == ""
    assert claim_events(records) == ['FailedBinding: volume "v" already bound to a different claim.']
    assert "CLAIM-VOLUME-TAKEN" in {record.rule for record in records}


def test_released_volume_is_not_bound_to_a_new_claim_of_the_same_name() -> None:
    first = claim(storageClassName="")
    gone = DeleteObject(kind="PersistentVolumeClaim", namespace="default", name="c")
    world, records = run(header(volume("v"), first), 30, (3, gone), applied(5, first))
    assert (phase(world, "v"), bound_to(world)) == ("Released", "")
    assert "FailedBinding: no persistent volumes available for this claim and no storage class is set" in claim_events(records)


def test_volume_that_is_kept_for_a_claim_need_not_be_of_its_class() -> None:
    kept = volume("kept", claimRef={"namespace": "default", "name": "c"}, storageClassName="other")
    world, _ = run(header(kept, claim(storageClassName="")), 2)
    assert bound_to(world) == "kept"


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"storageClassName": "nope"}, 'ProvisioningFailed: storageclass.storage.k8s.io "nope" not found'),
        ({"storageClassName": "by-hand"}, "ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner"),
        ({"storageClassName": ""}, "FailedBinding: no persistent volumes available for this claim and no storage class is set"),
        ({"storageClassName": "late"}, "WaitForFirstConsumer: waiting for first consumer to be created before binding"),
    ],
)
def test_claim_that_waits_says_why_every_fifteen_seconds(spec: Json, told: str) -> None:
    classes = [storage_class("by-hand", waits=False, provisioner="kubernetes.io/no-provisioner"), storage_class("late")]
    world, records = run(header(*classes, claim(**spec)), 32)
    assert claim_events(records) == [told] * 3
    assert bound_to(world) == ""


def test_claim_that_waits_meets_a_volume_that_comes_later() -> None:
    world, _ = run(header(claim(storageClassName="")), 14, applied(3, volume("late")))
    assert bound_to(world) == ""
    world, _ = run(header(claim(storageClassName="")), 16, applied(3, volume("late")))
    assert bound_to(world) == "late"


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (
            "1.28",
            'waiting for a volume to be created, either by external provisioner "example.com/disks" or manually',
        ),
        (
            "1.29",
            "Waiting for a volume to be created either by the external provisioner 'example.com/disks' or manually by",
        ),
    ],
)
def test_provisioner_of_a_class_takes_its_time(version: str, told: str) -> None:
    fast = storage_class("fast", waits=False)
    world, records = run(header(fast, claim(storageClassName="fast"), user(), kubernetes=version), 6)
    texts = claim_events(records)
    assert texts[0].startswith(f"ExternalProvisioning: {told}")
    assert texts[1] == 'Provisioning: External provisioner is provisioning volume for claim "default/c"'
    assert texts[2].startswith("ProvisioningSucceeded: Successfully provisioned volume pvc-")
    unbound = "FailedScheduling: 0/1 nodes are available: 1 pod has unbound immediate PersistentVolumeClaims."
    assert any(text.startswith((unbound.replace("1 pod", "pod"), unbound)) for text in events(records))
    (row,) = world.tables.pods.values()
    assert row.node == "node1"


@pytest.mark.parametrize(("version", "names"), [("1.22", 1), ("1.23", 2)])
def test_claim_names_its_provisioner_twice_from_1_23(version: str, names: int) -> None:
    world, _ = run(header(storage_class("fast", waits=False), claim(storageClassName="fast"), kubernetes=version), 3)
    annotations = json.loads(world.tables.objects[("PersistentVolumeClaim", "default", "c")].document)["metadata"]["annotations"]
    assert sum(key.endswith("/storage-provisioner") for key in annotations) == names


def test_claim_of_a_class_that_waits_is_bound_where_its_pod_goes() -> None:
    documents = [storage_class("late"), claim(storageClassName="late"), user(nodeSelector={"kubernetes.io/hostname": "node2"})]
    world, records = run(header(*documents, nodes=2), 4)
    (row,) = world.tables.pods.values()
    assert row.node == "node2"
    assert "SCHEDULE-WAITS-FOR-VOLUMES" in [record.rule for record in records]
    held = world.tables.objects[("PersistentVolume", "", bound_to(world))]
    assert [volume_facts(held).reaches(world.tables.nodes[name]) for name in ("node1", "node2")] == [False, True]


def test_pod_that_goes_while_its_volumes_are_made_leaves_its_room() -> None:
    documents = [storage_class("late"), claim(storageClassName="late"), user()]
    world, _ = run(header(*documents), 3, (0.5, DeletePod(target="default/p")))
    assert world.tables.volume_waits == {}
    assert world.tables.scheduled == {}


LOCAL = storage_class("local", provisioner="kubernetes.io/no-provisioner")


def local(name: str, node: str) -> Json:
    expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    return volume(name, storageClassName="local", nodeAffinity={"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}})


def test_pod_goes_where_a_local_volume_is() -> None:
    documents = [
        LOCAL,
        local("v", "node2"),
        claim(storageClassName="local"),
        user(),
    ]
    world, _ = run(header(*documents, nodes=2), 4)
    (row,) = world.tables.pods.values()
    assert (row.node, bound_to(world)) == ("node2", "v")


def test_pod_waits_where_no_node_has_a_volume_for_it() -> None:
    documents = [LOCAL, claim(storageClassName="local"), user()]
    _, records = run(header(*documents, nodes=2), 3)
    told = "FailedScheduling: 0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind."
    assert any(text.startswith(told) for text in events(records))
    assert "WaitForPodScheduled: waiting for pod p to be scheduled" in claim_events(run(header(*documents, nodes=2), 16)[1])


def test_pod_stays_with_its_bound_local_volume() -> None:
    documents = [
        LOCAL,
        local("v", "node2"),
        claim(storageClassName="local"),
        user(),
    ]
    away = user(nodeSelector={"kubernetes.io/hostname": "node1"})
    away["metadata"]["name"] = "q"
    _, records = run(header(*documents, nodes=2), 8, applied(5, away))
    told = "1 node(s) had volume node affinity conflict"
    assert any(text.startswith("FailedScheduling") and told in text for text in events(records))


@pytest.mark.parametrize(("policy", "left"), [("Retain", "Released"), ("Delete", "Failed")])
def test_volume_of_a_claim_that_is_gone_is_released(policy: str, left: str) -> None:
    gone = DeleteObject(kind="PersistentVolumeClaim", namespace="default", name="c")
    world, _ = run(header(volume("v", persistentVolumeReclaimPolicy=policy), claim(storageClassName="")), 6, (3, gone))
    assert phase(world, "v") == left


def test_volume_that_a_provisioner_made_goes_with_its_claim() -> None:
    world, _ = run(header(claim()), 6, (3, DeleteObject(kind="PersistentVolumeClaim", namespace="default", name="c")))
    assert [key for key in world.tables.objects if key[0] == "PersistentVolume"] == []


def test_released_volume_is_available_again_without_its_claim_ref() -> None:
    gone = DeleteObject(kind="PersistentVolumeClaim", namespace="default", name="c")
    free = PatchObject(kind="PersistentVolume", name="v", patch=json.dumps({"spec": {"claimRef": None}}))
    world, _ = run(header(volume("v"), claim(storageClassName="")), 8, (3, gone), (5, free))
    assert phase(world, "v") == "Available"


def test_bound_volume_that_is_deleted_stays_until_its_claim_is_gone() -> None:
    away = DeleteObject(kind="PersistentVolume", name="v")
    gone = DeleteObject(kind="PersistentVolumeClaim", namespace="default", name="c")
    world, _ = run(header(volume("v"), claim(storageClassName="")), 5, (3, away))
    assert phase(world, "v") == "Bound"
    world, _ = run(header(volume("v"), claim(storageClassName="")), 8, (3, away), (5, gone))
    assert phase(world, "v") == "gone"


def test_pod_with_a_node_mounts_nothing_before_its_claim_is_bound() -> None:
    mounting = user(nodeName="node1")
    mounting["spec"]["containers"][0]["volumeMounts"] = [{"name": "v", "mountPath": "/data"}]
    world, _ = run(header(claim(storageClassName=""), mounting), 10)
    (row,) = world.tables.pods.values()
    assert row.status.phase == "Pending"
