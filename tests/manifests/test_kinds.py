"""One document that cannot be applied does not affect the others, as with ``kubectl apply -f``."""

import json

import pytest

from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.model.custom import KUBERNETES_GROUPS, group_of, is_custom_group, plural_of
from simulator.engine.versions import MINORS
from simulator.engine.versions.minors import minor_number
from simulator.manifests.check.check import Checked, check_text

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: nginx:1.27}]}\n"
CRD = (
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: services.serving.knative.dev}\n"
    "spec: {group: serving.knative.dev, names: {kind: Service, plural: services}, scope: Namespaced, versions: []}\n"
)
CRON_SPEC = (
    'spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, '
    "containers: [{name: app, image: busybox:1.36}]}}}}}"
)
SCALE_SPEC = (
    "spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, "
    "metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}"
)


def of(api_version: str, kind: str, metadata: str = "{name: a}") -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {metadata}\n"


def check(*documents: str, kubernetes: str = "1.33") -> Checked:
    return check_text("---\n".join(documents), kubernetes=kubernetes)


def told(checked: Checked) -> list[tuple[str, str]]:
    return [(problem.code, problem.severity) for problem in checked.problems]


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("policy/v1beta1", "PodDisruptionBudget"),
        ("extensions/v1beta1", "Ingress"),
        ("apps/v1beta2", "Deployment"),
        ("networking.k8s.io/v1", "HTTPRoute"),
        ("v1", "Pood"),
        ("serving.knative.dev/v1", "Service"),
    ],
)
def test_what_the_server_does_not_have_is_left_out_and_the_rest_applied(api_version: str, kind: str):
    checked = check(of(api_version, kind), POD)
    assert [document.kind for document in checked.documents] == ["Pod"]
    assert (checked.ok, told(checked)) == (True, [("unknown-kind", "warning")])
    expected = f'no matches for kind "{kind}" in version "{api_version}"\nensure CRDs are installed first'
    assert (checked.problems[0].message, checked.problems[0].line) == (expected, 2)


@pytest.mark.parametrize("others", [(), (POD,)])
def test_object_that_is_left_out_is_reported_without_claiming_that_there_are_others(others: tuple[str, ...]):
    problem = next(item for item in check(of("v1", "Pood"), *others).problems if item.code == "unknown-kind")
    assert problem.why == "kubectl apply skips this object and applies the rest of the text"


def test_it_is_an_error_where_nothing_else_is_left_to_apply():
    checked = check(of("policy/v1beta1", "PodDisruptionBudget"), of("v1", "Pood"))
    assert (checked.ok, told(checked)) == (False, [("unknown-kind", "error")] * 2)


def test_older_kubectl_does_not_speak_of_definitions():
    checked = check(of("v1", "Pood"), kubernetes="1.23")
    assert checked.problems[0].message == 'no matches for kind "Pood" in version "v1"'


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("cert-manager.io/v1", "Certificate"),
        ("monitoring.coreos.com/v1", "ServiceMonitor"),
        ("gateway.networking.k8s.io/v1", "HTTPRoute"),
        ("snapshot.storage.k8s.io/v1", "VolumeSnapshot"),
    ],
)
def test_custom_kind_is_kept_with_or_without_its_definition(api_version: str, kind: str):
    (document,) = check(of(api_version, kind)).documents
    assert (document.kind, document.namespace, document.name) == (kind, "default", "a")
    assert json.loads(document.json)["apiVersion"] == api_version


@pytest.mark.parametrize(
    ("metadata", "path"), [("{}", "metadata.name"), ("{name: A_b}", "metadata.name"), ("{name: a, labels: {x: 1}}", "metadata.labels.x")]
)
def test_metadata_of_a_custom_kind_is_judged(metadata: str, path: str):
    (problem,) = check(of("cert-manager.io/v1", "Certificate", metadata)).problems
    assert (problem.path, problem.severity) == (path, "error")


def test_custom_kind_with_the_name_of_an_own_kind_is_left_out_with_a_note():
    checked = check(CRD, of("serving.knative.dev/v1", "Service"), POD)
    assert [document.kind for document in checked.documents] == ["Pod"]
    assert told(checked) == [("not-simulated", "info")] * 2


@pytest.mark.parametrize(
    ("api_version", "kind", "last"),
    [("extensions/v1beta1", "Ingress", "1.21"),
     ("rbac.authorization.k8s.io/v1beta1", "Role", "1.21"),
     ("policy/v1beta1", "PodSecurityPolicy", "1.24")],
)  # fmt: skip
def test_beta_version_is_served_up_to_the_minor_that_removed_it(api_version: str, kind: str, last: str):
    after = MINORS[MINORS.index(last) + 1]
    assert told(check(of(api_version, kind), kubernetes=last)) == [("not-simulated", "info")]
    assert told(check(of(api_version, kind), kubernetes=after)) == [("unknown-kind", "error")]


def test_no_group_of_kubernetes_counts_as_custom():
    names = {name for minor in MINORS for held in [catalog(minor_number(minor))] for name in (*held.schemas, *held.others)}
    groups = {group_of(name.split(" ")[0]) for name in names}
    assert {group for group in groups if "." in group} <= KUBERNETES_GROUPS
    assert not any(is_custom_group(f"{group}/v1") for group in groups if group)


@pytest.mark.parametrize(
    ("api_version", "kind", "rest", "last"),
    [
        ("scheduling.k8s.io/v1beta1", "PriorityClass", "value: 5", "1.21"),
        ("storage.k8s.io/v1beta1", "StorageClass", "provisioner: disks.example.com", "1.21"),
        ("storage.k8s.io/v1beta1", "CSINode", "spec: {drivers: []}", "1.21"),
        ("batch/v1beta1", "CronJob", CRON_SPEC, "1.24"),
        ("policy/v1beta1", "PodDisruptionBudget", "spec: {minAvailable: 1}", "1.24"),
        ("autoscaling/v2beta2", "HorizontalPodAutoscaler", SCALE_SPEC, "1.25"),
    ],
)
def test_beta_version_of_what_is_simulated_is_applied_as_long_as_it_is_served(api_version: str, kind: str, rest: str, last: str):
    text, after = f"{of(api_version, kind)}{rest}\n", MINORS[MINORS.index(last) + 1]
    (document,) = check(text, kubernetes=last).documents
    assert (document.kind, document.api_version) == (kind, api_version)
    assert [problem.message for problem in check(text, kubernetes=last).problems if problem.severity == "error"] == []
    assert told(check(text, kubernetes=after)) == [("unknown-kind", "error")]


@pytest.mark.parametrize(("api_version", "kind", "first"), [("discovery.k8s.io/v1", "EndpointSlice", "1.21")])
def test_version_that_is_yet_to_come_is_unknown(api_version: str, kind: str, first: str):
    before = MINORS[MINORS.index(first) - 1]
    assert told(check(of(api_version, kind), kubernetes=before)) == [("unknown-kind", "error")]
    assert told(check(of(api_version, kind), kubernetes=first)) == [("not-simulated", "info")]


@pytest.mark.parametrize(
    ("api_version", "kind"), [("autoscaling/v2beta1", "HorizontalPodAutoscaler"), ("serving.knative.dev/v1", "Service")]
)  # fmt: skip
def test_kind_simulated_only_in_another_version_is_reported_with_the_version(api_version: str, kind: str):
    problems = check(CRD, of(api_version, kind), kubernetes="1.24").problems
    assert problems[1].message == f'kind "{kind}" in version "{api_version}" is not simulated: the object is ignored'


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        *(("Certificate", "certificates"), ("Prometheus", "prometheuses"), ("AuthPolicy", "authpolicies"), ("Gateway", "gateways")),
        *(("Mesh", "meshes"), ("Branch", "branches"), ("Sandbox", "sandboxes"), ("Topaz", "topazes"), ("Path", "paths")),
    ],
)
def test_plural_follows_from_the_singular(kind: str, plural: str):
    assert plural_of(kind) == plural
