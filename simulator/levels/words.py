"""Explain in one or two sentences why a check failed: when it was decided, by which record, and which record came closest.

The pages, the reports of exams and classes, and ``manage.py levels`` all use these texts.
"""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.projection.text import Text
from simulator.engine.rules import explain
from simulator.scenarios.grading.check import Check, CheckWord
from simulator.scenarios.grading.grader import CheckResult, CheckVerdict
from simulator.scenarios.grading.near import Near

Told = Callable[[Text], str]
"""Translates a sentence of the engine into a reader's language."""


def english(text: Text) -> str:
    """The sentence as written in the code."""
    return text.english


def reason(check: Check, result: CheckResult, records: Sequence[Record], *, told: Told = english) -> str:
    """Why a check failed; "" if it was kept or is open. ``records`` are the run's, from seq 1."""
    if result.verdict in (CheckVerdict.OPEN, CheckVerdict.KEPT):
        return ""
    if result.verdict is CheckVerdict.VACUOUS:
        return _("Nothing that this check is about happened.")
    said = _decided(check, result, records, told)
    near = _near(result, records, told)
    return f"{said} {near}" if near else said


def clock(at_ms: Ms) -> str:
    """A moment of a run as shown on pages: ``1:05.3``, and after an hour ``1:01:05.3``."""
    # Truncated, not rounded: 59.96 s must not appear as 60.0.
    minutes, rest = divmod(at_ms, 60_000)
    seconds = f"{rest // 1000:02d}.{rest // 100 % 10}"
    return f"{minutes}:{seconds}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{seconds}"


def _decided(check: Check, result: CheckResult, records: Sequence[Record], told: Told) -> str:
    at = clock(result.at_ms or 0)
    what = _headline(result.seq, records, told)
    # A limit of 0 s is exceeded after the first millisecond, and "lasted 0.001 s" would not be helpful.
    if check.word is CheckWord.LASTS and result.spent_ms <= 1:
        return _("At %(at)s it was in a state that this check rules out.") % {"at": at}
    if check.word is CheckWord.LASTS:
        return _("By %(at)s it had lasted %(spent)s s.") % {"at": at, "spent": result.spent_ms / 1000}
    if result.verdict is CheckVerdict.LOST:
        return _("At %(at)s it could no longer happen: %(what)s.") % {"at": at, "what": what}
    if what and check.word is not CheckWord.EVENTUALLY:
        record = records[result.seq - 1]
        what += _data(check, record)
        if record.at_ms < (result.at_ms or 0):  # a state is judged at a moment that may have no record
            return _("At %(at)s this was the state, since %(since)s: %(what)s.") % {"at": at, "since": clock(record.at_ms), "what": what}
        return f"{at} {what}."
    if check.word is CheckWord.EVENTUALLY and check.times not in (None, 1):
        return _("By %(at)s it had happened %(count)d of %(times)d times.") % {"at": at, "count": result.count, "times": check.times}
    if check.word is CheckWord.ALWAYS:
        return _("At %(at)s this was not the case.") % {"at": at}
    return _("It had not happened by %(at)s.") % {"at": at}


def _data(check: Check, record: Record) -> str:
    """The values of a record that has the right state but not the required data, which its sentence may not mention."""
    pattern = check.pattern
    if check.word is not CheckWord.ALWAYS or not pattern.is_target(record) or pattern.is_data(record):
        return ""
    found = ((name, record.get(name)) for name in pattern.data)
    told = (f"{name}: {'–' if value is None else value}" for name, value in found)
    return f" ({', '.join(told)})"


def _near(result: CheckResult, records: Sequence[Record], told: Told) -> str:
    if not result.near_seq:
        return ""
    record = records[result.near_seq - 1]
    values = {
        "at": clock(record.at_ms),
        "what": _headline(result.near_seq, records, told),
        "late": (record.at_ms - (result.at_ms or 0)) / 1000,
    }
    if result.near == Near.LATE:
        return _("It came %(late)s s too late: %(at)s %(what)s.") % values
    if result.near == Near.EARLY:
        return _("It came too early to count: %(at)s %(what)s.") % values
    return _("The closest record: %(at)s %(what)s.") % values


def _headline(seq: Seq, records: Sequence[Record], told: Told) -> str:
    return told(explain.headline(records[seq - 1])).rstrip(".") if 0 < seq <= len(records) else ""
