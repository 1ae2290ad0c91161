"""No text makes a check raise, and every problem has a line inside the text."""

import json
from functools import reduce

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.apiserver.defaulting.pod import default_pod_document
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.versions.release import Release
from simulator.manifests.check.check import check_text
from simulator.manifests.read.loader import load
from simulator.manifests.script.cluster import read_cluster
from simulator.manifests.script.script import read_script

PODS = (
    """\
apiVersion: v1
kind: Pod
metadata:
  name: liveness-exec
  labels: {test: liveness}
  annotations:
    podscope.dev/behaviour: |
      liveness: {startupDelay: 3s}
spec:
  restartPolicy: OnFailure
  terminationGracePeriodSeconds: 30
  initContainers:
  - {name: first, image: "busybox:1.28", command: [sh, -c, "sleep 1"]}
  containers:
  - name: liveness
    image: registry.example.com/busybox:1.27
    args: ["/bin/sh", "-c", "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600"]
    ports: [{containerPort: 80, name: http}]
    env: [{name: A, value: b}, {name: N, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    resources: {limits: {cpu: 500m, memory: 64Mi}}
    volumeMounts: [{name: data, mountPath: /data}]
    livenessProbe: {exec: {command: [cat, /tmp/healthy]}, initialDelaySeconds: 5, periodSeconds: 5}
    readinessProbe: {httpGet: {path: /, port: http}}
    lifecycle: {preStop: {exec: {command: [sleep, "5"]}}}
  volumes: [{name: data, emptyDir: {}}]
  tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]
""",
    "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: s}\n  data: {a: YQ==}\n",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  selector: {matchLabels: {a: b}}\n"
    "  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}\n",
    "- at: 1\n  delete: {kind: Pod, names: [p], gracePeriodSeconds: 5}\n- at: 2\n  apply: |\n    kind: Pod\n    apiVersion: v1\n",
    "kubernetes: '1.20'\nnodes: [{name: a, capacity: {cpu: 1}}]\nimages: {pullable: {a: 1s}, stand-ins: {b: {onTerm: ignore}}}\n",
)
SCRAPS = st.sampled_from(
    [
        "",
        "~",
        "[]",
        "{}",
        "- ",
        ": ",
        "\n",
        "\t",
        "*a",
        "&a ",
        "<<: ",
        "!!int ",
        '"',
        "'",
        "|\n",
        "1e9999",
        "-1",
        "0x",
        "null",
        "yes",
        "\x00",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def lines_of(text) -> int:
    text = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return max(1, len(text.splitlines()))


def check_everything(text) -> None:
    problems = [
        *check_text(text, kubernetes="1.37").problems,
        *check_text(text, kubernetes="1.20", strict=False).problems,
        *read_script(text, kubernetes="1.30").problems,
        *read_cluster(text).problems,
    ]
    for problem in problems:
        assert 1 <= problem.line <= lines_of(text), problem
        assert problem.message
        assert problem.column >= 1


def replaced(text: str, edit: tuple[int, int, str]) -> str:
    start, length, scrap = edit
    start %= len(text) + 1
    return text[:start] + scrap + text[start + length :]


@given(st.text(max_size=200) | st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_no_text_makes_a_check_raise(text):
    check_everything(text)


@given(st.sampled_from(PODS), st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 12), SCRAPS | st.text(max_size=3)), max_size=4))
@settings(max_examples=250, deadline=None)
def test_no_mutated_example_makes_a_check_raise(text, edits):
    check_everything(reduce(replaced, edits, text))


def paths(value, at=()):
    yield at
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(item, (*at, key))


def with_value(value, at, new):
    if not at:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = with_value(value[at[0]], at[1:], new)
    return copy


EXAMPLE = load(PODS[0]).documents[0].value


@given(st.sampled_from(sorted(paths(EXAMPLE), key=str)), JSON)
@settings(max_examples=250, deadline=None)
def test_no_replaced_value_makes_a_check_raise(at, new):
    text = json.dumps(with_value(EXAMPLE, at, new))
    check_everything(text)
    checked = check_text(text, kubernetes="1.30")
    if checked.ok and checked.documents:
        pod_from_document(default_pod_document(json.loads(checked.documents[0].json), release=Release(30)))
