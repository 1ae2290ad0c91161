"""Guards between a request and its view: body size, a slot and a worker for computation, and an unreachable database.

Each refusal is a page that says what is wrong and when to retry, or a toast if a script asked.

Marks say what a view costs: ``costly`` (it computes, for these methods), ``free`` (it needs no slot at all), or no
mark (it only reads). A view may find out late that it has to compute (``compute``, or an ``Elsewhere`` from the time
machine): then the request starts over in a worker, so everything it has done until then must be harmless to repeat.
A body over LIGHT_BYTES makes any view costly, since decoding a large form takes as long as computing.
"""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _

from lifecycle_site.bodies import BODY_TOO_LARGE, BODY_UNREADABLE, is_utf8, load_form
from lifecycle_site.visitors import visitor_of
from simulator.engine.kernel.bounded import whole_number
from simulator.runs.drive.forking import memory_share, start_fork_server
from simulator.runs.live.presence import PRESENCE
from simulator.runs.log import elsewhere
from simulator.runs.log.db import is_away, is_request
from simulator.runs.log.elsewhere import Elsewhere
from simulator.runs.log.outlook import LookingAhead
from simulator.runs.permissions import forget_new_key, known_key
from simulator.runs.turns.allowance import StillComputing, granted
from simulator.runs.turns.constants import ASK_AGAIN_S, RETRY_AFTER_S, SLOT_MUCH_S, WORK_MAX
from simulator.runs.turns.slots import COMPUTING, READING, Busy, Slots, half_of
from simulator.web.base import page_workers
from simulator.web.base.common import refusal
from simulator.web.base.levels import builtin_levels
from simulator.web.presenters import ahead_text, computing_text

logger = logging.getLogger(__name__)

LIGHT_BYTES = 16_384
"""A form up to this size is decoded in no time; a larger one may take half a second, in any view."""
AWAY_RETRY_S = 10

View = TypeVar("View", bound=Callable[..., HttpResponse])


def costly(*methods: str) -> Callable[[View], View]:
    """Mark a view that computes: for these methods (default: all) it runs in a computing slot."""

    def mark(view: View) -> View:
        view.costly_methods = methods or ("GET", "HEAD", "POST")  # type: ignore[attr-defined]
        return view

    return mark


def free(view: View) -> View:
    """Mark a view that needs no slot: it answers however busy the site is."""
    view.needs_no_slot = True  # type: ignore[attr-defined]
    return view


class HandedOver(Exception):
    """Raised to pass the request to a worker, whose response becomes the view's."""


def compute(request: HttpRequest) -> None:
    """Declare that the view computes from here on: it moves to a computing slot, and starts over in a worker if there are any.

    Raises Busy and HandedOver, which ``SlotMiddleware`` answers.
    """
    if page_workers.is_worker():
        return
    _give_back(request)
    _take(request, COMPUTING)
    if _workers is not None:
        raise HandedOver


def computed(request: HttpRequest, function: Callable[..., Any], *args: Any) -> Any:
    """Call a function in a worker (if there are any) and return its result, for a view that continues here in a computing slot.

    Raises Busy, Lost and TookTooLong, which ``SlotMiddleware`` answers.
    """
    if not page_workers.is_worker():
        _give_back(request)
        _take(request, COMPUTING)
    return elsewhere.asked(function, *args)


_workers: page_workers.PageWorkers | None = None


def hand_over_to(workers: page_workers.PageWorkers | None) -> None:
    """Pass requests that compute to these processes from now on; None: handle them here."""
    global _workers  # a process has one set of workers
    _workers = workers
    elsewhere.leave_to(None if workers is None else partial(_call, workers))


def _call(workers: page_workers.PageWorkers, function: Callable[..., Any], *args: Any) -> Any:
    with COMPUTING.taken(""):  # there is a free worker for every slot
        return workers.call(function, *args, key=_run_of(args), is_aside=COMPUTING.holder_gives_way())


def _run_of(args: Sequence[Any]) -> str:
    """The run that a call is about: the first argument, or a field of it. Empty if it is about none."""
    about = getattr(args[0], "run_id", args[0]) if args else None
    return str(about) if isinstance(about, UUID) else ""


def start_page_workers() -> None:
    """Start the site's workers, one per slot, and use them. For the serving process, before it accepts requests."""
    context = start_fork_server()
    size = settings.SIM_WORKERS + 1
    share_mib = memory_share(size + half_of(size))
    workers = page_workers.PageWorkers(
        context, size=size, memory_mib=share_mib, seconds_max=settings.SIM_PAGE_S_MAX, is_watched=PRESENCE.is_anybody_here
    )
    hand_over_to(workers)
    builtin_levels()  # loaded once, before anybody has to wait for it


def _in_worker(request: HttpRequest, workers: page_workers.PageWorkers) -> HttpResponse:
    """A worker's response, or a page that says what happened to the worker."""
    # The worker itself makes a new visitor's key, and sets the cookie.
    forget_new_key(request)
    match = request.resolver_match
    # Requests about the same object prefer the same worker, which has its worlds in memory.
    key = str(match.kwargs.get("run_id") or match.kwargs.get("share_id") or match.kwargs.get("slug") or "") if match else ""
    try:
        return workers.answer(request, key=key, is_aside=COMPUTING.gives_way(visitor_of(request)))
    except (page_workers.TookTooLong, page_workers.Lost) as error:
        return _unanswered(request, error)


def _unanswered(request: HttpRequest, error: Exception) -> HttpResponse:
    """The page that says what happened to a worker."""
    if isinstance(error, page_workers.TookTooLong):
        logger.error("took longer than %d s, its process was ended: %s", settings.SIM_PAGE_S_MAX, request.path)
        text = _(
            "This took longer than %(seconds)d seconds and was stopped. Request less at a time: fewer pods or versions, or a shorter time."
        )
        return refusal(request, text % {"seconds": settings.SIM_PAGE_S_MAX}, status=503, retry_after_s=RETRY_AFTER_S)
    logger.error("the process that worked on it was lost (%s): %s", error, request.path)
    text = _("The process handling this request was lost and is being replaced. Try again; nothing that was stored is lost.")
    return refusal(request, text, status=503, retry_after_s=RETRY_AFTER_S)


def _take(request: HttpRequest, slots: Slots) -> None:
    slot = slots.taken(visitor_of(request), known_key(request) or "")
    # Not a with statement: the slot is taken in one call of the middleware and released in another.
    slot.__enter__()
    request.META[_SLOT] = slot


def _give_back(request: HttpRequest) -> None:
    slot = request.META.pop(_SLOT, None)
    if slot is not None:
        slot.__exit__(None, None, None)


def _charge(request: HttpRequest, response: HttpResponse) -> None:
    """Count what the request has ordered like computing of its own: it is as much in the way of others."""
    ordered_s = getattr(response, "ordered_s", 0.0)
    if ordered_s and not page_workers.is_worker():
        COMPUTING.charge(visitor_of(request), known_key(request) or "", ordered_s)


class BodyLimitMiddleware:
    """Answers 413 to a body that the server refused to read, and 400 to one in an encoding other than UTF-8, without reading either."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        scope = getattr(request, "scope", {})
        if scope.get(BODY_TOO_LARGE):
            return refusal(request, _("That is too large: the site accepts at most 16 MB at once."), status=413)
        if scope.get(BODY_UNREADABLE) or not is_utf8(request.META.get("CONTENT_TYPE", "")):
            request.encoding = "utf-8"  # for the error page, which reads the URL
            return refusal(request, _("This site accepts only UTF-8, and the request specifies a different encoding."), status=400)
        return self.get_response(request)


class SlotMiddleware:
    """Runs every view, and the decoding of its form, in a slot; 503 if there is none.

    A view may only play a limited amount (``runs/turns/allowance.py``); 503 if the request takes more.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            with granted(WORK_MAX) as purse:
                response = self.get_response(request)
                if purse.left <= 0:
                    response.is_under_way = True  # type: ignore[attr-defined]  # the next request continues from where this one stopped
            _charge(request, response)
            return response
        finally:
            _give_back(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any) -> HttpResponse | None:
        """Take the slot that ``__call__`` releases. Runs before the CSRF check, which decodes the form."""
        if getattr(view, "needs_no_slot", False):
            return None
        is_large = _is_large(request)
        is_costly = is_large or _is_costly(request, view)
        if not page_workers.is_worker():  # the web process has taken the slot
            try:
                _take(request, COMPUTING if is_costly else READING)
            except Busy as refused:
                return busy(request, refused)
            if is_costly and _workers is not None:
                return _in_worker(request, _workers)
        if request.method == "POST" and not is_large:
            _ = request.body  # decoding a multipart form would consume the body, and it could not be passed on any more
        if is_large:
            # Decoded here, while holding the slot, rather than by the CSRF check, which has none.
            load_form(request, fields_max=settings.DATA_UPLOAD_MAX_NUMBER_FIELDS)
        return None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The response for a view that asked for a computing slot itself, or got to a point where something has to be played."""
        try:
            if isinstance(exception, Elsewhere):
                compute(request)
        except (HandedOver, Busy) as error:
            exception = error
        if isinstance(exception, HandedOver) and _workers is not None:
            return _in_worker(request, _workers)
        if isinstance(exception, (page_workers.TookTooLong, page_workers.Lost)):
            return _unanswered(request, exception)
        if isinstance(exception, StillComputing):
            return still_computing(request, exception)
        return busy(request, exception) if isinstance(exception, Busy) else None


class FormMiddleware:
    """Decodes the form of every POST before anything else needs it, and answers 400 if it cannot be decoded.

    Django handles the errors of its own parser. But the headers of a form's parts are parsed by Python's e-mail parser, which raises all
    kinds of errors, and would raise them again each time the form is accessed, even by the error pages.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any) -> HttpResponse | None:
        """Decode the form. Runs after the slot is taken, and before the CSRF check."""
        try:
            bool(request.POST)
        except (BadRequest, SuspiciousOperation, MultiPartParserError, UnreadablePostError, MemoryError):
            raise
        except Exception:
            request._mark_post_parse_error()  # type: ignore[attr-defined]  # as Django does for errors it expects
            return refusal(request, _("The form cannot be read: one of its parts has invalid headers."), status=400)
        return None


_SLOT = "podscope.slot"


def _is_costly(request: HttpRequest, view: Callable[..., Any]) -> bool:
    return request.method in getattr(view, "costly_methods", ())


def _is_large(request: HttpRequest) -> bool:
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return False
    length = whole_number(request.META.get("CONTENT_LENGTH") or "", most=LIGHT_BYTES)
    return length is None


def busy(request: HttpRequest, refused: Busy) -> HttpResponse:
    """The response if too much is being computed; an address that has used a lot of computing time is told how much."""
    text = _("The site is at full capacity. Try again in a few seconds; nothing is lost.")
    if refused.had_s >= SLOT_MUCH_S:
        much = _("Your address has used %(seconds)d seconds of computing time recently, so others go first.")
        text = f"{text} {much % {'seconds': refused.had_s}}"
    return refusal(request, text, status=503, retry_after_s=RETRY_AFTER_S, asks_again=True)


def still_computing(request: HttpRequest, met: StillComputing) -> HttpResponse:
    """The response if a moment is too far to be played within one request: how far it is, on a page that reloads by itself.

    For a POST, it first says that nothing was done.
    """
    told = ahead_text if isinstance(met, LookingAhead) else computing_text
    text = told(met.reached_ms, met.goal_ms)
    if request.method not in ("GET", "HEAD"):
        text = _("Nothing was done yet. Try again in a moment.") + f" {text}"
    return refusal(request, text, status=503, retry_after_s=ASK_AGAIN_S, asks_again=True)


class AwayMiddleware:
    """Answers 503 if the database is locked, full or unreachable."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Within a request, wait for the database only as long as a reader would."""
        # Background jobs may wait longer for a lock.
        token = is_request.set(True)
        try:
            return self.get_response(request)
        finally:
            is_request.reset(token)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for a database error; other exceptions pass."""
        return away(request, exception) if is_away(exception) else None


def away(request: HttpRequest, error: BaseException) -> HttpResponse:
    """The response if the database is unavailable. The page itself needs no database."""
    logger.warning("database away: %s: %s", request.path, str(error).strip().split("\n")[0])
    return refusal(request, _away_text(str(error).casefold()), status=503, retry_after_s=AWAY_RETRY_S, asks_again=True)


def _away_text(words: str) -> str:
    if "full" in words or "no space" in words:
        return _("The database disk is full, so nothing can be saved right now. What is stored is safe; please tell the site operator.")
    if "readonly" in words or "read-only" in words:
        return _("The database is not accepting changes right now. What is stored is safe; please tell the site operator.")
    # Messages from SQLite and PostgreSQL; an unknown one gets the general text.
    if "locked" in words:
        return _("The database is busy. Try again in a few seconds; nothing is lost.")
    return _("The database is unavailable. What is stored is safe; try again in a few seconds.")
