"""The registry of acts: each is complete, and every command that was ever stored is still understood."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from simulator.engine.acts import all_acts
from simulator.engine.acts.act import Act, recorded_fields, sentence_of, wordings_of
from simulator.engine.acts.all_acts import ACTS, COMMAND, Acts, Stamped
from simulator.engine.acts.containers.exit import EXIT_CONTAINER
from simulator.engine.acts.containers.oom import OOM_CONTAINER
from simulator.engine.acts.containers.probe import SetProbe
from simulator.engine.acts.narrator import headline
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.pods.delete import DELETE_POD, DeletePod
from simulator.engine.acts.pods.delete_all import DeletePods
from simulator.engine.acts.pods.evict import EVICT_POD, EvictPod
from simulator.engine.acts.script import Verb
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.typed import Typed
from simulator.engine.projection.text import missing
from tests.engine.acts.sending import cleaned

STORED = (Path(__file__).parent / "stored_commands.jsonl").read_text(encoding="utf-8").splitlines()
FIXTURE = Path(__file__).parents[2] / "fixtures" / "revision_2.json"
STAMPED: Typed[list[Stamped]] = Typed(list[Stamped])


@pytest.mark.parametrize("act", list(ACTS), ids=lambda act: act.do)
def test_every_act_is_complete(act: Act[Any]) -> None:
    assert act.command.__doc__
    assert bool(act.form) != bool(act.no_form), "a form, or why there is none"
    assert bool(act.verbs) != bool(act.no_verb), "a script verb, or why there is none"
    offers = [getattr(act.offers, name) for name in act.offers.__struct_fields__]
    assert any(offers) == (act.form is not None), "an act with a form is offered"


@pytest.mark.parametrize("act", list(ACTS), ids=lambda act: act.do)
def test_sentence_asks_only_for_what_the_command_has(act: Act[Any]) -> None:
    names = {*act.command.__struct_fields__, *(("objects",) if act.values else ())}
    assert [name for msgid in wordings_of(act.sentence) for name in missing(msgid, dict.fromkeys(names, "x"))] == []
    for wording in (act.sentence, act.headline):
        assert isinstance(wording, str) or wording.field in act.command.__struct_fields__


@pytest.mark.parametrize("act", [act for act in ACTS if act.form is not None], ids=lambda act: act.do)
def test_form_makes_the_command_of_its_act(act: Act[Any]) -> None:
    assert act.form is not None
    choice, by_value = act.form.needs
    for value in by_value or [""]:
        values = {field.name: cleaned(field, (field.choices or ("1",))[0]) for field in act.form.fields}
        command = act.form.command(act.command, {**values, **({choice: value} if choice else {})})
        assert type(command) is act.command


def test_every_command_ever_stored_is_still_understood() -> None:
    for text in STORED:
        again = json.loads(msgspec.json.encode(COMMAND.from_json(text)))  # fields added since then have their defaults
        assert {name: again[name] for name in json.loads(text)} == json.loads(text)


def test_every_act_has_a_stored_example() -> None:
    assert {json.loads(text)["do"] for text in STORED} == {act.do for act in ACTS}


def test_commands_of_a_run_of_revision_2_are_understood() -> None:
    fields = [entry["fields"] for entry in json.loads(FIXTURE.read_text(encoding="utf-8"))]
    stored = [json.loads(text) for item in fields if (text := item.get("body", "")).startswith("{")]
    shared = [command for body in stored if "commands" in body for command in STAMPED.from_plain(body["commands"])]
    own = [COMMAND.from_plain(body) for body in stored if "do" in body]
    assert len(shared) >= 10 and len(own) >= 10


def test_unknown_command_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="do"):
        COMMAND.from_json('{"do": "levitate"}')


@pytest.mark.parametrize("other", [DELETE_POD, replace(OOM_CONTAINER, verbs=EXIT_CONTAINER.verbs)], ids=["tag", "verb"])
def test_registry_refuses_two_acts_of_one_tag_or_verb(other: Act[Any]) -> None:
    with pytest.raises(ValueError, match="declared twice"):
        Acts((DELETE_POD, EXIT_CONTAINER, other))


def test_registry_knows_an_act_by_its_command_and_its_tag() -> None:
    assert all_acts.ACTS.of(DeletePod(target="default/web")) is DELETE_POD is all_acts.ACTS.named("delete_pod")
    assert all_acts.ACTS.named("levitate") is None


def told(command: Any) -> str:
    """The headline of the record of an accepted command."""
    act = ACTS.of(command)
    data = (("do", act.do), *recorded_fields(act, command))
    return headline(Record(1, 0, "command", act.subject(command), "command", "", "", "accepted", 0, "COMMAND", data)).english


@pytest.mark.parametrize("text", STORED, ids=lambda text: json.loads(text)["do"])
def test_headline_finds_all_it_names_in_the_record(text: str) -> None:
    assert not told(COMMAND.from_json(text)).startswith("You gave the command")


@pytest.mark.parametrize(
    ("command", "asked", "done"),
    [
        (DeletePods(namespace="team"), "Delete all pods in namespace team", "You deleted all pods in namespace team"),
        (
            DeletePods(namespace="team", selector={"app": "web", "tier": "front"}),
            "Delete the pods in namespace team with labels app=web,tier=front",
            "You deleted the pods in namespace team with labels app=web,tier=front",
        ),
        (DeleteObject(kind="Secret", namespace="team", name="key"), "Delete Secret key", "You deleted Secret key"),
        (DeleteObject(kind="Secret", namespace="team"), "Delete objects of kind Secret", "You deleted objects of kind Secret"),
    ],
)
def test_deletion_of_several_objects_says_which(command: Any, asked: str, done: str) -> None:
    assert (sentence(command), told(command)) == (asked, done)


def sentence(command: Any) -> str:
    return sentence_of(ACTS.of(command), command).english


def test_sentence_is_filled_from_the_command() -> None:
    command = SetProbe(target="default/web", container="app", probe="liveness", outcome="failure")
    assert sentence(command) == "Make the liveness probe of app fail"


def test_sentence_tells_force_from_grace() -> None:
    assert sentence(DeletePod(target="default/web", force=True)) == "Force delete default/web"


def test_sentence_names_what_is_applied() -> None:
    documents = tuple(json.dumps({"kind": "Pod", "metadata": {"name": name}}) for name in "abcd")
    assert sentence(ApplyManifest(documents=documents[:1])) == "Apply Pod a"
    assert sentence(ApplyManifest(documents=documents)) == "Apply Pod a, Pod b, Pod c, …"


@pytest.mark.parametrize("verb", list(ACTS.verbs.values()), ids=lambda verb: verb.name)
def test_fields_of_a_verb_are_words_of_yaml(verb: Verb) -> None:
    assert [field for field in verb.fields if not field.replace("-", "").isalnum()] == []


def test_field_added_later_is_reported_only_if_it_is_set() -> None:
    assert recorded_fields(EVICT_POD, EvictPod(target="default/web")) == (("grace_s", None),)
    assert recorded_fields(EVICT_POD, EvictPod(target="default/web", eviction="other")) == (("grace_s", None), ("eviction", "other"))
