"""Volumes that keep pods off nodes: disks in use, claims for one pod, volume limits, zones of volumes."""

import json
from typing import Any

import pytest

from simulator.engine import World
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from tests.engine.controllers.test_volume_binder import claim, storage_class, volume
from tests.engine.projection.test_scheduling import HIGH, decided
from tests.engine.scheduler.placing import ZONE, Json, labelled, nodes_of, on, placed, said_of, zoned

NO_DISK = "node(s) had no available disk"
TOO_MANY = "node(s) exceed max volume count"
NO_ZONE = "node(s) had no available volume zone"
ONE_POD_BEFORE = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
ONE_POD = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"


def disk_user(name: str, *sources: Json, **more: Any) -> Json:
    """A pod with these volume sources."""
    return labelled(name, {}, volumes=[{"name": f"v{number}", **source} for number, source in enumerate(sources)], **more)


def of(claim_name: str) -> Json:
    return {"persistentVolumeClaim": {"claimName": claim_name}}


def ebs(disk: str) -> Json:
    return {"awsElasticBlockStore": {"volumeID": disk}}


def gce(disk: str, *, reads: bool = False) -> Json:
    return {"gcePersistentDisk": {"pdName": disk, "readOnly": reads}}


def azure(disk: str) -> Json:
    return {"azureDisk": {"diskName": disk, "diskURI": f"/{disk}"}}


def iscsi(iqn: str, *, reads: bool = False) -> Json:
    return {"iscsi": {"targetPortal": "10.0.0.1", "iqn": iqn, "lun": 0, "readOnly": reads}}


def rbd(image: str, *monitors: str, reads: bool = False) -> Json:
    return {"rbd": {"monitors": list(monitors), "image": image, "readOnly": reads}}


def for_one_pod(name: str = "c") -> Json:
    return claim(name, accessModes=["ReadWriteOncePod"])


def csi_node(name: str, **counts: int) -> Json:
    drivers = [{"name": driver.replace("_", "."), "nodeID": name, "allocatable": {"count": count}} for driver, count in counts.items()]
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name}, "spec": {"drivers": drivers}}


def csi_volume(name: str, driver: str = "disks.example.com", handle: str = "", **labels: str) -> Json:
    document = volume(name, labels=labels)
    del document["spec"]["hostPath"]
    document["spec"]["csi"] = {"driver": driver, "volumeHandle": handle or name}
    return document


@pytest.mark.parametrize(
    ("first", "second", "fits"),
    [
        (ebs("a"), ebs("a"), False),
        (ebs("a"), ebs("b"), True),
        (ebs("a"), gce("a"), True),
        (gce("a"), gce("a"), False),
        (gce("a", reads=True), gce("a"), False),
        (gce("a", reads=True), gce("a", reads=True), True),
        (iscsi("iqn.2001-04.com.example:a"), iscsi("iqn.2001-04.com.example:a", reads=True), False),
        (iscsi("iqn.2001-04.com.example:a", reads=True), iscsi("iqn.2001-04.com.example:a", reads=True), True),
        (rbd("a", "m1", "m2"), rbd("a", "m2"), False),
        (rbd("a", "m1"), rbd("a", "m2"), True),
        (rbd("a", "m1"), rbd("b", "m1"), True),
        (rbd("a", "m1", reads=True), rbd("a", "m1", reads=True), True),
    ],
)
def test_disk_that_somebody_writes_is_used_once_on_a_node(first: Json, second: Json, fits: bool) -> None:
    world = placed(disk_user("a", first), disk_user("p", second), nodes=1, kubernetes="1.22")
    assert said_of(world, "p") == ("" if fits else f"0/1 nodes are available: 1 {NO_DISK}.")


def test_disk_in_use_sends_a_pod_to_another_node() -> None:
    world = placed(disk_user("a", gce("d"), **on("node1")), disk_user("p", gce("d")), nodes=2)
    assert nodes_of(world)["p"] == "node2"


def test_pod_whose_disk_is_given_back_is_placed() -> None:
    pods = (disk_user("a", gce("d")), disk_user("p", gce("d")))
    world = placed(*pods, nodes=1, seconds=30, commands=((5, DeletePod(target="default/a")),), kubernetes="1.34")
    assert nodes_of(world)["p"] == "node1"


@pytest.mark.parametrize(("kubernetes", "said"), [("1.32", ONE_POD_BEFORE), ("1.33", ONE_POD)])
def test_claim_for_one_pod_keeps_a_second_from_every_node(kubernetes: str, said: str) -> None:
    world = placed(for_one_pod(), disk_user("a", of("c")), disk_user("p", of("c")), nodes=2, seconds=5, kubernetes=kubernetes)
    assert said_of(world, "p") == f"0/2 nodes are available: 2 {said}."


def test_other_access_modes_let_pods_share_a_claim() -> None:
    world = placed(claim(), disk_user("a", of("c")), disk_user("p", of("c")), nodes=1, seconds=5)
    assert all(nodes_of(world).values())


def test_claim_for_one_pod_is_taken_over_when_its_pod_is_gone() -> None:
    pods = (disk_user("a", of("c")), disk_user("p", of("c")))
    world = placed(for_one_pod(), *pods, nodes=2, seconds=30, commands=((5, DeletePod(target="default/a")),), kubernetes="1.34")
    assert nodes_of(world)["p"]


def test_more_important_pod_takes_the_claim_for_one_pod_by_preemption() -> None:
    second = disk_user("p", of("c"), priorityClassName="high")
    apply_second = ApplyManifest(documents=(json.dumps(second),))
    first = disk_user("a", of("c"), **on("node2"))
    world = placed(HIGH, for_one_pod(), first, nodes=2, seconds=30, commands=((5, apply_second),), kubernetes="1.34")
    assert nodes_of(world)["p"] == "node2"
    assert world.tables.pods["default/a"].gone_ms is not None


def test_explanation_names_who_has_the_disk() -> None:
    found = decided(disk_user("a", gce("d")), disk_user("p", gce("d")), nodes=1)
    (node,) = found.nodes
    assert node.refusal is not None and dict(node.refusal.facts) == {"wanted": "v0", "taken_by": "default/a"}


@pytest.mark.parametrize(
    ("kubernetes", "disks", "fits"),
    [("1.22", 16, True), ("1.22", 17, False), ("1.23", 17, True)],
)
def test_node_takes_sixteen_disks_of_gce_until_these_are_their_csi_drivers(kubernetes: str, disks: int, fits: bool) -> None:
    world = placed(disk_user("p", *(gce(f"d{number}") for number in range(disks))), nodes=1, kubernetes=kubernetes)
    assert said_of(world, "p") == ("" if fits else f"0/1 nodes are available: 1 {TOO_MANY}.")


@pytest.mark.parametrize(("labels", "fits"), [({}, True), ({"node.kubernetes.io/instance-type": "m5.large"}, False)])
def test_number_of_ebs_disks_depends_on_the_machine(labels: dict[str, str], fits: bool) -> None:
    nodes = [{"name": "node1", "labels": labels}]
    world = placed(disk_user("p", *(ebs(f"d{number}") for number in range(26))), nodes=nodes, kubernetes="1.22")
    assert (said_of(world, "p") == "") is fits


def test_node_may_say_how_many_disks_it_takes_and_a_disk_of_several_pods_counts_once() -> None:
    nodes = [{"name": "node1", "allocatable": {"attachable-volumes-azure-disk": "2"}}]
    pods = (disk_user("a", azure("d1"), azure("d2")), disk_user("b", azure("d2")), disk_user("p", azure("d2"), azure("d3")))
    world = placed(*pods, nodes=nodes, kubernetes="1.22")
    assert (nodes_of(world)["b"], said_of(world, "p")) == ("node1", f"0/1 nodes are available: 1 {TOO_MANY}.")


def bound(number: int, **more: Any) -> tuple[Json, Json]:
    """A claim and the volume of a CSI driver that it names."""
    return claim(f"c{number}", volumeName=f"v{number}", storageClassName=""), csi_volume(f"v{number}", **more)


def csi_world(*counts: int, kubernetes: str = "1.34", commands: Any = (), seconds: float = 20) -> World:
    """Two pods with a claim each, a third with one more, on nodes whose driver has this volume limit."""
    objects = [item for number in (1, 2, 3) for item in bound(number)]
    nodes = [csi_node(f"node{number}", disks_example_com=count) for number, count in enumerate(counts, 1)]
    pods = [disk_user(name, of(f"c{number}")) for number, name in enumerate("abp", 1)]
    return placed(*nodes, *objects, *pods, nodes=len(counts), seconds=seconds, commands=commands, kubernetes=kubernetes)


def test_driver_takes_as_many_volumes_as_its_csi_node_says() -> None:
    assert said_of(csi_world(2), "p") == f"0/1 nodes are available: 1 {TOO_MANY}."
    assert nodes_of(csi_world(3))["p"] == "node1"


def test_pod_goes_to_the_node_that_takes_another_volume() -> None:
    assert sorted(nodes_of(csi_world(1, 2)).values()) == ["node1", "node2", "node2"]


@pytest.mark.parametrize("how", ["pod", "count"])
def test_pod_beyond_the_number_is_placed_when_there_is_room_again(how: str) -> None:
    more = json.dumps({"spec": {"drivers": csi_node("node1", disks_example_com=3)["spec"]["drivers"]}})
    help_ = {
        "pod": DeletePod(target="default/a"),
        "count": PatchObject(kind="CSINode", name="node1", patch=more, patch_kind="merge"),
    }[how]
    assert nodes_of(csi_world(2, commands=((18, help_),), seconds=40))["p"] == "node1"


def test_claim_without_a_volume_counts_for_its_provisioner() -> None:
    late = storage_class("late", provisioner="disks.example.com")
    objects = [claim(f"c{number}", storageClassName="late") for number in (1, 2)]
    pods = [disk_user("p", of("c1"), of("c2"))]
    world = placed(csi_node("node1", disks_example_com=1), late, *objects, *pods, nodes=1, seconds=5)
    assert said_of(world, "p") == f"0/1 nodes are available: 1 {TOO_MANY}."


def test_driver_without_a_number_and_node_without_a_csi_node_have_no_limit() -> None:
    objects = [item for number in (1, 2, 3) for item in bound(number)]
    pods = [disk_user(name, of(f"c{number}"), **on("node1")) for number, name in enumerate("abp", 1)]
    world = placed(csi_node("node2", disks_example_com=1), csi_node("node1", other_example_com=1), *objects, *pods, nodes=2, seconds=20)
    assert nodes_of(world)["p"] == "node1"


def test_disk_of_an_old_driver_counts_for_the_csi_driver_that_took_its_place() -> None:
    node = csi_node("node1", pd_csi_storage_gke_io=1)
    world = placed(node, disk_user("p", gce("a"), gce("b")), nodes=1, kubernetes="1.34")
    assert said_of(world, "p") == f"0/1 nodes are available: 1 {TOO_MANY}."


def test_explanation_counts_the_volumes() -> None:
    found = decided(csi_node("node1", pd_csi_storage_gke_io=1), disk_user("p", gce("a"), gce("b")), nodes=1, kubernetes="1.34")
    (node,) = found.nodes
    assert node.refusal is not None and node.refusal.plugin == "NodeVolumeLimits"
    assert dict(node.refusal.facts) == {"pd.csi.storage.gke.io": "requested 2, used 0 of 1"}


def zoned_world(labels: dict[str, str], *nodes: dict[str, str], kubernetes: str = "1.34", commands: Any = (), seconds: float = 20) -> World:
    """A pod whose volume has these labels, on nodes with those."""
    specs = [{"name": f"node{number}", "labels": held} for number, held in enumerate(nodes, 1)]
    placed_volume = csi_volume("v1")
    placed_volume["metadata"]["labels"] = labels
    objects = (claim("c1", volumeName="v1", storageClassName=""), placed_volume)
    return placed(*objects, disk_user("p", of("c1")), nodes=specs, seconds=seconds, commands=commands, kubernetes=kubernetes)


def test_pod_goes_to_the_zone_of_its_volume() -> None:
    assert nodes_of(zoned_world({ZONE: "west"}, {ZONE: "east"}, {ZONE: "west"}))["p"] == "node2"


def test_volume_of_another_zone_is_reported_and_preemption_does_not_help() -> None:
    world = zoned_world({ZONE: "north"}, {ZONE: "east"}, {ZONE: "west"})
    assert said_of(world, "p") == f"0/2 nodes are available: 2 {NO_ZONE}."
    assert "2 Preemption is not helpful for scheduling" in world.tables.pods["default/p"].status.condition("PodScheduled").message  # type: ignore[union-attr]


def test_volume_may_be_in_several_zones() -> None:
    assert nodes_of(zoned_world({ZONE: "east__west"}, {ZONE: "north"}, {ZONE: "west"}))["p"] == "node2"


def test_node_without_such_labels_takes_any_volume_and_one_of_a_region_alone_does_not() -> None:
    assert nodes_of(zoned_world({ZONE: "west"}, {}))["p"] == "node1"
    assert said_of(zoned_world({ZONE: "west"}, {"topology.kubernetes.io/region": "r"}), "p").endswith(f"1 {NO_ZONE}.")


@pytest.mark.parametrize(("kubernetes", "node"), [("1.28", ""), ("1.29", "node1")])
def test_old_label_of_a_volume_is_the_new_one_of_a_node_from_1_29(kubernetes: str, node: str) -> None:
    assert nodes_of(zoned_world({OLD_ZONE: "west"}, {ZONE: "west"}, kubernetes=kubernetes))["p"] == node


def test_pod_is_placed_when_a_node_gets_the_zone_of_its_volume() -> None:
    label = LabelNode(node="node1", labels={ZONE: "north"})
    assert nodes_of(zoned_world({ZONE: "north"}, {ZONE: "east"}, commands=((18, label),), seconds=40))["p"] == "node1"


def test_explanation_names_the_volume_and_both_labels() -> None:
    objects = (claim("c1", volumeName="v1", storageClassName=""), csi_volume("v1", **{ZONE: "north"}))
    found = decided(*objects, disk_user("p", of("c1")), nodes=zoned("east"), seconds=20)
    (node,) = found.nodes
    assert node.refusal is not None
    assert dict(node.refusal.facts) == {"volume": "v1", "wanted": f"{ZONE}=north", "node_has": f"{ZONE}=east"}
