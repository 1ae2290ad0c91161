"""The structural check against the official schemas."""

from importlib.resources import files

import pytest

from simulator.engine.apiserver.wire.catalog import catalog, minor_in
from simulator.manifests.check.schema import check_structure


def findings(spec, *, minor=30, lenient=False):
    document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}
    return list(check_structure(document, minor=minor, lenient=lenient))


def container(**fields):
    return {"containers": [{"name": "a", "image": "x", **fields}]}


def test_check_structure_finds_nothing_in_a_plain_pod():
    assert findings(container()) == []


def test_unknown_field_has_the_words_of_strict_decoding_and_a_hint():
    (found,) = findings(container(imagePullpolicy="Always"))
    assert found.message == 'unknown field "spec.containers[0].imagePullpolicy"'
    assert (found.severity, found.hint) == ("error", "imagePullPolicy")


def test_unknown_field_is_a_warning_when_lenient():
    (found,) = findings(container(colour="red"), lenient=True)
    assert found.severity == "warning"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"image": 5}, "json: cannot unmarshal number into Go struct field Container.spec.containers.image of type string"),
        ({"command": "ls"}, "json: cannot unmarshal string into Go struct field Container.spec.containers.command of type []string"),
        ({"stdin": "yes"}, "json: cannot unmarshal string into Go struct field Container.spec.containers.stdin of type bool"),
        ({"env": {"A": "b"}}, "json: cannot unmarshal object into Go struct field Container.spec.containers.env of type []v1.EnvVar"),
        (
            {"livenessProbe": {"periodSeconds": 9999999999}},
            "json: cannot unmarshal number 9999999999 into Go struct field Probe.spec.containers.livenessProbe.periodSeconds of type int32",
        ),
    ],
)
def test_wrong_type_has_the_words_of_the_decoder(fields, message):
    (found,) = findings(container(**fields))
    assert found.message == message


def test_wrong_type_hints_at_quotes_when_a_text_is_needed():
    (found,) = findings(container(env=[{"name": "A", "value": 5}]))
    assert found.hint == '"5"'


@pytest.mark.parametrize("quantity", ["lots", "1x", "", "1 Gi", True, "1.2.3", "9" * 5000])
def test_quantity_is_refused_when_it_does_not_parse(quantity):
    found = findings(container(resources={"limits": {"cpu": quantity}}))
    assert found[0].message.startswith("quantities must match the regular expression")


@pytest.mark.parametrize("quantity", ["100m", "64Mi", 1, 0.5, "1e3", "+1", ".5", "1."])
def test_quantity_is_accepted_when_it_parses(quantity):
    assert findings(container(resources={"limits": {"cpu": quantity}})) == []


def test_secret_value_is_refused_when_it_is_not_base64():
    document = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "ab!d"}}
    (found,) = check_structure(document, minor=30)
    assert found.message == "illegal base64 data at input byte 2"


def test_missing_field_is_named_by_its_path():
    assert [item.path for item in findings({"containers": [{"image": "x"}]})] == ["spec.containers[0].name"]


def test_null_counts_as_missing():
    assert findings({**container(), "nodeSelector": None, "volumes": None}) == []


def test_field_is_unknown_before_the_version_that_brought_it():
    grpc = container(livenessProbe={"grpc": {"port": 1}})
    assert findings(grpc, minor=22)[0].path == "spec.containers[0].livenessProbe.grpc"
    assert findings(grpc, minor=24) == []


def test_field_is_unknown_after_a_later_version_only():
    sidecar = {**container(), "initContainers": [{"name": "i", "image": "x", "restartPolicy": "Always"}]}
    assert findings(sidecar, minor=27)[0].code == "unknown-field"
    assert findings(sidecar, minor=28) == []


def test_beta_kinds_exist_until_1_24():
    assert catalog(24).schema("batch/v1beta1", "CronJob") is not None
    assert catalog(25).schema("batch/v1beta1", "CronJob") is None


@pytest.mark.parametrize("minor", range(20, 38))
def test_catalog_knows_pods_in_every_version(minor):
    assert catalog(minor).schema("v1", "Pod") is not None


@pytest.mark.parametrize("text", ["", "1", "2.1", "1.x", "latest", "1.-3"])
def test_minor_of_refuses_what_is_not_a_version(text):
    with pytest.raises(ValueError):
        minor_in(text)


def test_schema_file_stays_small():
    assert len(files("simulator.schemas").joinpath("schemas.json.gz").read_bytes()) < 50_000
