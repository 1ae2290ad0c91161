"""Find acts that were refused when they were repeated with another seed, version or value, and describe them.

A run in which an act was refused is not the experiment that was asked for, and anything that shows its results says so.
"""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _
from msgspec import Struct

from simulator.engine import Record, RunHeader, Stamped
from simulator.engine.acts.act import do_of, sentence_of
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.acts.carry_out import NOT_DONE
from simulator.engine.acts.roles import BadRole, role_of
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.projection.headlines import values_of
from simulator.engine.projection.text import Text, needed, translated_text
from simulator.engine.rules.rulebook import RULEBOOK


class RefusedAct(Struct, frozen=True):
    """An act that was refused: its moment and record, and the act and the reason as translatable sentences."""

    at_ms: Ms
    seq: Seq
    act: Text
    why: Text

    @property
    def words(self) -> str:
        """Act and reason in the reader's language: ``20 s, Delete default/web: There is no pod of that name at this moment.``"""
        return _("%(seconds)s s, %(act)s: %(why)s") % {"seconds": f"{self.at_ms / 1000:g}", "act": said(self.act), "why": said(self.why)}


def said(text: Text) -> str:
    """A sentence of the engine in the reader's language."""
    return translated_text(text, _)


def refused_acts(records: Iterable[Record], header: RunHeader, commands: Sequence[Stamped] = ()) -> tuple[RefusedAct, ...]:
    """The refused acts among these records, in order, including later refusals by single pods of an act on several pods.

    ``header`` and ``commands`` are the run's: the record of a refusal does not contain the whole act. O(records).
    """
    return tuple(_refused_act(record, header, commands) for record in records if is_refusal(record))


def is_refusal(record: Record) -> bool:
    """Whether a record says that an act was refused, as a whole or for one pod of several."""
    return (record.kind == "command" and record.target == "refused") or (record.kind == "note" and record.target == NOT_DONE)


def why_refused(record: Record) -> Text:
    """The sentence of the refusing rule, filled in from the record; the rule's id if the rulebook has no sentence."""
    rule = RULEBOOK.get(record.rule)
    return needed(rule.sentence, values_of(record)) if rule is not None else Text(record.rule)


def _refused_act(record: Record, header: RunHeader, commands: Sequence[Stamped]) -> RefusedAct:
    command = _command_of(record, header, commands)
    act = sentence_of(ACTS.of(command), command) if command is not None else Text(str(record.get("do")))
    return RefusedAct(record.at_ms, record.seq, act, why_refused(record))


def _command_of(record: Record, header: RunHeader, commands: Sequence[Stamped]) -> AnyCommand | None:
    """The command that the record of a refusal is about: the one with the same moment and kind, and the same role or subject."""
    given = [*((item.at_ms, item.command) for item in commands), *((step.at_ms, step.command) for step in header.script)]
    # The record has the moment and kind of the act; the role or subject distinguishes two at the same moment.
    likely = [command for at_ms, command in given if at_ms == record.at_ms and do_of(command) == record.get("do")]
    return next((command for command in likely if _is_about(command, record)), likely[0] if likely else None)


def _is_about(command: AnyCommand, record: Record) -> bool:
    try:
        role = role_of(getattr(command, "target", "") or str(getattr(command, "name", "")))
    except BadRole:
        return record.subject == "run"
    return record.get("role") == role.text if role is not None else ACTS.of(command).subject(command) == record.subject
