"""The version with which cases about new pods are compared."""

import pytest

from simulator.fidelity.cases.validation import MINOR, evaluate, minor_of


@pytest.mark.parametrize(
    ("note", "minor"),
    [
        ("", MINOR),
        ("v1.21+", MINOR),
        ("v1.34+", 34),
        ("v1.35+; restated", 35),
        ("v1.28..v1.31 and without a gate", 31),
        ("restated", MINOR),
    ],
)
def test_case_is_held_against_the_nearest_version_its_note_allows(note, minor):
    assert minor_of(note) == minor


def test_fields_are_spelled_as_in_manifests():
    app = {"name": "a", "image": "i", "imagePullPolicy": "Always", "terminationMessagePolicy": "File"}
    spec = {"containers": [app], "restartPolicy": "Always", "dnsPolicy": "Default", "hostUsers": False, "hostPID": True}
    got = evaluate({"pod": {"metadata": {"name": "p", "namespace": "n"}, "spec": spec}})
    assert got == {"valid": False, "errors": [{"type": "Forbidden", "field": "spec.hostPID"}]}
