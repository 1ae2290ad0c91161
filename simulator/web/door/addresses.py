"""URLs of a run's API: ``/r/ID/k8s/KEY/…``, ``/r/ID@42/k8s/KEY/…`` for a moment, ``/s/ID/k8s/KEY/…`` for a link.

Instead of a moment there may be a clock (``clocks.py``), ``/r/ID@skip/k8s/KEY/…``, or the branch that begins at a moment
(``branches.py``), ``/r/ID@branch-42/k8s/KEY/…``.
"""

import re

from django.conf import settings
from msgspec import Struct

from simulator.engine.kernel.bounded import milliseconds, whole_number
from simulator.engine.kernel.units import Ms
from simulator.runs.services.door_keys import TOKEN
from simulator.web.door.clocks import LIVE, OWN_CLOCK, DoorClock, clock_in

_ADDRESS = re.compile(r"/(?P<sort>[rs])/(?P<id>[0-9A-Za-z_-]{1,60})(?:@(?P<at>[^/]{1,30}))?/k8s(?P<rest>/.*)?", re.DOTALL)
_RUN_NAME = re.compile(r"[0-9a-f]{32}|[0-9a-f-]{36}")
BRANCH = "branch-"
RUN, SHARE = "r", "s"
_BEARER = "bearer "


class DoorAddress(Struct, frozen=True, kw_only=True):
    """A parsed URL. ``at_ms`` is None for the present; ``path`` is the path within the API."""

    sort: str
    id: str
    at_ms: Ms | None
    token: str
    path: str
    clock: DoorClock = OWN_CLOCK
    is_branch: bool = False


def path_at(host: str, path: str, *, wildcard: str) -> str:
    """The path for a request that names its run by host, ``https://RUN.k8s.example/KEY/api``. Otherwise, or without a ``wildcard`` (the
    parent domain of all runs), the path is unchanged."""
    name, dot, rest = host.lower().partition(".")
    is_run = bool(wildcard) and dot and rest.partition(":")[0] == wildcard.lower() and _RUN_NAME.fullmatch(name) is not None
    return f"/{RUN}/{name}/k8s{path}" if is_run else path


def door_address(path: str, authorization: str = "") -> DoorAddress | None:
    """Parse a path; None if it is not the URL of an API. The key may be in the Authorization header instead."""
    found = _ADDRESS.fullmatch(path)
    if found is None:
        return None
    first, _, rest = (found["rest"] or "/").removeprefix("/").partition("/")
    is_key = TOKEN.fullmatch(first) is not None
    bearer = authorization[len(_BEARER) :].strip() if authorization.lower().startswith(_BEARER) else ""
    at = found["at"] or LIVE
    clock = clock_in(at)
    at_ms = moment_in(at.removeprefix(BRANCH)) if clock is None else None
    if clock is None and at_ms is None:
        return DoorAddress(sort=found["sort"], id="", at_ms=0, token="", path="/")
    return DoorAddress(
        sort=found["sort"],
        id=found["id"],
        at_ms=at_ms,
        token=first if is_key else bearer,
        path=f"/{rest}" if is_key else found["rest"] or "/",
        clock=clock or OWN_CLOCK,
        is_branch=at.startswith(BRANCH),
    )


def moment_in(text: str) -> Ms | None:
    """``42``, ``42.5`` or ``1:02`` as milliseconds of the run; None for anything else."""
    minutes, colon, seconds = text.rpartition(":")
    ms = milliseconds(seconds, most=settings.SIM_RUN_MS_MAX)
    whole = whole_number(minutes) if colon else 0
    return None if ms is None or whole is None else min(ms + whole * 60_000, settings.SIM_RUN_MS_MAX)
