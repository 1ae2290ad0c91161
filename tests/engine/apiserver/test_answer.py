"""The API server's Status objects and kubectl's messages about them."""

from simulator.engine.apiserver.answer import invalid_object, not_found
from simulator.engine.apiserver.validation.errors import required

MISSING = required("spec.containers[0].image")


def test_invalid_prints_one_error_bare() -> None:
    answer = invalid_object("Pod", "p", [MISSING]).answer
    assert answer.message == 'Pod "p" is invalid: spec.containers[0].image: Required value'


def test_invalid_prints_equal_errors_once_and_keeps_both_causes() -> None:
    answer = invalid_object("Pod", "p", [MISSING, MISSING, required("spec.x")]).answer
    assert answer.message.endswith("is invalid: [spec.containers[0].image: Required value, spec.x: Required value]")
    assert len(answer.causes) == 3


def test_details_name_kind_and_causes() -> None:
    details = invalid_object("Pod", "p", [MISSING]).answer.document()["details"]
    cause = {"reason": "FieldValueRequired", "message": "Required value", "field": "spec.containers[0].image"}
    assert details == {"name": "p", "kind": "Pod", "causes": [cause]}


def test_kubectl_lists_several_causes_one_a_line() -> None:
    answer = invalid_object("Pod", "p", [MISSING, required("spec.x")]).answer
    assert answer.kubectl == 'The Pod "p" is invalid: \n* spec.containers[0].image: Required value\n* spec.x: Required value'


def test_kubectl_names_the_reason_of_other_errors() -> None:
    answer = not_found("deployments", "web", group="apps").answer
    assert answer.kubectl == 'Error from server (NotFound): deployments.apps "web" not found'
