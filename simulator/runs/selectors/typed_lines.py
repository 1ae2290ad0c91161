"""The lines that acts of a run were typed as, and by whom: what stands beside their records and is no part of them."""

from collections.abc import Collection

from simulator.engine.kernel.units import Seq
from simulator.models import Run, RunCommand

TYPED_LINES_MAX = 2000
"""Those of a run that are told at once, the newest."""


def typed_lines(run: Run, seqs: Collection[Seq] | None = None) -> dict[Seq, tuple[str, str]]:
    """Line and giver by the record of the act, of these records or of the newest acts; those without a line are left out. One query."""
    rows = RunCommand.objects.filter(run=run, applied_seq__isnull=False).exclude(typed="")
    if seqs is not None:
        rows = rows.filter(applied_seq__in=list(seqs))
    found = rows.order_by("-n").values_list("applied_seq", "typed", "given_by")[:TYPED_LINES_MAX]
    return {seq: (typed, given_by) for seq, typed, given_by in found if seq is not None}
