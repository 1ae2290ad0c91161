"""Examples with promises: a small corpus is written, run and judged."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from simulator.engine import RunHeader, new_world
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import ApiObject
from simulator.fidelity.corpus import judge
from simulator.fidelity.corpus.compare import COMPARE
from simulator.fidelity.corpus.facts import FACTS, Look, NotThere
from simulator.fidelity.corpus.index import Corpus, Promise, read_corpus
from simulator.fidelity.corpus.judge import judge_example

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  restartPolicy: Never
  containers:
  - name: app
    image: busybox:1.28
    env: [{name: COLOUR, value: green}]
    resources: {requests: {cpu: "0.1", memory: 64Mi}}
    command: [sh, -c, "echo $COLOUR > /tmp/seen; echo begun; sleep 10; exit 3"]
"""

REPLICA_SET = """
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "busybox:1.28", command: [sleep, "3600"]}]}
"""


def corpus(tmp_path: Path, *expectations: dict[str, Any], text: str = POD, kind: str = "Pod", **more: Any) -> Corpus:
    """A corpus of one example with these expectations."""
    (tmp_path / "web.yaml").write_text(text, encoding="utf-8")
    promised = [{"id": f"web#{n}", **given} for n, given in enumerate(expectations, 1)]
    example = {"name": "web", "manifest": "web.yaml", "kinds": [kind], "expectations": promised, **more}
    (tmp_path / "index.json").write_text(json.dumps({"examples": [example]}), encoding="utf-8")
    return read_corpus(tmp_path)


def outcome(read: Corpus) -> str:
    """The outcome of the first expectation of the only example."""
    return judge_example(read, read.examples[0])[0].outcome


HELD = [
    {"what": "phase", "op": "eq", "value": "Running", "at_s": 5},
    {"what": "status_column", "op": "eq", "value": "Error", "t0": "started", "window": [9, 14], "mode": "eventually"},
    {"what": "restarts", "op": "eq", "value": 0, "window": [2, 20], "mode": "always"},
    {"what": "env", "op": "eq", "value": "green", "at_s": 5, "selector": {"container": "app", "name": "COLOUR"}},
    {"what": "file", "op": "matches", "value": "^gre", "at_s": 5, "selector": {"container": "app", "path": "/tmp/seen"}},
    {"what": "file", "op": "exists", "value": False, "at_s": 5, "selector": {"path": "/tmp/other"}},
    {"what": "log", "op": "line_matches_any", "value": "^begun$", "at_s": 5, "selector": {"container": "app"}},
    {"what": "event", "op": "seq", "value": ["Scheduled", "Started"], "at_s": 5, "selector": {"type": "Normal"}},
    {"what": "container_state", "op": "matches", "value": {"state": "terminated", "exitCode": 3}, "at_s": 15},
    {"what": "condition", "op": "eq", "value": "True", "at_s": 5, "selector": {"label": "app=web", "type": "Ready"}},
    {"what": "spec_default", "op": "eq", "value": "IfNotPresent", "selector": {"path": "spec.containers[0].imagePullPolicy"}},
    {"what": "event", "op": "before", "value": ["Scheduled", "Started"], "at_s": 5},
    {"what": "event", "op": "seq_subset", "value": ["Scheduled", "Pulled", "Started"], "at_s": 5},
    {"what": "event", "op": "superset", "value": ["Started", "Created"], "at_s": 5},
    {"what": "event", "op": "not_contains", "value": ["BackOff", "Killing"], "at_s": 15},
    {"what": "log", "op": "not_contains", "value": "done", "at_s": 15},
    {"what": "phase", "op": "ne", "value": "Failed", "at_s": 5},
    {"what": "started", "op": "eq", "value": True, "at_s": 5},
    {"what": "hostname", "op": "eq", "value": "web", "at_s": 5},
    {"what": "pod_uid", "op": "unchanged", "window": [2, 15], "mode": "always"},
    {"what": "pod_ip", "op": "changed", "at_s": 9},
    {"what": "pod_count", "op": "eq", "value": 1, "selector": {"label": "app=web"}},
    {"what": "last_state_or_state", "op": "matches", "value": {"state": "terminated"}, "at_s": 15},
    {"what": "container_resources", "op": "eq", "value": {"requests": {"cpu": 0.1, "memory": "65536Ki"}}, "at_s": 5},
    {"what": "object_field", "op": "eq", "value": "100m", "selector": {"path": "spec.containers[0].resources.requests.cpu"}},
    {"what": "order", "op": "eq", "value": ["app started", "app terminated"], "mode": "end"},
    {"what": "phase", "op": "implies", "value": {"if_runtime_s_gt": 100, "then": {"type": "Failed"}}, "at_s": 15},
]


@pytest.mark.parametrize("promise", HELD, ids=lambda promise: f"{promise['what']}-{promise['op']}")
def test_promise_holds_when_the_run_keeps_it(tmp_path, promise):
    assert outcome(corpus(tmp_path, promise)) == "held"


BROKEN = [
    {"what": "phase", "op": "eq", "value": "Succeeded", "at_s": 15},
    {"what": "phase", "op": "eq", "value": "Running", "window": [2, 20], "mode": "always"},
    {"what": "phase", "op": "eq", "value": "Failed", "window": [16, 20], "mode": "eventually"},
    {"what": "event", "op": "count_ge", "value": 1, "at_s": 15, "selector": {"reason": "BackOff"}},
    {"what": "order", "op": "eq", "value": ["app terminated", "app started"], "mode": "end"},
    {"what": "phase", "op": "eq", "value": "Running", "at_s": 5, "selector": {"pod": "nobody"}},
    {"what": "levitation", "op": "eq", "value": "web", "at_s": 5},
    {"what": "event", "op": "before", "value": ["Started", "Scheduled"], "at_s": 5},
    {"what": "log", "op": "not_contains", "value": "begun", "at_s": 5},
    {"what": "pod_uid", "op": "changed", "at_s": 20},
    {"what": "pod_ip", "op": "unchanged", "at_s": 9},
    {"what": "started", "op": "eq", "value": False, "at_s": 5},
    {"what": "restarts", "op": "ge", "value": "many", "at_s": 5},
    {"what": "rejected", "op": "matches", "value": "forbidden"},
    {"what": "job_condition", "op": "implies", "value": {"if_runtime_s_gt": 3, "then": {"type": "Failed"}}, "at_s": 15},
]


@pytest.mark.parametrize("promise", BROKEN, ids=lambda promise: f"{promise['what']}-{promise['op']}-{promise.get('mode', 'at')}")
def test_promise_fails_when_the_run_breaks_it(tmp_path, promise):
    assert outcome(corpus(tmp_path, promise)) == "failed"


def test_refusal_is_found_when_the_manifest_cannot_be_read(tmp_path):
    assert outcome(corpus(tmp_path, {"what": "rejected", "op": "matches", "value": "tab"}, text="kind: Pod\n\tmetadata: {}\n")) == "held"


def test_promise_is_left_out_when_nothing_makes_the_pods(tmp_path, monkeypatch):
    monkeypatch.setattr(judge, "WITHOUT_CONTROLLER", frozenset({"Job"}))
    assert outcome(corpus(tmp_path, {"what": "phase", "op": "eq", "value": "Running"}, kind="Job")) == "left_out"


@pytest.mark.parametrize(
    ("promise", "held"),
    [
        ({"what": "pod_count", "op": "eq", "value": 2, "selector": {"label": "app=w*", "phase": ["Running", "Pending"]}}, "held"),
        ({"what": "pod_count", "op": "eq", "value": 2, "selector": {"label": "app=web", "status": "Running"}}, "held"),
        ({"what": "pod_count", "op": "eq", "value": 2, "selector": {"label": "app=w", "phase": "Running"}}, "failed"),
        ({"what": "pod_count", "op": "eq", "value": 2, "selector": {"index": 0}}, "failed"),
        ({"what": "phase", "op": "eq", "value": "Running", "selector": {"pod": "old"}}, "failed"),
        ({"what": "event", "op": "count_eq", "value": 2, "selector": {"reason": "SuccessfulCreate", "object": "ReplicaSet/web"}}, "held"),
        ({"what": "event", "op": "count_eq", "value": 2, "selector": {"reason": "SuccessfulCreate", "object": "ReplicaSet/w"}}, "failed"),
    ],
)
def test_pods_of_a_controller_are_judged(tmp_path, promise, held):
    assert outcome(corpus(tmp_path, {**promise, "at_s": 5}, kind="ReplicaSet", text=REPLICA_SET)) == held


def test_step_finds_a_pod_whose_name_was_made_up(tmp_path):
    steps = [{"id": "one", "at_s": 5, "do": "delete_pod", "name": "(one of them)"}]
    seen = {"what": "event", "op": "count_eq", "value": 3, "at_s": 10, "selector": {"reason": "SuccessfulCreate"}}
    old = {"what": "phase", "op": "eq", "value": "Running", "at_s": 10, "selector": {"pod": "old"}}
    read = corpus(tmp_path, seen, old, kind="ReplicaSet", text=REPLICA_SET, steps=steps)
    assert [item.outcome for item in judge_example(read, read.examples[0])] == ["held", "held"]


JOB_STATUS = {"succeeded": 1, "conditions": [{"type": "Complete", "status": "True", "reason": "Reached", "message": "all done"}]}


@pytest.mark.parametrize(
    ("promise", "held"),
    [
        ({"what": "job_condition", "op": "eq", "value": "True", "selector": {"type": "Complete", "reason": "Rea", "job": "p*"}}, "held"),
        ({"what": "job_condition", "op": "eq", "value": "True", "selector": {"type": "Complete", "message": "none"}}, "failed"),
        ({"what": "job_status", "op": "eq", "value": {"succeeded": 1}, "selector": {"fields": ["succeeded"]}}, "held"),
        ({"what": "job_status", "op": "eq", "value": {"failed": 1}, "selector": {"job": "other", "fields": ["failed"]}}, "failed"),
    ],
)
def test_status_of_a_job_is_judged(promise, held):
    item = msgspec.convert({"id": "job#1", **promise}, Promise)
    row = ApiObject(kind="Job", namespace="default", name="pi", document=json.dumps({"kind": "Job", "status": JOB_STATUS}), created_ms=0)
    world = new_world(RunHeader(kubernetes="1.30"))
    Effects(world, []).save_object(row)
    try:
        found = FACTS[item.what](Look(world=world, records=[]), item)
    except NotThere:
        found = None
    assert ("held" if COMPARE[item.op](found, item.value) else "failed") == held


def test_step_is_carried_out_when_its_second_comes(tmp_path):
    steps = [{"id": "gone", "at_s": 3, "do": "delete_pod", "name": "web"}]
    promise = {"what": "event", "op": "count_ge", "value": 1, "t0": "action:gone", "at_s": 1, "selector": {"reason": "Killing"}}
    assert outcome(corpus(tmp_path, promise, steps=steps)) == "held"


def test_promise_fails_when_its_step_is_not_a_command(tmp_path):
    promise = {"what": "phase", "op": "eq", "value": "Running", "t0": "action:odd", "at_s": 1}
    assert outcome(corpus(tmp_path, promise, steps=[{"id": "odd", "do": "dance"}])) == "failed"


@pytest.mark.parametrize(
    ("op", "found", "wanted", "holds"),
    [
        ("eq", {"state": "running"}, "running", True),
        ("eq", {"status": 200, "body": "x"}, {"status": 200}, True),
        ("matches", {"state": "terminated", "message": "see here"}, {"message": "^here"}, False),
        ("line_count_between", "a\nb\n", [3, 4], False),
        ("line_matches", "0: x\n1: y\n", {"1": "^1: "}, True),
        ("contains", ["a", "b"], ["b"], True),
        ("empty", "", True, True),
        ("absent", None, None, True),
    ],
)
def test_comparison_says_whether_it_holds(op, found, wanted, holds):
    assert COMPARE[op](found, wanted) is holds


def reason(read: Corpus) -> str:
    return judge_example(read, read.examples[0])[0].reason


def test_unknown_comparison_is_one_line_about_its_expectation(tmp_path):
    read = corpus(tmp_path, {"what": "phase", "op": "smells_like", "value": "Running"}, {"what": "phase", "op": "eq", "value": "Pending"})
    assert [(item.outcome, item.reason) for item in judge_example(read, read.examples[0])] == [
        ("failed", "smells_like is not a comparison that can be judged"),
        ("held", ""),
    ]


def test_promise_tells_which_step_is_not_a_command(tmp_path):
    promise = {"what": "phase", "op": "eq", "value": "Running", "t0": "action:odd", "at_s": 1}
    assert reason(corpus(tmp_path, promise, steps=[{"id": "odd", "do": "dance"}])) == "dance is not a command"


SLEEPS = POD.replace("sleep 10", "sleep 1000")
QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {requests.cpu: 2}}\n"
OTHER = POD.replace("name: web", "name: other").replace("app: web", "app: other")
STEPS = [
    ({"do": "exec", "command": ["touch", "/tmp/made"]}, {"what": "file", "op": "exists", "value": True, "selector": {"path": "/tmp/made"}}),
    ({"do": "exec", "command": "echo a > /tmp/made"}, {"what": "file", "op": "eq", "value": "a\n", "selector": {"path": "/tmp/made"}}),
    ({"do": "signal", "container": "app", "signal": "SIGKILL"}, {"what": "container_state", "op": "matches", "value": {"exitCode": 137}}),
    (
        {"do": "patch_resize", "container": "app", "resources": {"requests": {"cpu": "200m"}}},
        {"what": "container_resources", "op": "eq", "value": {"requests": {"cpu": "0.2", "memory": "64Mi"}}},
    ),
    (
        {"do": "patch_resize", "patch": {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "300m"}}}]}}},
        {"what": "container_resources", "op": "eq", "value": {"requests": {"cpu": "0.3", "memory": "64Mi"}}},
    ),
    (
        {"do": "create", "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}},
        {"what": "object_field", "op": "eq", "value": "b", "selector": {"kind": "ConfigMap", "path": "data.a"}},
    ),
    ({"do": "evict_pod"}, {"what": "eviction", "op": "eq", "value": 201}),
    (
        {"do": "patch_status_condition", "type": "a.b/c", "status": "True"},
        {"what": "condition", "op": "eq", "value": "True", "selector": {"type": "a.b/c"}},
    ),
    ({"do": "drain_node", "node": "m"}, {"what": "event", "op": "count_ge", "value": 1, "selector": {"reason": "Killing"}}),
    ({"do": "delete", "kind": "Pod", "name": "web"}, {"what": "event", "op": "count_ge", "value": 1, "selector": {"reason": "Killing"}}),
    (
        {"do": "apply_text", "sed": "s/busybox:1.28/busybox:1.36/"},
        {"what": "object_field", "op": "eq", "value": "busybox:1.36", "selector": {"path": "spec.containers[0].image"}},
    ),
]


@pytest.mark.parametrize(("step", "promise"), STEPS, ids=lambda item: item.get("do", "")[:20])
def test_step_is_carried_out(tmp_path, step, promise):
    more = {"steps": [{"id": "s", "at_s": 3, **step}], "cluster": {"nodes": [{"name": "m"}]}}
    assert reason(corpus(tmp_path, {"t0": "action:s", "at_s": 4, **promise}, text=SLEEPS, **more)) == ""


def test_step_may_count_from_the_start_of_a_container(tmp_path):
    steps = [{"id": "s", "t0": "started", "at_s": 2, "do": "signal", "container": "app", "signal": 9}]
    promise = {"what": "container_state", "op": "matches", "value": {"exitCode": 137}, "t0": "started", "at_s": 4}
    assert outcome(corpus(tmp_path, promise, text=SLEEPS, steps=steps)) == "held"


def test_second_object_of_a_name_is_not_created(tmp_path):
    steps = [{"id": "s", "at_s": 2, "do": "create", "manifest": "web"}]
    promise = {"what": "phase", "op": "eq", "value": "Running", "t0": "action:s", "at_s": 1}
    assert "already exists" in reason(corpus(tmp_path, promise, text=SLEEPS, steps=steps))


def test_own_pod_is_meant_where_another_is_required(tmp_path):
    (tmp_path / "other.yaml").write_text(OTHER, encoding="utf-8")
    read = corpus(tmp_path, {"what": "spec_default", "op": "eq", "value": "web", "selector": {"path": "metadata.name"}}, requires=["other"])
    required = msgspec.structs.replace(read.examples[0], name="other", manifest="other.yaml")
    read = msgspec.structs.replace(read, examples=(read.examples[0], required))
    assert outcome(read) == "held"
    assert "no such pod" not in reason(read)


def test_use_of_a_quota_is_compared_by_amount(tmp_path):
    promise = {"what": "quota_used", "op": "eq", "value": {"requests.cpu": "0.1"}, "at_s": 2, "selector": {"name": "q"}}
    assert outcome(corpus(tmp_path, promise, text=f"{QUOTA}---{POD}")) == "held"


def test_budget_is_judged_until_a_controller_is_needed(tmp_path, monkeypatch):
    monkeypatch.setattr(judge, "WITHOUT_CONTROLLER", frozenset({"StatefulSet"}))
    text = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: 1}\n"
    step = {"id": "made", "at_s": 10, "do": "create", "object": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "s"}}}
    early = {"what": "pdb_status", "op": "eq", "value": {"expectedPods": 0}, "at_s": 5, "selector": {"name": "b"}}
    read = corpus(tmp_path, early, {**early, "at_s": 20}, text=text, kind="PodDisruptionBudget", steps=[step])
    assert [item.outcome for item in judge_example(read, read.examples[0])] == ["held", "left_out"]


def test_process_list_is_what_a_container_sees_of_a_shared_namespace(tmp_path):
    other = '  - {name: side, image: "busybox:1.28", command: [sleep, "60"]}\n  shareProcessNamespace: true\n'
    promise = {"what": "process_list", "op": "contains", "at_s": 5, "selector": {"container": "app"}}
    read = corpus(tmp_path, {**promise, "value": ["/pause", "sleep 60", "sleep 10"]}, text=POD + other)
    assert outcome(read) == "held"
    alone = corpus(tmp_path, {**promise, "value": ["/pause"]}, text=POD)
    assert outcome(alone) != "held"


RESTARTS_ALL = POD.replace(
    "    command:", "    restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [3]}}]\n    command:"
).replace("name: app", "name: app\n    restartPolicy: Never")


@pytest.mark.parametrize(
    ("gates", "why"),
    [
        (["RestartAllContainersOnContainerExits"], ""),
        ([], 'the manifest is refused: spec.containers[0].restartPolicyRules[0].action: Unsupported value: "RestartAllContainers"'),
    ],
)
def test_gates_of_an_example_count_where_its_text_is_checked(tmp_path, gates, why):
    promise = {"what": "phase", "op": "eq", "value": "Running", "at_s": 20}
    said = reason(corpus(tmp_path, promise, text=RESTARTS_ALL, feature_gates=gates))
    assert said.startswith(why) and bool(said) == bool(why)


@pytest.mark.parametrize(("missing", "word"), [(["busybox:1.28"], "ErrImagePull"), (["busybox:1.29"], "Running")])
def test_image_that_is_missing_cannot_be_pulled(tmp_path, missing, word):
    promise = {"what": "status_column", "op": "eq", "value": word, "window": [0, 5], "mode": "eventually"}
    assert reason(corpus(tmp_path, promise, cluster={"nodes": [{"name": "m"}], "missing_images": missing})) == ""


PHASE = {"what": "phase", "op": "eq", "value": "Running", "at_s": 5}


@pytest.mark.parametrize(
    ("promise", "steps", "why"),
    [
        (PHASE | {"t0": "action:none"}, [], "action:none is not a moment"),
        (PHASE | {"t0": "ended"}, [], "ended is not a moment"),
        (PHASE | {"mode": "sometimes"}, [], "sometimes is not a mode"),
        (PHASE | {"selector": {"labels": "app=web"}}, [], "phase does not read labels of its selector"),
        (PHASE | {"selector": {"type": "Ready", "reason": "x"}}, [], "phase does not read reason, type of its selector"),
        (PHASE, [{"id": "s", "do": "dance"}], "dance is not a command"),
        (PHASE, [{"id": "s", "do": "delete_pod", "t0": "ended"}], "ended is not a moment that a step can count from"),
    ],
)
def test_meaningless_expectation_is_reported_and_not_skipped(tmp_path, promise, steps, why):
    assert reason(corpus(tmp_path, promise, steps=steps)) == why


CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"


@pytest.mark.parametrize(
    ("selector", "exists"),
    [
        ({"kind": "ConfigMap", "name": "c"}, True),
        ({"kind": "ConfigMap", "name": "web"}, False),
        ({"kind": "Secret", "name": "c"}, False),
        ({"kind": "Node", "name": "m"}, True),
        ({"kind": "Pod", "name": "web"}, True),
        ({"name": "c"}, False),
    ],
)
def test_object_exists_under_its_own_kind(tmp_path, selector, exists):
    promise = {"what": "object_exists", "op": "eq", "value": exists, "at_s": 2, "selector": selector}
    assert reason(corpus(tmp_path, promise, text=f"{CONFIG}---{POD}", cluster={"nodes": [{"name": "m"}]})) == ""


def test_object_of_an_unknown_kind_is_reported(tmp_path):
    promise = {"what": "object_exists", "op": "eq", "value": False, "selector": {"kind": "Unicorn", "name": "c"}}
    assert "no kind Unicorn" in reason(corpus(tmp_path, promise))


SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {app: web}, ports: [{port: 80}]}\n"
ENDPOINT = {"what": "endpoint_condition", "op": "eq", "at_s": 5}


@pytest.mark.parametrize(
    "promise",
    [
        {"value": {"ready": True, "serving": True, "terminating": False}, "selector": {"service": "s"}},
        {"value": True, "selector": {"service": "s", "pod": "web", "type": "ready"}},
        {"value": False, "selector": {"type": "ready"}, "t0": "action:gone", "at_s": 1},
        {"value": True, "selector": {"type": "terminating"}, "t0": "action:gone", "at_s": 1},
        {"op": "absent", "selector": {"service": "other"}},
    ],
)
def test_condition_of_an_endpoint_is_judged(tmp_path, promise):
    steps = [{"id": "gone", "at_s": 8, "do": "delete_pod", "name": "web"}]
    assert reason(corpus(tmp_path, ENDPOINT | promise, text=f"{SERVICE}---{SLEEPS}", steps=steps)) == ""


JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec:
  backoffLimit: 0
  template: {spec: {restartPolicy: Never, containers: [{name: app, image: "busybox:1.28", command: [sleep, "100"]}]}}
"""


@pytest.mark.parametrize(
    ("promise", "why"),
    [
        ({"value": "True", "at_s": 0}, ""),
        ({"value": "True", "at_s": 0, "selector": {"type": "Complete", "job": "p*"}}, ""),
        ({"value": "False", "at_s": 0}, "found 'True'"),
        ({"value": "True", "at_s": 0, "selector": {"type": "Complete", "job": "other"}}, "the Job never finished"),
    ],
)
def test_times_may_count_from_the_end_of_a_job(tmp_path, promise, why):
    asked = {"what": "job_condition", "op": "eq", "t0": "job_finished", "selector": {"type": "Complete"}, **promise}
    assert reason(corpus(tmp_path, asked, text=JOB, kind="Job")) == why


def test_end_of_a_job_is_the_moment_of_its_condition(tmp_path):
    asked = {"what": "job_condition", "op": "absent", "selector": {"type": "Complete"}, "t0": "job_finished", "at_s": -0.001}
    assert reason(corpus(tmp_path, asked, text=JOB, kind="Job")) == ""


ASKED = {"requests": {"cpu": "0.1", "memory": "64Mi"}}


@pytest.mark.parametrize(("source", "at_s", "held"), [("spec", 0, ASKED), ("status", 0, {}), ("spec", 5, ASKED), ("status", 5, ASKED)])
def test_resources_are_those_of_the_spec_or_of_the_status(tmp_path, source, at_s, held):
    promise = {"what": "container_resources", "op": "eq", "value": held, "at_s": at_s}
    assert reason(corpus(tmp_path, promise | {"selector": {"from": source, "container": "app"}}, text=SLEEPS)) == ""


BUDGET = (
    "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: 1, selector: {matchLabels: {app: web}}}\n"
)


@pytest.mark.parametrize(("message", "held"), [("disruption budget", "held"), ("not found", "failed")])
def test_eviction_is_refused_in_the_words_that_are_promised(tmp_path, message, held):
    steps = [{"id": "s", "at_s": 5, "do": "evict_pod"}]
    promise = {"what": "eviction", "op": "eq", "value": 429, "t0": "action:s", "selector": {"message": message}}
    assert outcome(corpus(tmp_path, promise, text=f"{BUDGET}---{SLEEPS}", steps=steps)) == held


STATEFUL_SET = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {terminationGracePeriodSeconds: 2, containers: [{name: app, image: "busybox:1.28", command: [sh, -c, "sleep 20; exit 1"]}]}
"""


@pytest.mark.parametrize(
    "promise",
    [
        {"what": "pod_uid", "op": "changed", "at_s": 8, "selector": {"pod": "web-0"}},
        {"what": "restarts", "op": "eq", "value": 0, "at_s": 8, "selector": {"pod": "web-0"}},
        {"what": "restarts", "op": "eq", "value": 0, "at_s": 8},
        {"what": "status_column", "op": "eq", "value": "Running", "at_s": 8, "selector": {"label": "app=web"}},
        {"what": "last_state", "op": "empty", "value": True, "at_s": 8, "selector": {"pod": "web-0"}},
        {"what": "restarts", "op": "eq", "value": 1, "at_s": 8, "selector": {"pod": "old"}},
    ],
)
def test_pod_that_was_made_again_under_its_name_is_meant_by_it(tmp_path, promise):
    steps = [{"id": "s", "at_s": 40, "do": "delete_pod", "name": "web-0"}]
    read = corpus(tmp_path, promise | {"t0": "action:s"}, text=STATEFUL_SET, kind="StatefulSet", steps=steps)
    assert reason(msgspec.structs.replace(read, cluster_defaults={"nodes": [{"name": "m"}]})) == ""
