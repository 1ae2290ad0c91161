"""A link's moment as a player that other sites show in a frame (docs/sharing.md)."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from lifecycle_site.middleware import framed
from simulator.runs.services.shares import shared_run
from simulator.web.views.common import LABELS, Moment, moment_of, share_or_404
from simulator.web.views.guards import costly
from simulator.web.views.runs import run_context

CONTROLS = ("full", "min", "none")
THEMES = ("auto", "light", "dark")
TABS = ("why", "events", "logs", "yaml", "describe")
"""The tabs of ``controls=full``: those that only show."""


@costly()
@require_safe
def embed(request: HttpRequest, share_id: str) -> HttpResponse:
    """The player of a link: ``t``, ``sel`` and ``tab`` as of a moment; ``controls``, ``theme``, ``lang``. Unknown values are left out."""
    share = share_or_404(share_id)
    asked, until_ms = moment_of(request), share.content().until_ms
    tab = asked.tab if asked.tab in TABS else TABS[0]
    moment = Moment(t_ms=until_ms if asked.t_ms is None else min(asked.t_ms, until_ms), sel=asked.sel, rec=asked.rec, tab=tab)
    context = run_context(request, shared_run(share=share), moment, share)
    context |= {
        "share": share,
        "controls": _one_of(CONTROLS, request.GET.get("controls", "")),
        "theme": _one_of(THEMES, request.GET.get("theme", "")),
        "tabs": [{"name": name, "label": LABELS[name]} for name in TABS],
    }
    return framed(render(request, "embeds/detail.html", context))


def _one_of(known: tuple[str, ...], asked: str) -> str:
    return asked if asked in known else known[0]
