"""PATCH, PUT, DELETE and apply with their preconditions, refusals and dry runs."""

import json

import msgspec
import pytest

from simulator.engine import World, advance, apply, new_world
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.objects.namespace import DeleteNamespace
from simulator.engine.acts.pods.bind import BindPod
from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.apiserver.documents.objects import object_document
from simulator.kubectl.kubectl import kubectl
from tests.engine.apiserver.store.requests import (
    Document,
    accepted,
    after,
    apply_yaml,
    budget,
    config,
    delete,
    patch,
    put,
    refused,
    web,
    world_of,
)
from tests.engine.worlds import container, header, pod

CLASS = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "gold"}, "value": 7}


def test_refusal_carries_code_reason_message_and_causes() -> None:
    record = refused(world_of(pod(container())), patch("Pod", "p", {"spec": {"hostname": "x"}}))
    assert (record.get("code"), record.get("reason"), record.rule) == (422, "Invalid", "COMMAND-REJECTED")
    assert str(record.get("message")).startswith('Pod "p" is invalid: spec: Forbidden: pod updates may not change fields')
    assert [(cause["reason"], cause["field"]) for cause in json.loads(str(record.get("causes")))] == [("FieldValueForbidden", "spec")]


@pytest.mark.parametrize("command", [patch("Secret", "x", {}), delete("Secret", "x"), put({"kind": "Secret", "metadata": {"name": "x"}})])
def test_request_for_what_is_not_there_is_answered_404(command) -> None:  # noqa: ANN001
    record = refused(world_of(), command)
    assert (record.get("code"), record.get("message")) == (404, 'secrets "x" not found')


def test_put_of_a_stale_object_is_a_conflict() -> None:
    world = world_of(config())
    seen = object_document(world, "ConfigMap", "default", "app")
    accepted(world, patch("ConfigMap", "app", {"data": {"a": "2"}}))
    record = refused(world, put({**seen, "data": {"a": "3"}}))
    assert (record.rule, record.get("code")) == ("API-CONFLICT", 409)
    assert "the object has been modified" in str(record.get("message"))


def test_put_without_a_resource_version_wins() -> None:
    world = world_of(config())
    accepted(world, put({**config(), "data": {"b": "2"}}))
    assert object_document(world, "ConfigMap", "default", "app")["data"] == {"b": "2"}


def test_delete_of_another_uid_or_state_is_a_conflict() -> None:
    world = world_of(config())
    assert "does not match the UID in record" in str(refused(world, delete("ConfigMap", "app", uid="other")).get("message"))
    assert "The object might have been modified" in str(refused(world, delete("ConfigMap", "app", resource_version="0")).get("message"))
    accepted(world, delete("ConfigMap", "app", uid=object_document(world, "ConfigMap", "default", "app")["metadata"]["uid"]))


def test_propagation_policy_that_nobody_knows_is_refused() -> None:
    record = refused(world_of(config()), delete("ConfigMap", "app", propagation="Sideways"))
    assert 'needs to be one of "Foreground", "Background", "Orphan" or nil' in str(record.get("message"))


def test_apply_creates_then_changes_then_leaves_alone() -> None:
    world = world_of()
    assert [record.rule for record in accepted(world, apply_yaml(config()))] == ["OBJECT-STORED"]
    assert [record.rule for record in accepted(world, apply_yaml({**config(), "data": {"a": "2"}}))] == ["OBJECT-CHANGED"]
    assert accepted(world, apply_yaml({**config(), "data": {"a": "2"}})) == []


def test_apply_takes_away_what_was_applied_before_and_keeps_what_others_wrote() -> None:
    world = world_of({**config(), "data": {"mine": "1", "old": "1"}})
    accepted(world, patch("ConfigMap", "app", {"data": {"theirs": "1"}}))
    accepted(world, apply_yaml({**config(), "data": {"mine": "2"}}))
    assert object_document(world, "ConfigMap", "default", "app")["data"] == {"mine": "2", "theirs": "1"}


NOTE = "kubectl.kubernetes.io/last-applied-configuration"


def note_of(world: World) -> Document | None:
    found = object_document(world, "ConfigMap", "default", "app")["metadata"].get("annotations", {}).get(NOTE)
    return None if found is None else json.loads(found)


def test_apply_brings_the_note_of_what_was_applied_up_to_date() -> None:
    world = world_of()
    accepted(world, apply_yaml(config(metadata={"annotations": {NOTE: json.dumps(config())}})))
    accepted(world, apply_yaml({**config(), "data": {"a": "2"}}))
    metadata = {"annotations": {}, "name": "app", "namespace": "default"}
    assert note_of(world) == {**config(), "metadata": metadata, "data": {"a": "2"}}


def test_apply_leaves_no_note_where_there_was_none() -> None:
    world = world_of()
    accepted(world, apply_yaml(config()))
    accepted(world, apply_yaml({**config(), "data": {"a": "2"}}))
    assert note_of(world) is None


def test_apply_of_another_image_restarts_the_container() -> None:
    world = world_of(pod(container()))
    accepted(world, apply_yaml(pod(container(image="nginx:1.16.1"))))
    after(world, 40)
    status = world.tables.pods["default/p"].status.containers[0]
    assert (status.restart_count, status.image) == (1, "nginx:1.16.1")


def test_apply_of_an_unchanged_pod_with_tolerations_is_accepted() -> None:
    document = pod(container(), tolerations=[{"key": "k", "operator": "Exists"}])
    assert accepted(world_of(document), apply_yaml(document)) == []


def test_change_that_leaves_the_priority_out_keeps_it() -> None:
    world = world_of(pod(container()))
    accepted(world, patch("Pod", "p", {"metadata": {"labels": {"a": "b"}}, "spec": {"priority": None, "preemptionPolicy": None}}))
    spec = object_document(world, "Pod", "default", "p")["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (0, "PreemptLowerPriority")


def test_apply_naming_an_unknown_class_is_refused_once() -> None:
    records = apply(world_of(), apply_yaml(pod(container(), priorityClassName="gold")))
    assert [(record.target, record.rule) for record in records] == [("refused", "PRIORITY-CLASS")]
    assert records[0].get("message") == 'pods "p" is forbidden: no PriorityClass with name gold was found'


def test_apply_of_several_documents_goes_on_after_one_that_is_refused() -> None:
    world = world_of()
    records = apply(world, apply_yaml(pod(container(), name="UPPER"), CLASS, pod(container(), priorityClassName="gold")))
    assert [(record.target, record.get("code")) for record in records if record.machine == "command"] == [
        ("accepted", None),
        ("refused", 422),
    ]
    assert world.tables.pods["default/p"].pod.spec.priority == 7


def test_new_pod_is_validated() -> None:
    record = refused(world_of(), apply_yaml(pod(container(), restartPolicy="Sometimes")))
    assert 'spec.restartPolicy: Unsupported value: "Sometimes"' in str(record.get("message"))


def test_create_in_a_terminating_namespace_is_forbidden() -> None:
    world = world_of(pod(container()), namespace="shop")
    accepted(world, DeleteNamespace(name="shop"))
    record = refused(world, apply_yaml(config(), namespace="shop"))
    assert (record.rule, record.get("code")) == ("NAMESPACE-TERMINATING", 403)
    assert "because it is being terminated" in str(record.get("message"))


@pytest.mark.parametrize(
    "command",
    [
        apply_yaml(config("fresh"), dry_run=True),
        patch("ConfigMap", "app", {"data": {"a": "2"}}, dry_run=True),
        put({**config(), "data": {}}, dry_run=True),
        delete("ConfigMap", "app", dry_run=True),
        delete("Pod", "p", dry_run=True),
        EvictPod(target="default/p", dry_run=True),
    ],
)
def test_dry_run_says_so_and_does_nothing(command) -> None:  # noqa: ANN001
    world, twin = (world_of(pod(container()), config()) for _ in range(2))
    records = apply(world, command)
    assert [(record.target, record.get("dry_run")) for record in records] == [("accepted", True)]
    assert world.tables.objects == twin.tables.objects and world.tables.pods == twin.tables.pods


def test_dry_run_is_refused_as_the_request_would_be() -> None:
    assert refused(world_of(config()), patch("ConfigMap", "app", {"metadata": {"uid": "other"}}, dry_run=True)).get("code") in (409, 422)


def test_binding_gives_a_pod_its_node_past_the_scheduler() -> None:
    world = world_of(pod(container(), schedulerName="mine"))
    assert "BIND-REQUEST" in [record.rule for record in accepted(world, BindPod(target="default/p", node="node1"))]
    after(world, 5)
    assert world.tables.pods["default/p"].status_word.startswith("Running")
    record = refused(world, BindPod(target="default/p", node="node1"))
    assert record.get("message") == 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "node1"'


def test_gated_pod_cannot_be_bound() -> None:
    record = refused(world_of(pod(container(), schedulingGates=[{"name": "g"}])), BindPod(target="default/p", node="node1"))
    assert "has non-empty .spec.schedulingGates" in str(record.get("message"))


def test_status_condition_of_a_readiness_gate_is_kept_by_the_kubelet() -> None:
    world = world_of(pod(container(), readinessGates=[{"conditionType": "a.b/c"}]))
    body = {"status": {"conditions": [{"type": "a.b/c", "status": "True"}]}}
    accepted(world, patch("Pod", "p", body, how="strategic", subresource="status"))
    after(world, 5)
    ready = world.tables.pods["default/p"].status.condition("Ready")
    assert ready is not None and ready.status == "True"


def test_node_taints_labels_and_cordon_change_through_its_object() -> None:
    world = world_of()
    body = {"metadata": {"labels": {"disk": "ssd"}}, "spec": {"unschedulable": True, "taints": [{"key": "k", "effect": "NoSchedule"}]}}
    accepted(world, patch("Node", "node1", body))
    node = world.tables.nodes["node1"]
    assert (node.labels["disk"], node.unschedulable, node.taints) == ("ssd", True, (("k", "", "NoSchedule"),))


def test_labels_that_leave_a_service_are_noted() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "u", "controller": True}
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "b"}]}}
    controller = {"kind": "ReplicaSet", "metadata": {"name": "rs"}, "spec": {"selector": {"matchLabels": labels}, "template": template}}
    service = {"kind": "Service", "metadata": {"name": "s"}, "spec": {"selector": labels, "ports": [{"port": 80}]}}
    document = web("p")
    document["metadata"]["ownerReferences"] = [owner]
    world = world_of(controller, service, document)
    notes = [(record.target, record.rule) for record in accepted(world, patch("Pod", "p", {"metadata": {"labels": {"app": "db"}}}))][1:]
    assert notes == [("service-left", "LABELS-SERVICE")]


def test_budget_document_shows_its_status() -> None:
    world = world_of(web("a"), web("b"), budget(minAvailable=1))
    status = object_document(world, "PodDisruptionBudget", "default", "two")["status"]
    assert (status["disruptionsAllowed"], status["currentHealthy"], status["desiredHealthy"], status["expectedPods"]) == (1, 2, 1, 2)
    assert status["conditions"][0]["reason"] == "SufficientPods"


def test_apply_to_a_pod_on_its_way_out_says_that_it_goes_nevertheless() -> None:
    world = world_of(pod(container()))
    accepted(world, delete("Pod", "p"))
    assert "APPLY-TERMINATING" in [record.rule for record in accepted(world, apply_yaml(pod(container())))]


def test_static_pod_of_a_name_that_is_taken_is_refused() -> None:
    place = PlaceStaticPod(node="node1", document=json.dumps(pod(container(), name="s")))
    assert refused(world_of(pod(container(), name="s-node1")), place).rule == "COMMAND-EXISTS"


def test_version_of_a_kind_that_the_release_does_not_serve_is_answered_404() -> None:
    record = refused(world_of(), apply_yaml({**budget(minAvailable=1), "apiVersion": "policy/v1beta1"}))
    assert (record.get("code"), record.get("message")) == (404, "the server could not find the requested resource")


def test_number_that_is_not_the_classs_own_is_forbidden() -> None:
    record = refused(world_of(CLASS), apply_yaml(pod(container(), priorityClassName="gold", priority=5)))
    assert "the integer value of priority (5) must not be provided in pod spec" in str(record.get("message"))
    assert "priority admission controller computed 7 from" in str(record.get("message"))


def test_deleted_namespace_takes_its_objects_along_and_goes() -> None:
    world = world_of(config(), web("a", terminationGracePeriodSeconds=30), namespace="shop")
    accepted(world, DeleteNamespace(name="shop"))
    after(world, 4)
    assert object_document(world, "Namespace", "", "shop")["status"] == {"phase": "Terminating"}
    gone = {record.subject: record.at_ms for record in after(world, 60) if record.target == "gone"}
    assert gone["namespace/shop"] == 5000 + 5000 + 16_000  # the pod ends at once; half of its grace period and a second more
    assert "shop" not in kubectl(world, "get namespaces")
    assert refused(world, apply_yaml(config(), namespace="shop")).get("message") == 'namespaces "shop" not found'
    accepted(world, apply_yaml({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}, config(), namespace="shop"))


def test_namespace_stays_until_the_finalizer_of_its_object_is_gone() -> None:
    world = world_of(config(metadata={"finalizers": ["example.com/hold"]}), namespace="shop")
    accepted(world, DeleteNamespace(name="shop"))
    after(world, 30)
    accepted(world, patch("ConfigMap", "app", {"metadata": {"finalizers": None}}, namespace="shop"))
    assert "namespace/shop" in [record.subject for record in after(world, 10) if record.target == "gone"]


def shop_after_its_deletion(*documents: Document, seconds: float) -> World:
    """A cluster whose namespace shop, with these objects, is deleted after five seconds."""
    world = world_of(*documents, namespace="shop")
    accepted(world, DeleteNamespace(name="shop"))
    after(world, seconds)
    return world


def conditions_of_shop(world: World) -> dict[str, tuple[str, str, str]]:
    found = object_document(world, "Namespace", "", "shop")["status"]["conditions"]
    return {item["type"]: (item["status"], item["reason"], item["message"]) for item in found}


def test_namespace_that_is_deleted_says_what_is_left_and_which_finalizers_hold_it() -> None:
    held = config(metadata={"finalizers": ["example.com/hold"]})
    world = shop_after_its_deletion(held, pod(container("trap '' TERM; sleep 999")), seconds=6)
    told = conditions_of_shop(world)
    words = "Some resources are remaining: configmaps. has 1 resource instances, pods. has 1 resource instances"
    assert told["NamespaceContentRemaining"] == ("True", "SomeResourcesRemain", words)
    words = "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    assert told["NamespaceFinalizersRemaining"] == ("True", "SomeFinalizersRemain", words)
    assert [told[name][0] for name in list(told)[:3]] == ["False"] * 3
    after(world, 60)
    words = "Some resources are remaining: configmaps. has 1 resource instances"
    assert conditions_of_shop(world)["NamespaceContentRemaining"] == ("True", "SomeResourcesRemain", words)
    version = object_document(world, "Namespace", "", "shop")["metadata"]["resourceVersion"]
    after(world, 600)
    assert object_document(world, "Namespace", "", "shop")["metadata"]["resourceVersion"] == version


def test_namespace_has_no_grace_period() -> None:
    world = shop_after_its_deletion(config(metadata={"finalizers": ["example.com/hold"]}), seconds=1)
    metadata = object_document(world, "Namespace", "", "shop")["metadata"]
    assert "deletionTimestamp" in metadata and "deletionGracePeriodSeconds" not in metadata


def test_namespace_that_is_deleted_loses_what_every_namespace_has_and_its_events() -> None:
    world = shop_after_its_deletion(config(metadata={"finalizers": ["example.com/hold"]}), pod(container()), seconds=4)

    def shown(what: str) -> str:
        return kubectl(world, f"kubectl get {what} -n shop -o name", now_ms=world.now_ms)

    assert "serviceaccount/default" in shown("sa") and "kube-root-ca.crt" in shown("cm") and "event/" in shown("events")
    after(world, 2)
    assert "serviceaccount" not in shown("sa") and shown("cm") == "configmap/app\n" and "event/" not in shown("events")


def test_description_of_a_namespace_that_is_deleted_has_its_conditions() -> None:
    world = shop_after_its_deletion(config(metadata={"finalizers": ["example.com/hold"]}), seconds=6)
    lines = kubectl(world, "kubectl describe ns shop", now_ms=world.now_ms).splitlines()
    assert "Conditions:" in lines
    assert any(line.split()[:2] == ["NamespaceFinalizersRemaining", "True"] for line in lines)


@pytest.mark.parametrize(("name", "code"), [("default", 403), ("kube-system", 403), ("nowhere", 404)])
def test_namespace_that_may_not_go_or_is_not_there_is_refused(name: str, code: int) -> None:
    assert refused(world_of(), DeleteNamespace(name=name)).get("code") == code


def test_unknown_subresource_is_answered_404() -> None:
    assert refused(world_of(pod(container())), patch("Pod", "p", {}, subresource="scale")).get("code") == 404


def test_patch_that_breaks_the_shape_of_a_pod_is_refused() -> None:
    record = refused(world_of(pod(container())), patch("Pod", "p", {"spec": {"containers": "none"}}))
    assert (record.get("code"), record.get("reason")) == (422, "Invalid")


def test_status_request_may_change_labels_too() -> None:
    world = world_of(pod(container()))
    accepted(world, patch("Pod", "p", {"metadata": {"labels": {"a": "b"}}, "spec": {"nodeName": "x"}}, subresource="status"))
    assert world.tables.pods["default/p"].pod.metadata.labels == {"a": "b"}


def test_ports_of_a_service_are_merged_by_port() -> None:
    ports = [{"name": "a", "port": 80}, {"name": "b", "port": 81}]
    world = world_of({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"selector": {"a": "b"}, "ports": ports}})
    body = {"spec": {"ports": [{"port": 81, "targetPort": 8081}]}}
    accepted(world, patch("Service", "s", body, how="strategic"))
    found = object_document(world, "Service", "default", "s")["spec"]["ports"]
    assert [(port["port"], port["targetPort"]) for port in found] == [(80, 80), (81, 8081)]


def test_delete_without_a_name_takes_every_object_that_is_selected() -> None:
    world = world_of(config("a", metadata={"labels": {"x": "y"}}), config("b"), config("c", metadata={"labels": {"x": "y"}}))
    accepted(world, delete("ConfigMap", "", selector="x=y"))
    assert [name for _, _, name in world.tables.objects] == ["b"]
    assert refused(world, delete("ConfigMap", "", selector="x=y")).get("message") == "No resources found"


@pytest.mark.parametrize(
    ("document", "text"), [(pod(container()), 'pods "p" already exists'), (config(), 'configmaps "app" already exists')]
)
def test_create_is_refused_where_the_name_is_taken(document, text: str) -> None:  # noqa: ANN001
    record = refused(world_of(pod(container()), config()), apply_yaml(document, create=True))
    assert (record.rule, record.get("code"), record.get("message")) == ("COMMAND-EXISTS", 409, text)


def test_create_is_refused_while_the_old_pod_is_on_its_way_out() -> None:
    world = world_of(pod(container()))
    accepted(world, delete("Pod", "p"))
    assert refused(world, apply_yaml(pod(container()), create=True)).get("message") == 'object is being deleted: pods "p" already exists'


def test_pod_is_judged_with_the_limits_that_admission_adds() -> None:
    limits = {"type": "Container", "default": {"cpu": "200m"}}
    limit_range = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": [limits]}}
    record = refused(world_of(limit_range), apply_yaml(pod(container(resources={"requests": {"cpu": "300m"}}))))
    assert str(record.get("message")).endswith('Invalid value: "300m": must be less than or equal to cpu limit of 200m')


@pytest.mark.parametrize(("kubernetes", "code"), [("1.27", 422), ("1.26", None)])
def test_field_that_is_not_used_is_not_judged(kubernetes: str, code: int | None) -> None:
    odd = pod(container(), schedulingGates=[{"name": "a"}, {"name": "a"}])
    assert apply(world_of(kubernetes=kubernetes), apply_yaml(odd))[0].get("code") == code


def test_scale_changes_the_replicas_and_nothing_else() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container()]}}
    spec = {"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    world = world_of({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec})
    accepted(world, patch("Deployment", "d", {"spec": {"replicas": 1, "paused": True}}, subresource="scale"))
    found = object_document(world, "Deployment", "default", "d")["spec"]
    assert found["replicas"] == 1 and "paused" not in found


@pytest.mark.parametrize("subresource", ["status", "scale", "eviction"])
def test_subresource_that_a_kind_does_not_have_is_not_found(subresource: str) -> None:
    assert refused(world_of(config()), patch("ConfigMap", "app", {}, subresource=subresource)).get("code") == 404


@pytest.mark.parametrize("document", [pod(container(), name="new"), config("new")])
def test_object_that_was_read_from_a_cluster_is_not_created(document: dict) -> None:
    read = {**document, "metadata": {**document["metadata"], "resourceVersion": "4711"}}
    record = refused(world_of(), apply_yaml(read))
    assert (record.get("code"), record.get("message")) == (500, "resourceVersion should not be set on objects to be created")


def test_apply_reads_what_was_applied_elsewhere_from_the_annotation() -> None:
    before = {"data": {"old": "1"}}
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(before)}
    world = world_of(config())
    accepted(world, patch("ConfigMap", "app", {"metadata": {"annotations": annotations}, "data": {"old": "1"}}))
    stored = world.tables.objects["ConfigMap", "default", "app"]
    world.tables.objects["ConfigMap", "default", "app"] = msgspec.structs.replace(stored, applied="")
    accepted(world, apply_yaml(config()))
    assert object_document(world, "ConfigMap", "default", "app")["data"] == {"a": "1"}


@pytest.mark.parametrize(("gates", "refused_with"), [({}, None), ({"EphemeralContainers": False}, "could not find the requested resource")])
def test_ephemeral_containers_of_an_old_version_are_refused_where_their_gate_is_switched_off(
    gates: dict[str, bool], refused_with: str | None
) -> None:
    world = new_world(header(pod(container()), kubernetes="1.20", gates=gates))
    advance(world, until_ms=2000)
    records = apply(world, DebugPod(target="default/p", container="dbg", image="busybox:1.28"))
    told = [str(record.get("message")) for record in records if record.target == "refused"]
    assert told == [] if refused_with is None else refused_with in told[0]


@pytest.mark.parametrize("document", [config(metadata={"labels": {"tier": "front"}}), web("app")], ids=["object", "pod"])
def test_last_label_that_goes_leaves_no_empty_map(document) -> None:  # noqa: ANN001
    world, kind = world_of(document), document["kind"]
    key = next(iter(document["metadata"]["labels"]))
    accepted(world, patch(kind, "app", {"metadata": {"labels": {key: None}}}))
    assert "labels" not in object_document(world, kind, "default", "app")["metadata"]


@pytest.mark.parametrize("document", [config(), pod(container(), name="app")], ids=["object", "pod"])
def test_removal_of_a_label_that_is_not_there_changes_nothing(document) -> None:  # noqa: ANN001
    world = world_of(document)
    seen = object_document(world, document["kind"], "default", "app")["metadata"]["resourceVersion"]
    accepted(world, patch(document["kind"], "app", {"metadata": {"labels": {"none": None}}}))
    assert object_document(world, document["kind"], "default", "app")["metadata"]["resourceVersion"] == seen
