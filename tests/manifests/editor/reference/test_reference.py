"""Fields by version for completion and help."""

import gzip

import msgspec
import pytest

from simulator.engine.apiserver.wire.catalog import catalog
from simulator.manifests.check.modelled import is_modelled
from simulator.manifests.editor.reference import index, kind_reference
from simulator.manifests.editor.reference.kinds import Field
from simulator.manifests.editor.reference.values import VALUES

PACKED_MAX = 60_000


def field(path: str, kind: str = "Pod", minor: int = 33) -> Field:
    """The field at ``Type.field``."""
    name, _, rest = path.partition(".")
    found = kind_reference(minor, kind)
    assert found is not None
    return found.types[name].fields[rest]


@pytest.mark.parametrize("name", sorted(catalog(37).schemas))
def test_kind_fits_into_one_fetch(name: str) -> None:
    body = msgspec.json.encode(kind_reference(37, name.split(" ")[1]))

    assert len(gzip.compress(body, 9)) < PACKED_MAX


def test_every_type_a_field_names_is_there() -> None:
    for name in catalog(33).schemas:
        found = kind_reference(33, name.split(" ")[1])
        named = {item.of for part in found.types.values() for item in part.fields.values() if item.of[:1].isupper()}
        assert named <= set(found.types) and found.root in found.types


def test_values_belong_to_fields_that_exist() -> None:
    types = {}
    for name in catalog(37).schemas:
        types |= kind_reference(37, name.split(" ")[1]).types

    assert not [(name, one) for name, fields in VALUES.items() for one in fields if one not in types[name].fields]


@pytest.mark.parametrize(
    ("path", "kind", "of"),
    [
        ("PodSpec.containers", "list", "Container"),
        ("PodSpec.nodeSelector", "map", "string"),
        ("Container.command", "list", "string"),
        ("ResourceRequirements.limits", "map", "quantity"),
        ("HTTPGetAction.port", "int-or-string", ""),
        ("PodSpec.restartPolicy", "string", ""),
        ("PodSpec.hostNetwork", "boolean", ""),
        ("PodSpec.securityContext", "object", "PodSecurityContext"),
        ("ObjectMeta.creationTimestamp", "time", ""),
    ],
)
def test_field_has_its_type(path: str, kind: str, of: str) -> None:
    assert (field(path).type, field(path).of) == (kind, of)


def test_field_has_default_values_and_keys() -> None:
    assert field("PodSpec.restartPolicy").default == "Always"
    assert field("PodSpec.restartPolicy").values == ("Always", "OnFailure", "Never")
    assert field("Probe.failureThreshold").default == 3
    assert field("DeploymentSpec.replicas", "Deployment").default == 1
    assert field("Container.ports").key == ("containerPort", "protocol")
    assert field("PodSpec.containers").required


def test_default_is_left_out_when_it_depends_on_other_fields() -> None:
    assert field("Container.imagePullPolicy").default is None


def test_field_appears_with_its_version() -> None:
    assert "restartPolicyRules" not in kind_reference(33, "Pod").types["Container"].fields
    assert field("Container.restartPolicyRules", minor=34).since == "1.34"
    assert field("Probe.grpc").since == "1.23"
    assert "grpc" not in kind_reference(22, "Pod").types["Probe"].fields


def test_field_says_whether_it_has_an_effect() -> None:
    assert field("PodSpec.terminationGracePeriodSeconds").modelled
    assert not field("PodSpec.runtimeClassName").modelled
    assert is_modelled("ConfigMap", "data")


@pytest.mark.parametrize(
    "name", ["Affinity", "NodeAffinity", "PodAffinity", "PodAntiAffinity", "PodAffinityTerm", "TopologySpreadConstraint", "Toleration"]
)
def test_all_that_the_scheduler_is_told_has_an_effect(name: str) -> None:
    part = kind_reference(37, "Pod").types[name]
    assert part.fields and not [field for field, item in part.fields.items() if not item.modelled]


def test_field_carries_words_without_links() -> None:
    doc = field("Probe.periodSeconds").doc

    assert doc.startswith("How often") and "http" not in doc


@pytest.mark.parametrize(
    ("minor", "path", "word"),
    [
        (33, "spec", "never"),
        (33, "spec.containers[].image", "yes"),
        (33, "spec.activeDeadlineSeconds", "lower"),
        (33, "spec.tolerations", "add"),
        (33, "spec.schedulingGates", "remove"),
        (25, "spec.schedulingGates", None),
        (33, "spec.containers[].resources.limits.cpu", "resize"),
        (32, "spec.containers[].resources.limits.cpu", None),
        (33, "metadata.labels", "yes"),
    ],
)
def test_pod_says_what_may_change(minor: int, path: str, word: str | None) -> None:
    assert kind_reference(minor, "Pod").mutable.get(path) == word


def test_selector_of_workload_may_never_change() -> None:
    assert kind_reference(33, "Deployment").mutable["spec.selector"] == "never"


def test_index_tells_kinds_with_fields_from_others() -> None:
    kinds = {item.kind: item for item in index(33)}

    assert kinds["Pod"].modelled and not kinds["Ingress"].modelled and kinds["Ingress"].api_version == "networking.k8s.io/v1"


def test_reference_is_none_when_kind_has_no_fields() -> None:
    assert kind_reference(33, "Ingress") is None
