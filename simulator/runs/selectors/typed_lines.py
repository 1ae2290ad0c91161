"""The command lines behind the acts of a run, who gave them, and which acts came from one client command: shown next to their records,
but not part of them."""

import hashlib
from collections.abc import Collection
from secrets import token_hex
from typing import NamedTuple

from simulator.engine.kernel.units import Seq
from simulator.models import Run, RunCommand

TYPED_LINES_MAX = 2000
"""At most this many of a run's newest lines are returned at once."""
_OF_SESSION = "door-"
_SESSION_LENGTH = 32


class TypedLine(NamedTuple):
    """The line of an act, who gave it, and the record of the first act from the same client command, perhaps its own."""

    line: str
    given_by: str
    first: Seq


def act_key(session: str) -> str:
    """A new client key for an act; the keys of acts with the same non-empty ``session`` share a part, which marks them as one group."""
    kept = hashlib.blake2s(session.encode(), digest_size=_SESSION_LENGTH // 2).hexdigest() if session else ""
    return "-".join(filter(None, (_OF_SESSION.rstrip("-"), kept, token_hex(12))))


def typed_lines(run: Run, seqs: Collection[Seq] | None = None) -> dict[Seq, TypedLine]:
    """The typed lines by the record of their act, for these records or for the newest acts; acts without a line are left out. The first
    act of a group is searched only among these. One query."""
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
    """The part shared by the keys of one group; the whole key if it belongs to none."""
    session = client_key.removeprefix(_OF_SESSION).partition("-")[0]
    return session if client_key.startswith(_OF_SESSION) and len(session) == _SESSION_LENGTH else client_key
