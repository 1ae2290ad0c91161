from typing import get_args

import msgspec
import pytest

from simulator import acts
from simulator.engine import commands
from simulator.forms import BUILDERS, CommandForm

KINDS = get_args(commands.AnyCommand)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_command_has_its_sentence(kind):
    assert (kind in acts.PLAIN) != (kind in acts.BY_FIELD)


def test_sentence_is_filled_from_the_command():
    command = commands.SetProbe(target="default/web", container="app", probe="liveness", outcome="failure")
    assert acts.act_sentence(command) == "Set liveness of app: failure"


def test_sentence_tells_force_from_grace():
    assert acts.act_sentence(commands.DeletePod(target="default/web", force=True)) == "Force delete default/web"


def all_acts():
    yield from acts.pod_acts(key="default/web", namespace="default", name="web", grace_s=30)
    for is_hung in (False, True):
        yield from acts.container_acts(key="default/web", container="app", is_hung=is_hung)
    for is_decided in (False, True):
        yield acts.probe_act(key="default/web", container="app", probe="readiness", is_decided=is_decided)
    for available in (False, True):
        yield acts.image_act(image="nginx:1.27", available=available)


@pytest.mark.parametrize("act", list(all_acts()), ids=lambda act: act.key)
def test_every_act_of_the_page_is_a_valid_form(act):
    for button in act.buttons:
        sent = {"client_key": "12345678", **act.fields, **{field.name: field.value for field in act.inputs}}
        if button.name:
            sent[button.name] = button.value
        form = CommandForm(sent)
        assert form.is_valid(), form.errors
        assert msgspec.to_builtins(form.command())["do"] == act.fields["do"]


def test_page_offers_every_command_of_a_pod():
    assert {act.fields["do"] for act in all_acts()} == set(BUILDERS)


def test_kubectl_names_the_namespace_unless_default():
    act = acts.pod_acts(key="shop/web", namespace="shop", name="web", grace_s=30)[0]
    assert act.kubectl == "kubectl delete pod web --namespace=shop"
