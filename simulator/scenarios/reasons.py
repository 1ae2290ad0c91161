"""Every STATUS word and reason that the stories show, and where: the contents of the reasons page.

``make golden`` writes them to ``data/reasons.json`` from the stories; the page reads the file and plays nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.projection.text import Text
from simulator.engine.rules import explain
from simulator.scenarios.play import play
from simulator.scenarios.story import Story

FILE = Path(__file__).parent / "data" / "reasons.json"
KINDS = ("status", "waiting", "terminated", "pod", "condition", "event")
"""Where a word appears: STATUS in kubectl, a container's state, the pod's status, a condition, an Event."""
SEEN_MAX = 4
_COUNTS = re.compile(r"\d+/\d+")


class WordPlace(Struct, frozen=True, kw_only=True):
    """The first time that a story shows a word; ``acted`` means only after the acts of a reader who follows it, not by itself."""

    story: str
    at_ms: Ms
    seq: Seq
    subject: str
    acted: bool


class ReasonWord(Struct, frozen=True, kw_only=True):
    """A word: ``of`` is its condition with the status, or the type of its Event; ``by`` is the component that wrote it.

    ``sentence`` and ``rule`` are those of the first record that shows it, ``message`` is the message next to it,
    ``doc`` the page of the documentation.
    """

    kind: str
    word: str
    of: str
    by: str
    sentence: Text
    rule: str
    message: str
    doc: str
    seen: tuple[WordPlace, ...]


REASONS_JSON: Typed[tuple[ReasonWord, ...]] = Typed(tuple[ReasonWord, ...])


@cache
def read_reasons() -> tuple[ReasonWord, ...]:
    """The words as last collected, in the order of ``KINDS`` and then alphabetically."""
    return REASONS_JSON.from_json(FILE.read_bytes())


def as_json(reasons: Iterable[ReasonWord]) -> str:
    """The contents of the file."""
    return msgspec.json.format(msgspec.json.encode(list(reasons)), indent=1).decode() + "\n"


def collect(stories: Sequence[Story]) -> list[ReasonWord]:
    """The words that the stories show, each played without acts and with its answer. About a second."""
    found: dict[tuple[str, str, str], list[tuple[Record, Sequence[Record], WordPlace]]] = {}
    for acted in (False, True):
        for story in stories:
            records, _ = play(story, None if acted else ())
            for key, record in _words(records):
                seen = WordPlace(story=story.slug, at_ms=record.at_ms, seq=record.seq, subject=record.subject, acted=acted)
                shown = found.setdefault(key, [])
                if all(other.story != story.slug for _, _, other in shown):
                    shown.append((record, records, seen))
    ordered = sorted(found, key=lambda key: (KINDS.index(key[0]), key[1].casefold(), key[2]))
    return [_reason(key, found[key]) for key in ordered]


def _words(records: Iterable[Record]) -> Iterator[tuple[tuple[str, str, str], Record]]:
    """Every word in the records: its kind, the word, what it is about, and the record."""
    for record in records:
        data = dict(record.data)
        reason = str(data.get("reason") or "")
        if record.kind == "event":
            yield ("event", record.target, str(data.get("type") or "")), record
        elif record.machine == "status_word" and record.target:
            yield ("status", _COUNTS.sub("N/M", record.target), ""), record
        elif record.machine == "container_status" and reason and record.target in KINDS:
            yield (record.target, reason, ""), record
        elif record.machine == "phase" and reason:
            yield ("pod", reason, f"phase={record.target}"), record
        elif record.machine == "condition" and reason:
            yield ("condition", reason, f"{record.subject.rpartition('/')[2]}={record.target}"), record


def _reason(key: tuple[str, str, str], shown: Sequence[tuple[Record, Sequence[Record], WordPlace]]) -> ReasonWord:
    kind, word, of = key
    record, records, _ = shown[0]
    step = explain.why(records, record.seq)[0]
    data = dict(record.data)
    alone = [seen for _, _, seen in shown if not seen.acted]
    return ReasonWord(
        kind=kind,
        word=word,
        of=of,
        by=str(data.get("component") or ""),
        sentence=step.sentence,
        rule=step.rule_id,
        message=str(data.get("message") or ""),
        doc=step.doc,
        seen=tuple((alone or [seen for _, _, seen in shown])[:SEEN_MAX]),
    )
