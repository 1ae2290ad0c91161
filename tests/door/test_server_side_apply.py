"""Server-side apply and managedFields: who owns what, request by request, without a client."""

import json
from time import process_time

import pytest

from simulator.door.answering import answer, written_to
from simulator.door.exchange import DoorRequest
from simulator.door.managers import manager_of
from simulator.door.scene import DoorScene
from simulator.door.writing import tried, written_reply
from simulator.engine import RunHeader, advance, new_world
from simulator.engine.apiserver.answer import Answer, ApiError
from simulator.engine.apiserver.managed.apply import conflict
from simulator.engine.apiserver.managed.managers import _bounded
from simulator.engine.world.managed import APPLY as APPLIES
from simulator.engine.world.managed import UPDATE, Manager
from simulator.engine.world.world import World

DEPLOYS = "/apis/apps/v1/namespaces/default/deployments"
APPLY, MERGE, STRATEGIC = "application/apply-patch+yaml", "application/merge-patch+json", "application/strategic-merge-patch+json"


def deployment(image: str = "nginx:1.27", *, replicas: int | None = 2, **container: object) -> dict:
    return {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {
            **({} if replicas is None else {"replicas": replicas}), "selector": {"matchLabels": {"app": "d"}},
            "template": {
                "metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"name": "a", "image": image, **container}]},
            },
        },
    }  # fmt: skip


class Cluster:
    """A world that receives requests one after the other."""

    def __init__(self) -> None:
        self.world: World = new_world(RunHeader(kubernetes="1.30"))
        advance(self.world, until_ms=5000)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        sort: str = "application/json",
        agent: str = "test/1",
        accept: str = "",
        **query: str,
    ):
        text = body if isinstance(body, str) else json.dumps(body)
        headers = {"content-type": sort, "user-agent": agent, "accept": accept}
        asked = DoorRequest(method=method, path=path, query=tuple(query.items()), headers=headers, body=text.encode())
        scene = DoorScene(world=self.world, now_ms=self.world.now_ms, wall_ms=1_800_000_000_000, may_write=True)
        if method == "GET":
            return json.loads(answer(asked, scene).body)
        place, resource = written_to(asked, scene)
        writing, self.world = tried(asked, place, resource, scene)
        after = DoorScene(world=self.world, now_ms=self.world.now_ms, wall_ms=scene.wall_ms, may_write=True)
        self.status = (reply := written_reply(asked, place, resource, after, writing)).status
        return json.loads(reply.body)

    def apply(self, body: object, manager: str = "one", name: str = "d", **query: str):
        return self.ask("PATCH", f"{DEPLOYS}/{name}", body, sort=APPLY, fieldManager=manager, **query)

    def refused(self, body: object, manager: str = "one", **query: str) -> Answer:
        with pytest.raises(ApiError) as caught:
            self.apply(body, manager, **query)
        return caught.value.answer

    def managers(self) -> dict[str, dict]:
        entries = self.ask("GET", f"{DEPLOYS}/d")["metadata"].get("managedFields", [])
        return {f"{item['manager']} {item['operation']}": item["fieldsV1"] for item in entries if item.get("subresource") != "status"}


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def test_what_is_not_there_is_created_and_owned(cluster: Cluster) -> None:
    body = cluster.apply(deployment())
    (entry,) = body["metadata"]["managedFields"]
    assert (cluster.status, entry["manager"], entry["operation"], entry["fieldsType"]) == (201, "one", "Apply", "FieldsV1")
    assert entry["fieldsV1"]["f:spec"]["f:template"]["f:spec"]["f:containers"] == {'k:{"name":"a"}': {".": {}, "f:image": {}, "f:name": {}}}


def test_a_second_apply_changes_and_is_not_a_creation(cluster: Cluster) -> None:
    cluster.apply(deployment())
    (container,) = cluster.apply(deployment("nginx:1.26"))["spec"]["template"]["spec"]["containers"]
    assert (container["image"], cluster.status) == ("nginx:1.26", 200)


def test_yaml_is_taken(cluster: Cluster) -> None:
    assert cluster.ask(
        "PATCH", "/api/v1/namespaces/default/configmaps/c", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n",
        sort=APPLY, fieldManager="x",
    )["data"] == {"a": "b"}  # fmt: skip


def test_another_manager_that_wants_otherwise_is_a_conflict(cluster: Cluster) -> None:
    cluster.apply(deployment())
    found = cluster.refused(deployment("nginx:1.26"), "two")
    path = '.spec.template.spec.containers[name="a"].image'
    assert (found.code, found.reason, found.message) == (409, "Conflict", f'Apply failed with 1 conflict: conflict with "one": {path}')
    (cause,) = found.document()["details"]["causes"]
    assert cause == {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": path}


def test_several_conflicts_are_listed_by_manager(cluster: Cluster) -> None:
    cluster.apply(deployment())
    path = '.spec.template.spec.containers[name="a"].image'
    text = f'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.replicas\n- {path}'
    assert cluster.refused(deployment("nginx:1.26", replicas=3), "two").message == text


def test_force_takes_over(cluster: Cluster) -> None:
    cluster.apply(deployment())
    cluster.apply(deployment("nginx:1.26"), "two", force="true")
    image = 'k:{"name":"a"}'
    owned = {name: fields["f:spec"]["f:template"]["f:spec"]["f:containers"][image] for name, fields in cluster.managers().items()}
    assert ("f:image" in owned["one Apply"], "f:image" in owned["two Apply"]) == (False, True)


def test_who_wants_the_same_owns_it_too(cluster: Cluster) -> None:
    cluster.apply(deployment())
    cluster.apply(deployment(), "two")
    assert cluster.managers()["one Apply"] == cluster.managers()["two Apply"]


def test_what_is_applied_no_more_goes_unless_others_own_it(cluster: Cluster) -> None:
    cluster.apply(deployment(env=[{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}], workingDir="/w"))
    cluster.apply(deployment(env=[{"name": "Y", "value": "2"}]), "two")
    (container,) = cluster.apply(deployment())["spec"]["template"]["spec"]["containers"]
    assert (container["env"], "workingDir" in container) == ([{"name": "Y", "value": "2"}], False)


def test_a_whole_part_that_is_applied_no_more_goes_with_its_defaults(cluster: Cluster) -> None:
    cluster.apply(deployment(livenessProbe={"httpGet": {"path": "/", "port": 80}}))
    (container,) = cluster.apply(deployment())["spec"]["template"]["spec"]["containers"]
    assert "livenessProbe" not in container


def test_scale_is_a_manager_with_a_subresource(cluster: Cluster) -> None:
    cluster.apply(deployment())
    cluster.ask("PATCH", f"{DEPLOYS}/d/scale", {"spec": {"replicas": 5}}, sort=MERGE, agent="kubectl/v1.30.0 (linux)")
    text = 'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas'
    assert cluster.refused(deployment()).message == text
    assert cluster.apply(deployment(replicas=None))["spec"]["replicas"] == 5


def test_a_patch_belongs_to_the_manager_that_its_query_names(cluster: Cluster) -> None:
    cluster.apply(deployment())
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "a", "image": "nginx:1.25"}]}}}}
    cluster.ask("PATCH", f"{DEPLOYS}/d", patch, sort=STRATEGIC, fieldManager="kubectl-set")
    assert 'conflict with "kubectl-set" using apps/v1: ' in cluster.refused(deployment()).message


def test_a_patch_of_a_pod_belongs_to_its_manager_too(cluster: Cluster) -> None:
    cluster.ask(
        "POST", "/api/v1/namespaces/default/pods", {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "x"}]}}
    )
    change = {"metadata": {"labels": {"z": "1"}}}
    after = cluster.ask("PATCH", "/api/v1/namespaces/default/pods/p", change, sort=MERGE, fieldManager="kubectl-label")
    assert "kubectl-label" in [each["manager"] for each in after["metadata"]["managedFields"]]


def test_what_was_created_belongs_to_its_creator_with_defaults_but_not_what_admission_adds(cluster: Cluster) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "nginx:1.27"}]}}
    body = cluster.ask("POST", "/api/v1/namespaces/default/pods", pod, agent="kubectl/v1.30.0", fieldManager="kubectl-run")
    (entry,) = (item for item in body["metadata"]["managedFields"] if item.get("subresource") != "status")
    spec = entry["fieldsV1"]["f:spec"]
    assert (entry["manager"], entry["operation"], "f:restartPolicy" in spec) == ("kubectl-run", "Update", True)
    assert not {"f:tolerations", "f:volumes", "f:serviceAccount"} & set(spec)


def test_the_status_belongs_to_the_controllers(cluster: Cluster) -> None:
    cluster.apply(deployment())
    advance(cluster.world, until_ms=30_000)
    entries = cluster.ask("GET", f"{DEPLOYS}/d")["metadata"]["managedFields"]
    status = next(item for item in entries if item.get("subresource") == "status")
    assert (status["manager"], list(status["fieldsV1"])) == ("kube-controller-manager", ["f:status"])
    revision = cluster.managers()["kube-controller-manager Update"]["f:metadata"]["f:annotations"]
    assert "f:deployment.kubernetes.io/revision" in revision


def test_kubectl_takes_over_what_it_applied_on_the_client_side(cluster: Cluster) -> None:
    text = json.dumps(deployment())
    first = deployment()
    first["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": text}
    cluster.ask("POST", DEPLOYS, first, fieldManager="kubectl-client-side-apply")
    assert cluster.refused(deployment("nginx:1.26"), "one").code == 409
    body = cluster.apply(deployment("nginx:1.26"), "kubectl")
    kept = json.loads(body["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"])
    assert kept["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1.26"


def test_a_client_may_write_managed_fields_itself(cluster: Cluster) -> None:
    cluster.ask("POST", DEPLOYS, deployment(), fieldManager="old")
    entries = cluster.ask("GET", f"{DEPLOYS}/d")["metadata"]["managedFields"]
    (mine,) = (item for item in entries if item["manager"] == "old")
    patch = [{"op": "replace", "path": "/metadata/managedFields", "value": [{**mine, "manager": "new", "operation": "Apply"}]}]
    cluster.ask("PATCH", f"{DEPLOYS}/d", patch, sort="application/json-patch+json")
    assert list(cluster.managers()) == ["new Apply"]


def test_managed_fields_that_are_said_to_be_empty_are_none(cluster: Cluster) -> None:
    cluster.apply(deployment())
    cluster.ask("PATCH", f"{DEPLOYS}/d", {"metadata": {"managedFields": [{}]}}, sort=MERGE)
    assert cluster.managers() == {}


def test_managers_that_update_are_at_most_ten(cluster: Cluster) -> None:
    cluster.ask("POST", DEPLOYS, deployment(), fieldManager="one")
    for n in range(12):
        cluster.ask("PATCH", f"{DEPLOYS}/d", {"metadata": {"labels": {f"l{n}": "x"}}}, sort=MERGE, fieldManager=f"m{n:02}")
    found = cluster.managers()
    assert len(found) == 10 and "f:l0" in found["ancient-changes Update"]["f:metadata"]["f:labels"]


def test_nothing_is_kept_of_what_is_gone(cluster: Cluster) -> None:
    cluster.apply(deployment())
    assert cluster.world.tables.managed
    cluster.ask("DELETE", f"{DEPLOYS}/d")
    assert not cluster.world.tables.managed


def test_a_field_that_the_kind_does_not_have_is_refused(cluster: Cluster) -> None:
    found = cluster.refused(deployment(imagePullPolice="Always"))
    text = (
        "failed to create typed patch object (default/d; apps/v1, Kind=Deployment): "
        '.spec.template.spec.containers[name="a"].imagePullPolice: field not declared in schema'
    )
    assert (found.code, found.message) == (500, text)


def test_managed_fields_in_a_configuration_are_refused(cluster: Cluster) -> None:
    body = deployment()
    body["metadata"]["managedFields"] = [{"manager": "x"}]
    found = cluster.refused(body)
    assert (found.code, found.message) == (400, "metadata.managedFields must be nil")


def test_options_of_other_patches_are_refused(cluster: Cluster) -> None:
    text = 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'
    with pytest.raises(ApiError, match=text):
        cluster.ask("PATCH", f"{DEPLOYS}/d", deployment(), sort=APPLY)
    cluster.apply(deployment())
    with pytest.raises(ApiError, match="may not be specified for non-apply patch"):
        cluster.ask("PATCH", f"{DEPLOYS}/d", {}, sort=MERGE, force="true")


def test_another_name_than_that_of_the_address_is_refused(cluster: Cluster) -> None:
    with pytest.raises(ApiError, match="does not match the name on the URL"):
        cluster.apply(deployment(), name="other")


def test_no_record_mentions_managers(cluster: Cluster) -> None:
    other = Cluster()
    cluster.ask("POST", DEPLOYS, deployment(), fieldManager="one")
    other.ask("POST", DEPLOYS, deployment(), fieldManager="two")
    assert cluster.world.digest() == other.world.digest()


def test_kubectl_1_20_gets_them_as_every_client(cluster: Cluster) -> None:
    cluster.apply(deployment())
    assert "managedFields" in cluster.ask("GET", f"{DEPLOYS}/d", agent="kubectl/v1.20.0 (linux)")["metadata"]


def test_thousands_of_managers_cost_no_more_than_their_number() -> None:
    """20,000 managers that update or apply: handling one must not iterate over all others."""
    path = ("f:spec", "f:replicas")
    many = tuple(
        Manager(name=f"m{n}", operation=sort, api_version="apps/v1", time=f"{n:05}", fields=frozenset([path]))
        for sort in (UPDATE, APPLIES)
        for n in range(20_000)
    )
    start = process_time()
    assert len(_bounded(many)) == 20_010
    assert "with 40000 conflicts" in conflict([(each, path) for each in many]).answer.message
    assert process_time() - start < 10


@pytest.mark.parametrize(
    ("agent", "name", "manager"),
    [
        ("kubectl/v1.33 (linux)", "", "kubectl"),
        ("x" * 200, "", "x" * 128),
        ("a/1", "b" * 128, "b" * 128),
        ("a/1", "b" * 129, None),
        ("", "a\tb", None),
    ],
)
def test_a_manager_is_named_by_the_query_or_else_by_the_agent(agent: str, name: str, manager: str | None) -> None:
    request = DoorRequest(path=DEPLOYS, query=(("fieldManager", name),) if name else (), headers={"user-agent": agent})
    if manager is not None:
        assert manager_of(request) == manager
    else:
        with pytest.raises(ApiError, match="PatchOptions"):
            manager_of(request)
