"""Helpers shared by several views: get an object or 404, moments in URLs, and short responses to htmx."""

import json
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from traceback import clear_frames
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_htmx.http import HttpResponseClientRedirect

from lifecycle_site.last_resort import is_for_script
from simulator.engine.kernel.bounded import milliseconds, whole_number
from simulator.engine.kernel.errors import EngineFailed
from simulator.engine.kernel.units import Ms
from simulator.engine.world.world import World
from simulator.kubectl.context import NAMESPACE
from simulator.kubectl.kubectl import LINE_MAX
from simulator.models import Run, Scenario, SharedScenario
from simulator.runs.log import timemachine
from simulator.runs.log.content import Unreadable
from simulator.runs.log.history import is_kept
from simulator.runs.selectors.runs import run_get
from simulator.runs.selectors.scenarios import scenario_get
from simulator.runs.selectors.shares import share_get
from simulator.runs.services.errors import ServiceError, TooMany
from simulator.runs.turns.constants import RETRY_AFTER_S
from simulator.web.presenters import seconds_text

Context = dict[str, Any]
"""A template's context."""
logger = logging.getLogger(__name__)

LABELS = {
    "why": gettext_lazy("Why"),
    "machine": gettext_lazy("Machine"),
    "map": gettext_lazy("Map"),
    "events": gettext_lazy("Events"),
    "logs": gettext_lazy("Logs"),
    "resources": gettext_lazy("Resources"),
    "scheduling": gettext_lazy("Scheduling"),
    "yaml": "YAML",
    "describe": "describe",
    "diff": gettext_lazy("Diff"),
    "kubectl": "kubectl",
}
"""The tabs of a run next to the inspector, in page order; the first is the default."""
TABS = tuple(LABELS)
PART_MAX = 80
"""The longest name of a part within a tab."""


ILLEGIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\u200b\u202a-\u202e\u2066-\u2069\ufeff\ufffd]")
LOOK = ("v", "fold", "open", "q", "sort", "range", "notes", "clock", "old", "pins")
"""Query parameters for the view of the lanes: visible interval, folded pods, pods with all conditions, search, order, selected interval,
notes, clock, old future, pinned lanes."""


@dataclass(frozen=True)
class Moment:
    """A place in a run: ``t_ms`` None is the head, ``sel`` a subject, ``rec`` the seq of a record or 0, ``line`` a kubectl line.

    ``did`` is the number of the command with which the line was carried out, 0 if it was not; ``namespace`` is that of the context of the
    line, empty for the run's own. ``part`` selects one of several things in a tab. ``look`` is the view of the lanes, which only the page's
    script reads; ``lang`` the language. ``pin_ms`` and ``noise`` belong to the Diff tab (PanelScene).
    """

    t_ms: int | None = None
    sel: str = ""
    rec: int = 0
    tab: str = "why"
    line: str = ""
    did: int = 0
    namespace: str = ""
    part: str = ""
    look: tuple[tuple[str, str], ...] = ()
    lang: str = ""
    pin_ms: int | None = None
    noise: bool = False

    def query(self) -> str:
        """The moment as a query string including the question mark; empty for the head without a selection.

        Characters that are invisible, reverse the text direction or replace undecodable input are left out.
        """
        parts: dict[str, str | int] = {}
        if self.t_ms is not None:
            parts["t"] = seconds_text(self.t_ms)
        if self.sel:
            parts["sel"] = self.sel
        if self.rec:
            parts["rec"] = self.rec
        if self.tab != "why":
            parts["tab"] = self.tab
        if self.part:
            parts["part"] = self.part
        if self.line and self.tab == "kubectl":
            parts["k"] = self.line
            if self.did:
                parts["did"] = self.did
            if self.namespace:
                parts["ns"] = self.namespace
        if self.tab == "diff":
            parts |= {} if self.pin_ms is None else {"pin": seconds_text(self.pin_ms)}
            parts |= {"noise": 1} if self.noise else {}
        parts |= {name: value for name, value in (*self.look, ("lang", self.lang)) if value}
        legible = {name: text for name, value in parts.items() if (text := ILLEGIBLE.sub("", str(value)))}
        return f"?{urlencode(legible)}" if legible else ""


def moment_of(request: HttpRequest) -> Moment:
    """The moment in a request's URL. Invalid parts are ignored rather than refused, because chats mangle links."""
    query = request.GET
    tab = query.get("tab", "")
    return Moment(
        t_ms=_milliseconds(query.get("t", "")),
        sel=query.get("sel", "")[:700],
        rec=whole_number(query.get("rec", "")) or 0,
        tab=tab if tab in TABS else TABS[0],
        line=query.get("k", "")[:LINE_MAX],
        did=whole_number(query.get("did", "")) or 0,
        namespace=found if NAMESPACE.fullmatch(found := query.get("ns", "")) else "",
        part=query.get("part", "")[:PART_MAX],
        pin_ms=_milliseconds(query.get("pin", "")),
        noise=query.get("noise") == "1",
    )


def _milliseconds(text: str) -> Ms | None:
    return milliseconds(text, most=settings.SIM_RUN_MS_MAX)


def run_or_404(run_id: UUID) -> Run:
    """The run with that id. Raises Http404."""
    run = run_get(run_id)
    if run is None:
        raise Http404
    return run


def world_at(run: Run, *, t: int | None = None, seq: int | None = None) -> World:
    """The world after a record, or at a moment in ms; by default at the run's head.

    It is computed by today's rules: if another revision recorded the run, it is the world at the record's moment, since today's records
    may have different numbers.
    """
    if is_kept(run):
        record = None if seq is None else timemachine.record_at(run, min(seq, run.head_seq))
        return timemachine.seek(run, ms=record.at_ms if record else run.head_ms if t is None else t)
    if seq is not None:
        return timemachine.seek(run, seq=min(seq, run.head_seq))
    return timemachine.seek(run, seq=run.head_seq) if t is None else timemachine.seek(run, ms=t)


def scenario_or_404(slug: str) -> Scenario:
    """The scenario with that slug. Raises Http404."""
    scenario = scenario_get(slug)
    if scenario is None:
        raise Http404
    return scenario


def share_or_404(share_id: str) -> SharedScenario:
    """The shared scenario with that id. Raises Http404."""
    share = share_get(share_id)
    if share is None:
        raise Http404
    return share


def wants_fragment(request: HttpRequest) -> bool:
    """Whether the request comes from htmx and wants a fragment."""
    # When restoring history, htmx requests the whole page.
    details = getattr(request, "htmx", None)
    return details is not None and bool(details) and not details.history_restore_request


def wants_json(request: HttpRequest) -> bool:
    """Whether a script expects JSON, with htmx's header or without."""
    return is_for_script(request.headers.get("Accept", ""), is_htmx=wants_fragment(request))


def go_to(request: HttpRequest, url: str) -> HttpResponse:
    """A redirect that both plain forms and htmx follow."""
    return HttpResponseClientRedirect(url) if wants_fragment(request) else HttpResponseRedirect(url)


def nothing(**events: Any) -> HttpResponse:
    """A 204 that triggers client events; the first ``_`` in a name stands for ``:``."""
    response = HttpResponse(status=204)
    response["HX-Trigger"] = json.dumps({name.replace("_", ":", 1): detail for name, detail in events.items()})
    return response


def refusal(
    request: HttpRequest, text: str, *, status: int = 422, back: str = "/", retry_after_s: int = 0, asks_again: bool = False
) -> HttpResponse:
    """Refuse a request: with a toast for scripts, otherwise with a page that has a way back. ``retry_after_s``: when to retry, 0 for never.

    ``asks_again``: the request itself was fine, so a page shown to a reader reloads by itself after that time.
    """
    if wants_json(request):
        response = HttpResponse(json.dumps({"text": text}), status=status, content_type="application/json")
        # Otherwise htmx would replace the form with the response.
        response["HX-Reswap"] = "none"
        response["HX-Trigger"] = json.dumps({"toast:show": {"text": text, "tone": "bad"}})
    else:
        title = _("Not available now") if retry_after_s else _("That was not possible")
        again_s = retry_after_s if asks_again and request.method in ("GET", "HEAD") else 0
        response = render(request, "refused.html", {"title": title, "text": text, "back": back, "again_s": again_s}, status=status)
        if again_s:
            response["Refresh"] = str(again_s)
    if retry_after_s:
        response["Retry-After"] = str(retry_after_s)
        response["Cache-Control"] = "no-store"
    return response


def status_of(error: ServiceError) -> int:
    """The status of a refusal: 429, which is sent with a delay (lifecycle_site/turns.py), if there are too many at once; otherwise 422."""
    return HTTPStatus.TOO_MANY_REQUESTS if isinstance(error, TooMany) else HTTPStatus.UNPROCESSABLE_ENTITY


def first_error(errors: Any) -> str:
    """The first message of a form's errors, with its field's name if it has one."""
    for field, messages in errors.items():
        return str(messages[0]) if field == "__all__" else f"{field}: {messages[0]}"
    return ""


class UnreadableMiddleware:
    """Shows a page instead of an error when something was stored by another release and cannot be read by this one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for unreadable data; other exceptions pass."""
        if not isinstance(exception, Unreadable):
            return None
        logger.warning("unreadable: %s: %s", request.path, exception)
        text = _("It was stored by a different Podscope release, which this one cannot read. Nothing is lost: that release still can.")
        # 410 and not 501, because they are gone for every release.
        if isinstance(exception, timemachine.LostRecords):
            return refusal(request, _lost_text(exception), status=410)
        return refusal(request, text, status=501)


def _lost_text(lost: timemachine.LostRecords) -> str:
    """Which records are missing, and why they are not recomputed."""
    if lost.is_kept:
        return _(
            "Records %(numbers)s of this run are damaged or missing. They were written by a different engine "
            "revision, and the current rules may give different ones, so they are not recomputed."
        ) % {"numbers": lost.numbers}
    return _("Records %(numbers)s of this run are damaged or missing, and this release computes a different run from the one recorded.") % {
        "numbers": lost.numbers
    }


class UnplayableMiddleware:
    """Shows a page that says so when the engine itself fails. A handwritten file may contain things that no run ever had, which the engine
    meets wherever the run is played on: ahead of its log, under another version, in a copy. The engine may also have a bug.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for a run that could not be played; other exceptions pass."""
        if not isinstance(exception, EngineFailed):
            return None
        logger.error("the engine failed: %s", request.path, exc_info=exception)
        text = _(
            "The engine failed on this run: either the run contains something no run can have, or the engine has "
            "a bug. What was recorded can still be read."
        )
        return refusal(request, text, status=422)


class ExhaustedMiddleware:
    """Answers 503 if a request needed more memory than the process may use (PODSCOPE_MEMORY_MB)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page that says so; other exceptions pass."""
        if not isinstance(exception, MemoryError):
            return None
        clear_frames(exception.__traceback__)  # they keep alive what was being built
        logger.error("out of memory: %s", request.path)
        text = _("This needed more memory than the site may use. Try again in a moment, or request less at a time.")
        return refusal(request, text, status=503, retry_after_s=RETRY_AFTER_S)
