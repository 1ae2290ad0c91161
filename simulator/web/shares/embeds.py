"""A link's moment as a player that other sites show in a frame, and how they discover it (docs/sharing.md).

A frame shows a link without any acts; it is the only page that any site may frame (``framed``). The URLs of frames and
links have the same parameters, so one can be turned into the other.
"""

from urllib.parse import urlencode, urlsplit

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.urls import Resolver404, resolve, reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from lifecycle_site.middleware import framed
from simulator.engine.kernel.bounded import whole_number
from simulator.runs.services.shares import shared_run
from simulator.web.base.common import LABELS, Moment, moment_of, share_or_404
from simulator.web.base.guards import costly
from simulator.web.run.page import run_page

CONTROLS = ("full", "min", "none")
THEMES = ("auto", "light", "dark")
TABS = ("why", "events", "logs", "yaml", "describe")
"""The tabs for ``controls=full``: those that are read-only."""
WIDTH, HEIGHT = 960, 540
NARROWEST, LOWEST = 240, 160
"""The smallest size of a frame; smaller ones would be unreadable."""
CARRIED = ("t", "sel", "tab", "controls", "theme", "lang")
"""The parameters of a link's URL that also apply to its frame."""
KEPT_S = 86_400


@costly()
@require_safe
def embed(request: HttpRequest, share_id: str) -> HttpResponse:
    """The player of a link: ``t``, ``sel`` and ``tab`` as for a moment; ``controls``, ``theme``, ``lang``. Unknown values are ignored."""
    share = share_or_404(share_id)
    asked, until_ms = moment_of(request), share.content().until_ms
    tab = asked.tab if asked.tab in TABS else TABS[0]
    moment = Moment(t_ms=until_ms if asked.t_ms is None else min(asked.t_ms, until_ms), sel=asked.sel, rec=asked.rec, tab=tab)
    context = run_page(request, shared_run(share=share), moment, share).context(
        share=share,
        controls=_one_of(CONTROLS, request.GET.get("controls", "")),
        theme=_one_of(THEMES, request.GET.get("theme", "")),
        tabs=[{"name": name, "label": LABELS[name]} for name in TABS],
    )
    return framed(render(request, "embeds/detail.html", context))


def _one_of(known: tuple[str, ...], asked: str) -> str:
    return asked if asked in known else known[0]


@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """A frame for ``url``, a link or a frame of this site, according to https://oembed.com: only JSON, no larger than requested.

    404 if it is not a link of this site, 501 for another ``format``. One query.
    """
    if request.GET.get("format", "json") != "json":
        return HttpResponse("JSON alone.", status=501, content_type="text/plain")
    share_id, query = _link_in(request)
    share = share_or_404(share_id)
    width, height = _at_most(request, "maxwidth", WIDTH, NARROWEST), _at_most(request, "maxheight", HEIGHT, LOWEST)
    frame = request.build_absolute_uri(reverse("sim:embed", args=[share.id])) + query
    title = gettext(share.title) if share.title else "Podscope"
    return JsonResponse(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": "Podscope",
            "provider_url": request.build_absolute_uri("/"),
            "title": title,
            "html": format_html('<iframe src="{}" width="{}" height="{}" title="{}"></iframe>', frame, width, height, title),
            "width": width,
            "height": height,
            "thumbnail_url": request.build_absolute_uri(reverse("sim:share-card", args=[share.id])) + query,
            "thumbnail_width": 1200,
            "thumbnail_height": 630,
            "cache_age": KEPT_S,
        }
    )


def _link_in(request: HttpRequest) -> tuple[str, str]:
    """The link's id in ``url``, and the part of its query for the frame. Raises Http404."""
    try:
        parts = urlsplit(request.GET.get("url", ""))
        match = resolve(parts.path)
    except (ValueError, Resolver404) as error:
        raise Http404 from error
    # Another site's URL must not become a frame that names this one.
    if parts.netloc != request.get_host() or match.view_name not in ("sim:share", "sim:embed"):
        raise Http404
    asked = QueryDict(parts.query)
    carried = {name: asked[name] for name in CARRIED if name in asked}
    return match.kwargs["share_id"], f"?{urlencode(carried)}" if carried else ""


def _at_most(request: HttpRequest, name: str, usual: int, least: int) -> int:
    asked = whole_number(request.GET.get(name, ""))
    return usual if asked is None else max(least, min(usual, asked))
