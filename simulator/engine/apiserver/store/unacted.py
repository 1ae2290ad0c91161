"""What the store accepts but no part of the simulation acts on: the user is notified, as nothing else would show it.

A run writes a note when such an object is stored; editors, pages and commands call ``unacted``
beforehand.
"""

from collections.abc import Iterator

from msgspec import Struct

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import Data, RecordKind
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Subject
from simulator.engine.model.custom import group_of, is_custom
from simulator.engine.world.effects import Effects

WITHOUT_CONTROLLER = frozenset({"ReplicationController"})
"""Kinds that are stored and shown although nothing creates pods from them."""

RULES = (
    RuleText(
        "NO-CONTROLLER",
        gettext_noop(
            "Nothing acts on this {kind}: it is stored and shown, but the simulation has no controller that creates pods from it."
        ),
        "our choice",
        sure="assumed",
    ),
    RuleText(
        "CUSTOM-KIND",
        gettext_noop("{kind} is a custom kind of {group}: the object is stored and shown, but nothing in the simulation acts on it."),
        "our choice",
        sure="assumed",
    ),
)
_SENTENCES = {rule.id: rule.sentence for rule in RULES}


class Unacted(Struct, frozen=True, kw_only=True):
    """Something that nothing acts on: where it is, the rule that says so, and what its sentence names."""

    path: str
    rule: str
    data: Data

    @property
    def sentence(self) -> str:
        """The message id of the sentence."""
        return _SENTENCES[self.rule]

    @property
    def text(self) -> str:
        """The sentence in English."""
        return self.sentence.format(**dict(self.data))


def unacted(document: Json) -> Iterator[Unacted]:
    """What nothing acts on in an object as it is sent. Cost: a few µs."""
    kind = str(document.get("kind"))
    if kind in WITHOUT_CONTROLLER:
        yield Unacted(path="kind", rule="NO-CONTROLLER", data=(("kind", kind),))
    version = str(document.get("apiVersion"))
    if is_custom(version, kind):
        yield Unacted(path="kind", rule="CUSTOM-KIND", data=(("kind", kind), ("group", group_of(version))))


def note_unacted(fx: Effects, document: Json, subject: Subject) -> None:
    """Write a note for each thing in a new object that nothing acts on."""
    for item in unacted(document):
        data = (("text", item.text), *item.data)
        fx.record(kind=RecordKind.NOTE.value, subject=subject, machine="note", target="not-simulated", rule=item.rule, data=data)
