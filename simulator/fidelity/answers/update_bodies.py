"""The pod that the recorded changes are about, and what each case's name means: read off the recorded messages."""

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Body = Callable[[Json], Json]
"""From the stored pod to the body of the request."""

_EXEC = {"exec": {"command": ["true"]}}
CREATED: Json = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "upd",
        "namespace": "rej",
        "uid": "e6cff14b-40d7-45a8-9acb-304fbd5ba951",
        "resourceVersion": "2200",
        "creationTimestamp": "2026-11-20T04:58:15Z",
    },
    "spec": {
        "nodeName": "node1",
        "terminationGracePeriodSeconds": 1,
        "activeDeadlineSeconds": 500,
        "initContainers": [{"name": "i", "image": "busybox:1.28", "command": ["true"]}],
        "containers": [
            {
                "name": "app",
                "image": "busybox:1.28",
                "command": ["sh", "-c", "sleep 3600"],
                "env": [{"name": "A", "value": "1"}],
                "resources": {"requests": {"cpu": "10m"}, "limits": {"cpu": "50m"}},
            }
        ],
    },
    "status": {"phase": "Running", "qosClass": "Burstable"},
}


def _spec(**changes: Any) -> Body:
    return lambda pod: {**pod, "spec": {**pod["spec"], **changes}}


def _metadata(**changes: Any) -> Body:
    return lambda pod: {**pod, "metadata": {**pod["metadata"], **changes}}


def _app(**changes: Any) -> Body:
    def body(pod: Json) -> Json:
        app, *others = pod["spec"]["containers"]
        return _spec(containers=[{**app, **changes}, *others])(pod)

    return body


def _init_image(pod: Json) -> Json:
    (init,) = pod["spec"]["initContainers"]
    return _spec(initContainers=[{**init, "image": "busybox:1.29"}])(pod)


def _added_container(pod: Json) -> Json:
    return _spec(containers=[*pod["spec"]["containers"], {"name": "b", "image": "busybox:1.28"}])(pod)


def _tolerations_changed(pod: Json) -> Json:
    not_ready, unreachable = pod["spec"]["tolerations"]
    return _spec(tolerations=[{**not_ready, "tolerationSeconds": 10}, unreachable, {"key": "x", "operator": "Exists"}])(pod)


BODIES: dict[str, Body] = {
    "no change": _spec(),
    "container name": _app(name="other"),
    "add env": _app(env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]),
    "resources limits": _app(resources={"requests": {"cpu": "10m"}, "limits": {"cpu": "60m"}}),
    "command": _app(command=["sleep", "1"]),
    "imagePullPolicy": _app(imagePullPolicy="Always"),
    "add livenessProbe": _app(livenessProbe=_EXEC),
    "add lifecycle": _app(lifecycle={"preStop": _EXEC}),
    "add container": _added_container,
    "remove all containers": _spec(containers=[]),
    "init image change": _init_image,
    "restartPolicy": _spec(restartPolicy="Never"),
    "activeDeadlineSeconds lower": _spec(activeDeadlineSeconds=400),
    "activeDeadlineSeconds higher": _spec(activeDeadlineSeconds=450),
    "activeDeadlineSeconds 0": _spec(activeDeadlineSeconds=0),
    "activeDeadlineSeconds negative": _spec(activeDeadlineSeconds=-1),
    "tolerations remove all": _spec(tolerations=[]),
    "nodeName": _spec(nodeName="other"),
    "readinessGates add": _spec(readinessGates=[{"conditionType": "a.b/c"}]),
    "priority": _spec(priority=3),
    "ephemeralContainers through pods": _spec(ephemeralContainers=[{"name": "d", "image": "busybox"}]),
    "schedulerName": _spec(schedulerName="x"),
    "dnsPolicy": _spec(dnsPolicy="Default"),
    "hostname": _spec(hostname="x"),
    "image with space": _app(image=" x"),
    "labels invalid": _metadata(labels={"b!": "1"}),
    "annotation add": _metadata(annotations={"x": "y"}),
    "metadata.uid": _metadata(uid="00000000-0000-0000-0000-000000000000"),
    "stale resourceVersion": _metadata(resourceVersion="1"),
    "creationTimestamp (ignored?)": _metadata(creationTimestamp="2020-01-01T00:00:00Z"),
    "status through pods (ignored)": lambda pod: {**pod, "status": {"phase": "Failed"}},
    "deletionTimestamp through pods": _metadata(deletionTimestamp="2030-01-01T00:00:00Z"),
    "finalizer add": _metadata(finalizers=["example.com/x"]),
    "ownerReferences bad": _metadata(ownerReferences=[{"apiVersion": "v1", "kind": "", "name": "", "uid": ""}]),
}
"""By the name of the case."""

BETWEEN: dict[str, Body] = {"tolerations remove all": _tolerations_changed, "status: bad nominatedNodeName": _app(image="busybox:1.29")}
"""What was changed before a case by requests that the file does not hold."""
