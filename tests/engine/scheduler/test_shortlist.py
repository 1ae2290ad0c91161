"""Placing with cached nodes binds exactly as running every plugin for every node does."""

import json
from functools import cache
from random import Random
from typing import Any

import pytest

from simulator.engine import Course, Record, replay
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.scheduler import attempt, shortlist
from simulator.engine.scheduler.changes import changes_of
from simulator.engine.scheduler.framework import Cycle
from simulator.engine.scheduler.shortlist import NodeBook, Shortlist
from simulator.engine.versions.usual import ERAS
from tests.engine.scheduler.placing import HOSTNAME, ZONE, Json, labelled
from tests.engine.worlds import header, stamped

NEVER = 1_000_000
SECONDS = 90


def service(app: str) -> Json:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": app}, "spec": {"selector": {"app": app}, "ports": [{"port": 80}]}}


def replicas(name: str, count: int, cpu: str) -> Json:
    template = {"metadata": {"labels": {"app": name}}, "spec": labelled("t", {}, cpu=cpu)["spec"]}
    spec = {"replicas": count, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name}, "spec": spec}


def some_volume(draw: Random) -> Json:
    """A disk that pods of a node may not share, one of which a node takes few, or a claim: for one pod, of a zone, of a driver."""
    source = draw.choice([
        {"gcePersistentDisk": {"pdName": f"d{draw.randint(0, 3)}", "readOnly": draw.random() < 0.5}},
        {"azureDisk": {"diskName": f"d{draw.randint(0, 5)}", "diskURI": "/d"}},
        {"persistentVolumeClaim": {"claimName": f"c{draw.randint(0, 3)}"}},
    ])  # fmt: skip
    return {"name": "v", **source}


def storage(draw: Random, nodes: int) -> list[Json]:
    """Bound claims and their volumes, some for one pod or of a zone, and the volume limits of some nodes."""
    found: list[Json] = []
    for number in range(4):
        mode = draw.choice(["ReadWriteOnce", "ReadWriteOncePod"])
        labels = {ZONE: draw.choice(["east", "west", "east__west"])} if draw.random() < 0.5 else {}
        sized = {"accessModes": [mode], "storageClassName": ""}
        found.append({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"v{number}", "labels": labels}, "spec": {
            **sized, "capacity": {"storage": "1Gi"}, "csi": {"driver": "disks.example.com", "volumeHandle": f"v{number}"}}})  # fmt: skip
        found.append({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": f"c{number}"}, "spec": {
            **sized, "volumeName": f"v{number}", "resources": {"requests": {"storage": "1Gi"}}}})  # fmt: skip
    for number in range(1, nodes + 1, 2):
        driver = {"name": "disks.example.com", "nodeID": "n", "allocatable": {"count": draw.randint(0, 2)}}
        node = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": f"node{number}"}}
        found.append({**node, "spec": {"drivers": [driver]}})
    return found


def some_pod(draw: Random, number: int) -> Json:
    spec: dict[str, Any] = {}
    if draw.random() < 0.2:
        spec["nodeSelector"] = {"disk": "ssd"}
    if draw.random() < 0.1:
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": ZONE, "operator": "NotIn", "values": ["east"]}]}]}}}  # fmt: skip
    if draw.random() < 0.006:
        term = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": HOSTNAME}
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if draw.random() < 0.1:
        spec["tolerations"] = [{"operator": "Exists"}]
    if draw.random() < 0.02:
        spec["priorityClassName"] = "high"
    if draw.random() < 0.25:
        spec["volumes"] = [some_volume(draw)]
    document = labelled(f"p{number}", {"app": draw.choice("aab")}, cpu=draw.choice(["", "100m", "500m", "1500m"]), **spec)
    document["spec"]["terminationGracePeriodSeconds"] = draw.choice([1, 25])
    return document


def some_command(draw: Random, number: int, nodes: int) -> AnyCommand:
    node = f"node{draw.randint(1, nodes)}"
    kind = draw.randrange(10)
    if kind < 4:
        return ApplyManifest(documents=tuple(json.dumps(some_pod(draw, 100 * number + each)) for each in range(draw.randint(1, 8))))
    if kind < 6:
        return DeletePod(target=f"default/p{draw.randint(0, 12)}")
    if kind == 6:
        return TaintNode(node=node, add=(draw.choice(["k=v:NoSchedule", "k=v:NoSchedule", "k=v:NoSchedule", "k=v:PreferNoSchedule"]),))
    if kind == 7:
        return TaintNode(node=node, remove=("k=v:NoSchedule", "k=v:PreferNoSchedule"))
    if kind == 8:
        return LabelNode(node=node, labels={ZONE: draw.choice(["east", "west"]), "disk": draw.choice(["ssd", "hdd"])})
    return draw.choice([
        NodeControl(node=node, kubelet="stop"),
        PatchObject(kind="ReplicaSet", namespace="default", name="r", patch=json.dumps({"spec": {"replicas": draw.randint(0, 30)}})),
    ])  # fmt: skip


def cluster(seed: int) -> tuple[Any, Any]:
    """A header and commands, drawn by the seed."""
    draw = Random(seed)  # noqa: S311 - a test's own draw
    count = draw.randint(3, 14)
    nodes = [
        {"name": f"node{number}", "labels": {ZONE: draw.choice(["east", "west"])} if draw.random() < 0.7 else {},
         "joins_ms": draw.choice([0, 0, 0, 20_000]),
         "allocatable": {"pods": draw.choice(["3", "20"]), **({"attachable-volumes-azure-disk": "1"} if draw.random() < 0.3 else {})}}
        for number in range(1, count + 1)
    ]  # fmt: skip
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
    documents = [
        high,
        *storage(draw, count),
        service("a"),
        replicas("r", draw.randint(0, 20), "250m"),
        *(some_pod(draw, number) for number in range(12)),
    ]
    version = draw.choice(ERAS)
    head = header(*documents, nodes=nodes, kubernetes=version, seed=seed, jitter=True)
    commands = sorted((draw.uniform(1, SECONDS - 10), some_command(draw, number, count)) for number in range(1, 15))
    return head, stamped(*commands)


def records_of(head: Any, commands: Any, monkeypatch: pytest.MonkeyPatch, *, from_nodes: int) -> list[Record]:
    monkeypatch.setattr(shortlist, "FROM_NODES", from_nodes)
    records: list[Record] = []
    replay(head, commands, until_ms=SECONDS * 1000, into=records)
    return records


@cache
def quick_records(seed: int) -> list[Record]:
    """The records of a cluster with cached nodes, played once for the tests that look at it."""
    head, commands = cluster(seed)
    with pytest.MonkeyPatch.context() as patched:
        return records_of(head, commands, patched, from_nodes=1)


@pytest.mark.parametrize("seed", range(24))
def test_remembering_nodes_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    head, commands = cluster(seed)
    plain = records_of(head, commands, monkeypatch, from_nodes=NEVER)
    assert any(record.machine == "scheduling" for record in plain)
    quick = quick_records(seed)
    for one, other in zip(plain, quick, strict=False):
        assert one == other
    assert len(plain) == len(quick)


@pytest.mark.parametrize("seed", range(24))
def test_what_is_remembered_is_what_a_new_look_would_find(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortlist, "FROM_NODES", 1)
    head, commands = cluster(seed)
    course = Course(head, commands)
    for second in range(5, SECONDS, 5):
        course.drive(second * 1000)
        if course.world.tables.affinity_of:
            continue  # nothing is placed from the cache then, nor is anything cached
        changes = changes_of(course.world)
        for key, held in changes.lists.items():
            if changes.books.get(key[0]) is not held.book:
                continue
            held.book.catch_up(Cycle(course.world, held.book.cycle.row), changes)
            held.catch_up(changes)
            book = NodeBook(held.book.cycle, held.book.images, changes.total)
            for name in ("verdicts", "reasons", "spots", "orders", "zones", "soft"):
                assert getattr(held.book, name) == getattr(book, name), name
            fresh = Shortlist(book, held.namespace, held.constraints)
            assert (dict(held._tops()), held.counts) == (dict(fresh._tops()), fresh.counts)
            # A node that has become worth less may keep its old rank, but never a rank worse than its own.
            assert fresh.spots.keys() <= held.spots.keys()
            old = {name: held.spots[name] for name in fresh.spots}
            assert all(old[name][0] == bucket and old[name][1] <= rank for name, (bucket, rank) in fresh.spots.items())
            found = {each: count for each, count in held.zone_pods.items() if count}
            assert found == {each: count for each, count in fresh.zone_pods.items() if count}


def test_memory_is_really_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the test above would compare a thing with itself."""
    asked: list[bool] = []
    plain = attempt.examine_all
    monkeypatch.setattr(attempt, "examine_all", lambda cycle: asked.append(True) or plain(cycle))
    monkeypatch.setattr(shortlist, "FROM_NODES", 1)
    world = replay(header(replicas("r", 30, "100m"), nodes=6), until_ms=5000)
    assert (len(world.tables.scheduled), asked) == (30, [])


def test_fork_remembers_nothing_and_goes_on_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortlist, "FROM_NODES", 1)
    world = replay(header(replicas("r", 10, "100m"), nodes=4), until_ms=5000)
    assert world.memo and world.fork().memo == {}


def test_filters_of_volumes_have_their_say_in_these_clusters() -> None:
    """Otherwise the tests above would show nothing about them."""
    said: set[str] = set()
    for seed in range(24):
        said |= {key for record in quick_records(seed) if record.machine == "scheduling" for key, _ in record.data}
    wanted = ("no available disk", "max volume count", "no available volume zone", "ReadWriteOncePod")
    assert [words for words in wanted if not any(words in each for each in said)] == []
