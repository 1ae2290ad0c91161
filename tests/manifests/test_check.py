"""The entry point for manifests."""

import json
import time

import pytest

from simulator.engine.model.manifest import pod_from_document
from simulator.manifests.check.check import check_text

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: app
    image: nginx:1.25
"""


def check(text, **options):
    return check_text(text, kubernetes="1.30", **options)


def only(text, **options):
    (problem,) = check(text, **options).problems
    return problem


def test_check_yields_the_object_when_all_is_well():
    (document,) = check(POD).documents
    assert (document.kind, document.name, document.namespace) == ("Pod", "web", "default")
    assert json.loads(document.json) == document.doc


def test_check_keeps_every_field_in_the_json():
    text = POD + "  dnsConfig: {searches: [example.com]}\n"
    assert json.loads(check(text).documents[0].json)["spec"]["dnsConfig"] == {"searches": ["example.com"]}


def test_check_takes_namespace_of_document_before_the_given_one():
    text = POD.replace("name: web", "name: web\n  namespace: own")
    assert check(text, namespace="team").documents[0].namespace == "own"
    assert check(POD, namespace="team").documents[0].namespace == "team"


@pytest.mark.parametrize("kind", ["v1\nkind: Namespace", "scheduling.k8s.io/v1\nkind: PriorityClass\nvalue: 1"])
def test_check_gives_no_namespace_to_cluster_kinds(kind):
    assert check(f"apiVersion: {kind}\nmetadata: {{name: a}}").documents[0].namespace == ""


def test_unknown_field_is_an_error_with_its_line():
    problem = only(POD + "    imagePullpolicy: Always\n")
    assert (problem.severity, problem.line, problem.column) == ("error", 9, 5)


def test_unknown_field_is_a_warning_when_not_strict():
    checked = check(POD + "    colour: red\n", strict=False)
    assert checked.ok
    assert checked.problems[0].severity == "warning"


def test_semantic_error_has_the_line_of_its_field():
    problem = only(POD.replace("web", "<script>alert(1)</script>"))
    assert (problem.line, problem.path, problem.code) == (4, "metadata.name", "name-syntax")


def test_missing_field_is_reported_once():
    problem = only(POD.replace("- name: app\n    image: nginx:1.25", "- image: nginx:1.25"))
    assert (problem.path, problem.message) == ("spec.containers[0].name", "Required value")


def test_pod_templates_are_checked_in_place():
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  selector: {matchLabels: {a: b}}\n"
        "  template:\n    metadata: {labels: {a: b}}\n    spec:\n      containers:\n      - name: A_b\n        image: x\n"
    )
    problem = only(text)
    assert (problem.path, problem.line) == ("spec.template.spec.containers[0].name", 10)


def test_kind_is_refused_when_kubernetes_does_not_know_it():
    problem = only("apiVersion: v1\nkind: Pood\nmetadata: {name: a}")
    assert (problem.message, problem.line) == ('no matches for kind "Pood" in version "v1"\nensure CRDs are installed first', 2)


def test_kind_is_refused_with_a_hint_when_its_version_is_gone():
    assert only("apiVersion: batch/v1beta1\nkind: CronJob").hint == "apiVersion: batch/v1"


@pytest.mark.parametrize("options", [{}, {"known_kinds": frozenset({"ConfigMap"})}])
def test_kind_is_left_out_with_a_note_when_it_is_not_simulated(options):
    text = POD if options else "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}"
    checked = check(text, **options)
    assert (checked.ok, checked.documents) == (True, ())
    assert (checked.problems[0].code, checked.problems[0].severity) == ("not-simulated", "info")


@pytest.mark.parametrize("text", ["", "# nothing", "---\n---\n"])
def test_check_says_so_when_there_is_no_object(text):
    assert only(text).code == "empty"


@pytest.mark.parametrize("text", ["- a", "5", "just words"])
def test_check_says_so_when_a_document_is_not_an_object(text):
    assert only(text).code == "not-an-object"


def test_check_refuses_the_same_object_twice():
    problem = only(f"{POD}---\n{POD}")
    assert (problem.code, problem.line, problem.document) == ("already-exists", 13, 1)


def test_wrong_types_hide_the_rules_that_need_them():
    checked = check(POD.replace("nginx:1.25", "[a]"))
    assert [problem.code for problem in checked.problems] == ["wrong-type"]


def test_problems_come_in_the_order_of_the_text():
    lines = [problem.line for problem in check(POD.replace("web", "W_").replace("app", "A_")).problems]
    assert lines == sorted(lines) == [4, 7]


def test_number_of_problems_is_limited():
    text = "apiVersion: v1\nkind: Pod\nspec: {containers: [" + "{name: A_}," * 2000 + "]}"
    assert len(check(text).problems) == 100


def test_check_is_quick_when_a_manifest_has_a_thousand_lines():
    containers = "".join(
        f"  - name: c{number}\n    image: nginx:1.2\n    env:\n    - name: A\n      value: b\n    livenessProbe:\n"
        "      httpGet:\n        port: 80\n    resources:\n      limits:\n        cpu: 1\n"
        for number in range(91)
    )
    text = POD.rsplit("  - name", 1)[0] + containers
    check(text)
    started = time.process_time()
    checked = check(text)
    assert checked.ok
    assert text.count("\n") > 1000
    assert time.process_time() - started < 0.4  # CPU time; 0.1 s is the aim, a slow machine gets four times that


BEHAVIOUR = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations:
    podscope.dev/behaviour: |
      app:
        startupDelay: 5s
        exit: {after: 30s, code: 1}
spec:
  containers:
  - name: app
    image: example.com/a:1
"""


def test_behaviour_reaches_the_engine_in_json():
    (document,) = check(BEHAVIOUR).documents
    blocks = json.loads(pod_from_document(json.loads(document.json)).metadata.annotations["podscope.dev/behaviour"])
    assert blocks == {"app": {"startupDelay": "5s", "exit": {"after": "30s", "code": 1}}}
    assert "startupDelay: 5s" in document.doc["metadata"]["annotations"]["podscope.dev/behaviour"]


def test_behaviour_of_a_template_reaches_the_engine_in_json():
    head = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec:\n  schedule: '* * * * *'\n"
    head += "  jobTemplate:\n    spec:\n      template:\n"
    pod = BEHAVIOUR.partition("kind: Pod\n")[2].replace("  name: web\n", "").replace("spec:", "spec:\n  restartPolicy: Never")
    (document,) = check(head + "".join(f"        {line}\n" for line in pod.splitlines())).documents
    template = json.loads(document.json)["spec"]["jobTemplate"]["spec"]["template"]
    blocks = json.loads(template["metadata"]["annotations"]["podscope.dev/behaviour"])
    assert blocks == {"app": {"startupDelay": "5s", "exit": {"after": "30s", "code": 1}}}


def test_behaviour_error_has_its_line_inside_the_annotation():
    problem = only(BEHAVIOUR.replace("30s", "soon"))
    assert (problem.severity, problem.line, problem.code) == ("error", 9, "behaviour")


def test_behaviour_with_broken_yaml_has_its_line():
    assert only(BEHAVIOUR.replace("exit: {", "exit: {{{")).line == 9


def test_behaviour_warns_when_the_container_does_not_exist():
    problem = only(BEHAVIOUR.replace("      app:", "      other:"))
    assert (problem.severity, problem.line) == ("warning", 7)


def test_behaviour_must_be_a_map():
    assert only(BEHAVIOUR.split("      app:")[0] + "      - a\nspec:\n  containers: [{name: app, image: x}]\n").line == 6
