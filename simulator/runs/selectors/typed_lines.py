"""The lines that acts of a run were typed as, by whom, and which of them one command of a client gave: what stands beside their records
and is no part of them."""

import hashlib
from collections.abc import Collection
from secrets import token_hex
from typing import NamedTuple

from simulator.engine.kernel.units import Seq
from simulator.models import Run, RunCommand

TYPED_LINES_MAX = 2000
"""Those of a run that are told at once, the newest."""
_OF_SESSION = "door-"
_SESSION_LENGTH = 32


class TypedLine(NamedTuple):
    """The line of an act, who gave it, and the first act of the same command of a client: its own record where it is that, or the only."""

    line: str
    given_by: str
    first: Seq


def act_key(session: str) -> str:
    """A new client key for an act; those with one ``session`` that is not empty belong together, which their keys tell."""
    kept = hashlib.blake2s(session.encode(), digest_size=_SESSION_LENGTH // 2).hexdigest() if session else ""
    return "-".join(filter(None, (_OF_SESSION.rstrip("-"), kept, token_hex(12))))


def typed_lines(run: Run, seqs: Collection[Seq] | None = None) -> dict[Seq, TypedLine]:
    """By the record of the act, of these records or of the newest acts, where alone the first of them is looked for; those without a
    line are left out. One query."""
    rows = RunCommand.objects.filter(run=run, applied_seq__isnull=False).exclude(typed="")
    if seqs is not None:
        rows = rows.filter(applied_seq__in=list(seqs))
    found = rows.order_by("-n").values_list("applied_seq", "typed", "given_by", "client_key")[:TYPED_LINES_MAX]
    firsts: dict[str, Seq] = {}
    lines: dict[Seq, TypedLine] = {}
    for seq, typed, given_by, key in reversed(list(found)):
        if seq is not None:
            lines[seq] = TypedLine(typed, given_by, firsts.setdefault(_together(key), seq))
    return lines


def _together(client_key: str) -> str:
    """What the keys of acts that belong together share; the key itself where it belongs to no other."""
    session = client_key.removeprefix(_OF_SESSION).partition("-")[0]
    return session if client_key.startswith(_OF_SESSION) and len(session) == _SESSION_LENGTH else client_key
