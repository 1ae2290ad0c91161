"""Objects of custom kinds: stored and shown, without behaviour."""

import json

import pytest

from simulator.engine import RunHeader, advance, apply, new_world
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.namespace import DeleteNamespace
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.projection.objects import object_at
from simulator.engine.world.world import World
from simulator.kubectl.kubectl import kubectl

CERTIFICATE = {
    "apiVersion": "cert-manager.io/v1",
    "kind": "Certificate",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"secretName": "web-tls"},
}


def world() -> World:
    return new_world(RunHeader(kubernetes="1.33", jitter=False, seed=1, namespace="shop", manifests=(json.dumps(CERTIFICATE),)))


@pytest.mark.parametrize("word", ["certificates", "certificate", "certificates.cert-manager.io", "certificates.v1.cert-manager.io"])
def test_get_finds_a_custom_kind_by_each_of_its_names(word: str):
    assert kubectl(world(), f"get {word}").splitlines()[1].split() == ["web", "0s"]


def test_get_shows_the_object_as_it_was_sent():
    assert "spec:\n  secretName: web-tls\n" in kubectl(world(), "get certificate web -o yaml")


def test_unknown_word_is_refused_as_ever():
    assert kubectl(world(), "get issuers") == 'error: the server doesn\'t have a resource type "issuers"\n'


def test_object_is_applied_again_and_found_by_its_subject():
    there = world()
    changed = {**CERTIFICATE, "spec": {"secretName": "other"}}
    apply(there, ApplyManifest(documents=(json.dumps(changed),), namespace="shop"))
    found = object_at(there, "certificate/shop/web")
    assert found is not None and json.loads(found.document)["spec"] == {"secretName": "other"}


def test_run_notes_that_nothing_acts_on_it():
    there = world()
    apart = {**CERTIFICATE, "metadata": {"name": "second"}}
    records = apply(there, ApplyManifest(documents=(json.dumps(apart),), namespace="shop"))
    assert [(item.subject, item.rule) for item in records if item.target == "not-simulated"] == [("certificate/shop/second", "CUSTOM-KIND")]


def test_namespace_tells_of_the_one_that_holds_it():
    held = {**CERTIFICATE, "metadata": {"name": "web", "finalizers": ["example.com/hold"]}}
    there = world()
    apply(there, ApplyManifest(documents=(json.dumps(held),), namespace="shop"))
    apply(there, DeleteNamespace(name="shop"))
    advance(there, until_ms=60_000)
    assert "certificates.cert-manager.io has 1 resource instances" in " ".join(kubectl(there, "get namespace shop -o yaml").split())


UID = object_at(world(), "certificate/shop/web").uid


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (DeleteObject(kind="Certificate", namespace="shop", name="nope"), 'certificates.cert-manager.io "nope" not found'),
        (PatchObject(kind="Certificate", namespace="shop", name="nope", patch="{}"), 'certificates.cert-manager.io "nope" not found'),
        (
            PatchObject(kind="Certificate", namespace="shop", name="web", patch='{"metadata":{"resourceVersion":"77"}}'),
            'Operation cannot be fulfilled on certificates.cert-manager.io "web": the object has been modified; '
            "please apply your changes to the latest version and try again",
        ),
        (
            DeleteObject(kind="Certificate", namespace="shop", name="web", uid="x"),
            'Operation cannot be fulfilled on Certificate.cert-manager.io "web": the UID in the precondition (x) does not match the UID '
            f"in record ({UID}). The object might have been deleted and then recreated",
        ),
        (
            ApplyManifest(documents=(json.dumps(CERTIFICATE),), namespace="shop", create=True),
            'certificates.cert-manager.io "web" already exists',
        ),
    ],
)
def test_refusal_names_the_kind_with_its_group(command: AnyCommand, message: str):
    (record,) = apply(world(), command)
    assert (record.target, dict(record.data)["message"]) == ("refused", message)


def test_change_that_breaks_a_rule_is_told_of_the_kind_with_its_group():
    (record,) = apply(world(), PatchObject(kind="Certificate", namespace="shop", name="web", patch='{"metadata":{"labels":{"a":"-"}}}'))
    assert dict(record.data)["message"].startswith('Certificate.cert-manager.io "web" is invalid: metadata.labels: Invalid value: "-"')


def test_namespace_that_goes_forbids_a_new_one_by_the_kind_with_its_group():
    there = world()
    apply(there, DeleteNamespace(name="shop"))
    apart = {**CERTIFICATE, "metadata": {"name": "second"}}
    (record,) = apply(there, ApplyManifest(documents=(json.dumps(apart),), namespace="shop"))
    assert dict(record.data)["message"].startswith('certificates.cert-manager.io "second" is forbidden: unable to create new content')
