"""The API of runs as an ASGI application in front of the site's pages: clients need no cookies, forms or languages, and streams no thread.

The key is in the URL, since kubectl sends no credentials over http. So responses must not be cached or leak the URL (``no-store``,
``no-referrer``), logs never contain the key (``lifecycle_site.logs``), and a key that is wrong, revoked or for another run is refused with
the same message as no key.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from time import monotonic
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import close_old_connections

from lifecycle_site.addresses import Application, Receive, Scope, Send
from lifecycle_site.bodies import BODY_TOO_LARGE
from lifecycle_site.throttle import Allowances
from lifecycle_site.visitors import visitor_at
from simulator.door.exchange import DoorReply, DoorRequest, request_in
from simulator.door.paths import parse_path
from simulator.door.reviews import REVIEW_GROUPS
from simulator.door.statuses import answer_reply, conflicting, forbidden, status_reply, unauthorized
from simulator.door.watching import Standing
from simulator.door.writing import WRITE_METHODS
from simulator.engine.apiserver.answer import Answer, ApiError
from simulator.engine.kernel.bounded import whole_number
from simulator.models import DoorKey, Run
from simulator.runs.live.hub import HUBS
from simulator.runs.log import elsewhere
from simulator.runs.log.clock import moment_of
from simulator.runs.log.db import AWAY, Together, in_db
from simulator.runs.log.elsewhere import Elsewhere
from simulator.runs.selectors.shares import share_get
from simulator.runs.selectors.typed_lines import act_key
from simulator.runs.services.door_keys import door_keys_find
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.runs import run_attend
from simulator.runs.turns.allowance import StillComputing
from simulator.runs.turns.constants import ASK_AGAIN_S, RETRY_AFTER_S
from simulator.runs.turns.slots import COMPUTING, Busy
from simulator.web.base.page_workers import Lost, TookTooLong
from simulator.web.door.addresses import RUN, DoorAddress, door_address, path_at
from simulator.web.door.branches import branch_made, opened_run, past_text
from simulator.web.door.clocks import CLOCK_READS
from simulator.web.door.log_streams import follow_begun, follow_gone_on, stream_log
from simulator.web.door.moments import AskedOf, RecordedOtherwise, answered
from simulator.web.door.paces import pace_of
from simulator.web.door.rounds import SharedBeginnings, Told, WatchRounds, likeness
from simulator.web.door.shares import Shares
from simulator.web.door.skipping import look_ahead
from simulator.web.door.streams import WatchOver, WatchStream
from simulator.web.door.typed import giver_of, session_of
from simulator.web.door.waiters import is_kubectl_waiting
from simulator.web.door.watches import watch_begun, watch_marked, watches_gone_on
from simulator.web.door.writes import applied_seq, given, write_answered, write_tried

REQUESTS_PER_SECOND = 30
"""Requests per visitor. A kubectl 1.20 with a cold cache makes 20, and a visitor may make ten seconds' worth at once."""
BODY_MAX = 3_145_728
"""The largest body in bytes, as for an API server."""
READER_BODY_MAX = 65_536
"""The largest body from a sender who may not write: enough for a review."""
AT_ONCE, AT_ONCE_EACH, WAITING_EACH_MAX = 8, 3, 60
"""Requests handled at the same time, in all and for one visitor; others wait without a thread, so many of each visitor."""
WRITE_S_MAX = 20.0
"""How long to wait for a command; an active runner carries it out within a second."""
LOOK_S = 0.05
WATCHES_MAX, WATCHES_OF_KEY_MAX = 240, 120
"""Open watches per visitor, and per key: an operator has about thirty, and a class shares one address."""
HEADERS = ((b"cache-control", b"no-store"), (b"referrer-policy", b"no-referrer"), (b"x-content-type-options", b"nosniff"))
OTHERWISE = "this run was recorded by another release of the simulator, whose rules are not at hand: make a branch of it on its page"

log = logging.getLogger(__name__)
_POOL = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="door")
_SHARES = Shares(each=AT_ONCE_EACH, waiting_max=WAITING_EACH_MAX)
R = TypeVar("R")


class ClusterDoor:
    """Answers requests to the API of a run, and passes everything else on."""

    def __init__(self, application: Application, *, per_second: float = REQUESTS_PER_SECOND) -> None:
        self._application, self._per_second = application, per_second
        self._allowances = Allowances()
        self._watches: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        address = None
        path = scope.get("path", "")
        if scope["type"] == "http" and settings.K8S_HOST:
            path = path_at(header_of(scope, b"host"), path, wildcard=settings.K8S_HOST)
        if scope["type"] == "http" and "/k8s" in path:
            address = door_address(path, header_of(scope, b"authorization"))
        if address is None:
            await self._application(scope, receive, send)
            return
        visitor = visitor_at(str((scope.get("client") or [""])[0]))
        if not self._allowances.take(visitor, per_second=self._per_second):
            await _send(send, answer_reply(_later("too many requests", code=429, reason="TooManyRequests", after_s=1)), scope)
            return
        asked = await _request(scope, receive, address, await _body_max(scope, address))
        if asked is not None and asked.method == "GET" and (asked.has("watch") or _is_followed(asked)):
            reply = await self._watch(address, asked, visitor, receive, send)
        else:
            reply = _too_large() if asked is None else await _reply(address, asked, visitor)
        if reply is not None:
            await _send(send, reply, scope)

    async def _watch(self, address: DoorAddress, asked: DoorRequest, visitor: str, receive: Receive, send: Send) -> DoorReply | None:
        """Serve a watch; return a reply if it cannot be served."""
        counted = {visitor: WATCHES_MAX, address.token or visitor: WATCHES_OF_KEY_MAX}
        if any(self._watches[each] >= most for each, most in counted.items()):
            return answer_reply(_later("too many watches are open", code=429, reason="TooManyRequests", after_s=RETRY_AFTER_S))
        self._watches.update(list(counted))
        try:
            return await _watched(address, asked, visitor, receive, send)
        finally:
            self._watches.subtract(list(counted))
            self._watches = +self._watches


def header_of(scope: Scope, name: bytes) -> str:
    """The value of a header; empty if it is missing."""
    return b",".join(value for key, value in scope["headers"] if key == name).decode("latin-1")


async def _body_max(scope: Scope, address: DoorAddress) -> int:
    """How much of a body is read: little from anybody whose write would be refused anyway."""
    if scope["method"] not in WRITE_METHODS:
        return READER_BODY_MAX
    try:
        of = await in_db(opened, address)
    except Exception:  # the reply will say what is wrong
        return READER_BODY_MAX
    return BODY_MAX if of is not None and of.may_write and of.at_ms is None else READER_BODY_MAX


async def _body(scope: Scope, receive: Receive, most: int) -> bytes | None:
    """The body; None if its Content-Length is more than ``most`` bytes, or as soon as more has arrived."""
    announced = whole_number(header_of(scope, b"content-length"), most=2 * BODY_MAX)
    if scope.get(BODY_TOO_LARGE) or (announced is None and header_of(scope, b"content-length")) or (announced or 0) > most:
        return None
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return body
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body"):
            return body


async def _request(scope: Scope, receive: Receive, address: DoorAddress, most: int) -> DoorRequest | None:
    """The request in the door's form; None if its body is too large. A body that the sender may not send is dropped."""
    body = await _body(scope, receive, most)
    if body is None and most == BODY_MAX:
        return None
    base = scope["path"].removesuffix(address.path.rstrip("/")).rstrip("/")
    return request_in(scope, address.path, base=base, body=body or b"")


async def _reply(address: DoorAddress, asked: DoorRequest, visitor: str) -> DoorReply:
    """The reply, also for failures."""
    try:
        of = await in_db(opened, address)
        if of is None:
            return status_reply(unauthorized())
        if is_held_back(of, asked):
            return status_reply(forbidden(CLOCK_READS))
        if asked.method in WRITE_METHODS and of.may_write and (of.at_ms is None or of.makes_branch):
            return await _written(of, asked, visitor)
        if asked.method in WRITE_METHODS and address.sort == RUN and of.at_ms is not None and _changes_objects(asked):
            return status_reply(conflicting(past_text(of)))
        return await computed_for(visitor, answered, of, asked)
    except Exception as error:
        found = failure_reply(error)
        if found is None:
            raise
        return found


async def _written(of: AskedOf, asked: DoorRequest, visitor: str) -> DoorReply:
    """Turn a write into a command of the run, and reply when it has been carried out."""
    writing = await computed_for(visitor, write_tried, of, asked)
    if isinstance(writing, DoorReply):
        return writing
    try:
        if of.makes_branch:
            of = await in_db(branch_made, of)
            with suppress(*AWAY):  # a client counts as a viewer, so the run is driven
                await in_db(partial(run_attend, run_id=of.run_id))
        row_id = await in_db(given, of, writing.command, act_key(session_of(of, asked)), writing.typed, giver_of(of, asked))
    except ServiceError as error:
        return answer_reply(Answer(code=409, reason="Conflict", message=str(error)))
    end_s = monotonic() + WRITE_S_MAX
    while monotonic() < end_s:
        await asyncio.sleep(LOOK_S)
        seq = await in_db(applied_seq, row_id)
        if seq is not None:
            return await computed_for(visitor, write_answered, of, asked, writing, seq)
    # Without Retry-After: clients would send it a second time.
    return answer_reply(Answer(code=504, reason="Timeout", message="the run has taken the command but not carried it out yet"))


async def _watched(address: DoorAddress, asked: DoorRequest, visitor: str, receive: Receive, send: Send) -> DoorReply | None:
    try:
        of = await in_db(opened, address)
        if of is None:
            return status_reply(unauthorized())
        if is_held_back(of, asked):
            return status_reply(forbidden(CLOCK_READS))
        if _is_followed(asked):
            return await _followed(address, of, asked, visitor, receive, send)
        key = (of, likeness(asked), asked.value("resourceVersion"))
        begun = await _BEGINNINGS.begun(key, partial(computed_for, visitor, watch_begun, of, asked))
    except Exception as error:
        found = failure_reply(error)
        if found is None:
            raise
        return found
    if isinstance(begun, DoorReply):
        return begun
    standing, first = begun
    if standing is None:
        return DoorReply(body=first)
    pace = pace_of(of, asked, partial(further, address, visitor, look_ahead, of, asked))
    await pace.begin()
    stream = WatchStream(of, asked, visitor, receive=receive, send=send, pace=pace)
    await stream.run(
        standing,
        first,
        partial(_round, address, visitor, of, asked),
        partial(further, address, visitor, watch_marked, of, asked),
        [*HEADERS, *(_warning_header(pace.warning) if pace.warning else await _warning(of, asked))],
    )
    return None


async def _warning(of: AskedOf, asked: DoorRequest) -> list[tuple[bytes, bytes]]:
    """A warning for a kubectl command that waits for one object while the run stands still; sent once, since it watches once."""
    if not is_kubectl_waiting(asked) or (of.clock.moves_time and of.at_ms is None):
        return []
    row = await HUBS.row(of.run_id)
    if of.at_ms is None and (row is None or not row.is_paused or row.state != Run.State.LIVE):
        return []
    seconds = (moment_of(row) if of.at_ms is None and row is not None else of.at_ms or 0) // 1000
    text = f"time stands still at {seconds // 60}:{seconds % 60:02d} of this run" + (": press Play on its page" if of.at_ms is None else "")
    return _warning_header(text)


def _warning_header(text: str) -> list[tuple[bytes, bytes]]:
    """The header that makes kubectl print a warning."""
    return [(b"warning", f'299 - "{text}"'.encode())]


def is_held_back(of: AskedOf, asked: DoorRequest) -> bool:
    """Whether a read-only key requests objects at a URL that moves the clock. Discovery is allowed for everybody."""
    return not of.may_write and of.clock.moves_time and of.at_ms is None and _is_of_objects(asked)


def _is_of_objects(asked: DoorRequest) -> bool:
    """Whether the path names a resource."""
    try:
        _, place = parse_path(asked.path)
    except ApiError:
        return False
    return place is not None and bool(place.plural)


def _changes_objects(asked: DoorRequest) -> bool:
    """Whether a request with a writing method is about objects: a review is answered, but changes nothing."""
    if not _is_of_objects(asked):
        return False
    _, place = parse_path(asked.path)
    return place is not None and place.group not in REVIEW_GROUPS


def _is_followed(asked: DoorRequest) -> bool:
    """Whether the request follows a log."""
    return asked.path.endswith("/log") and asked.has("follow") and not asked.has("previous")


async def _followed(address: DoorAddress, of: AskedOf, asked: DoorRequest, visitor: str, receive: Receive, send: Send) -> DoorReply | None:
    begun = await computed_for(visitor, follow_begun, of, asked)
    if isinstance(begun, DoorReply):
        return begun
    more = partial(further, address, visitor, follow_gone_on, of, asked)
    await stream_log(of, begun, more, visitor, list(HEADERS), receive, send)
    return None


async def further(address: DoorAddress, visitor: str, function: Callable[..., R], *args: Any) -> R:
    """Compute what an open watch is sent next. Raises WatchOver if its key has become invalid, or the site cannot answer now."""
    try:
        if await _OPENED.ask(address) is None:
            raise WatchOver
        return await computed_for(visitor, function, *args)
    except Exception as error:
        if failure_reply(error) is None:
            raise
        raise WatchOver from error


async def _round(address: DoorAddress, visitor: str, of: AskedOf, asked: DoorRequest, standing: Standing) -> Told:
    """Like ``further``, for continuing a watch: all watches of the run continue together."""
    try:
        if await _OPENED.ask(address) is None:
            raise WatchOver
        return await _ROUNDS.go_on(visitor, of.run_id, asked, standing)
    except Exception as error:
        if failure_reply(error) is None:
            raise
        raise WatchOver from error


def failure_reply(error: Exception) -> DoorReply | None:
    """The reply if the site cannot answer now; None for unexpected errors."""
    if isinstance(error, StillComputing):
        text = f"the simulation is on its way to this moment: {error.reached_ms // 1000} s of {error.goal_ms // 1000} s"
        return answer_reply(_later(text, after_s=ASK_AGAIN_S))
    if isinstance(error, (Busy, Lost, TookTooLong, *AWAY)):
        return answer_reply(_later("the site is busy; try again in a moment", after_s=RETRY_AFTER_S))
    if isinstance(error, RecordedOtherwise):
        return answer_reply(Answer(code=410, reason="Gone", message=OTHERWISE))
    return status_reply(unauthorized()) if isinstance(error, Run.DoesNotExist) else None


def _later(text: str, *, after_s: int, code: int = 503, reason: str = "ServiceUnavailable") -> Answer:
    return Answer(code=code, reason=reason, message=text, retry_after_s=after_s)


def _too_large() -> DoorReply:
    text = f"limit is {BODY_MAX} bytes"
    return answer_reply(Answer(code=413, reason="RequestEntityTooLarge", message=f"Request entity too large: {text}"))


def opened(address: DoorAddress) -> AskedOf | None:
    """The run that the key opens at this URL, or None. One query for a key's own run, more for others."""
    return opened_together([address])[0]


def opened_together(addresses: Sequence[DoorAddress]) -> list[AskedOf | None]:
    """Like ``opened``, for many URLs. One query for all keys."""
    keys = door_keys_find(address.token for address in addresses)
    return [_opened_by(keys.get(address.token), address) for address in addresses]


def _opened_by(key: DoorKey | None, address: DoorAddress) -> AskedOf | None:
    if key is None or not address.id:
        return None
    if address.sort == RUN:
        return opened_run(key, address)
    # Not shared_run, which creates a missing run: a key of another run must not create anything.
    share = share_get(address.id) if key.run.is_frozen else None
    if share is None or key.run.share_id != share.id:
        return None
    # A link shows one moment, and never gets beyond it.
    until_ms = share.content().until_ms
    at_ms = until_ms if address.at_ms is None else min(address.at_ms, until_ms)
    return AskedOf(run_id=key.run_id, at_ms=at_ms, may_write=False, key_id=key.id, label=key.label)


async def computed_for(visitor: str, function: Callable[..., R], *args: Any) -> R:
    """Call the function in a page worker, in one of the visitor's slots. Raises its exceptions, Busy, Lost and TookTooLong."""

    def compute() -> R:
        try:
            with COMPUTING.taken(visitor):
                found: R = elsewhere.asked(function, *args)
                return found
        except Elsewhere as error:  # workers never leave work to others
            raise Lost(str(error)) from error
        finally:
            close_old_connections()

    async with _SHARES.taken(visitor):
        return await asyncio.get_running_loop().run_in_executor(_POOL, copy_context().run, compute)


async def _together(visitor: str, run_id: UUID, watches: list[tuple[DoorRequest, Standing]]) -> Sequence[Told]:
    return await computed_for(visitor, watches_gone_on, run_id, watches)


_OPENED: Together[DoorAddress, AskedOf | None] = Together(opened_together)
"""The keys of watches are looked up again before anything is sent, those at the same instant with one query."""
_ROUNDS, _BEGINNINGS = WatchRounds(_together), SharedBeginnings()


async def _send(send: Send, reply: DoorReply, scope: Scope) -> None:
    own = {name.lower().encode("latin-1") for name, _ in reply.headers}
    headers = [
        (b"content-type", reply.content_type.encode("latin-1")),
        (b"content-length", str(len(reply.body)).encode()),
        *((name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers),
        *(header for header in HEADERS if header[0] not in own),
    ]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else reply.body})
