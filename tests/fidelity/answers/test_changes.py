"""The answers of a 1.20 server to changes of a running pod: each change is sent to the store of a run of that version."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from simulator.engine import apply
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.kernel.json_text import Json
from simulator.fidelity.answers.update import NAME, NAMESPACE, POD, answer_to, world_with

Change = Callable[[Json], Json]
FORBIDDEN, INVALID, REQUIRED = "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"


def spec(**fields: Any) -> Change:
    return lambda pod: {**pod, "spec": {**pod["spec"], **fields}}


def metadata(**fields: Any) -> Change:
    return lambda pod: {**pod, "metadata": {**pod["metadata"], **fields}}


def app(**fields: Any) -> Change:
    return lambda pod: spec(containers=[{**pod["spec"]["containers"][0], **fields}])(pod)


def init_image(pod: Json) -> Json:
    return spec(initContainers=[{**pod["spec"]["initContainers"][0], "image": "busybox:1.27"}])(pod)


def one_more(pod: Json) -> Json:
    return spec(containers=[*pod["spec"]["containers"], {"name": "more", "image": "busybox:1.28"}])(pod)


ACCEPTED: list[tuple[str, Change]] = [
    ("nothing", spec()),
    ("the image of an init container", init_image),
    ("the image of a container", app(image="busybox:1.27")),
    ("an earlier deadline", spec(activeDeadlineSeconds=300)),
    ("an annotation", metadata(annotations={"example.com/a": "b"})),
    ("a finalizer", metadata(finalizers=["example.com/keep"])),
    ("another time of creation, which counts for nothing", metadata(creationTimestamp="2001-01-01T00:00:00Z")),
    ("a status, which counts for nothing here", lambda pod: {**pod, "status": {"phase": "Failed"}}),
]
SPEC = [(FORBIDDEN, "spec")]
REFUSED: list[tuple[str, Change, int, list[tuple[str, str]]]] = [
    ("another name of a container", app(name="else"), 422, SPEC),
    ("a variable", app(env=[{"name": "A", "value": "2"}]), 422, SPEC),
    ("a limit", app(resources={"limits": {"cpu": "70m"}, "requests": {"cpu": "10m"}}), 422, SPEC),
    ("a command", app(command=["true"]), 422, SPEC),
    ("a pull policy", app(imagePullPolicy="Never"), 422, SPEC),
    ("a probe", app(livenessProbe={"exec": {"command": ["true"]}}), 422, SPEC),
    ("a hook", app(lifecycle={"preStop": {"exec": {"command": ["true"]}}}), 422, SPEC),
    ("one container more", one_more, 422, [(FORBIDDEN, "spec.containers")]),
    ("no containers", spec(containers=[]), 422, [(REQUIRED, "spec.containers"), (FORBIDDEN, "spec.containers")]),
    ("a restart policy", spec(restartPolicy="OnFailure"), 422, SPEC),
    ("a later deadline", spec(activeDeadlineSeconds=900), 422, [(INVALID, "spec.activeDeadlineSeconds")]),
    ("a deadline of nothing", spec(activeDeadlineSeconds=0), 422, [(INVALID, "spec.activeDeadlineSeconds")]),
    ("a deadline below zero", spec(activeDeadlineSeconds=-5), 422, [(INVALID, "spec.activeDeadlineSeconds")] * 2),
    ("another node", spec(nodeName="elsewhere"), 422, SPEC),
    ("a readiness gate", spec(readinessGates=[{"conditionType": "example.com/gate"}]), 422, SPEC),
    ("a priority", spec(priority=7), 422, SPEC),
    ("another scheduler", spec(schedulerName="mine"), 422, SPEC),
    ("another DNS policy", spec(dnsPolicy="None", dnsConfig={"nameservers": ["192.0.2.1"]}), 422, SPEC),
    ("a host name", spec(hostname="else"), 422, SPEC),
    ("an ephemeral container", spec(ephemeralContainers=[{"name": "e", "image": "busybox:1.28"}]), 422, SPEC),
    ("a label with a wrong name", metadata(labels={"a!": "b"}), 422, [(INVALID, "metadata.labels")]),
    ("another uid", metadata(uid="11111111-2222-3333-4444-555555555555"), 409, []),
    ("a version that is over", metadata(resourceVersion="1"), 409, []),
    ("a time of deletion", metadata(deletionTimestamp="2040-01-01T00:00:00Z"), 422, [(INVALID, "metadata.deletionTimestamp")]),
    (
        "an owner without kind, name and uid",
        metadata(ownerReferences=[{"apiVersion": "v1", "kind": "", "name": "", "uid": ""}]),
        422,
        [(INVALID, f"metadata.ownerReferences.{name}") for name in ("kind", "name", "uid")],
    ),
]


def put(change: Change) -> tuple[int, str, set[tuple[str, str]]]:
    """Code, reason and causes of the answer to a PUT of the changed pod; 200 if it is accepted."""
    world = world_with(POD)
    body = change(object_document(world, "Pod", NAMESPACE, NAME))
    return asked(ReplaceObject(document=json.dumps(body), namespace=NAMESPACE), world)


def asked(command: AnyCommand, world: Any = None) -> tuple[int, str, set[tuple[str, str]]]:
    answer = answer_to(world_with(POD) if world is None else world, command)
    return (200, "", set()) if answer is None else (answer.code, answer.reason, {(cause.reason, cause.field) for cause in answer.causes})


@pytest.mark.parametrize(("what", "change"), ACCEPTED, ids=[what for what, _ in ACCEPTED])
def test_change_is_accepted(what: str, change: Change) -> None:
    assert put(change) == (200, "", set())


@pytest.mark.parametrize(("what", "change", "code", "causes"), REFUSED, ids=[item[0] for item in REFUSED])
def test_change_is_refused(what: str, change: Change, code: int, causes: list[tuple[str, str]]) -> None:
    assert put(change) == (code, "Conflict" if code == 409 else "Invalid", set(causes))


def test_toleration_may_not_be_taken_away() -> None:
    world = world_with(spec(tolerations=[{"key": "example.com/x", "operator": "Exists"}])(POD))
    body = spec(tolerations=[])(object_document(world, "Pod", NAMESPACE, NAME))
    command = ReplaceObject(document=json.dumps(body), namespace=NAMESPACE)
    assert asked(command, world) == (422, "Invalid", {(FORBIDDEN, "spec.tolerations")})


def patch(body: str, kind: str, *, name: str = NAME, subresource: str = "") -> PatchObject:
    return PatchObject(kind="Pod", namespace=NAMESPACE, name=name, patch=body, patch_kind=kind, subresource=subresource)


@pytest.mark.parametrize(
    ("command", "code", "reason"),
    [
        (patch('[{"op": "test", "path": "/spec/dnsPolicy", "value": "None"}]', "json"), 422, "Invalid"),
        (patch("{", "merge"), 500, ""),
        (patch('{"spec": {"activeDeadlineSeconds": "soon"}}', "merge"), 422, "Invalid"),
        (patch('{"status": {"nominatedNodeName": "No_Node"}}', "strategic", subresource="status"), 422, "Invalid"),
        (patch('{"spec": {"activeDeadlineSeconds": 900}}', "strategic", subresource="status"), 200, ""),
        (patch("{}", "merge", name="nobody"), 404, "NotFound"),
    ],
)
def test_patch_is_answered(command: PatchObject, code: int, reason: str) -> None:
    assert asked(command)[:2] == (code, reason)


def test_negative_grace_removes_at_once() -> None:
    world = world_with({**POD, "metadata": {**POD["metadata"], "name": "other"}})
    apply(world, DeletePod(target=f"{NAMESPACE}/other", grace_s=-1))
    (row,) = world.tables.pods.values()
    assert (row.grace_s, row.gone_ms) == (-1, world.now_ms)


DEFAULTS = {
    "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler", "securityContext": {},
    "serviceAccountName": "default", "serviceAccount": "default", "priority": 0, "preemptionPolicy": "PreemptLowerPriority",
    "enableServiceLinks": True, "terminationGracePeriodSeconds": 30,
}  # fmt: skip


def created(**fields: Any) -> Json:
    """The spec of a newly created pod in a run of that version."""
    world = world_with(POD)
    document = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "new"},
        "spec": {"containers": [{"name": "a", "image": "x"}], **fields},
    }
    apply(world, ApplyManifest(documents=(json.dumps(document),), namespace=NAMESPACE, create=True))
    found: Json = object_document(world, "Pod", NAMESPACE, "new")["spec"]
    return found


@pytest.mark.parametrize(("field", "value"), DEFAULTS.items())
def test_store_fills_in_what_the_server_did(field: str, value: Any) -> None:
    assert created()[field] == value


def test_store_adds_the_tolerations_and_the_token_of_a_new_pod() -> None:
    spec_of_new = created()
    taints = [(item["key"], item["tolerationSeconds"]) for item in spec_of_new["tolerations"]]
    assert taints == [("node.kubernetes.io/not-ready", 300), ("node.kubernetes.io/unreachable", 300)]
    assert spec_of_new["containers"][0]["volumeMounts"][0]["mountPath"] == "/var/run/secrets/kubernetes.io/serviceaccount"
    assert spec_of_new["containers"][0]["imagePullPolicy"] == "Always"
