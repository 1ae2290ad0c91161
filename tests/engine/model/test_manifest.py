"""From documents to Structs, and the defaults of the API server."""

import pytest

from simulator.engine.kernel.errors import BadManifest
from simulator.engine.model.manifest import default_pull_policy, pod_from_document, without_nulls
from simulator.engine.model.objects import config_map_from_document, secret_from_document, service_from_document
from simulator.engine.model.pod import Pod


def pod(**spec) -> Pod:
    return pod_from_document({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "app", "image": "nginx"}], **spec}})


def test_pod_takes_the_namespace_given_when_document_names_none():
    assert pod_from_document({"metadata": {"name": "a"}}, namespace="team").metadata.namespace == "team"


def test_pod_keeps_its_own_namespace_when_it_names_one():
    assert pod_from_document({"metadata": {"namespace": "own"}}, namespace="team").metadata.namespace == "own"


def test_pod_drops_status_and_unknown_fields():
    document = {"metadata": {"name": "a"}, "spec": {"fancy": 1}, "status": {"phase": 5}}
    assert pod_from_document(document).metadata.name == "a"


def test_pod_reads_null_as_unset():
    assert pod(nodeSelector=None, activeDeadlineSeconds=None).spec.active_deadline_seconds is None


def test_null_in_a_list_is_read_as_the_empty_item():
    spec = {"containers": [{"command": [None], "ports": [None]}], "securityContext": {"supplementalGroups": [None, 5]}}
    assert without_nulls(spec) == {"containers": [{"command": [""], "ports": [{}]}], "securityContext": {"supplementalGroups": [0, 5]}}


def test_pod_reads_null_label_as_empty_text():
    assert pod_from_document({"metadata": {"labels": {"a": None}}}).metadata.labels == {"a": ""}


def test_pod_reads_api_spelling_of_host_ip():
    document = {"spec": {"containers": [{"name": "a", "ports": [{"containerPort": 80, "hostIP": "10.0.0.1"}]}]}}
    assert pod_from_document(document).spec.containers[0].ports[0].host_ip == "10.0.0.1"


@pytest.mark.parametrize(
    ("document", "path", "words"),
    [
        ({"spec": {"containers": [{"name": 1}]}}, "spec.containers[0].name", "expected a string, got an integer"),
        ({"spec": {"containers": [{"name": "a", "env": [{}]}]}}, "spec.containers[0].env[0]", 'missing required field "name"'),
        ({"metadata": {"labels": {"a": 1}}}, "metadata.labels", "expected a string"),
        ({"spec": 3}, "spec", "expected an object"),
        ({"spec": {"terminationGracePeriodSeconds": "30"}}, "spec.terminationGracePeriodSeconds", "got a string"),
    ],
)
def test_pod_names_path_and_problem_when_document_is_bad(document, path, words):
    with pytest.raises(BadManifest) as caught:
        pod_from_document(document)
    assert caught.value.path == path
    assert words in caught.value.problem


def test_volume_without_source_becomes_empty_dir():
    bare, nfs = pod(volumes=[{"name": "a"}, {"name": "b", "nfs": {"path": "/x"}}]).spec.volumes
    assert bare.empty_dir == {}
    assert nfs.empty_dir is None


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.2", "IfNotPresent"),
        ("registry:5000/app", "Always"),
        ("registry:5000/app:2", "IfNotPresent"),
        ("k8s.gcr.io/busybox", "Always"),
        ("app@sha256:" + "a" * 64, "IfNotPresent"),
        ("app:latest@sha256:" + "a" * 64, "Always"),
        ("Not A Name", "IfNotPresent"),
    ],
)
def test_pull_policy_follows_tag(image, policy):
    assert default_pull_policy(image) == policy


def test_secret_merges_string_data_over_data():
    secret = secret_from_document({"data": {"a": "YWJj", "b": "YQ=="}, "stringData": {"b": "new"}})
    assert secret.data == {"a": b"abc", "b": b"new"}


def test_secret_names_the_key_when_it_is_not_base64():
    with pytest.raises(BadManifest, match="illegal base64") as caught:
        secret_from_document({"data": {"a": "?"}})
    assert caught.value.path == "data[a]"


def test_config_map_reads_texts_and_bytes():
    config = config_map_from_document({"data": {"a": "x"}, "binaryData": {"b": "YQ=="}})
    assert (config.data, config.binary) == ({"a": "x"}, {"b": b"a"})


def test_service_reads_selector_and_ports():
    service = service_from_document(
        {"spec": {"selector": {"app": "a"}, "clusterIP": "None", "ports": [{"port": 80, "targetPort": "http"}]}}
    )
    assert service.spec.cluster_ip == "None"
    assert service.spec.ports[0].target_port == "http"
