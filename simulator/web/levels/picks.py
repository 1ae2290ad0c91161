"""Turn what an author picks from a run into a check or a prediction, with its text.

The level form and the lanes of a run offer the same picks; both get the pattern and sentence from here.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from msgspec import Struct

from simulator.engine.kernel.bounded import whole_number
from simulator.engine.kernel.units import Ms, Seq
from simulator.levels.picking import PickedRecord, check_of, holds_of, is_state, order_of, within_of
from simulator.levels.reading import HORIZON_MAX_MS, BadLevel
from simulator.levels.saying import clause_of
from simulator.levels.writing import inline_toml, lean, part_toml
from simulator.scenarios.grading.spans import span_text
from simulator.web.base.common import run_or_404
from simulator.web.base.guards import costly
from simulator.web.levels.level_source import RunRecords
from simulator.web.presenters import clock_text, seconds_text

PAIRS = ("before", "within")
"""Picks of two records."""
_NUMBERS = ("seq", "then", "within_ms", "from_ms", "until_ms")
_ASK_BEFORE_MS: Ms = 10_000
"""How long before its record a prediction is asked for."""


class LanePick(Struct, frozen=True, kw_only=True):
    """A statement (``do``) about the record ``seq``; ``then`` is the record that follows, at most ``within_ms`` later.

    From ``from_ms`` to ``until_ms``, the state that the record led to must hold.
    """

    do: str
    seq: Seq
    then: Seq = 0
    within_ms: Ms = 0
    from_ms: Ms = 0
    until_ms: Ms = 0


def part_of_pick(pick: LanePick, records: RunRecords, *, taken: list[str], start_ms: Ms = 0) -> tuple[str, dict[str, Any]] | None:
    """The array of a level that a pick belongs to, and its row there; None if there is no such record or pick. Raises BadLevel.

    ``taken`` are the names of existing checks, ``start_ms`` is where the level begins.
    """
    picked = records.picked(pick.seq)
    if picked is None:
        return None
    what = said_of(picked)
    common: dict[str, Any] = {"taken": taken, "from_ms": start_ms}
    if pick.do == "must":
        return "check", check_of("eventually", picked, text=_("%(what)s.") % {"what": what}, **common)
    if pick.do == "never":
        return "check", check_of("never", picked, text=_("This does not happen: %(what)s.") % {"what": what}, **common)
    if pick.do == "ask":
        return "ask", _ask(picked, taken=taken, start_ms=start_ms)
    if pick.do == "holds":
        return "check", _holds(pick, picked, taken=taken)
    then = records.picked(pick.then) if pick.do in PAIRS else None
    return None if then is None else ("check", _pair(pick, picked, then, common))


def said_of(picked: PickedRecord) -> str:
    """What the pattern of a picked record says; the record's own sentence if there is no clause for the pattern."""
    return clause_of(picked.pattern) or picked.text


def _ask(picked: PickedRecord, *, taken: list[str], start_ms: Ms) -> dict[str, Any]:
    check = check_of("never", picked, text="", taken=taken)
    at_ms = max(start_ms, picked.record.at_ms - _ASK_BEFORE_MS)
    question = _("When does this happen: %(what)s?") % {"what": said_of(picked)}
    return {"id": check["id"], "at": span_text(at_ms), "question": question, "place": lean(picked.pattern)}


def _holds(pick: LanePick, picked: PickedRecord, *, taken: list[str]) -> dict[str, Any]:
    if not is_state(picked):
        raise BadLevel(_("This is an instant and not a state, so it cannot last."))
    if not 0 <= pick.from_ms <= pick.until_ms <= HORIZON_MAX_MS:
        raise BadLevel(_("The end cannot be before the start."))
    values = {"start": clock_text(pick.from_ms), "end": clock_text(pick.until_ms), "what": said_of(picked)}
    text = _("From %(start)s to %(end)s this still holds: %(what)s.") % values
    return holds_of(picked, from_ms=pick.from_ms, until_ms=pick.until_ms, text=text, taken=taken)


def _pair(pick: LanePick, first: PickedRecord, then: PickedRecord, common: Mapping[str, Any]) -> dict[str, Any]:
    seconds = span_text(pick.within_ms).removesuffix("s")
    values = {"first": said_of(first), "then": said_of(then), "seconds": seconds}
    if pick.do == "before":
        return order_of(first, then, text=_("First: %(first)s. Then: %(then)s.") % values, **common)
    if not 0 < pick.within_ms <= HORIZON_MAX_MS:
        raise BadLevel(_("Seconds: a number from 0.1 to %(most)d.") % {"most": HORIZON_MAX_MS // 1000})
    text = _("Within %(seconds)s s of this: %(first)s, this happens: %(then)s.") % values
    return within_of(first, then, within_ms=pick.within_ms, text=text, **common)


@costly()
@require_safe
def level_pick(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """What the records ``seq`` and ``then`` say, or the check for a pick of them (``do``), as text and as TOML."""
    records = RunRecords(run_or_404(run_id))
    numbers = {
        name: whole_number(request.GET.get(name, ""), most=10**9) or 0 for name in ("seq", "then", "within_ms", "from_ms", "until_ms")
    }
    pick = LanePick(do=request.GET.get("do", "")[:10], **numbers)
    if not pick.do:
        picked = records.picked(pick.seq)
        return _answer(_record_facts(picked) if picked else None)
    try:
        made = part_of_pick(pick, records, taken=[])
    except BadLevel as error:
        return JsonResponse({"error": str(error)}, status=422)
    return _answer(made and _pick_facts(*made))


def _record_facts(picked: PickedRecord) -> dict[str, Any]:
    facts = {"text": picked.text, "pattern": inline_toml(lean(picked.pattern)), "at": seconds_text(picked.record.at_ms)}
    return {**facts, "is_state": is_state(picked)}


def _pick_facts(part: str, row: dict[str, Any]) -> dict[str, Any]:
    pattern = {name: value for name, value in row.items() if name not in ("id", "text", "question")}
    return {"text": row.get("text") or row.get("question"), "pattern": inline_toml(pattern)[2:-2], "toml": part_toml(part, row)}


def _answer(facts: dict[str, Any] | None) -> HttpResponse:
    return JsonResponse(facts) if facts else JsonResponse({"error": _("There is no such record.")}, status=404)
