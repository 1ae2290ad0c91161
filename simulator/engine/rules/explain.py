"""Why something happened: the chain of causes behind a record, each step with what happened, the rule and its source.

Everything is returned as message ids with values, so that a page can translate it; the English text is a property. Rules of the
engine fill their sentences from the record's own data; a missing value shows as ``…``.

Each record names one cause, the record that made its component act. The chain follows causes back to a
user's act or to time 0 and is kept as short as possible: a step whose headline was already given is left out, and a
rule shared by neighbours gives its sentence once, on the later of the two. The narrator (``narrate``)
is the opposite, forward in time: it reports only what changes the picture, so internal steps between two
visible states are silent, and a probe is reported up to its threshold.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from simulator.engine.acts import narrator
from simulator.engine.kernel.records import Record, RecordKind
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms, Seq, Subject
from simulator.engine.projection.headlines import given_values, values_of
from simulator.engine.projection.spans import StateSpan, record_at, span_at
from simulator.engine.projection.subjects import short
from simulator.engine.projection.text import Text, fill, missing, needed
from simulator.engine.rules.anchors import anchor
from simulator.engine.rules.rulebook import RULEBOOK

__all__ = ["Records", "StateSpan", "ExplainedStep", "Text", "fill", "headline", "narrate", "record_at", "span_at", "why"]

Records: TypeAlias = Sequence[Record] | Mapping[Seq, Record] | Callable[[Seq], Record | None]
"""Where records are looked up: a list that starts at seq 1, a mapping by seq, or a function."""

LIMIT = 40
"""Maximum number of steps in a chain."""
_NEAR_MAX = 4
_NOTHING = Text("")
_ANSWER = gettext_noop("It responded: {output}")
_MESSAGE = gettext_noop("The message is: {message}")
_CHANGED = gettext_noop("Something changed: {about}")
_QUIET_MACHINES = ("pod_worker", "sandbox", "hook", "container_status")
_QUIET_TARGETS = (("container", "creating"), ("stop", "stopped"))
_TOLD_BY_OTHERS = ("Unhealthy", "BackOff")
_QUIET_CONDITIONS = ("Initialized", "ContainersReady", "PodScheduled", "PodReadyToStartContainers", "PodHasNetwork")
_TOLD_ATTEMPTS = ("failure", "timeout", "error")


class ExplainedStep(Struct, frozen=True, kw_only=True):
    """One link of a chain. ``doc`` is a page of the documentation with its section; ``sure`` how well the rule is known.

    ``is_act``: a user did this, so the chain ends here. ``is_known``: the rulebook has the rule; another revision may have had it.
    """

    seq: Seq
    at_ms: Ms
    subject: Subject
    machine: str
    kind: str
    headline: Text
    sentence: Text
    rule_id: str
    source: str = ""
    doc: str = ""
    sure: str = ""
    is_act: bool = False
    is_known: bool = True

    @property
    def what(self) -> str:
        """The headline in English."""
        return self.headline.english

    @property
    def text(self) -> str:
        """The rule's sentence in English."""
        return self.sentence.english


def headline(record: Record, rulebook: Mapping[str, RuleText] = RULEBOOK) -> Text:
    """What a record says happened, in one line.

    A record without a headline of its own, like most decisions of controllers, uses its rule's sentence. A record of another revision
    that has neither only says what it is about.
    """
    own = narrator.headline(record)
    if own is not None:
        return own
    rule, values = rulebook.get(record.rule), given_values(record)
    if rule is not None and not missing(rule.sentence, values):
        return needed(rule.sentence, values)
    return Text(_CHANGED, (("about", short(record.subject)),))


def why(records: Records, seq: Seq, rulebook: Mapping[str, RuleText] = RULEBOOK, *, limit: int = LIMIT) -> tuple[ExplainedStep, ...]:
    """The chain from record ``seq`` back to the beginning or to a user's act, newest first. Empty for an unknown seq.

    A step that would repeat a previous one is left out; if two neighbours follow from one rule, its sentence is
    given once. O(limit).
    """
    steps: list[ExplainedStep] = []
    explained: dict[tuple[str, str, str], None] = {}
    record, last_rule = _look_up(records, seq), ""
    while record is not None and len(steps) < limit:
        text = headline(record, rulebook)
        key = (record.subject, record.rule, text.english)
        # A cause is always older; 0 and anything else ends the chain.
        cause = _look_up(records, record.cause) if record.cause < record.seq else None
        if key not in explained:
            explained[key] = None
            rule = rulebook.get(record.rule)
            is_said = record.rule == last_rule or (rule is not None and rule.sentence == text.msgid)
            sentence = _detail(record) if rule is None or is_said else _sentence(rule, record, _near(records, record))
            steps.append(_step(record, text, sentence, rule))
            last_rule = record.rule
        record = cause
    return tuple(steps)


def _look_up(records: Records, seq: Seq) -> Record | None:
    """The record of that number, or None."""
    if seq < 1:
        return None
    if callable(records):
        return records(seq)
    if isinstance(records, Mapping):
        return records.get(seq)
    return records[seq - 1] if seq <= len(records) else None


def _near(records: Records, record: Record) -> list[Record]:
    """The nearest causes of a record, ending with the one that decided by the same rule."""
    found: list[Record] = []
    while record.cause < record.seq and len(found) < _NEAR_MAX and (cause := _look_up(records, record.cause)) is not None:
        found.append(cause)
        record = cause
    return found


def _sentence(rule: RuleText, record: Record, causes: Sequence[Record]) -> Text:
    """The rule's sentence; missing values may come from the cause, if both are about the same thing or follow from one rule.

    An Event reports what its cause did by the same rule: then the cause's values are best. In between may be other consequences of
    the decision, such as the change of an object.
    """
    values = values_of(record)
    cause = causes[0] if causes else None
    if cause is not None and cause.rule == record.rule and record.kind == RecordKind.K8S_EVENT.value:
        values = {**values, **values_of(cause)}
    elif cause is not None and (cause.subject == record.subject or cause.rule == record.rule):
        # The record's own values win.
        values = {**values_of(cause), **values}
    for further in causes[1:]:
        if further.rule == record.rule and missing(rule.sentence, values):
            values = {**values_of(further), **{name: value for name, value in values.items() if value is not None}}
    if record.kind == RecordKind.K8S_EVENT.value and missing(rule.sentence, values):
        return _NOTHING  # its headline has the message of the Event, which says what happened
    return needed(rule.sentence, values)


def _step(record: Record, text: Text, sentence: Text, rule: RuleText | None) -> ExplainedStep:
    return ExplainedStep(
        seq=record.seq,
        at_ms=record.at_ms,
        subject=record.subject,
        machine=record.machine,
        kind=record.kind,
        headline=text,
        sentence=sentence,
        rule_id=record.rule,
        source=rule.source if rule is not None else "",
        doc=anchor(record.rule),
        sure=rule.sure if rule is not None else "",
        is_act=record.kind == RecordKind.COMMAND.value,
        is_known=rule is not None,
    )


def _detail(record: Record) -> Text:
    """What a record adds to its headline if its rule has been given already."""
    output, message = record.get("output"), record.get("message")
    if isinstance(output, str) and output.strip():
        return Text(_ANSWER, (("output", output.strip()),))
    if record.kind != RecordKind.K8S_EVENT.value and isinstance(message, str) and message.strip():
        return Text(_MESSAGE, (("message", message.strip()),))
    return _NOTHING


def narrate(record: Record) -> Text | None:
    """A line for screen readers; None if the record is one of many or another record says it better."""
    if record.kind == RecordKind.COMMAND.value:
        return headline(record)
    if record.machine in _QUIET_MACHINES or (record.machine, record.target) in _QUIET_TARGETS:
        return None
    teller = _NOTABLE.get(record.machine)
    return headline(record) if teller is None or teller(record) else None


def _is_notable_attempt(record: Record) -> bool:
    """Whether it is a failed attempt, up to the threshold."""
    run, threshold = record.get("run"), record.get("threshold")
    # A probe that keeps failing says nothing new.
    beyond = isinstance(run, int) and isinstance(threshold, int) and run > threshold
    return record.target in _TOLD_ATTEMPTS and not beyond


def _is_notable_condition(record: Record) -> bool:
    return record.subject.rpartition("/")[2] not in _QUIET_CONDITIONS and record.source not in ("", record.target)


def _is_notable_event(record: Record) -> bool:
    """Whether it is a warning that occurs for the first time."""
    return record.get("type") == "Warning" and record.get("count") == 1 and record.target not in _TOLD_BY_OTHERS


def _is_notable_word(record: Record) -> bool:
    return record.source not in ("", record.target) and record.target != ""


_NOTABLE: dict[str, Callable[[Record], bool]] = {
    "probe_attempt": _is_notable_attempt,
    "condition": _is_notable_condition,
    "node_condition": lambda record: record.source not in ("", record.target),
    "k8s_event": _is_notable_event,
    "status_word": _is_notable_word,
    "import": lambda record: record.subject == "run",
    "note": lambda record: record.rule != "IMPORT-READ",
}
