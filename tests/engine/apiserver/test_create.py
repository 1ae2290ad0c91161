"""The API server's answers to a create."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.engine.apiserver.admission.surroundings import Surroundings
from simulator.engine.apiserver.answer import Answer
from simulator.engine.apiserver.create import CreateRequest, create_answer
from simulator.engine.apiserver.wire.old_decoder import decode_problem
from simulator.engine.versions.release import Release

CANNOT = 'Pod in version "v1" cannot be handled as a Pod: '


def pod(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    app = {"name": "app", "image": "busybox:1.28", **(container or {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [app], **spec}}


def refused(document: dict[str, Any], *, minor: int = 20, **more: Any) -> Answer:
    answer = create_answer(document, CreateRequest(release=Release(minor), **more), body=json.dumps(document))
    assert answer is not None
    return answer


@pytest.mark.parametrize("minor", [20, 25, 30, 33, 35])
def test_plain_pod_is_created(minor):
    assert create_answer(pod(), CreateRequest(release=Release(minor))) is None


def test_pod_without_a_type_is_what_the_url_says():
    document = {key: value for key, value in pod().items() if key in ("metadata", "spec")}
    assert create_answer(document, CreateRequest(release=Release(20))) is None


def test_other_version_is_not_registered():
    answer = refused({**pod(), "apiVersion": "v2"})
    assert (answer.code, answer.reason) == (400, "BadRequest")
    assert answer.message.startswith('Pod in version "v2" cannot be handled as a Pod: no kind "Pod" is registered for version "v2"')


SPEC = "v1.Pod.Spec: v1.PodSpec."
APP = f"{SPEC}Containers: []v1.Container: v1.Container."
LIMITS = f"{APP}Resources: v1.ResourceRequirements.Limits: "
SIZE = {"resources": {"limits": {"cpu": "1x"}}}


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (pod({"env": [{"name": "A", "value": 5}]}), f'{APP}Env: []v1.EnvVar: v1.EnvVar.Value: ReadString: expects " or n, but found 5, '),
        (pod({"command": "sh"}), f'{APP}Command: []string: decode slice: expect [ or n, but found ", '),
        (pod(hostNetwork="yes"), f'{SPEC}HostNetwork: ReadBool: expect t or f, but found ", '),
        (pod(terminationGracePeriodSeconds="5"), f"{SPEC}TerminationGracePeriodSeconds: readUint64: unexpected character: \ufffd, "),
        (pod(priority=1.5), f"{SPEC}Priority: assertInteger: can not decode float as int, "),
        (pod(nodeSelector=[]), f"{SPEC}NodeSelector: ReadMapCB: expect {{ or n, but found [, "),
        (
            pod(volumes=[{"name": "v", "emptyDir": 1}]),
            f"{SPEC}Volumes: []v1.Volume: v1.Volume.VolumeSource: EmptyDir: readObjectStart: expect {{ or n, but found 1, ",
        ),
        (pod(SIZE), f"{LIMITS}unmarshalerDecoder: quantities must match the regular expression "),
        (
            {"spec": {}, "metadata": {"labels": {"a": 1}}},
            'v1.Pod.ObjectMeta: v1.ObjectMeta.Labels: ReadString: expects " or n, but found 1, ',
        ),
    ],
)
def test_wrong_type_is_reported_in_the_words_of_an_old_decoder(document, text):
    answer = refused(document)
    assert (answer.code, answer.reason, answer.causes) == (400, "BadRequest", ())
    assert answer.message.startswith(CANNOT + text)


@pytest.mark.parametrize(
    ("port", "text"),
    [
        (99999999999, "readUint32: overflow, error found in #10 byte of ...|: 99999999999}]}]}}|..."),
        (3000000000, "ReadInt32: overflow: 3000000000, error found in #10 byte of ...|3000000000}]}]}}|..."),
        (-3000000000, "ReadInt32: overflow: 3000000000, error found in #10 byte of ...|3000000000}]}]}}|..."),
    ],
)
def test_old_decoder_notices_numbers_that_are_too_large(port, text):
    answer = refused(pod({"ports": [{"containerPort": port}]}))
    assert answer.message.startswith(f"{CANNOT}{APP}Ports: []v1.ContainerPort: v1.ContainerPort.ContainerPort: {text}")


@pytest.mark.parametrize(
    ("port", "given"), [(1.5, "number 1.5"), (99999999999, "number 99999999999"), (True, "bool"), ({}, "object"), ([], "array")]
)
def test_port_that_is_neither_number_nor_name_is_told_by_its_own_decoder(port, given):
    answer = refused(pod({"livenessProbe": {"tcpSocket": {"port": port}}}))
    assert f"Port: unmarshalerDecoder: json: cannot unmarshal {given} into Go value of type int32, " in answer.message


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            {"apiVersion": 1},
            (
                "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type "
                'string ({"apiVersion": 1, "kind": "Pod ...)'
            ),
        ),
        (
            {"kind": ["Pod"]},
            (
                "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type "
                'string ({"apiVersion": "v1", "kind": [ ...)'
            ),
        ),
        ({"apiVersion": "a/b/c"}, 'unexpected GroupVersion string: a/b/c ({"apiVersion": "a/b/c", "kind" ...)'),
    ],
)
def test_object_of_no_readable_type_is_not_recognized(changes, why):
    answer = refused({**pod(), **changes}, kind="Pod")
    assert (answer.code, answer.reason) == (400, "BadRequest")
    assert answer.message == f"the object provided is unrecognized (must be of type Pod): {why}"


@pytest.mark.parametrize(("body", "given"), [([], "array"), ("x", "string"), (5, "number"), (True, "bool")])
def test_body_that_is_not_an_object_is_refused(body, given):
    why = r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
    assert refused(body, kind="Pod").message == (
        "the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: "
        f"json: cannot unmarshal {given} into Go value of type {why} ({json.dumps(body)})"
    )


def test_generated_name_is_judged_like_its_prefix():
    answer = refused({**pod(), "metadata": {"generateName": "Bad_"}})
    assert [cause.field for cause in answer.causes] == ["metadata.generateName", "metadata.name"]
    assert answer.name == "Bad_xxxxx"


def test_null_among_containers_is_an_empty_one():
    document = {**pod(), "spec": {"containers": [None]}}
    assert [cause.field for cause in refused(document).causes] == ["spec.containers[0].name", "spec.containers[0].image"]


@pytest.mark.parametrize(
    ("document", "names"),
    [
        (
            {"metadata": {"name": 5}, "spec": {"containers": [{"name": "app", "image": "x"}]}},
            f"{SPEC}Containers: []v1.Container: v1.Container.Image: Name: ObjectMeta: v1.ObjectMeta.Name: ReadString: ",
        ),
        (
            {"metadata": {"name": True}, "spec": {"containers": [{"name": "app", "image": "x"}]}},
            "v1.Pod.ObjectMeta: v1.ObjectMeta.Name: ReadString: ",
        ),
        (pod({"command": ["a", 1], "args": []}), f"{APP}Args: []string: Command: []string: ReadString: "),
        (pod({"resources": {"limits": {"cpu": "1x"}, "requests": {}}}), f"{APP}Resources: v1.ResourceRequirements.Requests: Limits: "),
        (pod(hostNetwork=1, hostPID=True), f"{SPEC}HostPID: HostNetwork: ReadBool: "),
    ],
)
def test_old_decoder_reads_on_after_a_value_that_it_has_passed(document, names):
    assert refused(document).message.startswith(CANNOT + names)


@given(st.text(alphabet='{}[]",:0tn-. ', max_size=60))
def test_old_decoder_gets_to_the_end_of_any_text(text):
    schema = {"title": "A", "properties": {"": {"type": "array", "items": {"type": "string"}}, "0": {"type": "integer"}}}
    assert isinstance(decode_problem(text, schema), str)


def test_old_decoder_quotes_the_bytes_around_the_place():
    answer = refused(pod({"livenessProbe": {"periodSeconds": "5"}}))
    assert '#10 byte of ...|econds": "5"}}]}}|..., bigger context ...|' in answer.message


def test_wrong_type_is_reported_in_the_words_of_the_newer_decoder_from_1_23_on():
    answer = refused(pod(terminationGracePeriodSeconds="5"), minor=23)
    assert answer.message == (
        f"{CANNOT}json: cannot unmarshal string into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64"
    )


def test_first_wrong_type_in_the_body_is_the_one_that_counts():
    parts = {"spec": {"hostNetwork": "yes"}, "metadata": {"name": 1}}
    assert "HostNetwork" in refused(parts).message
    assert "ObjectMeta.Name" in refused(dict(reversed(parts.items()))).message


def test_unknown_field_is_dropped_before_the_rules_look():
    answer = refused(pod({"livenessProbe": {"grpc": {"port": 80}}}))
    assert [cause.field for cause in answer.causes] == ["spec.containers[0].livenessProbe"]


def test_unknown_field_is_refused_when_the_client_is_strict():
    answer = refused(pod(hostname="h", colour="red"), minor=30, strict=True)
    assert answer.message == f'{CANNOT}strict decoding error: unknown field "spec.colour"'


def test_object_belongs_in_the_namespace_of_the_request():
    document = {**pod(), "metadata": {"name": "p", "namespace": "other"}}
    assert refused(document).message == "the namespace of the provided object does not match the namespace sent on the request"


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"runtimeClassName": "ghost"}, 'pod rejected: RuntimeClass "ghost" not found'),
        ({"priorityClassName": "ghost"}, "no PriorityClass with name ghost was found"),
        ({"serviceAccountName": "ghost"}, 'error looking up service account default/ghost: serviceaccount "ghost" not found'),
        ({"overhead": {"cpu": "1"}}, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"),
    ],
)
def test_admission_does_not_let_a_pod_through(spec, why):
    answer = refused(pod(**spec))
    assert (answer.code, answer.reason, answer.message) == (403, "Forbidden", f'pods "p" is forbidden: {why}')


def test_priority_is_not_written_by_hand():
    assert refused(pod(priority=5)).message.endswith("priority admission controller computed 0 from the given PriorityClass name")


def test_mirror_pod_refers_to_nothing_in_the_api_server():
    document = pod(nodeName="n", serviceAccountName="default")
    document["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    assert refused(document).message.endswith("a mirror pod may not reference service accounts")


def test_missing_namespace_is_not_found():
    answer = refused(pod(), surroundings=Surroundings(namespaces=("other",)))
    assert (answer.code, answer.message) == (404, 'namespaces "default" not found')


def test_equal_causes_are_reported_once_and_counted_twice():
    inits = [{"name": "i", "image": "x"}, {"name": "i", "image": "x"}]
    answer = refused(pod(initContainers=inits))
    assert len(answer.causes) == 2
    assert answer.message == 'Pod "p" is invalid: spec.initContainers[1].name: Duplicate value: "i"'


def test_new_object_has_no_resource_version():
    document = pod()
    document["metadata"]["resourceVersion"] = "5"
    assert (refused(document).code, refused(document).message) == (500, "resourceVersion should not be set on objects to be created")
    assert create_answer(document, CreateRequest(release=Release(20), dry_run=True)) is None


def test_amounts_are_judged_as_they_were_written():
    answer = refused(pod({"resources": {"limits": {"example.com/a": "0.5"}}}))
    assert "value:5, scale:-1" in answer.message


def test_other_kinds_are_answered_too():
    answer = refused({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "1x"}, "spec": {}}, minor=30)
    assert (answer.code, answer.kind, answer.name) == (422, "Service", "1x")


def test_volume_whose_only_source_is_not_used_yet_has_none():
    volume = {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}
    assert refused(pod(volumes=[volume])).message == 'Pod "p" is invalid: spec.volumes[0]: Required value: must specify a volume type'


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("Podd", 'no kind "Podd" is registered for version "v1" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"'),
        ("Service", "converting (v1.Service) to (core.Pod): unknown conversion"),
        ("List", "converting (v1.List) to (core.Pod): unknown conversion"),
    ],
)
def test_other_kind_cannot_be_handled_as_a_pod(kind, why):
    answer = refused({**pod(), "kind": kind}, kind="Pod")
    assert answer.message == f'{kind} in version "v1" cannot be handled as a Pod: {why}'


def test_pod_to_be_named_is_forbidden_by_its_prefix():
    document = {**pod(runtimeClassName="ghost"), "metadata": {"generateName": "web-"}}
    assert refused(document).message.startswith('pods "web-" is forbidden: ')


def test_suffix_of_an_amount_is_told_apart_from_its_form():
    assert "unmarshalerDecoder: unable to parse quantity's suffix, " in refused(pod({"resources": {"limits": {"cpu": "1mm"}}})).message
