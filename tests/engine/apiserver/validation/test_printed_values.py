"""How messages print values other than plain strings and numbers."""

import pytest

from tests.engine.apiserver.validation.pods import wrong, wrong_container, wrong_spec

TAIL = 'Only one reference can have Controller set to true. Found "true" in references for ReplicaSet/r and ReplicaSet/s'


def owner(**more):
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", **more}


def test_toleration_is_printed_by_its_names_in_memory_when_messages_hold_json():
    spec = {"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}
    assert wrong_spec(spec, minor=34) == [
        'tolerations[0].operator: Invalid value: {"Key":"a","Operator":"Exists","Value":"b","Effect":"","TolerationSeconds":null}: '
        "value must be empty when `operator` is 'Exists'"
    ]


def test_seccomp_profile_is_printed_as_a_structure():
    security = {"seccompProfile": {"type": "RuntimeDefault", "localhostProfile": "x"}}
    assert wrong_container({"securityContext": security}) == [
        'securityContext.seccompProfile.localhostProfile: Invalid value: core.SeccompProfile{Type:"RuntimeDefault", '
        "LocalhostProfile:(*string)(0xc000000000)}: can only be set when seccomp type is Localhost"
    ]


def test_owners_are_printed_as_a_list_when_two_control():
    owners = [owner(controller=True), owner(name="s", controller=True)]
    shown = ", ".join(
        f'v1.OwnerReference{{APIVersion:"apps/v1", Kind:"ReplicaSet", Name:"{name}", UID:"u", Controller:(*bool)(0xc000000000), '
        "BlockOwnerDeletion:(*bool)(nil)}"
        for name in "rs"
    )
    found = wrong(metadata={"ownerReferences": owners})
    assert found == [f"metadata.ownerReferences: Invalid value: []v1.OwnerReference{{{shown}}}: {TAIL}"]


def test_owner_is_printed_as_a_structure_when_it_may_own_nothing():
    (text,) = wrong(metadata={"ownerReferences": [owner(apiVersion="v1", kind="Event")]})
    assert text.startswith('metadata.ownerReferences: Invalid value: v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"r", ')


def test_owner_has_no_version_when_its_group_has_two_slashes():
    found = wrong(metadata={"ownerReferences": [owner(apiVersion="a/b/c")]})
    assert found == ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty']


@pytest.mark.parametrize(("name", "problem"), [(".", "must not be '.'"), ("..", "must not be '..'"), ("..a", "must not start with '..'")])
def test_variable_and_key_are_no_directory_when_version_is_old(name, problem):
    variable = {"env": [{"name": name, "value": "x"}]}
    key = {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": name}}}]}
    assert wrong_container(variable, minor=31) == [f'env[0].name: Invalid value: "{name}": {problem}']
    assert wrong_container(key) == [f'env[0].valueFrom.secretKeyRef.key: Invalid value: "{name}": {problem}']


def test_key_of_an_annotation_is_printed_as_written():
    field = {"fieldRef": {"fieldPath": "metadata.annotations['A B']"}}
    (text,) = wrong_container({"env": [{"name": "A", "valueFrom": field}]})
    assert text.startswith('env[0].valueFrom.fieldRef: Invalid value: "A B": name part must consist of')
