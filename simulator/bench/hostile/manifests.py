"""Expensive manifests: YAML and JSON that are deep, wide or endless, and objects whose parts multiply."""

import json
from collections.abc import Callable
from typing import Any

from simulator.bench.hostile.model import HostileText

N = 100_000
_HEAD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n"
_POD = f"{_HEAD}spec:\n  containers:\n  - name: app\n    image: busybox:1.36\n    command: [sleep, '3600']\n"
_CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: big}\ndata:\n"
_BLANKS = " " * N


def pod(container: dict[str, Any] | None = None, metadata: dict[str, Any] | None = None, **spec: Any) -> str:
    """A pod as JSON."""
    first = {"name": "app", "image": "busybox:1.36", "command": ["sleep", "3600"], **(container or {})}
    return json.dumps(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", **(metadata or {})}, "spec": {"containers": [first], **spec}}
    )


def _laughs(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels))]
    return "\n".join(lines)


def _merges(levels: int) -> str:
    lines = ["a0: &a0 {x: 1, y: 2}", *(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: 1}}" for n in range(1, levels))]
    return "\n".join(lines)


def _doubling(lines: int) -> list[dict[str, str]]:
    return [{"name": "E0", "value": "x" * 16}, *({"name": f"E{n}", "value": f"$(E{n - 1})$(E{n - 1})"} for n in range(1, lines))]


def _yaml() -> tuple[tuple[str, str, Callable[[], str]], ...]:
    return (
        ("yaml-open-brackets", "load", lambda: "a: " + "[" * N),
        ("yaml-open-braces", "check", lambda: "a: " + "{a: " * N),
        ("yaml-deep-lists", "check", lambda: "a: " + "[" * 5000 + "]" * 5000),
        ("yaml-deep-maps", "check", lambda: '{"a":' * 5000 + "1" + "}" * 5000),
        ("yaml-deep-dashes", "diagnose", lambda: "- " * N),
        ("yaml-deep-indents", "diagnose", lambda: "".join(f"{' ' * n}a:\n" for n in range(1000))),
        ("yaml-question-marks", "load", lambda: "? " * 50_000),
        ("yaml-laughs", "check", lambda: _laughs(12)),
        ("yaml-merges", "check", lambda: _merges(2000)),
        ("yaml-anchors", "load", lambda: "".join(f"a{n}: &x{n} *x{n - 1}\n" for n in range(1, 20_000))),
        ("yaml-anchor-long", "load", lambda: f"&{'a' * 500_000} b"),
        ("yaml-tags", "load", lambda: "!!" + "a" * 500_000 + " b"),
        ("yaml-tag-per-value", "diagnose", lambda: "".join(f"a{n}: !!python/object:os.system x\n" for n in range(8000))),
        ("yaml-directives", "load", lambda: "%TAG ! tag:x,2000:\n" * 20_000 + "--- a"),
        ("yaml-documents", "diagnose", lambda: "---\na: 1\n" * N),
        ("yaml-broken-documents", "diagnose", lambda: "---\n]\n" * 50_000),
        ("yaml-quotes", "diagnose", lambda: "a: '" + "''" * 400_000),
        ("yaml-escapes", "load", lambda: 'a: "' + "\\u0041" * 150_000 + '"'),
        ("yaml-surrogates", "load", lambda: '{"a": "' + "\\ud83d\\ude00" * 80_000 + '"}'),
        ("yaml-same-key", "diagnose", lambda: "a: 1\n" * 40_000),
        ("yaml-long-key", "load", lambda: "a" * 900_000 + ": 1"),
        ("yaml-colons", "load", lambda: "a: " * 300_000),
        ("yaml-hashes", "diagnose", lambda: "#" * 900_000),
        ("yaml-tabs", "diagnose", lambda: "a:\n" + "\t" * 900_000 + "b: 1"),
        ("yaml-blank-lines", "diagnose", lambda: "\n" * 900_000 + "a: ["),
        ("yaml-carriage-returns", "diagnose", lambda: "a: 1\r" * 150_000),
        ("yaml-digits", "load", lambda: f"a: {'9' * 900_000}\nb: 0x{'f' * 50_000}\nc: 1e{'9' * 5000}\nd: 0o{'7' * 20_000}"),
        ("yaml-sexagesimal", "load", lambda: f"a: {'1:' * 200_000}1\nb: {'1_' * 100_000}1.e"),
        ("yaml-timestamps", "load", lambda: f"a: 2020-01-01T00:00:00.{'9' * 400_000}+\nb: 2020-01-01{_BLANKS}00:00:00{_BLANKS}x"),
        ("yaml-binary", "load", lambda: f"a: !!binary {'A' * 900_000}"),
        ("yaml-folded", "load", lambda: "a: >\n" + "  x\n\n" * 150_000),
        ("yaml-nested-lists-of-objects", "diagnose", lambda: json.dumps(_list_of_lists(40))),
        ("yaml-control-characters", "diagnose", lambda: "a: 1\n" * 150_000 + "\x00"),
    )


def _list_of_lists(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"apiVersion": "v1", "kind": "List", "items": [json.loads(pod())] * 4}
    for _ in range(depth // 8):
        inner = {"apiVersion": "v1", "kind": "List", "items": [inner, inner]}
    return inner


def _json() -> tuple[tuple[str, str, Callable[[], str]], ...]:
    return (
        ("json-deep-lists", "load", lambda: '{"a": ' + "[" * N + "]" * N + "}"),
        ("json-deep-objects", "create", lambda: '{"a":' * 60 + "1" + "}" * 60),
        ("patch-deep", "patch", lambda: '{"spec":' + '{"a":' * N + "1" + "}" * N + "}"),
        ("patch-deep-list", "patch", lambda: '{"spec": {"containers": ' + "[" * 2000 + "]" * 2000 + "}}"),
        ("patch-merge-deep", "patch-merge", lambda: '{"metadata": {"annotations":' + '{"a":' * 3000 + "1" + "}" * 3000 + "}}"),
        ("patch-merge-wide", "patch-merge", lambda: json.dumps({"metadata": {"annotations": {f"a{n}": str(n) for n in range(20_000)}}})),
        ("patch-unclosed", "patch", lambda: '{"spec": ' + "[" * 200_000),
        ("patch-string-unclosed", "patch", lambda: '{"spec": "' + "\\u0041" * 100_000),
        ("patch-digits", "patch-merge", lambda: '{"spec": {"priority": ' + "9" * 5000 + "}}"),
        ("patch-json-growing", "patch-json", _copies),
        ("patch-json-deep-path", "patch-json", lambda: json.dumps([{"op": "add", "path": "/data" + "/a" * N, "value": "x"}])),
        ("patch-json-many", "patch-json", lambda: json.dumps([{"op": "add", "path": "/data/a", "value": "x"}] * 20_000)),
        ("patch-json-moves", "patch-json", _moves),
        ("patch-containers", "patch", lambda: json.dumps({"spec": {"containers": [{"name": f"c{n}", "image": "x"} for n in range(4000)]}})),
        ("patch-order", "patch", lambda: json.dumps({"spec": {"$setElementOrder/containers": [{"name": f"c{n}"} for n in range(8000)]}})),
        ("replace-deep", "replace", lambda: '{"kind":"Pod","apiVersion":"v1","metadata":' + '{"labels":' * 3000 + "1" + "}" * 3000 + "}"),
        ("replace-everything", "replace", _replaced),
    )


def _copies() -> str:
    adds = [{"op": "copy", "from": "/data", "path": f"/metadata/k{n}"} for n in range(5)]
    doubles = [
        {"op": "copy", "from": "/metadata", "path": f"/data/d{n}"} if n % 2 else {"op": "copy", "from": "/data", "path": f"/metadata/m{n}"}
        for n in range(60)
    ]
    return json.dumps([*adds, *doubles])


def _moves() -> str:
    items = [{"op": "add", "path": "/metadata/finalizers", "value": [f"a/{n}" for n in range(5000)]}]
    return json.dumps(
        [*items, *({"op": "move", "from": "/metadata/finalizers/0", "path": "/metadata/finalizers/4999"} for _ in range(5000))]
    )


def _replaced() -> str:
    document = json.loads(pod({"args": [f"a{n}" for n in range(3000)]}))
    document["spec"]["tolerations"] = [{"key": f"k{n}", "operator": "Exists"} for n in range(2000)]
    document["spec"]["volumes"] = [{"name": f"v{n}", "emptyDir": {}} for n in range(2000)]
    return json.dumps(document)


def _environments() -> tuple[tuple[str, str, Callable[[], str]], ...]:
    unclosed = "$(" * 100_000
    return (
        ("env-doubling", "run", lambda: pod({"env": _doubling(60)})),
        ("env-doubling-many", "run", lambda: pod({"env": _doubling(12) * 40})),
        ("env-in-arguments", "run", lambda: pod({"env": _doubling(12), "args": ["$(E11)" * 10_000] * 12})),
        ("env-long-values", "run", lambda: pod({"env": [{"name": f"V{n}", "value": "v" * 20_000} for n in range(40)]})),
        ("env-unclosed", "run", lambda: pod({"env": [{"name": "A", "value": unclosed}], "args": [unclosed]})),
        ("env-unclosed-closed-late", "run", lambda: pod({"env": [{"name": "A", "value": "$(a " * 100_000 + ")"}]})),
        ("env-sub-path", "run", lambda: _mounted("$(E40)")),
        ("env-dollars", "run", lambda: pod({"args": ["$" * 500_000]})),
        ("env-config-map", "run", lambda: _with_config(900_000)),
        ("env-config-map-names", "run", lambda: _with_names(9000)),
        ("env-same-name", "run", lambda: pod({"env": [{"name": "A", "value": "$(A)$(A)x"}] * 3000})),
    )


def _objects() -> tuple[tuple[str, str, Callable[[], str]], ...]:
    long = "a" * 60_000
    return (
        (
            "containers-many",
            "run",
            lambda: pod(initContainers=[{"name": f"c{n}", "image": "busybox:1.36", "command": ["true"]} for n in range(300)]),
        ),
        ("arguments-many", "run", lambda: pod({"args": ["x"] * 49_000})),
        ("argument-long", "run", lambda: pod({"args": ["x" * 900_000]})),
        ("volumes-many", "diagnose", lambda: pod(volumes=[{"name": f"v{n}", "emptyDir": {}} for n in range(9000)])),
        ("mounts-many", "diagnose", lambda: pod({"volumeMounts": [{"name": f"v{n}", "mountPath": f"/m{n}"} for n in range(9000)]})),
        ("mounts-nested", "run", _nested_mounts),
        ("ports-many", "diagnose", lambda: pod({"ports": [{"containerPort": n % 60_000 + 1} for n in range(12_000)]})),
        ("spread-constraints", "diagnose", _spread),
        ("tolerations-many", "run", lambda: pod(tolerations=[{"key": f"k{n}", "operator": "Exists"} for n in range(5000)])),
        ("affinity-many", "run", _affinity),
        ("labels-many", "run", lambda: pod(metadata={"labels": {f"l{n}": "x" for n in range(9000)}})),
        ("annotations-long", "run", lambda: pod(metadata={"annotations": {f"a{n}": "x" * 20_000 for n in range(12)}})),
        ("names-long", "diagnose", lambda: _POD.replace("web", "a." * 200_000).replace("app", "-" * 200_000)),
        ("image-long", "diagnose", lambda: _POD.replace("busybox:1.36", "a/" * 200_000 + "!")),
        ("path-dots", "diagnose", lambda: pod({"volumeMounts": [{"name": "a", "mountPath": "/", "subPath": "../" * 100_000}]})),
        ("probe-path", "run", lambda: pod({"readinessProbe": {"httpGet": {"path": "/" + long * 5, "port": 80, "host": long}}})),
        ("volumes-of-annotations", "run", lambda: _annotated([_downward(f"v{n}", 1) for n in range(2000)])),
        ("volume-of-annotations", "run", lambda: _annotated([_downward("v", 5000)])),
        ("volumes-of-a-config-map", "run", lambda: _from_config(2000)),
        ("env-of-many-containers", "run", lambda: _many_environments(300)),
        ("shell-probe", "run", lambda: pod({"readinessProbe": {"exec": {"command": ["sh", "-c", "while :; do seq 1 100000; done"]}}})),
        (
            "shell-hook",
            "run",
            lambda: pod({"lifecycle": {"postStart": {"exec": {"command": ["sh", "-c", "s=a; while :; do s=$s$s; done"]}}}}),
        ),
        ("shell-termination-message", "run", lambda: pod({"command": ["sh", "-c", "seq 1 500000 > /dev/termination-log; exit 1"]})),
        ("shell-log", "run", lambda: pod({"command": ["sh", "-c", "while sleep 0.1; do seq 1 20000 | tr '\\n' ' '; echo; done"]})),
        ("behaviour-annotation-deep", "run", lambda: pod(metadata={"annotations": {"podscope.dev/behaviour": "[" * 100_000}})),
        ("behaviour-annotation-long", "check", lambda: pod(metadata={"annotations": {"podscope.dev/behaviour": _block(400)}})),
        ("secret-deep-json", "create", _deep_secret),
        ("resources-digits", "run", lambda: pod({"resources": {"limits": {"cpu": "1" * N, "memory": f"1e{'9' * N}"}}})),
        ("affinity-selector-values", "diagnose", _selector_values),
        ("cron-commas", "check", lambda: _cron(",".join(["1-59/2"] * 20_000) + " * * * *")),
        ("cron-digits", "check", lambda: _cron(f"{'9' * N} * * * *")),
        ("cron-fields", "check", lambda: _cron("* " * N)),
        ("cron-zone", "check", lambda: _cron(f"TZ={'a/' * N} * * * * *")),
        ("unknown-fields", "diagnose", lambda: pod({f"imagex{n}": n for n in range(8000)})),
        ("unknown-field-long", "diagnose", lambda: pod({"a" * 300_000: 1, "imag" + "e" * 300_000: 2})),
        ("wrong-types", "diagnose", lambda: pod({"env": [7] * 20_000, "ports": ["x"] * 20_000})),
        ("lines-of-a-text", "preview", lambda: _CONFIG + "".join(f"  k{n}: v\n" for n in range(9000))),
        ("text-against-text", "preview", lambda: _CONFIG.replace("big", "c") + "  a: |\n" + "    x\n    y\n" * 40_000),
        ("preview-pod-of-thousands", "preview", _replaced),
    )


def _digits() -> tuple[tuple[str, str, Callable[[], str]], ...]:
    """More digits than Python converts to a number."""
    index: dict[str, Any] = {
        "successPolicy": {"rules": [{"succeededIndexes": f"0-{_NINES}"}]},
        "completionMode": "Indexed",
        "completions": 3,
    }
    owned: dict[str, Any] = {"annotations": {"deployment.kubernetes.io/revision": _NINES}, "ownerReferences": [{**_OWNER, "uid": "u"}]}
    return (
        (
            "digits-percentage",
            "check",
            lambda: _workload("Deployment", strategy=_ROLLING),
        ),
        ("digits-percentage-preview", "preview", lambda: _budget(maxUnavailable=f"{_NINES}%")),
        ("digits-percentage-of-a-budget", "run", lambda: _budget(maxUnavailable=f"{_NINES}%") + "\n---\n" + pod(metadata=_LABELLED)),
        ("digits-index", "check", lambda: _workload("Job", **index)),
        ("digits-revision", "run", lambda: _workload("Deployment") + "\n---\n" + _workload("ReplicaSet", metadata=owned)),
        ("digits-request", "diagnose", lambda: pod({"resources": {"requests": {"memory": "1"}, "limits": {"cpu": _NINES, "memory": "1"}}})),
        (
            "digits-probe",
            "diagnose",
            lambda: pod({"livenessProbe": {"exec": {"command": ["a"]}, "timeoutSeconds": _NINES, "periodSeconds": 1}}),
        ),
        (
            "digits-grace",
            "diagnose",
            lambda: pod({"lifecycle": {"preStop": {"sleep": {"seconds": _NINES}}}}, terminationGracePeriodSeconds=_NINES),
        ),
        ("digits-port", "diagnose", lambda: pod({"ports": [{"containerPort": _NINES, "name": _NINES}]})),
        ("digits-affinity", "run", lambda: _compared(_NINES)),
        ("digits-patch-path", "patch-json", lambda: json.dumps([{"op": "add", "path": f"/metadata/x/{_NINES}", "value": 1}])),
        (
            "digits-list-place",
            "patch-json",
            lambda: json.dumps(
                [
                    {"op": "add", "path": "/metadata/finalizers", "value": []},
                    {"op": "replace", "path": f"/metadata/finalizers/{_NINES}", "value": 1},
                ]
            ),
        ),
    )


_NINES = "9" * 5000
_ROLLING = {"rollingUpdate": {"maxSurge": f"{_NINES}%", "maxUnavailable": f"{_NINES}%"}}
_OWNER = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "controller": True}
_LABELLED = {"labels": {"app": "web"}}


def _workload(kind: str, *, metadata: dict[str, Any] | None = None, **spec: Any) -> str:
    """A Deployment, ReplicaSet or Job of one container."""
    restart = {"restartPolicy": "Never"} if kind == "Job" else {}
    template = {"metadata": _LABELLED, "spec": {"containers": [{"name": "a", "image": "b"}], **restart}}
    selector = {} if kind == "Job" else {"selector": {"matchLabels": {"app": "web"}}}
    version = "batch/v1" if kind == "Job" else "apps/v1"
    named = {"name": "d", **(metadata or {})}
    return json.dumps({"apiVersion": version, "kind": kind, "metadata": named, "spec": {**selector, "template": template, **spec}})


def _budget(**spec: Any) -> str:
    selector = {"selector": {"matchLabels": {"app": "web"}}}
    return json.dumps({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": {**selector, **spec}})


def _compared(value: str) -> str:
    terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "Gt", "values": [value]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return pod(affinity={"nodeAffinity": required})


def _mounted(expression: str) -> str:
    mount = {"name": "v", "mountPath": "/m", "subPathExpr": expression}
    return pod({"env": _doubling(41), "volumeMounts": [mount]}, volumes=[{"name": "v", "emptyDir": {}}])


def _with_config(size: int) -> str:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "$(k)" * (size // 4)}}
    env = [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}, {"name": "B", "value": "$(A)" * 5000}]
    return json.dumps(config) + "\n---\n" + pod({"env": env})


def _downward(name: str, items: int) -> dict[str, Any]:
    field = {"fieldRef": {"fieldPath": "metadata.annotations"}}
    return {"name": name, "downwardAPI": {"items": [{"path": f"p{n}", **field} for n in range(items)]}}


def _annotated(volumes: list[dict[str, Any]]) -> str:
    mounts = [{"name": item["name"], "mountPath": f"/m/{item['name']}"} for item in volumes]
    return pod({"volumeMounts": mounts}, {"annotations": {f"a{n}": '\\"' * 10_000 for n in range(12)}}, volumes=volumes)


def _from_config(count: int) -> str:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "v" * 600_000}}
    volumes = [{"name": f"v{n}", "configMap": {"name": "c"}} for n in range(count)]
    mounts = [{"name": f"v{n}", "mountPath": f"/m/v{n}"} for n in range(count)]
    return json.dumps(config) + "\n---\n" + pod({"volumeMounts": mounts}, volumes=volumes)


def _many_environments(count: int) -> str:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "v" * 60_000}}
    values = [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}]
    env = [*values, *({"name": f"B{n}", "value": "$(A)$(A)"} for n in range(16))]
    containers = [{"name": f"c{n}", "image": "busybox:1.36", "command": ["sleep", "3600"], "env": env} for n in range(count)]
    document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": containers}}
    return json.dumps(config) + "\n---\n" + json.dumps(document)


def _with_names(count: int) -> str:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {f"{n}-no-name": "x" for n in range(count)}}
    return json.dumps(config) + "\n---\n" + pod({"envFrom": [{"configMapRef": {"name": "c"}, "prefix": "p" * 5000}]})


def _nested_mounts() -> str:
    mounts = [{"name": "v", "mountPath": "/m" * (n + 1)} for n in range(200)]
    return pod({"volumeMounts": mounts, "command": ["sh", "-c", "ls -R /; sleep 10"]}, volumes=[{"name": "v", "emptyDir": {}}])


def _spread() -> str:
    one = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
    return pod(topologySpreadConstraints=[{**one, "topologyKey": f"k{n}"} for n in range(5000)])


def _affinity() -> str:
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {f"a{n}": "b" for n in range(20)}}}
    return pod(affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term] * 1000}})


def _selector_values() -> str:
    values = [f"v{n}" for n in range(20_000)]
    terms = [{"matchExpressions": [{"key": "a", "operator": "In", "values": values}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return pod(affinity={"nodeAffinity": required})


def _deep_secret() -> str:
    data = {".dockerconfigjson": '{"auths": ' + "[" * N + "]" * N + "}"}
    kind = "kubernetes.io/dockerconfigjson"
    return json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "type": kind, "stringData": data})


def _cron(schedule: str) -> str:
    template = {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}}}}
    spec = {"schedule": schedule, "jobTemplate": template}
    return json.dumps({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"}, "spec": spec})


def _block(entries: int) -> str:
    """A behaviour block with the maximum number of entries, each long."""
    return json.dumps({"app": {"log": [{"at": f"{n}s", "text": "x" * 1000} for n in range(entries)]}})


TEXTS = tuple(
    HostileText(name=name, door=door, build=build) for name, door, build in (*_yaml(), *_json(), *_environments(), *_objects(), *_digits())
)
