"""The form of an act: generated from its declaration, validated, and converted to the command."""

import json
from typing import Any

import msgspec
import pytest

from simulator.engine import apply
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.offer import Offer
from simulator.web.run.command_forms import CommandForm
from tests.engine.acts.sending import command_of, fields_sent, offers_of
from tests.engine.worlds import container, header, pod, run

PROBE = {"exec": {"command": ["true"]}}
STATIC = PlaceStaticPod(node="node1", document=header(pod(container(), name="still")).manifests[0])
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}


def all_offers() -> dict[str, Offer]:
    """Every offer for a healthy cluster, and for one in which everything is broken."""
    head = header(pod(container(readinessProbe=PROBE)), CONFIG, kubernetes="1.35")
    wrong = (
        (2, STATIC),
        (2, NodeControl(node="node1", kubelet="stop", runtime="stop", network_plugin="missing")),
        (3, CordonNode(node="node1")),
        (3, SetNodePressure(node="node1", signal="memory.available", available="50Mi")),
        (3, ShutdownNode(node="node1")),
    )
    worlds = [run(head, 5)[0], run(head, 5, *wrong)[0]]
    return {f"{offer.key} {offer.buttons[0].label.english}": offer for world in worlds for offer in offers_of(world)}


@pytest.mark.parametrize("offer", [pytest.param(offer, id=key) for key, offer in all_offers().items()])
def test_every_offer_of_the_page_is_a_valid_form(offer: Offer) -> None:
    for button in offer.buttons:
        form = CommandForm({"client_key": "12345678", **fields_sent(offer, button)})
        assert form.is_valid(), form.errors
        assert form.command() == command_of(offer, button)
        assert msgspec.to_builtins(form.command())["do"] == offer.do


def sent(**fields: Any) -> Any:
    form = CommandForm({"client_key": "12345678", **fields})
    assert form.is_valid(), form.errors
    return form.command()


def errors(**fields: Any) -> set[str]:
    return set(CommandForm({"client_key": "12345678", **fields}).errors)


@pytest.mark.parametrize(
    ("change", "patch"),
    [
        ({"change": "label", "name": "tier", "value": "db"}, {"metadata": {"labels": {"tier": "db"}}}),
        ({"change": "label", "name": "tier", "value": ""}, {"metadata": {"labels": {"tier": None}}}),
        ({"change": "finalizers", "value": "a.b/c, d.e/f"}, {"metadata": {"finalizers": ["a.b/c", "d.e/f"]}}),
        ({"change": "deadline", "seconds": "9"}, {"spec": {"activeDeadlineSeconds": 9}}),
        ({"change": "condition", "name": "x/y", "status": "True"}, {"status": {"conditions": [{"type": "x/y", "status": "True"}]}}),
    ],
    ids=lambda value: str(value)[:24],
)
def test_change_of_a_pod_becomes_a_patch_that_the_engine_takes(change: dict[str, str], patch: dict[str, Any]) -> None:
    command = sent(do="patch_pod", target="default/p", **change)
    assert json.loads(command.patch) == patch
    world, _ = run(header(pod(container())), 5)
    assert apply(world, command)[0].target == "accepted"


def test_change_of_a_pod_needs_what_it_changes() -> None:
    assert errors(do="patch_pod", target="default/p", change="condition", name="x/y") == {"status"}


def test_act_is_refused_without_a_field_that_it_needs() -> None:
    assert errors(do="exit_container", target="default/p", container="app") == {"exit_code"}


def test_limits_of_a_field_hold() -> None:
    assert errors(do="exit_container", target="default/p", container="app", exit_code="256") == {"exit_code"}


@pytest.mark.parametrize("do", ["levitate", "apply", ""])
def test_act_without_a_form_is_refused(do: str) -> None:
    assert errors(do=do) == {"do"}


def test_fields_of_other_acts_are_not_looked_at() -> None:
    assert sent(do="cordon", node="n", exit_code="9999") == CordonNode(node="n", unschedulable=False)


def test_command_line_is_split_as_a_shell_would() -> None:
    assert sent(do="exec", target="default/web", container="app", words="sh -c 'exit 3'").command == ("sh", "-c", "exit 3")


@pytest.mark.parametrize("words", ["", "   ", "echo 'open"])
def test_command_line_is_refused_when_it_says_nothing(words: str) -> None:
    assert errors(do="exec", target="default/web", container="app", words=words) == {"words"}


def test_taint_with_a_minus_is_removed() -> None:
    assert sent(do="taint", node="n", value="key:NoSchedule-") == TaintNode(node="n", remove=("key:NoSchedule",))
