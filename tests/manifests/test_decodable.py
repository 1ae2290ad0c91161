"""Rules next to values that do not decode: everything at once, and nothing that appears only after a fix."""

import pytest

from simulator.manifests.check.check import check_text

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
spec:
  containers:
  - name: app
    image: nginx:1.25
    env: [{name: A, value: "1"}]
    volumeMounts: [{name: data, mountPath: /data}]
  volumes:
  - name: data
    emptyDir: {}
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: nginx}]}
"""


def found(text, **options):
    return {problem.path: problem.code for problem in check_text(text, kubernetes="1.30", **options).problems}


def broken(old, new, text=POD):
    assert old in text
    return found(text.replace(old, new))


def test_rules_are_judged_next_to_a_wrong_type():
    codes = broken("name: web", 'name: Web_\n  generation: "5"')
    assert codes == {"metadata.name": "name-syntax", "metadata.generation": "wrong-type"}


def test_rules_are_judged_next_to_an_unknown_field():
    codes = broken("name: web", "name: Web_\n  nmespace: x")
    assert codes == {"metadata.name": "name-syntax", "metadata.nmespace": "unknown-field"}


def test_rules_are_checked_next_to_an_invalid_quantity():
    codes = broken("env:", "resources: {limits: {cpu: lots}}\n    terminationMessagePath: ''\n    imagePullPolicy: no-way\n    env:")
    assert set(codes) == {"spec.containers[0].resources.limits.cpu", "spec.containers[0].imagePullPolicy"}


def test_values_that_are_plainly_meant_are_judged_as_meant():
    codes = broken("env:", 'ports: [{containerPort: "80"}, {containerPort: 70000}]\n    env:')
    assert set(codes) == {"spec.containers[0].ports[0].containerPort", "spec.containers[0].ports[1].containerPort"}


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("image: nginx:1.25", "imaeg: nginx:1.25", "spec.containers[0].imaeg"),
        ("- name: app", "- nmae: app", "spec.containers[0].nmae"),
        ("image: nginx:1.25", "image: {}", "spec.containers[0].image"),
        ('value: "1"', "value: 1", "spec.containers[0].env[0].value"),
        ("emptyDir: {}", "emptyDir: yes please", "spec.volumes[0].emptyDir"),
        ("emptyDir: {}", "emptydir: {}", "spec.volumes[0].emptydir"),
        ("volumes:\n  - name: data\n    emptyDir: {}", "volumes: data", "spec.volumes"),
        ("volumes:\n  - name: data\n    emptyDir: {}", "volumes:\n    name: data\n    emptyDir: {}", "spec.volumes"),
        ("  volumes:", "  volumns:", "spec.volumns"),
        ("env: [{", "livenessProbe: {httpGet: 80}\n    env: [{", "spec.containers[0].livenessProbe.httpGet"),
        ("  - name: app", "  - sidecar\n  - name: app", "spec.containers[0]"),
        ("  volumes:", "  - sidecar\n  volumes:", "spec.containers[1]"),
        ("  volumes:", "  initContainers: 5\n  volumes:", "spec.initContainers"),
    ],
)
def test_nothing_is_said_only_because_of_the_repair(old, new, path):
    assert set(broken(old, new)) == {path}


def test_nothing_is_said_of_a_spec_that_cannot_be_read():
    assert set(found("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: [1]\n")) == {"spec"}


def test_selectors_are_not_compared_with_labels_that_cannot_be_read():
    assert set(broken("labels: {app: web}", "labels: web", DEPLOYMENT)) == {"spec.template.metadata.labels"}


def test_a_misspelt_field_is_no_other_one_when_it_only_warns():
    assert "spec.containers[0].image" in found(POD.replace("image:", "imaeg:"), strict=False)


def test_behaviour_is_checked_next_to_a_wrong_type():
    text = POD.replace("labels:", "generation: soon\n  annotations: {podscope.dev/behaviour: '5'}\n  labels:")
    assert "metadata.annotations[podscope.dev/behaviour]" in found(text)
