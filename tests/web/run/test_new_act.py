"""A new act is one declaration: form, button, sentence, headline, script, record and documentation pick it up automatically."""

from collections.abc import Iterator

import pytest

from simulator.engine import Record, RecordKind, advance, apply, new_world
from simulator.engine.acts import all_acts
from simulator.engine.acts.act import Act, sentence_of, the_node
from simulator.engine.acts.all_acts import ACTS, Acts
from simulator.engine.acts.form import NODE, NUMBER, Form, FormField
from simulator.engine.acts.narrator import headline
from simulator.engine.acts.offer import Input, Offer, Offers, button
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, bad_value, check_node
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.typed import Typed
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.project import node_view
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World
from simulator.manifests.script.script import read_script
from simulator.web.run.command_forms import CommandForm
from simulator.web.run.inspector import node_context
from tests.engine.worlds import container, header, pod


class ShakeNode(Command, frozen=True, kw_only=True, tag="shake_node"):
    """Shake the machine."""

    node: str
    times: int


def _shake(fx: Effects, command: ShakeNode) -> Doing:
    check_node(fx, command.node)
    if command.times < 1:
        raise bad_value("shake at least once")
    return lambda: fx.note(f"node/{command.node}", "shaken", str(command.times), rule="COMMAND")


def _offer(world: World, node: NodeView) -> Iterator[Offer]:
    given: dict[str, str | int] = {"node": node.name}
    times = Input("times", Text("Times"), 2, minimum=1, maximum=9)
    yield Offer(key=f"{node.name}-shake", place="node-more", given=given, buttons=button("Shake {node}", node=node.name), inputs=(times,))


def _read(step: StepReader) -> Iterator[ShakeNode]:
    yield ShakeNode(node=step.needed("node", str), times=step.field("times", int, 1))


SHAKE_NODE = Act(
    command=ShakeNode,
    handler=_shake,
    subject=the_node,
    sentence="Shake {node} {times} times",
    headline="You shook node {node}",
    form=Form((NODE, FormField("times", NUMBER, maximum=9, is_needed=True))),
    offers=Offers(node=_offer),
    verbs=(Verb("shake", "shakes the machine", _read, needs=("node",), may=("times",)),),
)
COMMAND = ShakeNode(node="node1", times=3)


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_acts, "ACTS", Acts((*ACTS, SHAKE_NODE)))


def shaken(command: Command) -> tuple[World, list[Record]]:
    world = new_world(header(pod(container())))
    advance(world, until_ms=1000)
    return world, apply(world, command)


def test_it_is_carried_out_and_told() -> None:
    _, (told, note) = shaken(COMMAND)
    assert (told.subject, told.data, headline(told).english) == ("node/node1", (("do", "shake_node"), ("times", 3)), "You shook node node1")
    assert (note.kind, note.cause) == (RecordKind.NOTE.value, told.seq)


def test_it_is_refused_where_it_is_impossible() -> None:
    _, (told,) = shaken(ShakeNode(node="node9", times=1))
    assert (told.target, told.rule) == ("refused", "COMMAND-NO-NODE")


def test_it_is_decoded_as_it_is_stored() -> None:
    commands: Typed[Command] = Typed(all_acts.ACTS.command_type())
    assert commands.from_json('{"do": "shake_node", "node": "node1", "times": 3}') == COMMAND


def test_it_has_a_form() -> None:
    form = CommandForm({"do": "shake_node", "client_key": "12345678", "node": "node1", "times": "3"})
    assert form.is_valid() and form.command() == COMMAND
    assert set(CommandForm({"do": "shake_node", "client_key": "12345678", "node": "node1"}).errors) == {"times"}


def test_it_stands_on_the_page() -> None:
    world, _ = shaken(COMMAND)
    node = node_view(world, "node1")
    assert node is not None
    offers = [offer for offer in node_context(world, node)["more_node_acts"] if offer.do == "shake_node"]
    assert [offer.buttons[0].label.english for offer in offers] == ["Shake node1"]


def test_it_has_its_sentence() -> None:
    assert sentence_of(all_acts.ACTS.of(COMMAND), COMMAND).english == "Shake node1 3 times"


def test_scripts_know_it() -> None:
    script = read_script("- {at: 1, shake: {node: node1, times: 3}}", kubernetes="1.30")
    assert [step.command for step in script.steps] == [COMMAND]


def test_documentation_lists_it() -> None:
    assert "| `shake` | `node`; [`times`] | shakes the machine |" in all_acts.ACTS.script_table().splitlines()
