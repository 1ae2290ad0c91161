"""PodSecurity admission: the level that a namespace requires, and what happens to objects that violate it."""

import json

import pytest

from simulator.engine import apply
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.acts.pods.set_image import SetPodImage
from simulator.engine.apiserver.admission.pod_security.plugin import policy_of
from simulator.manifests.check.check import check_text
from tests.engine.worlds import container, header, pod, run

PREFIX = "pod-security.kubernetes.io/"
PRIVILEGED = 'privileged (container "app" must not set securityContext.privileged=true)'
BAD = container("sleep 3600", securityContext={"privileged": True})


def namespace(**labels):
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "safe", "labels": {f"{PREFIX}{key.replace('_', '-')}": value for key, value in labels.items()}},
    }


def in_safe(document):
    return {**document, "metadata": {**document["metadata"], "namespace": "safe"}}


def sent(world, document):
    return apply(world, ApplyManifest(documents=(json.dumps(document),)))


def told(records):
    return [(record.rule, record.get("text")) for record in records if record.rule in ("POD-SECURITY-WARN", "POD-SECURITY-AUDIT")]


def world_with(*documents, **options):
    return run(header(*documents, **options), 1)[0]


def refusal(records):
    return next(((record.rule, record.get("code"), record.get("message")) for record in records if record.target == "refused"), None)


@pytest.mark.parametrize("kubernetes", ["1.23", "1.30", "1.37"])
def test_pod_that_does_not_keep_the_enforced_level_is_refused(kubernetes):
    world = world_with(namespace(enforce="baseline"), kubernetes=kubernetes)
    said = f'pods "p" is forbidden: violates PodSecurity "baseline:latest": {PRIVILEGED}'
    assert refusal(sent(world, in_safe(pod(BAD)))) == ("POD-SECURITY", 403, said)


def test_1_22_has_no_such_admission_yet():
    assert refusal(sent(world_with(namespace(enforce="baseline"), kubernetes="1.22"), in_safe(pod(BAD)))) is None


def test_pod_is_refused_when_a_run_begins_too():
    world = world_with(namespace(enforce="baseline"), in_safe(pod(BAD)))
    assert refusal(world.first_records) is not None
    assert not any(row.namespace == "safe" for row in world.tables.pods.values())


def test_other_namespaces_are_free():
    assert refusal(sent(world_with(namespace(enforce="restricted")), pod(BAD))) is None


def test_version_of_the_policy_is_named():
    records = sent(world_with(namespace(enforce="restricted", enforce_version="v1.7")), in_safe(pod(container("sleep 9"))))
    assert 'violates PodSecurity "restricted:v1.7": runAsNonRoot != true (' in refusal(records)[2]


def test_pod_is_warned_of_and_audited_and_stored():
    world = world_with(namespace(warn="baseline", audit="baseline", audit_version="v1.25"))
    records = sent(world, in_safe(pod(BAD)))
    assert refusal(records) is None
    assert told(records) == [
        ("POD-SECURITY-WARN", f'would violate PodSecurity "baseline:latest": {PRIVILEGED}'),
        ("POD-SECURITY-AUDIT", f'would violate PodSecurity "baseline:v1.25": {PRIVILEGED}'),
    ]


def test_workload_is_warned_of_and_never_refused():
    world = world_with(namespace(enforce="baseline", warn="baseline"))
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [BAD]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    records = sent(world, in_safe({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}))
    assert refusal(records) is None
    assert told(records) == [("POD-SECURITY-WARN", f'would violate PodSecurity "baseline:latest": {PRIVILEGED}')]


def labelled(world, **labels):
    patch = json.dumps({"metadata": {"labels": {f"{PREFIX}{key}": value for key, value in labels.items()}}})
    return apply(world, PatchObject(kind="Namespace", name="safe", patch=patch, patch_kind="merge"))


@pytest.mark.parametrize(
    ("label", "value", "why"),
    [
        ("enforce", "strict", "must be one of privileged, baseline, restricted"),
        ("warn-version", "1.25", 'must be "latest" or "v1.x"'),
        ("audit-version", "v1.025", 'must be "latest" or "v1.x"'),
    ],
)
def test_label_that_cannot_be_read_is_refused(label, value, why):
    message = f'Namespace "safe" is invalid: metadata.labels[{PREFIX}{label}]: Invalid value: "{value}": {why}'
    assert refusal(sent(world_with(), namespace(**{label.replace("-", "_"): value})))[1:] == (422, message)
    assert refusal(labelled(world_with(namespace(enforce="baseline")), **{label: value}))[1:] == (422, message)


def test_namespace_that_gets_a_stricter_policy_names_its_pods():
    documents = [in_safe(pod(BAD, name=name)) for name in ("b", "a")]
    world = world_with(namespace(enforce="privileged"), *documents, in_safe(pod(container("sleep 9"), name="good")))
    records = labelled(world, enforce="baseline")
    assert [text for _, text in told(records)] == [
        'existing pods in namespace "safe" violate the new PodSecurity enforce level "baseline:latest"',
        "a (and 1 other pod): privileged",
    ]
    assert told(labelled(world, enforce="privileged")) == []


def test_running_pod_may_not_get_what_the_policy_forbids_now():
    world = world_with(namespace(enforce="privileged"), in_safe(pod(BAD)))
    labelled(world, enforce="baseline")
    assert refusal(apply(world, SetPodImage(target="safe/p", container="app", image="busybox:1.36")))[0] == "POD-SECURITY"
    assert refusal(apply(world, DebugPod(target="safe/p", container="d", image="busybox:1.28")))[0] == "POD-SECURITY"
    label = PatchObject(kind="Pod", namespace="safe", name="p", patch='{"metadata": {"labels": {"a": "b"}}}', patch_kind="merge")
    assert refusal(apply(world, label)) is None


def test_labels_that_cannot_be_read_enforce_what_is_strictest():
    policy = policy_of({f"{PREFIX}enforce": "x", f"{PREFIX}warn": "x", f"{PREFIX}audit": "baseline", f"{PREFIX}enforce-version": "y"})
    assert [str(item) for item in (policy.enforce, policy.warn, policy.audit)] == [
        "restricted:latest",
        "privileged:latest",
        "baseline:latest",
    ]
    assert len(policy.errors) == 3


def test_manifest_is_checked_against_the_policy_of_its_namespace():
    documents = [namespace(warn="baseline"), in_safe(pod(BAD))]
    problems = check_text("---\n".join(map(json.dumps, documents)).replace("}---", "}\n---"), kubernetes="1.30").problems
    assert [(item.severity, item.code) for item in problems] == [("warning", "pod-security-warn")]
