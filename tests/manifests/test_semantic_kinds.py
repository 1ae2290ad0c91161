"""Findings about objects of all kinds: the engine's rules, at their position in the text."""

import json

import pytest

from simulator.manifests.check.check import check_text
from simulator.manifests.problems import ERROR, WARNING

WORKLOAD = """apiVersion: apps/v1
kind: %s
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels:
        app: %s
    spec:
      containers:
      - name: app
        image: %s
"""


def found(text: str, kubernetes: str = "1.35") -> list[tuple[str, int, str]]:
    problems = check_text(text, kubernetes=kubernetes).problems
    return [(item.severity, item.line, item.path) for item in problems if item.severity in (ERROR, WARNING)]


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"])
def test_mismatch_is_an_error_at_the_labels_of_the_template(kind):
    assert (ERROR, 10, "spec.template.metadata.labels") in found(WORKLOAD % (kind, "other", "busybox:1.28"))


@pytest.mark.parametrize(("kubernetes", "severity"), [("1.33", WARNING), ("1.34", ERROR)])
def test_template_of_a_stateful_set_is_a_warning_while_the_server_does_not_look_into_it(kubernetes, severity):
    assert found(WORKLOAD % ("StatefulSet", "web", '""'), kubernetes) == [(severity, 15, "spec.template.spec.containers[0].image")]


def test_label_of_a_template_is_found_where_it_is_written():
    text = (WORKLOAD % ("Deployment", "a b", "busybox:1.28")).replace("app: web", "app: a b")
    paths = [path for _, _, path in found(text)]
    assert paths == ["spec.selector.matchLabels", "spec.template.metadata.labels"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("kind: Node\nmetadata: {name: node}\nspec: {taints: [{key: a, effect: Never}]}", "spec.taints[0].effect"),
        (
            "kind: PersistentVolumeClaim\nmetadata: {name: c}\nspec:\n  accessModes: [ReadWriteOnce]\n"
            "  resources: {requests: {storage: 0}}",
            "spec.resources.requests.storage",
        ),
        ("kind: Service\nmetadata: {name: 1s}\nspec: {ports: [{port: 80}]}", "metadata.name"),
        ("kind: ConfigMap\nmetadata: {name: c}\ndata: {a/b: x}", "data[a/b]"),
    ],
)
def test_error_is_named_by_the_path_of_the_manifest(text, path):
    assert [item[2] for item in found(f"apiVersion: v1\n{text}")] == [path]


@pytest.mark.parametrize(("kubernetes", "count"), [("1.24", 0), ("1.25", 1)])
def test_budget_of_the_beta_is_known_while_it_is_served(kubernetes, count):
    text = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: 1}"
    assert len(found(text, kubernetes)) == count


POLICY = """
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  podFailurePolicy:
    rules:
    - action: FailJob
      onExitCodes: {operator: In, values: [42]}
    - action: Ignore
      onPodConditions: [{type: DisruptionTarget}]
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "bash:5"}]
"""


@pytest.mark.parametrize("minor", [25, 26, 29, 34, 37])
def test_failure_policy_of_the_documentation_is_accepted_without_a_word(minor):
    assert check_text(POLICY, kubernetes=f"1.{minor}").problems == ()


def test_field_that_the_server_fills_in_is_not_asked_for():
    claim = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "b"}]}}
    claim["spec"]["containers"][0]["ports"] = [{}]
    asked = [problem.path for problem in check_text(json.dumps(claim), kubernetes="1.30").problems]
    assert asked == ["spec.containers[0].ports[0].containerPort"]


@pytest.mark.parametrize("minor", [26, 30, 37])
def test_rule_of_a_failure_policy_with_codes_and_conditions_is_one_mistake(minor):
    both = POLICY.replace("    - action: Ignore\n", "", 1)
    asked = [(problem.path, problem.message) for problem in check_text(both, kubernetes=f"1.{minor}").problems]
    detail = "Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"
    assert asked == [("spec.podFailurePolicy.rules[0]", detail)]


def test_field_that_the_server_fills_in_is_not_asked_for_where_it_refuses_another():
    cron = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"}}
    spec = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "bash:5"}]}
    policy = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    job = {"spec": {"podFailurePolicy": policy, "template": {"spec": spec}}}
    cron["spec"] = {"schedule": "never", "jobTemplate": job}
    assert [problem.path for problem in check_text(json.dumps(cron), kubernetes="1.30").problems] == ["spec.schedule"]
