"""The content of a preview."""

import json

import msgspec
import pytest
import yaml

from simulator.engine import advance, apply, new_world
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.world.world import World
from simulator.manifests.check.check import check_text
from simulator.manifests.editor.preview import Preview, known_names, live_object, preview
from tests.factories import make_header, pod_json

SERVICE = json.dumps(
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "front", "namespace": "default"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
)
BUDGET = json.dumps(
    {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", "namespace": "default"},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
)
CONFIG = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}}'


def world(*manifests: str, at_s: int = 30) -> World:
    made = new_world(make_header(*manifests))
    advance(made, until_ms=at_s * 1000)
    return made


def tried(on: World, text: str) -> Preview:
    return preview(on.fork(), check_text(text, kubernetes="1.30"))


def edited(on: World, change, kind: str = "Pod", name: str = "web") -> str:
    found = live_object(on, kind, "" if kind == "Node" else "default", name)
    assert found is not None
    document = found.editable
    change(document)
    return yaml.safe_dump(document)


def rules(said: Preview) -> dict[str, str]:
    return {effect.rule: effect.text for effect in said.effects}


def test_preview_promises_no_new_content_to_a_file_mounted_by_sub_path() -> None:
    mount = {"name": "v", "mountPath": "/etc/a", "subPath": "a"}
    app = {"name": "app", "image": "busybox:1.28", "command": ["sleep", "1000"], "volumeMounts": [mount]}
    on = world(CONFIG, pod_json(containers=[app], volumes=[{"name": "v", "configMap": {"name": "c"}}]))
    said = tried(on, edited(on, lambda config: config["data"].update(a="2"), kind="ConfigMap", name="c"))

    assert said.outcome == "accepted" and "config-files" not in rules(said)


def test_preview_gives_an_error_without_a_reason_none() -> None:
    read = json.loads(CONFIG)
    read["metadata"].update(name="new", resourceVersion="7")
    said = tried(world(), json.dumps(read))
    assert said.kubectl == 'Error from server: error when creating "STDIN": resourceVersion should not be set on objects to be created'


def test_preview_restarts_container_when_image_changes() -> None:
    on = world()
    said = tried(on, edited(on, lambda pod: pod["spec"]["containers"][0].update(image="busybox:1.36")))

    assert said.outcome == "accepted" and said.kubectl == "pod/web configured"
    assert rules(said)["image-restart"] == "restarts container app"


def test_preview_only_notes_image_when_init_container_is_over() -> None:
    init = [{"name": "init", "image": "busybox:1.28", "command": ["true"]}]
    on = world(pod_json(initContainers=init))
    said = tried(on, edited(on, lambda pod: pod["spec"]["initContainers"][0].update(image="busybox:1.36")))

    assert list(rules(said)) == ["image-init"]


def test_preview_is_unchanged_when_text_is_what_is_there() -> None:
    on = world()

    assert tried(on, edited(on, lambda pod: None)).outcome == "unchanged"


def test_preview_says_official_words_when_field_is_fixed() -> None:
    on = world()
    said = tried(on, edited(on, lambda pod: pod["spec"].update(restartPolicy="Never")))

    assert said.outcome == "rejected" and said.answer["code"] == 422 and said.answer["reason"] == "Invalid"
    assert said.kubectl.startswith('The Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than')
    assert list(rules(said)) == ["replace-pod"]


def test_preview_answers_bad_request_when_field_is_unknown() -> None:
    on = world()
    said = tried(on, edited(on, lambda pod: pod["spec"].update(restartPolice="Never")))

    assert said.answer["code"] == 400 and 'strict decoding error: unknown field "spec.restartPolice"' in said.answer["message"]


def test_preview_names_qos_class_when_pod_is_new() -> None:
    said = tried(world(), pod_json("other"))

    assert said.objects[0].verb == "created" and rules(said)["qos-class"] == "its QoS class is BestEffort"
    assert all(line.op == "+" for line in said.diff)


def test_preview_names_generated_pod() -> None:
    text = pod_json("x").replace('"name": "x"', '"generateName": "web-"', 1)

    assert tried(world(), text).kubectl.startswith("pod/web-")


def test_preview_names_service_that_gains_pod_when_label_is_added() -> None:
    on = world(pod_json(), SERVICE)
    said = tried(on, edited(on, lambda pod: pod["metadata"].update(labels={"app": "web"})))

    assert rules(said)["selector-gains"] == "Service front gains the pod"


def test_preview_names_service_that_loses_pod_when_label_goes() -> None:
    on = world(pod_json().replace('"name": "web",', '"name": "web", "labels": {"app": "web"},', 1), SERVICE)
    said = tried(on, edited(on, lambda pod: pod["metadata"].update(labels={"app": "other"})))

    assert rules(said)["selector-loses"] == "Service front loses the pod"


def test_preview_counts_down_when_deadline_is_set() -> None:
    on = world()
    said = tried(on, edited(on, lambda pod: pod["spec"].update(activeDeadlineSeconds=100)))

    assert rules(said)["deadline"].startswith("the pod is terminated in 7") or rules(said)["deadline"].startswith(
        "the pod is terminated in 6"
    )


def test_preview_lets_scheduler_in_when_gates_go() -> None:
    on = world(pod_json(schedulingGates=[{"name": "example.com/wait"}]))
    said = tried(on, edited(on, lambda pod: pod["spec"].pop("schedulingGates")))

    assert "gates-gone" in rules(said)


def test_preview_says_gated_when_new_pod_has_gates() -> None:
    assert "gated" in rules(tried(world(), pod_json("other", schedulingGates=[{"name": "example.com/wait"}])))


def test_preview_says_node_stays_when_toleration_is_added() -> None:
    on = world()
    extra = {"key": "a", "operator": "Exists", "effect": "NoSchedule"}
    said = tried(on, edited(on, lambda pod: pod["spec"]["tolerations"].append(extra)))

    assert list(rules(said)) == ["tolerates-same"]


@pytest.mark.parametrize(("is_deleted", "found"), [(True, ["finalizers-gone"]), (False, [])])
def test_preview_says_object_goes_when_last_finalizer_of_deleted_pod_is_removed(is_deleted: bool, found: list[str]) -> None:
    on = world(pod_json().replace('"name": "web",', '"name": "web", "finalizers": ["example.com/hold"],', 1))
    if is_deleted:
        apply(on, DeletePod(target="default/web", force=True))
    said = tried(on, edited(on, lambda pod: pod["metadata"].pop("finalizers")))

    assert list(rules(said)) == found


def test_preview_tells_files_from_variables_when_config_map_changes() -> None:
    volume = pod_json("files", volumes=[{"name": "v", "configMap": {"name": "c"}}])
    on = world(CONFIG, volume)
    said = tried(on, edited(on, lambda config: config.update(data={"a": "2"}), "ConfigMap", "c"))

    assert "files" in rules(said)["config-files"]


def test_preview_says_who_was_waiting_when_config_map_is_new() -> None:
    waiting = {"name": "app", "image": "busybox:1.28", "envFrom": [{"configMapRef": {"name": "c"}}]}

    assert rules(tried(world(pod_json("reader", containers=[waiting])), CONFIG))["config-found"].endswith("reader")


def test_preview_counts_pods_of_budget() -> None:
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}}
    said = tried(world(), json.dumps({**budget, "spec": {"maxUnavailable": 1, "selector": {}}}))

    assert rules(said)["budget-counts"] == "counts web"


def test_preview_stores_workload() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    said = tried(world(), json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}))

    assert said.kubectl == "deployment.apps/d created" and list(rules(said)) == []


def test_preview_joins_objects_of_one_text() -> None:
    said = tried(world(), f"{pod_json('a')}\n---\n{pod_json('web').replace('busybox:1.28', 'busybox:1.36')}")

    assert said.kubectl.split("\n") == ["pod/a created", "pod/web configured"]


def test_known_names_hold_pods_nodes_and_objects() -> None:
    assert {("Pod", "default", "web"), ("ConfigMap", "default", "c")} <= known_names(world(pod_json(), CONFIG))


@pytest.mark.parametrize("kind", ["Gizmo", "ConfigMap"])
def test_live_object_is_none_when_nothing_is_there(kind: str) -> None:
    assert live_object(world(), kind, "default", "nothing") is None


def test_preview_lets_pod_with_debug_container_be_edited() -> None:
    on = world()
    apply(on, DebugPod(target="default/web", container="debugger", image="busybox:1.36"))
    text = edited(on, lambda pod: pod["spec"]["containers"][0].update(image="busybox:1.36"))
    checked = check_text(text, kubernetes="1.30", known=known_names(on))

    assert "ephemeralContainers" in text and preview(on.fork(), checked).outcome == "accepted"


def test_preview_evicts_pod_when_node_is_tainted() -> None:
    on = world()
    said = tried(on, edited(on, lambda node: node["spec"].update(taints=[{"key": "a", "effect": "NoExecute"}]), "Node", "node1"))

    assert said.kubectl == "node/node1 configured" and rules(said)["taint-evicts"] == "evicts pod web at once"


def test_preview_places_nothing_when_node_is_closed() -> None:
    on = world()
    said = tried(on, edited(on, lambda node: node["spec"].update(unschedulable=True), "Node", "node1"))

    assert list(rules(said)) == ["cordon"]


def test_preview_says_label_stays_when_apply_did_not_set_it() -> None:
    on = world()
    apply(on, PatchObject(kind="Pod", namespace="default", name="web", patch='{"metadata": {"labels": {"by": "hand"}}}'))
    said = tried(on, edited(on, lambda pod: pod["metadata"].pop("labels")))

    assert said.outcome == "unchanged" and rules(said)["apply-keeps"].startswith("keeps by,")


def test_preview_says_where_a_refused_new_object_came_from() -> None:
    said = tried(world(), pod_json("other", priorityClassName="nobody"))

    assert said.answer["reason"] == "Forbidden"
    assert said.kubectl.startswith('Error from server (Forbidden): error when creating "STDIN": pods "other" is forbidden: ')


def test_preview_says_of_new_pod_only_which_service_gains_it() -> None:
    text = pod_json("other", tolerations=[{"operator": "Exists"}], activeDeadlineSeconds=60)
    said = tried(world(SERVICE, BUDGET), text.replace('"name": "other",', '"name": "other", "labels": {"app": "web"},', 1))

    assert list(rules(said)) == ["pod-created", "qos-class", "selector-gains"]
    assert rules(said)["selector-gains"] == "Service front gains the pod"


def test_preview_names_budget_that_gains_pod_in_its_namespace() -> None:
    on = world(pod_json(), BUDGET, BUDGET.replace('"default"', '"kube-system"').replace('"b"', '"elsewhere"'))
    said = tried(on, edited(on, lambda pod: pod["metadata"].update(labels={"app": "web"})))

    assert [effect.text for effect in said.effects] == ["PodDisruptionBudget b gains the pod"]


def test_preview_restarts_sidecar_when_image_changes() -> None:
    sidecar = {"name": "first", "image": "busybox:1.28", "command": ["sleep", "1000"], "restartPolicy": "Always"}
    on = world(pod_json(initContainers=[sidecar]))
    said = tried(on, edited(on, lambda pod: pod["spec"]["initContainers"][0].update(image="busybox:1.36")))

    assert rules(said) == {"image-restart": "restarts container first"}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (31, "the pod is terminated in 1 s"),
        (30, "the pod is terminated at once: the deadline has passed"),
        (29, "the pod is terminated at once: the deadline has passed"),
    ],
)
def test_preview_counts_deadline_from_the_start_of_the_pod(seconds: int, text: str) -> None:
    on = world()
    assert rules(tried(on, edited(on, lambda pod: pod["spec"].update(activeDeadlineSeconds=seconds)))) == {"deadline": text}


@pytest.mark.parametrize(
    ("seconds", "found"),
    [
        (None, {"eviction-off": "the eviction from node1 is cancelled"}),
        (50, {"eviction-later": "the pod is evicted from node1 after 50 s"}),
        (100, {}),
    ],
)
def test_preview_says_what_becomes_of_eviction_when_toleration_changes(seconds: int | None, found: dict[str, str]) -> None:
    on = world(pod_json(tolerations=[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 100}]))
    apply(on, PatchObject(kind="Node", name="node1", patch='{"spec": {"taints": [{"key": "a", "effect": "NoExecute"}]}}'))
    said = tried(on, edited(on, lambda pod: pod["spec"]["tolerations"][0].update(tolerationSeconds=seconds)))

    assert rules(said) == found


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        ({"resources": {"requests": {"cpu": "1"}}}, "use-resize"),
        ({"resources": {"requests": {"cpu": "1"}}, "image": "busybox:1.36"}, "replace-pod"),
        ({"command": ["sleep", "5"]}, "replace-pod"),
    ],
)
def test_preview_hints_at_resize_when_only_resources_were_to_change(change: dict[str, object], hint: str) -> None:
    app = {"name": "app", "image": "busybox:1.28", "command": ["sleep", "1000"], "resources": {"requests": {"cpu": "500m"}}}
    on = new_world(msgspec.structs.replace(make_header(pod_json(containers=[app])), kubernetes="1.33"))
    advance(on, until_ms=30_000)
    said = tried(on, edited(on, lambda pod: pod["spec"]["containers"][0].update(change)))

    assert list(rules(said)) == [hint]


def reader(name: str, volume: dict[str, object] | None = None, **container: object) -> str:
    """A pod that may mount one volume."""
    app = {"name": "app", "image": "busybox:1.28", "command": ["sleep", "1000"], **container}
    return pod_json(name, containers=[app], **({"volumes": [{"name": "v", **volume}]} if volume else {}))


def variable(source: str, name: str) -> list[dict[str, object]]:
    return [{"name": "PLAIN", "value": "1"}, {"name": "A", "valueFrom": {source: {"name": name, "key": "a"}}}]


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_preview_names_readers_of_each_way_when_config_changes(kind: str) -> None:
    """Both kinds have an object c, and pods that read it or d of the same kind."""
    readers = [
        *(reader(f"map-{name}", {"configMap": {"name": name}}) for name in "cd"),
        *(reader(f"secret-{name}", {"secret": {"secretName": name}}) for name in "cd"),
        *(reader(f"map-part-{name}", {"projected": {"sources": [{"configMap": {"name": name}}]}}) for name in "cd"),
        *(reader(f"secret-part-{name}", {"projected": {"sources": [{"secret": {"name": name}}]}}) for name in "cd"),
        *(reader(f"map-all-{name}", envFrom=[{"configMapRef": {"name": name}}]) for name in "cd"),
        *(reader(f"secret-all-{name}", envFrom=[{"secretRef": {"name": name}}]) for name in "cd"),
        *(reader(f"map-key-{name}", env=variable("configMapKeyRef", name)) for name in "cd"),
        *(reader(f"secret-key-{name}", env=variable("secretKeyRef", name)) for name in "cd"),
    ]
    secret = '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "c"}, "data": {"a": "MQ=="}}'
    on = world(CONFIG, secret, *readers)
    said = tried(on, edited(on, lambda found: found["data"].update(b="Mg=="), kind, "c"))

    word = "map" if kind == "ConfigMap" else "secret"
    assert rules(said) == {
        "config-files": f"files in {word}-c, {word}-part-c are updated on the kubelet’s next syncs, within about a minute and a half",
        "config-variables": f"variables of {word}-all-c, {word}-key-c keep their values until their containers restart",
    }


@pytest.mark.parametrize(("count", "names"), [(5, "p1, p2, p3, p4, p5"), (6, "p1, p2, p3, p4, p5 …")])
def test_preview_names_at_most_five_readers(count: int, names: str) -> None:
    on = world(CONFIG, *(reader(f"p{n}", envFrom=[{"configMapRef": {"name": "c"}}]) for n in range(1, count + 1)))
    said = tried(on, edited(on, lambda found: found["data"].update(a="2"), "ConfigMap", "c"))

    assert rules(said)["config-variables"].startswith(f"variables of {names} keep")


def test_preview_names_no_reader_in_another_namespace() -> None:
    on = world(CONFIG, reader("web"), reader("far", envFrom=[{"configMapRef": {"name": "c"}}]).replace('"default"', '"kube-system"'))
    said = tried(on, edited(on, lambda found: found["data"].update(a="2"), "ConfigMap", "c"))

    assert said.outcome == "accepted" and rules(said) == {}


@pytest.mark.parametrize(
    ("is_closed", "text", "tone"),
    [(True, "no new pods are scheduled to it", "warn"), (False, "pods can be scheduled to it again", "good")],
)
def test_preview_says_whether_node_takes_new_pods(is_closed: bool, text: str, tone: str) -> None:
    on = world()
    apply(on, PatchObject(kind="Node", name="node1", patch=json.dumps({"spec": {"unschedulable": not is_closed}})))
    (effect,) = tried(on, edited(on, lambda node: node["spec"].update(unschedulable=is_closed), "Node", "node1")).effects

    assert (effect.text, effect.tone) == (text, tone)


def test_preview_evicts_no_pod_that_another_taint_evicts_already() -> None:
    on = world(pod_json("other"), pod_json(tolerations=[{"operator": "Exists"}]))
    apply(on, PatchObject(kind="Node", name="node1", patch='{"spec": {"taints": [{"key": "a", "effect": "NoExecute"}]}}'))
    taints = [{"key": key, "effect": "NoExecute"} for key in "ab"]
    said = tried(on, edited(on, lambda node: node["spec"].update(taints=taints), "Node", "node1"))

    assert said.outcome == "accepted" and rules(said) == {}


@pytest.mark.parametrize(("count", "names"), [(5, "p1, p2, p3, p4, p5"), (6, "p1, p2, p3, p4, p5 …")])
def test_preview_names_at_most_five_pods_of_service(count: int, names: str) -> None:
    labelled = (pod_json(f"p{n}").replace('"metadata": {', '"metadata": {"labels": {"app": "web"}, ', 1) for n in range(1, count + 1))
    assert rules(tried(world(*labelled), SERVICE)) == {"service-gains": f"sends requests to {names} when they are ready"}


def test_preview_says_nothing_of_pods_when_only_the_ports_of_service_change() -> None:
    on = world(pod_json(), SERVICE)
    said = tried(on, edited(on, lambda made: made["spec"]["ports"][0].update(name="http"), "Service", "front"))

    assert said.outcome == "accepted" and rules(said) == {}
