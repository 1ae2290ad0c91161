"""The StatefulSet controller: order, identity, replacement, updates, claims, status."""

import json
from collections import Counter
from typing import Any

import pytest

from simulator.engine import Record, RunHeader, World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.controllers.stateful_set.stateful_set import stateful_set_sync
from simulator.engine.kernel.json_text import Json
from simulator.engine.workloads.history import revision_hash, template_of
from simulator.engine.workloads.objects import labels_of, status_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import StatefulSetSync
from simulator.engine.world.lookups import objects_of
from simulator.kubectl.kubectl import kubectl
from tests.engine import worlds
from tests.engine.worlds import container, events, run

SLEEPS = "trap 'exit 0' TERM; while true; do sleep 1 & wait $!; done"
BAD = {"template": {"spec": {"containers": [{"name": "app", "image": "missing:1"}]}}}
NEW = {"template": {"metadata": {"annotations": {"v": "2"}}}}


def header(*documents: Json, kubernetes: str = "1.34") -> RunHeader:
    return worlds.header(*documents, kubernetes=kubernetes)


def stateful(replicas: int = 2, *, script: str = SLEEPS, **spec: Any) -> Json:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"terminationGracePeriodSeconds": 1, "containers": [container(script)]}}
    given = {"serviceName": "web", "replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"}, "spec": given}


def patched(at_s: float, **spec: Any) -> tuple[float, AnyCommand]:
    return at_s, PatchObject(kind="StatefulSet", namespace="default", name="web", patch=json.dumps({"spec": spec}))


def deleted(at_s: float) -> tuple[float, AnyCommand]:
    return at_s, DeleteObject(kind="StatefulSet", namespace="default", name="web")


def live(world: World) -> list[str]:
    return sorted(row.name for row in world.tables.pods.values() if row.gone_ms is None)


def status(world: World) -> Json:
    return status_of(world.tables.objects[("StatefulSet", "default", "web")])


def acts(records: list[Record]) -> list[str]:
    """The Events of the set, as "verb pod"."""
    texts = [str(item.get("message")) for item in records if item.machine == "k8s_event" and item.subject == "statefulset/default/web"]
    return [" ".join(text.split()[:3:2]) for text in texts if " Pod " in text and text.split()[1] == "Pod"]


def rules(records: list[Record]) -> list[str]:
    return [record.rule for record in records if record.machine == "note" and record.rule.startswith("STATEFULSET")]


def test_pods_are_made_in_order_and_deleted_in_reverse() -> None:
    _, records = run(header(stateful(3)), 20, patched(10, replicas=1))
    assert acts(records) == ["create web-0", "create web-1", "create web-2", "delete web-2", "delete web-1"]


def test_parallel_pods_are_made_at_once() -> None:
    world, records = run(header(stateful(3, podManagementPolicy="Parallel")), 0.1)
    assert live(world) == ["web-0", "web-1", "web-2"]
    assert "STATEFULSET-WAIT-READY" not in rules(records)


def test_ordinals_begin_where_asked() -> None:
    world, _ = run(header(stateful(2, ordinals={"start": 5})), 10)
    assert live(world) == ["web-5", "web-6"]


def test_pod_carries_its_identity() -> None:
    world, _ = run(header(stateful(1), kubernetes="1.28"), 5)
    row = world.live_pod("default", "web-0")
    assert row is not None
    revision = status(world)["updateRevision"]
    assert row.pod.metadata.labels == {
        "app": "web", "statefulset.kubernetes.io/pod-name": "web-0", "apps.kubernetes.io/pod-index": "0",
        "controller-revision-hash": revision,
    }  # fmt: skip
    assert (row.pod.spec.hostname, row.pod.spec.subdomain, row.pod.metadata.generate_name) == ("web-0", "web", "web-")


def test_name_of_a_revision_is_that_of_a_recorded_cluster() -> None:
    document = stateful(1)
    document["metadata"]["name"] = "s"
    probe = {"exec": {"command": ["sh", "-c", "true"]}, "periodSeconds": 2}
    spec = {"terminationGracePeriodSeconds": 10, "containers": [container(SLEEPS, readinessProbe=probe)]}
    document["spec"] |= {"selector": {"matchLabels": {"app": "s"}}, "template": {"metadata": {"labels": {"app": "s"}}, "spec": spec}}
    world, _ = run(header(document, kubernetes="1.20"), 1)
    assert [row.name for row in objects_of(world.tables, "ControllerRevision")] == ["s-5c976cbfdb"]


def test_hash_counts_collisions() -> None:
    assert revision_hash("{}", 0) != revision_hash("{}", 1)


@pytest.mark.parametrize(("version", "held"), [("1.33", True), ("1.34", False)])
def test_revision_keeps_a_creation_time_of_null_until_1_33(version: str, held: bool) -> None:
    world, _ = run(header(stateful(1), kubernetes=version), 1)
    (revision,) = objects_of(world.tables, "ControllerRevision")
    assert ("creationTimestamp" in template_of(revision)["metadata"]) is held


@pytest.mark.parametrize(("version", "at_once"), [("1.27", True), ("1.28", False)])
def test_failed_pod_is_replaced_with_an_event_until_1_27(version: str, at_once: bool) -> None:
    document = stateful(1)
    finished = {"type": "FailPod", "status": {"phase": "Failed"}}
    _, records = run(
        header(document, kubernetes=version),
        5,
        (3, PatchPod(target="default/web-0", patch=json.dumps({"status": finished["status"]}), subresource="status")),
    )
    assert acts(records)[:3] == ["create web-0", "delete web-0", "create web-0"]
    assert (
        any(text.startswith("RecreatingFailedPod: StatefulSet default/web is recreating failed Pod web-0") for text in events(records))
        is at_once
    )


def test_pod_is_recreated_only_when_its_object_is_gone() -> None:
    document = stateful(1, script="trap '' TERM; sleep 3600")
    document["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 4
    world, records = run(header(document), 6.9, (3, DeletePod(target="default/web-0")))
    assert "STATEFULSET-WAIT-GONE" in rules(records)
    assert acts(records) == ["create web-0"]
    world, _ = run(header(document), 12, (3, DeletePod(target="default/web-0")))
    assert [row.deletion_ms for row in world.tables.pods.values() if row.gone_ms is None] == [None]


def test_update_begins_at_the_highest_ordinal_and_stops_at_the_partition() -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
    world, records = run(header(stateful(3, updateStrategy=strategy)), 30, patched(10, **NEW))
    assert acts(records)[3:] == ["delete web-2", "create web-2", "delete web-1", "create web-1"]
    found = status(world)
    assert found["currentRevision"] != found["updateRevision"]
    assert (found["currentReplicas"], found["updatedReplicas"]) == (1, 2)


def test_pod_below_the_partition_is_recreated_at_the_current_revision() -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
    world, _ = run(header(stateful(2, updateStrategy=strategy)), 30, patched(8, **NEW), (18, DeletePod(target="default/web-0")))
    row = world.live_pod("default", "web-0")
    assert row is not None
    assert row.pod.metadata.labels["controller-revision-hash"] == status(world)["currentRevision"]


def test_update_is_over_when_all_pods_are_of_the_newest_revision() -> None:
    world, records = run(header(stateful(2)), 30, patched(8, **NEW))
    found = status(world)
    assert found["currentRevision"] == found["updateRevision"]
    assert "STATEFULSET-UPDATED" in rules(records)


@pytest.mark.parametrize(("version", "same"), [("1.36", False), ("1.37", True)])
def test_on_delete_updates_what_somebody_deletes(version: str, same: bool) -> None:
    commands = [patched(5, **NEW), (8, DeletePod(target="default/web-0"))]
    world, records = run(header(stateful(1, updateStrategy={"type": "OnDelete"}), kubernetes=version), 15, *commands)
    assert acts(records) == ["create web-0", "create web-0"]
    found = status(world)
    assert found["updatedReplicas"] == 1
    assert (found["currentRevision"] == found["updateRevision"]) is same


@pytest.mark.parametrize(("version", "most"), [("1.34", 1), ("1.35", 1), ("1.36", 1), ("1.37", 2)])
def test_parallel_update_replaces_as_many_as_may_be_unavailable(version: str, most: int) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}}
    document = stateful(4, podManagementPolicy="Parallel", updateStrategy=strategy)
    _, records = run(header(document, kubernetes=version), 8.05, patched(8, **NEW))
    assert acts(records).count("delete web-3") + acts(records).count("delete web-2") == most


@pytest.mark.parametrize(
    ("version", "gates", "heals"),
    [("1.36", {}, True), ("1.36", {"MaxUnavailableStatefulSet": True}, False), ("1.37", {}, True)],
)
def test_broken_pod_of_a_parallel_set_is_replaced_but_by_the_first_form_of_max_unavailable(
    version: str, gates: dict[str, bool], heals: bool
) -> None:
    document = stateful(1, script="exit 1", podManagementPolicy="Parallel")
    mended = {"template": {"spec": {"containers": [{"name": "app", "command": ["sh", "-c", SLEEPS]}]}}}
    _, records = run(worlds.header(document, kubernetes=version, gates=gates), 30, patched(20, **mended))
    assert ("delete web-0" in acts(records)) is heals


def test_parallel_update_replaces_broken_pods_first_and_counts_the_others_by_its_budget() -> None:
    """web-0 and web-1 are broken and replaced at once; that leaves room for one more of the two others."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 3}}
    script = f'case "$HOSTNAME" in web-0|web-1) exit 1;; esac; {SLEEPS}'
    document = stateful(4, script=script, podManagementPolicy="Parallel", updateStrategy=strategy)
    _, records = run(header(document, kubernetes="1.37"), 8.05, patched(8, **NEW))
    assert [act for act in acts(records) if act.startswith("delete")] == ["delete web-1", "delete web-0", "delete web-3"]
    told = [(record.rule, record.get("pod")) for record in records if record.machine == "note" and record.target == "update"]
    assert told == [
        ("STATEFULSET-UPDATE-UNAVAILABLE", "web-1"),
        ("STATEFULSET-UPDATE-UNAVAILABLE", "web-0"),
        ("STATEFULSET-UPDATE", "web-3"),
    ]


def test_broken_pod_below_the_partition_stays_as_it_is() -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
    script = f'case "$HOSTNAME" in web-0) exit 1;; esac; {SLEEPS}'
    document = stateful(2, script=script, podManagementPolicy="Parallel", updateStrategy=strategy)
    _, records = run(header(document, kubernetes="1.37"), 20, patched(8, **NEW))
    assert [act for act in acts(records) if act.startswith("delete")] == []


def test_broken_update_stops_and_does_not_heal_by_itself_when_it_is_undone() -> None:
    first = stateful(2)
    world, records = run(header(first), 40, patched(8, **BAD), patched(20, template=first["spec"]["template"]))
    assert acts(records)[2:] == ["delete web-1", "create web-1"]
    assert rules(records)[-1] in ("STATEFULSET-WAIT-READY", "STATEFULSET-STATUS")
    row = world.live_pod("default", "web-1")
    assert row is not None
    assert row.status.phase == "Pending"


def test_revisions_beyond_the_limit_are_deleted() -> None:
    document = stateful(1, revisionHistoryLimit=1)
    commands = [patched(5 * n, template={"metadata": {"annotations": {"v": str(n)}}}) for n in range(1, 5)]
    world, _ = run(header(document), 30, *commands)
    assert len(list(objects_of(world.tables, "ControllerRevision"))) == 2


def test_template_that_was_there_before_gets_its_revision_again() -> None:
    commands = [patched(5, **NEW), patched(12, template={"metadata": {"annotations": {"v": None}}})]
    world, _ = run(header(stateful(1)), 25, *commands)
    rows = list(objects_of(world.tables, "ControllerRevision"))
    assert sorted(json.loads(row.document)["revision"] for row in rows) == [2, 3]


def claims(**policy: str) -> Json:
    template = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    more = {"persistentVolumeClaimRetentionPolicy": policy} if policy else {}
    return stateful(2, volumeClaimTemplates=[template], **more)


def claim_names(world: World) -> list[str]:
    return sorted(row.name for row in objects_of(world.tables, "PersistentVolumeClaim"))


def test_claims_are_made_before_their_pods_and_stay() -> None:
    world, records = run(header(claims()), 20, patched(8, replicas=0), deleted(14))
    assert live(world) == []
    assert claim_names(world) == ["data-web-0", "data-web-1"]
    texts = [text for text in events(records) if "data-web-0" in text or "Pod web-0" in text]
    assert texts[0] == "SuccessfulCreate: create Claim data-web-0 Pod web-0 in StatefulSet web success"


def test_claims_have_the_labels_of_the_selector() -> None:
    world, _ = run(header(claims()), 1)
    assert labels_of(world.tables.objects[("PersistentVolumeClaim", "default", "data-web-0")]) == {"app": "web"}


def test_claim_of_a_pod_that_is_scaled_away_goes_with_it() -> None:
    world, records = run(header(claims(whenScaled="Delete")), 20, patched(8, replicas=1))
    assert claim_names(world) == ["data-web-0"]
    assert "STATEFULSET-CLAIM-OWNER" in rules(records)


@pytest.mark.parametrize(("policy", "left"), [({"whenDeleted": "Delete"}, []), ({}, ["data-web-0", "data-web-1"])])
def test_claims_go_with_the_set_where_asked(policy: dict[str, str], left: list[str]) -> None:
    world, _ = run(header(claims(**policy)), 25, deleted(8))
    assert claim_names(world) == left


@pytest.mark.parametrize(("version", "controls"), [("1.30", None), ("1.31", True)])
def test_owner_of_a_claim_controls_it_from_1_31(version: str, controls: bool | None) -> None:
    world, _ = run(header(claims(whenDeleted="Delete"), kubernetes=version), 5)
    document = json.loads(world.tables.objects[("PersistentVolumeClaim", "default", "data-web-0")].document)
    assert [item.get("controller") for item in document["metadata"]["ownerReferences"]] == [controls]


@pytest.mark.parametrize(("version", "shown"), [("1.21", False), ("1.22", True)])
def test_available_replicas_are_shown_from_1_22(version: str, shown: bool) -> None:
    world, _ = run(header(stateful(1), kubernetes=version), 5)
    assert ("availableReplicas" in status(world)) is shown


@pytest.mark.parametrize(("version", "again"), [("1.26", False), ("1.27", True)])
def test_succeeded_pod_is_replaced_from_1_27(version: str, again: bool) -> None:
    phase = PatchPod(target="default/web-0", patch=json.dumps({"status": {"phase": "Succeeded"}}), subresource="status")
    _, records = run(header(stateful(1), kubernetes=version), 4, (3, phase))
    assert ("delete web-0" in acts(records)) is again


def test_next_pod_waits_until_the_one_before_was_ready_for_long_enough() -> None:
    world, records = run(header(stateful(2, minReadySeconds=5)), 4)
    assert live(world) == ["web-0"]
    assert "STATEFULSET-WAIT-AVAILABLE" in rules(records)
    world, _ = run(header(stateful(2, minReadySeconds=5)), 8)
    assert live(world) == ["web-0", "web-1"]


def test_lost_label_of_the_identity_is_written_again() -> None:
    away = PatchPod(target="default/web-0", patch=json.dumps({"metadata": {"labels": {"statefulset.kubernetes.io/pod-name": None}}}))
    world, records = run(header(stateful(1)), 6, (3, away))
    row = world.live_pod("default", "web-0")
    assert row is not None
    assert row.pod.metadata.labels["statefulset.kubernetes.io/pod-name"] == "web-0"
    assert "SuccessfulUpdate: update Pod web-0 in StatefulSet web successful" in events(records)


def test_pod_that_is_in_the_way_is_told_and_tried_again() -> None:
    other = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web-0"},
        "spec": {"terminationGracePeriodSeconds": 1, "containers": [container(SLEEPS)]},
    }
    world, records = run(header(other, stateful(1)), 6, (3, DeletePod(target="default/web-0")))
    row = world.live_pod("default", "web-0")
    assert row is not None
    assert row.pod.metadata.controller_kind == "StatefulSet"
    assert acts(records) == ["create web-0"]


def test_set_that_is_deleted_lets_all_pods_go_at_once() -> None:
    world, records = run(header(stateful(3)), 12, deleted(8))
    assert live(world) == []
    assert not [text for text in acts(records) if text.startswith("delete")]


def test_second_round_in_an_unchanged_world_writes_nothing() -> None:
    world, _ = run(header(claims(whenDeleted="Delete")), 20)
    out: list[Record] = []
    before = dict(world.tables.objects)
    stateful_set_sync(Effects(world, out), StatefulSetSync("default", "web"))
    assert out == []
    assert world.tables.objects == before


@pytest.mark.parametrize("policy", ["OrderedReady", "Parallel"])
def test_never_two_pods_of_one_ordinal(policy: str) -> None:
    commands = [
        patched(6, **NEW),
        (9, DeletePod(target="default/web-1")),
        patched(15, replicas=1),
        patched(17, replicas=3),
        (22, ExitContainer(target="default/web-0", container="app", exit_code=1)),
    ]
    world, records = run(header(stateful(3, podManagementPolicy=policy)), 40, *commands)
    here: Counter[str] = Counter()
    for record in records:
        if record.machine == "object" and record.subject.startswith("pod/"):
            name = record.subject.partition("#")[0]
            here[name] += (record.target == "present" and record.source == "absent") - (record.target == "gone")
            assert here[name] <= 1
    assert live(world) == ["web-0", "web-1", "web-2"]


def test_update_never_leaves_more_unavailable_than_allowed() -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}}
    _, records = run(
        header(stateful(5, podManagementPolicy="Parallel", updateStrategy=strategy), kubernetes="1.37"), 60, patched(10, **NEW)
    )
    told = [record for record in records if record.rule == "STATEFULSET-UPDATE" and record.machine == "note"]
    assert len(told) == 5
    assert all(int(record.get("unavailable")) < int(record.get("allowed")) for record in told)


def test_update_waits_for_a_pod_that_is_not_available() -> None:
    _, records = run(header(stateful(2, podManagementPolicy="Parallel")), 20, patched(8, **BAD))
    assert "STATEFULSET-WAIT-UPDATE" in rules(records)
    assert "delete web-0" not in acts(records)


def test_pod_beyond_waits_while_a_lower_one_is_not_ready() -> None:
    ends = [(at, ExitContainer(target=f"default/web-{n}", container="app", exit_code=1)) for at in (8, 11) for n in (1, 2)]
    _, records = run(header(stateful(3)), 14, *ends, patched(13, replicas=1))
    told = next(record for record in records if record.rule == "STATEFULSET-WAIT-SCALE-DOWN")
    assert (told.get("pod"), told.get("unhealthy")) == ("web-2", "web-1")
    assert not [text for text in acts(records) if text.startswith("delete")]


def test_pod_waits_until_the_claim_of_the_earlier_one_is_gone() -> None:
    world, records = run(header(claims(whenScaled="Delete")), 20, patched(8, replicas=1), patched(8.5, replicas=2))
    assert "STATEFULSET-WAIT-CLAIM" in rules(records)
    assert live(world) == ["web-0", "web-1"]
    assert claim_names(world) == ["data-web-0", "data-web-1"]


def test_revision_of_nobody_is_adopted() -> None:
    orphaned = DeleteObject(kind="StatefulSet", namespace="default", name="web", propagation="Orphan")
    world, records = run(header(stateful(1)), 12, (5, orphaned), (8, ApplyManifest(documents=(json.dumps(stateful(1)),))))
    assert [record.rule for record in records if record.rule == "REVISION-ADOPTED"] == ["REVISION-ADOPTED"]
    assert acts(records).count("create web-0") == 1
    assert len(list(objects_of(world.tables, "ControllerRevision"))) == 1


def test_kubectl_lists_the_revisions_with_their_set() -> None:
    world, _ = run(header(stateful(1)), 5)
    assert kubectl(world, "get controllerrevisions").splitlines()[1].split()[1:] == ["statefulset.apps/web", "1", "5s"]
