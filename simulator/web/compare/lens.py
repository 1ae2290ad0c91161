"""The version lens: a scenario or a run under several Kubernetes versions, side by side.

Every version plays the same header and acts separately; rows are matched by kind, subject and target, and
differ if one version lacks the row, has different details, or is later by more than the tolerance. The
settings that differ between the versions are listed too, since one of them is the reason. Results are
cached: the key contains everything they depend on.
"""

from typing import Any
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from simulator.engine import Stamped
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.kernel.units import Ms
from simulator.engine.projection.subjects import short
from simulator.engine.versions import MINORS
from simulator.engine.versions.patches import patch_of
from simulator.engine.versions.usual import COMPARED
from simulator.headless.lens import PHASE_ONLY, Lens, Switch, look, version_header
from simulator.headless.matching import COMMAND, TOLERANCE_MS, MatchedRow
from simulator.headless.refused import RefusedAct
from simulator.models import Run, Scenario
from simulator.runs.log.content import Content, decode_content, encode_content
from simulator.runs.log.history import commands_of
from simulator.runs.services.shares import share_content, shared_run
from simulator.web import presenters
from simulator.web.base.caches import LENSES
from simulator.web.base.common import refusal, run_or_404, scenario_or_404
from simulator.web.base.guards import costly
from simulator.web.base.settings_words import note_text, value_text
from simulator.web.base.stories import builtin_stories

CHOICES = (*((minor, minor) for minor in MINORS), (PHASE_ONLY, gettext_lazy("1.3 (phase only)")))
"""The possible columns, with their labels."""
SPANS_S = (60, 120, 300, 600, 900)
SPAN_S_DEFAULT = 120
ROWS_MAX = 600


@costly()
@require_safe
def scenario_lens(request: HttpRequest, slug: str) -> HttpResponse:
    """A scenario under several versions, with the acts of a reader who follows its story."""
    scenario = scenario_or_404(slug)
    content = _scenario_content(scenario)
    page = {
        "title": scenario.title,
        "back": reverse("sim:scenario", args=[slug]),
        "play": reverse("sim:scenario-lens-play", args=[slug]),
        "acts": len(content.commands),
    }
    return _lens_page(request, content, page)


def _scenario_content(scenario: Scenario) -> Content:
    content = scenario.content()
    story = builtin_stories().get(scenario.slug) if scenario.is_builtin else None
    steps = story.answer_steps() if story else ()
    commands = tuple(Stamped(step.at_ms, n, step.command) for n, step in enumerate(steps, 1))
    return msgspec.structs.replace(content, commands=(*content.commands, *commands))


@costly()
@require_safe
def run_lens(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """A run with all acts given so far, under several versions."""
    run = run_or_404(run_id)
    content = _run_content(run)
    page = {
        "title": run.title,
        "back": reverse("sim:run", args=[run.id]),
        "play": reverse("sim:run-lens-play", args=[run.id]),
        "acts": len(content.commands),
    }
    return _lens_page(request, content, page)


def _run_content(run: Run) -> Content:
    return msgspec.structs.replace(run.content(), commands=tuple(commands_of(run)))


@costly()
@require_POST
def scenario_lens_play(request: HttpRequest, slug: str) -> HttpResponse:
    """Play a scenario under two of the versions, and compare them."""
    scenario = scenario_or_404(slug)
    return _play(request, _scenario_content(scenario), title=scenario.title, scenario=scenario)


@costly()
@require_POST
def run_lens_play(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Play a run with all its acts under two versions, and compare them."""
    run = run_or_404(run_id)
    return _play(request, _run_content(run), title=run.title, scenario=run.scenario)


def _play(request: HttpRequest, content: Content, *, title: str, scenario: Scenario | None) -> HttpResponse:
    """Redirect to the comparison of two runs. They are the runs behind two links, and so are the same if requested again."""
    chosen = [version for version in request.POST.getlist("v") if version in dict(CHOICES)]
    if len(chosen) != 2:
        return refusal(request, _("Choose two versions to play."), back=request.path.removesuffix("play/"))
    until_ms = 1000 * _span_of(request.POST.get("for", ""))
    runs = []
    for version in chosen:
        header = version_header(content.header, version)
        given = tuple(stamped for stamped in content.commands if stamped.at_ms <= until_ms)
        played = msgspec.structs.replace(content, header=header, commands=given, until_ms=until_ms)
        share = share_content(content=played, title=f"{title} · {dict(CHOICES)[version]}", scenario=scenario)
        runs.append(shared_run(share=share))
    return redirect("sim:run-compare", run_id=runs[0].id, other_id=runs[1].id)


def _lens_page(request: HttpRequest, content: Content, page: dict[str, Any]) -> HttpResponse:
    versions, span_s = _versions(request), _span_of(request.GET.get("for", ""))
    # The moment where the content ended does not matter here; without it more requests share a cache entry.
    content = msgspec.structs.replace(content, until_ms=0)
    asked = (encode_content(content), versions, span_s * 1000)
    found = LENSES.of(asked, lambda: _look(*asked))
    everything = request.GET.get("show") == "all"
    rows = found.rows if everything else found.differences
    context = {
        "lens": found,
        "rows": [_row(row, found.refused) for row in rows[:ROWS_MAX]],
        "refused": [
            {"label": dict(CHOICES)[version], "acts": [act.words for act in acts]}
            for version, acts in zip(versions, found.refused, strict=True)
            if acts
        ],
        "switches": [_switch(switch) for switch in found.switches],
        "hidden": max(len(rows) - ROWS_MAX, 0),
        "difference_count": len(found.differences),
        "everything": everything,
        "choices": [(version, label, "" if version == PHASE_ONLY else patch_of(version)) for version, label in CHOICES],
        "columns": [(version, dict(CHOICES)[version]) for version in versions],
        "heads": [{"label": dict(CHOICES)[version], "refused": len(acts)} for version, acts in zip(versions, found.refused, strict=True)],
        "labels": [dict(CHOICES)[version] for version in versions],
        "spans": [(seconds, presenters.length_text(seconds * 1000)) for seconds in SPANS_S],
        "span_s": span_s,
        "until": presenters.length_text(span_s * 1000),
        "query": f"versions={','.join(versions)}&for={span_s}",
        **page,
    }
    return render(request, "scenarios/lens.html", context)


def _look(content: str, versions: tuple[str, ...], until_ms: Ms) -> Lens:
    """The comparison, which takes one run per version."""
    what = decode_content(content)
    return look(what.header, what.commands, versions, until_ms=until_ms)


def _versions(request: HttpRequest) -> tuple[str, ...]:
    """The known versions in the URL, without duplicates; the default ones if there are fewer than two."""
    asked = [*request.GET.get("versions", "").split(","), *request.GET.getlist("v")]
    known = tuple(dict.fromkeys(version.strip() for version in asked if version.strip() in dict(CHOICES)))
    return known if len(known) > 1 else COMPARED


def _span_of(text: str) -> int:
    """The requested length in seconds if it is one that is offered, otherwise the default."""
    span_s = whole_number(text)
    return SPAN_S_DEFAULT if span_s is None or span_s not in SPANS_S else span_s


def _row(row: MatchedRow, refused: tuple[tuple[RefusedAct, ...], ...]) -> dict[str, Any]:
    """A row for the page: each cell says how it compares with the first version that has it; a refused act with the reason."""
    is_act = row.machine == COMMAND
    told = [{act.seq: act.words for act in acts} for acts in refused]
    first = next(cell for cell in row.cells if cell is not None)
    cells = [
        {
            "cell": cell,
            "refused": known.get(cell.seq, "") if is_act and cell is not None else "",
            "is_done": is_act and cell is None,
            "later_ms": cell.at_ms - first.at_ms if cell else 0,
            "earlier_ms": first.at_ms - cell.at_ms if cell else 0,
            "is_odd": bool(row.differs) and (cell is None or cell.detail != first.detail or abs(cell.at_ms - first.at_ms) > TOLERANCE_MS),
        }
        for cell, known in zip(row.cells, told, strict=True)
    ]
    return {
        "row": row,
        "what": presenters.lane_label(row.machine),
        "about": short(row.subject),
        "text": presenters.state_word(row.machine, row.target),
        "cells": cells,
    }


def _switch(switch: Switch) -> dict[str, Any]:
    """A setting for the page, in the reader's language; the search also finds the English note."""
    note = note_text(switch.note)
    values = [{"text": value_text(value), "is_odd": value != switch.values[0]} for value in switch.values]
    return {"field": switch.field, "note": note, "words": " ".join(dict.fromkeys((switch.field, note, switch.note))), "values": values}
