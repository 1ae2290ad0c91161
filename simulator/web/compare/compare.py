"""Two runs side by side: branches, versions, or any two whose links you have.

Both runs are read as records only; a world is sought only if requests have to be counted. The runs are
aligned at a zero: their beginnings, where they branched, an event that both have, or two chosen records.
Everything on the page is relative to the zero, and only as far as both have got (the horizon), since
whatever one of them has not reached yet is not a difference.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.projection.subjects import short
from simulator.engine.rules import explain
from simulator.headless.comparison import SPAN, Anchor, Comparison, Fact, Half, Interval, Side, anchors, compare
from simulator.headless.matching import MatchedRow
from simulator.headless.refused import is_refusal, refused_acts
from simulator.kubectl.changes import document_of
from simulator.models import Run
from simulator.runs.log import timemachine
from simulator.runs.log.clock import moment_of
from simulator.runs.log.history import commands_of, is_kept
from simulator.runs.permissions import address_hash_of, owner_key
from simulator.runs.selectors.runs import run_branches, run_clock, run_get
from simulator.runs.selectors.shares import share_get
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.runs import run_move as move
from simulator.runs.services.shares import shared_run
from simulator.runs.turns.allowance import StillComputing
from simulator.web import presenters
from simulator.web.base.common import Context, first_error, go_to, refusal, run_or_404, wants_fragment
from simulator.web.base.guards import costly
from simulator.web.base.rules import rule_texts_url
from simulator.web.compare.acts_apart import acts_apart
from simulator.web.compare.compare_forms import CompareForm, MoveForm
from simulator.web.run.attempts import attempt_names
from simulator.web.run.difference import difference
from simulator.web.run.moves import move_context, world_of
from simulator.web.run.page import branch_items
from simulator.web.run.why import step_context

RECORDS_MAX = 200_000
"""At most this many records of a run are compared, the first ones."""
STEPS_MAX = 6
"""Links of a causal chain that are shown for either side."""
ROWS_MAX, INTERVALS_MAX = 300, 200
REFUSED_MAX = 5
"""At most this many refused acts of a run are named."""
ZERO, BRANCH, CHOSEN = "zero", "branch", "chosen"
_RUN = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.IGNORECASE)
_SHARE = re.compile(r"/s/([a-z2-7]{4,60})(?:/|$|\?|#)|^([a-z2-7]{10,60})$")


@dataclass(frozen=True)
class Pair:
    """Two runs with their records, and how they are aligned."""

    runs: tuple[Run, Run]
    align: str
    seqs: tuple[Seq, Seq]

    @cached_property
    def records(self) -> tuple[list[Record], list[Record]]:
        """Every stored record of each."""
        left, right = (timemachine.log(run, after=0, limit=min(run.head_seq, RECORDS_MAX)) for run in self.runs)
        return left, right

    @cached_property
    def anchors(self) -> tuple[Anchor, ...]:
        """The events that both have."""
        return anchors(*self.records)

    @cached_property
    def zeros(self) -> tuple[tuple[Ms, Seq], tuple[Ms, Seq]]:
        """For each run, the moment at which it is aligned, and the record at which the comparison begins."""
        begin = ((0, 1), (0, 1))
        if self.align == BRANCH:
            return self._branch_points() or begin
        if self.align == CHOSEN:
            left, right = (self._record(records, seq) for records, seq in zip(self.records, self.seqs, strict=True))
        else:
            found = next((anchor for anchor in self.anchors if anchor.name == self.align), None)
            left, right = found.records if found is not None else (None, None)
        return ((left.at_ms, left.seq), (right.at_ms, right.seq)) if left is not None and right is not None else begin

    @cached_property
    def reach(self) -> tuple[Ms, Ms]:
        """How far the records of each are complete."""
        left, right = (reach_of(run) for run in self.runs)
        return left, right

    @property
    def is_aligned(self) -> bool:
        """Whether they are aligned at anything other than their beginnings."""
        return self.zeros != ((0, 1), (0, 1))

    def _branch_points(self) -> tuple[tuple[Ms, Seq], tuple[Ms, Seq]] | None:
        points = [
            (run.parent_ms, next((record.seq for record in records if record.at_ms > run.parent_ms), 1))
            for run, records in zip(self.runs, self.records, strict=True)
            if run.parent_ms is not None
        ]
        return (points[0], points[1]) if len(points) > 1 else None

    @staticmethod
    def _record(records: list[Record], seq: Seq) -> Record | None:
        return records[seq - 1] if 0 < seq <= len(records) else None

    def comparison(self) -> Comparison:
        """The differences as far as both have got. Costs a seek in each run if there are requests to be counted."""
        return compare(*(self._side(place) for place in (0, 1)))

    def _side(self, place: int) -> Side:
        run, records, (zero_ms, from_seq) = self.runs[place], self.records[place], self.zeros[place]
        horizon_ms = min(reach - zero for reach, (zero, _seq) in zip(self.reach, self.zeros, strict=True))
        until_ms = zero_ms + max(0, horizon_ms)
        has_requests = any(record.machine == "requests" for record in records)
        world = world_of(run, until_ms) if has_requests else None
        return Side(records=records, until_ms=self.reach[place], zero_ms=zero_ms, from_seq=from_seq, world=world)


def reach_of(run: Run) -> Ms:
    """The moment up to which all records of a run are stored: its clock's, unless its runner has not got there yet. One seek."""
    if is_kept(run) or not run.head_seq:
        return run.head_ms
    moment_ms = moment_of(run)
    try:
        # If there are more records at the clock's moment than stored, the log is behind.
        return moment_ms if timemachine.seek(run, ms=moment_ms).seq == run.head_seq else run.head_ms
    except StillComputing:
        return run.head_ms


@costly()
@require_safe
@never_cache
@vary_on_headers("HX-Request")
def run_compare(request: HttpRequest, run_id: UUID, other_id: UUID) -> HttpResponse:
    """The page of two runs, or for scripts just the part with the differences."""
    pair = _pair(request, run_id, other_id)
    found = pair.comparison()
    everything = request.GET.get("show") == "all"
    context = results_context(pair, found, everything=everything, query=_query(request))
    if wants_fragment(request):
        return render(request, "compare/partials/_results.html", context)
    return render(request, "compare/detail.html", {**context, **_page_context(pair, found)})


def _pair(request: HttpRequest, run_id: UUID, other_id: UUID) -> Pair:
    """The pair for a URL. Invalid alignment parameters are ignored rather than refused, because chats mangle links."""
    form = CompareForm(request.GET)
    fields = form.cleaned_data if form.is_valid() else {}
    seqs = (fields.get("a") or 0, fields.get("b") or 0)
    align = CHOSEN if all(seqs) else fields.get("align") or ZERO
    return Pair((run_or_404(run_id), run_or_404(other_id)), align, seqs)


def _query(request: HttpRequest) -> str:
    """The alignment in a URL, for links that keep it."""
    kept = {name: request.GET[name] for name in ("align", "a", "b") if name in request.GET}
    return "&".join(f"{name}={value}" for name, value in kept.items() if re.fullmatch(r"[\w-]{1,60}", value))


@costly()
@require_safe
def run_compare_with(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Redirect to the comparison of a run with the one whose link was pasted, a run's or a share link."""
    run = run_or_404(run_id)
    other = run_of_link(request.GET.get("with", "").strip())
    if other is None:
        text = _("“with” is not a link to a run or a shared moment on this site: paste the address of its page.")
        return refusal(request, text, back=reverse("sim:run", args=[run.id]))
    return redirect("sim:run-compare", run_id=run.id, other_id=other.id)


def run_of_link(link: str) -> Run | None:
    """The run for a pasted URL or id; for a share link, the run behind it."""
    by_id = _RUN.search(link)
    if by_id is not None:
        return run_get(UUID(by_id[1]))
    # Checked second; a run's id does not match the form of a share's.
    by_share = _SHARE.search(link)
    share = share_get(by_share[1] or by_share[2]) if by_share is not None else None
    return shared_run(share=share) if share is not None else None


@costly()
@require_POST
def run_move(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Make a branch that begins with the same act at another moment; redirect to it, or to its comparison with ``against``."""
    run = run_or_404(run_id)
    form = MoveForm(request.POST)
    back = reverse("sim:run", args=[run.id])
    if not form.is_valid():
        return refusal(request, first_error(form.errors), back=back)
    fields = form.cleaned_data
    try:
        moved = move(
            branch=run,
            owner_key=owner_key(request),
            at_ms=fields["at_ms"],
            branch_key=fields["client_key"],
            address=address_hash_of(request),
        )
    except ServiceError as error:
        return refusal(request, str(error), back=back)
    against = fields["against"]
    if against is None:
        return go_to(request, reverse("sim:run", args=[moved.id]))
    pair = (moved.id, against) if fields["side"] == "left" else (against, moved.id)
    return go_to(request, reverse("sim:run-compare", args=pair))


@costly()
@require_safe
def run_compare_diff(request: HttpRequest, run_id: UUID, other_id: UUID) -> HttpResponse:
    """The selected object in both runs at one moment after the zero, as the panel that scripts place under the lanes."""
    form = CompareForm(request.GET)
    if not form.is_valid():
        return HttpResponseBadRequest(first_error(form.errors))
    pair = _pair(request, run_id, other_id)
    fields = form.cleaned_data
    moments = [max(0, min(moment_of(run), (fields["t"] or 0) + zero)) for run, (zero, _seq) in zip(pair.runs, pair.zeros, strict=True)]
    worlds = [world_of(run, moment_ms) for run, moment_ms in zip(pair.runs, moments, strict=True)]
    before, after = (None if world is None else document_of(world, fields["sel"]) for world in worlds)
    panel = {
        **difference(before, after, noise=fields["noise"]),
        "subject": fields["sel"],
        "name": short(fields["sel"]),
        "before_ms": moments[0],
        "after_ms": moments[1],
        "names": side_names(pair.runs),
        "is_kept": None in worlds,
    }
    return render(request, "compare/partials/_object.html", {"panel": panel})


# ---- contexts ----------------------------------------------------------------------------------------------------------------------


def _page_context(pair: Pair, found: Comparison) -> Context:
    left, right = pair.runs
    sides = [_side_context(pair, place) for place in (0, 1)]
    choices = [(ZERO, _("their start"))]
    points = [run.parent_ms for run in pair.runs if run.parent_ms is not None]
    if len(set(points)) > 1:
        choices.append((BRANCH, _("where they branch")))
    choices += [(anchor.name, _(anchor.label)) for anchor in pair.anchors]
    if pair.align == CHOSEN:
        choices.append((CHOSEN, _("the selected records")))
    return {
        "sides": sides,
        "choices": choices,
        "align": pair.align,
        "versions_differ": len({run.header().kubernetes for run in pair.runs}) > 1,
        "swapped": reverse("sim:run-compare", args=[right.id, left.id]),
        "level_href": _level_href(pair),
        "page": {
            "sides": [side["data"] for side in sides],
            "is_aligned": pair.is_aligned,
            "is_one_past": left.id != right.id and _shares_past(pair),
        },
        "rules_url": rule_texts_url(),
        "results_url": reverse("sim:run-compare", args=[left.id, right.id]),
        "diff_url": reverse("sim:run-compare-diff", args=[left.id, right.id]),
    }


def _level_href(pair: Pair) -> str:
    """The URL of the later of two attempts at a level, whose verdict links here; "" if they are not attempts."""
    later = max(pair.runs, key=lambda run: run.created_at)
    return reverse("sim:run", args=[later.id]) if attempt_names(pair.runs) else ""


def _shares_past(pair: Pair) -> bool:
    left, right = pair.runs
    return left.parent_id == right.id or right.parent_id == left.id or (left.parent_id is not None and left.parent_id == right.parent_id)


def _side_context(pair: Pair, place: int) -> dict[str, Any]:
    run = pair.runs[place]
    name = side_names(pair.runs)[place]
    moves = move_context(run)
    data = {
        "id": str(run.id),
        "name": name,
        "zero_ms": pair.zeros[place][0],
        "records": reverse("sim:run-records", args=[run.id]),
        "socket": "" if run.is_frozen else f"/ws/run/{run.id}/",
        "clock": msgspec.to_builtins(run_clock(run)),
        "move": moves,
    }
    return {
        "run": run,
        "name": name,
        "kubernetes": run.header().kubernetes,
        "href": reverse("sim:run", args=[run.id]),
        "move": moves,
        "data": data,
        "side": ("left", "right")[place],
    }


def side_names(runs: tuple[Run, Run]) -> list[str]:
    """The names of two runs on their common page: two attempts at a level by their numbers.

    If the names are the same, something that distinguishes the runs is added: the branch point, or the version.
    """
    attempts = attempt_names(runs)
    if attempts:
        return attempts
    names = [side_name(run) for run in runs]
    if names[0] != names[1]:
        return names
    points = [run.parent_ms for run in runs]
    if None not in points and points[0] != points[1]:
        marks = [_("from %(time)s") % {"time": presenters.clock_text(point)} for point in points]
    else:
        marks = [f"Kubernetes {run.header().kubernetes}" for run in runs]
    return [f"{name} · {mark}" for name, mark in zip(names, marks, strict=True)]


def side_name(run: Run) -> str:
    """A run's short name: its branch's name in its tree, otherwise its title."""
    items = [] if run.is_frozen else branch_items(run_branches(run))
    here = next((item for item in items if item.row.is_current), None)
    if here is not None and here.row.parent_id is not None:
        return here.label
    title = presenters.title_text(run.title)
    return _("main") if len(items) > 1 else title


def results_context(pair: Pair, found: Comparison, *, everything: bool, query: str) -> Context:
    """The template context for the differences."""
    rows = found.rows if everything else found.differences
    facts = [fact for fact in found.facts if everything or fact.differs]
    return {
        "found": found,
        "names": side_names(pair.runs),
        "zeros": [zero for zero, _seq in pair.zeros],
        "refused": _refused(pair, found),
        "first": _first_context(pair, found),
        "groups": _fact_groups(facts),
        "lanes": _lane_rows(found),
        "rows": [_row(pair, row) for row in rows[:ROWS_MAX]],
        "hidden": max(0, len(rows) - ROWS_MAX),
        "difference_count": len(found.differences),
        "acts": acts_apart(pair.runs, (pair.zeros[0][0], pair.zeros[1][0]), horizon_ms=found.horizon_ms, rows_max=ROWS_MAX),
        "everything": everything,
        "query": query,
        "is_aligned": pair.is_aligned,
        "strip": {
            "first_ms": found.first.at_ms if found.first is not None else None,
            "horizon_ms": found.horizon_ms,
            "stretches": _stretches(found),
        },
    }


def _refused(pair: Pair, found: Comparison) -> list[Context]:
    """The first acts that were refused in each of the two up to the horizon, since they explain differences."""
    told = []
    for name, run, records, (zero_ms, _seq) in zip(side_names(pair.runs), pair.runs, pair.records, pair.zeros, strict=True):
        seen = (record for record in records if is_refusal(record) and record.at_ms <= zero_ms + found.horizon_ms)
        acts = refused_acts(seen, run.header(), commands_of(run))
        if acts:
            told.append({"name": name, "count": len(acts), "acts": [act.words for act in acts[:REFUSED_MAX]]})
    return told


def _stretches(found: Comparison) -> list[list[int]]:
    """The intervals in which any lane differs, as [from, to, lanes], in order."""
    # A sweep over the ends of all intervals, counting how many are open.
    edges: dict[Ms, int] = {}
    for lane in found.lanes:
        for item in lane.intervals:
            edges[item.from_ms] = edges.get(item.from_ms, 0) + 1
            edges[item.to_ms] = edges.get(item.to_ms, 0) - 1
    stretches: list[list[int]] = []
    count, since = 0, 0
    for at_ms in sorted(edges):
        if count:
            stretches.append([since, at_ms, count])
        count, since = count + edges[at_ms], at_ms
    return stretches


def _first_context(pair: Pair, found: Comparison) -> Context | None:
    if found.first is None:
        return None
    row, halves = found.first.row, found.first.halves
    record = next(half.record for half in halves if half.record is not None)
    return {
        "at_ms": found.first.at_ms,
        "differs": row.differs,
        "what": presenters.said(explain.headline(record)),
        "about": short(record.subject),
        "halves": [_half_context(half, place, pair) for place, half in enumerate(halves)],
    }


def _half_context(half: Half, place: int, pair: Pair) -> Context:
    records, (zero_ms, _seq) = pair.records[place], pair.zeros[place]
    told = half.record or half.instead
    steps = explain.why(records, told.seq)[:STEPS_MAX] if told is not None else ()
    return {
        "happens": half.record is not None,
        "at_ms": half.record.at_ms if half.record is not None else None,
        "record": half.record,
        "instead": presenters.said(explain.headline(half.instead)) if half.instead is not None else "",
        "later": presenters.said(explain.headline(half.later)) if half.later is not None else "",
        "later_ms": half.later.at_ms if half.later is not None else None,
        "steps": [step_context(step) for step in steps],
        "zero_ms": zero_ms,
        "run_id": pair.runs[place].id,
    }


def _fact_groups(facts: list[Fact]) -> list[tuple[str, list[Context]]]:
    groups: dict[str, list[Context]] = {}
    for fact in facts:
        left, right = fact.values
        by = right - left if isinstance(left, int) and isinstance(right, int) and fact.differs else None
        groups.setdefault(fact.subject, []).append(
            {"title": _(fact.title), "cells": [_cell(fact, value) for value in fact.values], "by": _by(fact, by), "differs": fact.differs}
        )
    return [(_("The whole run") if subject == "run" else short(subject), rows) for subject, rows in groups.items()]


def _cell(fact: Fact, value: int | str | None) -> str:
    if value is None:
        return ""
    return presenters.length_text(value) if fact.unit == SPAN and isinstance(value, int) else str(value)


def _by(fact: Fact, by: int | None) -> str:
    if by is None:
        return ""
    sign = "+" if by > 0 else "−"
    return f"{sign}{presenters.length_text(abs(by)) if fact.unit == SPAN else abs(by)}"


def _lane_rows(found: Comparison) -> Context:
    shown: list[Context] = []
    total = sum(len(lane.intervals) for lane in found.lanes)
    for lane in found.lanes:
        # The limit is for the page as a whole, not per lane.
        room = INTERVALS_MAX - sum(len(item["intervals"]) for item in shown)
        if room <= 0:
            break
        shown.append(
            {
                "what": presenters.lane_label(lane.machine),
                "about": short(lane.subject),
                "subject": lane.subject,
                "intervals": [_interval(lane.machine, item) for item in lane.intervals[:room]],
            }
        )
    return {"shown": shown, "hidden": max(0, total - INTERVALS_MAX)}


def _interval(machine: str, item: Interval) -> Interval:
    """The interval with its states in the reader's language; a reason after them stays as in the API."""
    words = [(presenters.state_word(machine, state), reason) for state, _space, reason in (text.partition(" ") for text in item.states)]
    left, right = (f"{word} {reason}".strip() for word, reason in words)
    return msgspec.structs.replace(item, states=(left, right))


def _row(pair: Pair, row: MatchedRow) -> Context:
    left, right = row.cells
    by = right.at_ms - left.at_ms if left is not None and right is not None else 0
    text, about = presenters.state_word(row.machine, row.target), short(row.subject)
    if row.machine == "command":
        records, cell = (pair.records[0], left) if left is not None else (pair.records[1], right)
        assert cell is not None
        text, about = presenters.said(explain.headline(records[cell.seq - 1])), ""
    return {"row": row, "what": presenters.lane_label(row.machine), "about": about, "text": text, "by_ms": by}
