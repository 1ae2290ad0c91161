"""Everything except manifests: scenario scripts, cluster files, imports, command lines, selectors, quantities, behaviour blocks."""

import json
from collections.abc import Callable

from simulator.bench.hostile.manifests import pod
from simulator.bench.hostile.model import HostileText

N = 100_000


def _files() -> tuple[tuple[str, str, Callable[[], str]], ...]:
    return (
        ("script-many-steps", "script", lambda: "".join(f"- at: {n}\n  delete: {{kind: Pod, names: [web]}}\n" for n in range(5000))),
        ("script-open-brackets", "script", lambda: "- at: 1\n  apply: " + "[" * N),
        ("script-long-time", "script", lambda: f"- at: {'9' * 4000}s\n  delete: {{kind: Pod, names: [a]}}\n"),
        ("script-manifest-in-manifest", "script", lambda: "- at: 1\n  apply: |\n" + "    - a\n" * N),
        ("script-verbs", "script", lambda: "- {at: 1, " + ", ".join(f"v{n}: 1" for n in range(20_000)) + "}"),
        ("script-patches", "script", lambda: json.dumps([{"at": 1, "patch": {"kind": "Pod", "name": "a", "patch": "[" * N}}] * 5)),
        ("cluster-nodes", "cluster", lambda: "nodes:\n" + "".join(f"- {{name: n{n}}}\n" for n in range(20_000))),
        ("cluster-labels", "cluster", lambda: "nodes:\n- name: n\n  labels:\n" + "".join(f"    l{n}: x\n" for n in range(30_000))),
        ("cluster-quantities", "cluster", lambda: f"nodes:\n- {{name: n, capacity: {{cpu: '{'9' * N}', memory: 1e{'9' * 999}}}}}"),
        ("cluster-durations", "cluster", lambda: f"nodes:\n- {{name: n, shutdown: {{grace: {'1s' * N}}}}}"),
        ("cluster-stand-ins", "cluster", lambda: "images:\n  stand-ins: {a: " + "{log: [" * 30 + "]}" * 30 + "}"),
        ("cluster-images", "cluster", lambda: "images:\n  present:\n" + "".join(f"  - {'a' * 20}{n}\n" for n in range(30_000))),
        ("import-events", "import", lambda: _imported(events=2900)),
        ("import-pods", "import", lambda: _imported(pods=900)),
        ("import-containers", "import", lambda: _imported(containers=1500)),
        ("import-moments", "import", lambda: _imported(moment="2026-05-01T10:00:00." + "9" * N + "Z")),
        ("import-messages", "import", lambda: _imported(events=20, message="Back-off " * 5000)),
        ("import-taints", "import", lambda: _unscheduled(f"0/3 nodes are available: 3 {'node(s) had taint {a' * 22_000}")),
        ("import-many-nodes", "import", lambda: _unscheduled(f"0/{'9' * 5000} nodes are available: {'9' * 5000} Insufficient cpu.")),
        ("import-reasons", "import", lambda: _unscheduled("0/99 nodes are available: " + "1 node(s) didn't match x, " * 22_000)),
        ("import-back-off", "import", lambda: _unscheduled(f"back-off {'9' * 5000}m{'9' * 5000}s restarting failed container")),
        ("import-deep", "import", lambda: "kind: List\nitems: " + "[" * N),
        ("import-lists", "import", lambda: "{kind: List, items: [" * 30 + "]}" * 30),
    )


def _imported(*, events: int = 1, pods: int = 1, containers: int = 1, moment: str = "2026-05-01T10:00:00Z", message: str = "m") -> str:
    items = [_imported_pod(n, containers, moment) for n in range(pods)]
    about = {"kind": "Pod", "name": "p0", "namespace": "default", "fieldPath": "spec.containers{c0}"}
    event = {"apiVersion": "v1", "kind": "Event", "involvedObject": about, "message": message, "type": "Warning"}
    for n in range(events):
        at = f"2026-05-01T10:{n // 60 % 60:02}:{n % 60:02}Z"
        items.append(
            {**event, "metadata": {"name": f"e{n}"}, "reason": "BackOff", "firstTimestamp": at, "lastTimestamp": at, "count": 10**9}
        )
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def _unscheduled(message: str) -> str:
    """A pending pod, with this message of the scheduler."""
    document = _imported_pod(0, 1, "2026-05-01T10:00:00Z")
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": message}}
    statuses = [{"name": "c0", "restartCount": 3, "ready": False, "image": "b", "imageID": "", "state": waiting, "lastState": {}}]
    document["status"] = {"phase": "Pending", "conditions": [condition], "containerStatuses": statuses}
    return json.dumps(document)


def _imported_pod(number: int, containers: int, moment: str) -> dict[str, object]:
    document: dict[str, dict[str, object]] = json.loads(pod())
    document["metadata"] |= {"name": f"p{number}", "namespace": "default", "uid": f"u{number}", "creationTimestamp": moment}
    document["spec"] |= {"nodeName": "n", "containers": [{"name": f"c{n}", "image": "busybox:1.36"} for n in range(containers)]}
    state = {"terminated": {"exitCode": 1, "startedAt": moment, "finishedAt": moment, "reason": "Error"}}
    status = {"restartCount": 10**6, "ready": False, "image": "busybox:1.36", "imageID": "", "state": state, "lastState": state}
    document["status"] = {
        "phase": "Running",
        "startTime": moment,
        "containerStatuses": [{"name": f"c{n}", **status} for n in range(containers)],
    }
    return dict(document)


def _lines() -> tuple[tuple[str, str, Callable[[], str]], ...]:
    return (
        ("kubectl-quotes", "kubectl", lambda: "get pods " + "'" * 489),
        ("kubectl-selector", "kubectl", lambda: "get pods -l " + "a!=b," * 95),
        ("kubectl-selector-blanks", "kubectl", lambda: "get pods -l 'a" + " " * 470 + "in'"),
        ("kubectl-parentheses", "kubectl", lambda: "get pods -l 'a in " + "(" * 450 + "'"),
        ("kubectl-json-path", "kubectl", lambda: "get pods -o jsonpath='" + "{range .items[*]}" * 25 + "'"),
        ("kubectl-sort", "kubectl", lambda: "get pods --sort-by=" + ".a" * 200),
        ("kubectl-sort-brackets", "kubectl", lambda: "get pods --sort-by='{" + "[" * 400 + "}'"),
        ("kubectl-fields", "kubectl", lambda: "get pods --field-selector=" + "a=b," * 110),
        ("kubectl-kinds", "kubectl", lambda: "get " + "pods,svc," * 50),
        ("kubectl-label-columns", "kubectl", lambda: "get pods -L " + "a," * 230),
        ("kubectl-too-long", "kubectl", lambda: "get " + "pods," * 100_000),
        ("selector-blanks", "selector", lambda: "a" + " " * N + "!"),
        ("selector-commas", "selector", lambda: "," * N),
        ("selector-terms", "selector", lambda: ",".join(f"a{n}=b" for n in range(50_000))),
        ("selector-values", "selector", lambda: f"a in ({','.join(f'v{n}' for n in range(50_000))})"),
        ("selector-parentheses", "selector", lambda: "a in " + "(" * N),
        ("selector-not", "selector", lambda: "!" * N + "a"),
        ("selector-equals", "selector", lambda: "a" + "=" * N),
        ("selector-prefix", "selector", lambda: "a." * N + "/" * N),
        ("selector-backslashes", "selector", lambda: "metadata.name=" + "\\" * N),
        ("quantity-zeroes", "quantity", lambda: "0" * N + "!"),
        ("quantity-digits", "quantity", lambda: "1" * 1_000_000),
        ("quantity-fraction", "quantity", lambda: f"0.{'0' * N}1Ei"),
        ("quantity-exponent", "quantity", lambda: f"1e{'9' * N}"),
        ("quantity-suffixes", "quantity", lambda: "1" + "Ki" * N),
        ("quantity-signs", "quantity", lambda: "+-" * N),
        ("behaviour-deep", "behaviour", lambda: "[" * N + "]" * N),
        ("behaviour-deep-objects", "behaviour", lambda: '{"a":' * N + "1" + "}" * N),
        ("behaviour-unclosed", "behaviour", lambda: '{"exec": ' + "[" * 900_000),
        ("behaviour-entries", "behaviour", lambda: json.dumps({"log": [{"at": "1s", "text": "x"}] * 20_000})),
        ("behaviour-every", "behaviour", lambda: json.dumps({"log": [{"every": "1ms", "text": "x" * 1000}] * 400})),
        ("behaviour-durations", "behaviour", lambda: json.dumps({"exit": {"after": "1s" * N, "code": 1}})),
        ("behaviour-sizes", "behaviour", lambda: json.dumps({"memory": [{"at": "0s", "bytes": "9" * N}]})),
        ("behaviour-fields", "behaviour", lambda: json.dumps({"a-b" * N: 1})),
        ("behaviour-digits", "behaviour", lambda: '{"exit": {"code": ' + "9" * 5000 + "}}"),
        ("words-image", "words", lambda: "a/" * 30_000 + "!"),
        ("words-image-ports", "words", lambda: "a:1/" * 30_000 + "@sha256:"),
        ("words-duration", "words", lambda: "1h" * 60_000 + "!"),
        ("shell-exec", "words", lambda: "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! | grep -E '(a+)+$'"),
        ("shell-exec-loop", "words", lambda: "while :; do seq 1 100000; done"),
        ("shell-exec-memory", "words", lambda: "s=aaaaaaaaaaaaaaaa; while :; do s=$s$s; done"),
    )


TEXTS = tuple(HostileText(name=name, door=door, build=build) for name, door, build in (*_files(), *_lines()))
