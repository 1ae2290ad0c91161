"""The declaration of an act: everything that the product says and does about one thing a user may do, in one place.

An act is data around two functions. ``command`` is the struct that is stored in a run, so its tag
and fields are part of the stored format: a field may be added with a default, but not renamed.
``handler`` works in two steps. When called, it checks the command against the tables as they
are, and raises Refusal or ApiError; it must not change anything. What it returns carries out the
change. Between the two ``carry_out`` writes the record of the command, so that every record of the
change can name it as its cause, and a refused command leaves nothing but its record.

Around these are the texts (sentence, headline, rules), the form and the buttons of the page, and
the verbs of scripts. ``all_acts.ACTS`` collects the acts; page, scripts, narrator and documentation
query it and have no lists of their own.

Texts are message ids with fields in braces, filled from the command's record. What a record does
not contain cannot be shown later, hence ``details`` and ``omitted_if_empty``: a headline is built from the
record alone, at any later time and in any language.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from msgspec import Struct, structs

from simulator.engine.acts.form import Form
from simulator.engine.acts.offer import Offers
from simulator.engine.acts.roles import target_words
from simulator.engine.acts.script import Verb
from simulator.engine.apiserver.managed.writes import Writer
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText
from simulator.engine.kernel.units import Scalar, Subject
from simulator.engine.projection.text import Text, needed
from simulator.engine.world.effects import Effects

C = TypeVar("C", bound=Command)


class Either(Struct, frozen=True):
    """One of two message ids, depending on whether a field of the command is set."""

    field: str
    is_set: str
    is_not_set: str


class Among(Struct, frozen=True):
    """One of several message ids, depending on the value of a field; ``otherwise`` for any other value."""

    field: str
    texts: tuple[tuple[str, str], ...]
    otherwise: str


Wording = str | Either | Among
"""A message id, or several of them to choose from; the values are the fields of the command."""


def wordings_of(wording: Wording) -> tuple[str, ...]:
    """Every message id that it may result in."""
    if isinstance(wording, str):
        return (wording,)
    if isinstance(wording, Either):
        return (wording.is_set, wording.is_not_set)
    return (*(msgid for _, msgid in wording.texts), wording.otherwise)


class Act(Struct, Generic[C], frozen=True, kw_only=True):
    """One thing that a user may do.

    ``handler`` checks the command at its moment and returns what it does; it raises Refusal or ApiError if that is impossible.
    ``subject`` is what the command's record is about, ``details`` gives what it contains beyond the command's own fields,
    of which ``omitted`` are left out, and ``omitted_if_empty`` if they are not set. ``sentence`` is what was requested,
    ``headline`` what was done; ``values`` are for the sentence, beyond the fields. ``writer`` names the client's field manager
    (managedFields), None if the client names none. ``no_form`` and ``no_verb`` say why an act has
    no button, or why no script has a verb for it.
    """

    command: type[C]
    handler: Callable[[Effects, C], Doing]
    subject: Callable[[C], Subject]
    sentence: Wording
    headline: Wording
    values: Callable[[C], Data] | None = None
    writer: Callable[[Effects, C], Writer | None] | None = None
    details: Callable[[C], Data] | None = None
    omitted: tuple[str, ...] = ("target", "container", "node", "namespace", "document", "documents", "manager")
    omitted_if_empty: tuple[str, ...] = ()
    icon: str = "bolt"
    form: Form | None = None
    offers: Offers = Offers()
    verbs: tuple[Verb, ...] = ()
    rules: tuple[RuleText, ...] = ()
    no_form: str = ""
    no_verb: str = ""

    @property
    def do(self) -> str:
        """The tag of the command, as it is stored."""
        return do_of(self.command)


def do_of(command: Command | type[Command]) -> str:
    """The tag of a command, as it is stored."""
    return str(command.__struct_config__.tag)


def sentence_of(act: Act[Any], command: Command) -> Text:
    """What the command requests, in one line."""
    fields: dict[str, Any] = structs.asdict(command)
    for name, of_pods in (("target", True), ("name", False)):
        if isinstance(fields.get(name), str):
            fields[name] = target_words(fields[name], of_pods=of_pods)
    if act.values is not None:
        fields |= dict(act.values(command))
    return needed(_chosen(act.sentence, fields), fields)


def headline_of(act: Act[Any], values: dict[str, Scalar]) -> str:
    """The message id for what was done, from the values of the command's record."""
    return _chosen(act.headline, values)


def _chosen(wording: Wording, values: dict[str, Any]) -> str:
    if isinstance(wording, str):
        return wording
    value = values.get(wording.field)
    if isinstance(wording, Among):
        return dict(wording.texts).get(str(value), wording.otherwise)
    return wording.is_set if value else wording.is_not_set


def recorded_fields(act: Act[Any], command: Command) -> Data:
    """The command's fields for its record, without documents and those that the subject names."""
    given = [(name, getattr(command, name)) for name in command.__struct_fields__ if name not in act.omitted]
    shown = [(name, value) for name, value in given if name not in act.omitted_if_empty or value not in ("", 0)]
    # Records hold plain values only.
    recorded = tuple((name, value if isinstance(value, str | int | None) else str(value)) for name, value in shown)
    return recorded if act.details is None else (*recorded, *act.details(command))


def the_run(command: Command) -> Subject:
    """The subject of a command that is not about a single object."""
    return "run"


def the_pod(command: Any) -> Subject:
    """The pod that ``target`` names."""
    return f"pod/{command.target}"


def the_container(command: Any) -> Subject:
    """The container of the pod that ``target`` names."""
    return f"container/{command.target}/{command.container}"


def the_node(command: Any) -> Subject:
    """The node that ``node`` names."""
    return f"node/{command.node}"
