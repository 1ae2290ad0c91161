"""``manage.py runs list|stop|retry``: list runs, stop some of them, or let them try again."""

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from simulator.models import Run
from simulator.runs.selectors.runs import runs_newest
from simulator.runs.services.operator import run_retry, run_stop
from simulator.web.presenters import clock_text

TITLE_MAX = 30
HEADINGS = ("ID", "TITLE", "STATE", "OWNER", "LEASE", "HEAD", "RECORDS", "TAKE-OVERS")
IMPOSSIBLE = {"stop": "is not live", "retry": "has neither failed nor been stopped"}


class Command(BaseCommand):
    """List runs with their owners, stop some, or let some try again."""

    help = "List runs, stop them, or let runs that failed or were stopped try again."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the sub-commands."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        listing = verbs.add_parser("list", help="the newest runs, with state, owner, lease, head, and take-overs without progress")
        listing.add_argument("--state", choices=Run.State.values, help="only runs of this state (default: all)")
        listing.add_argument("--limit", type=int, default=100, help="at most so many (default 100)")
        stop = verbs.add_parser("stop", help="end live runs for good; what they recorded stays")
        retry = verbs.add_parser("retry", help="let runs that failed or were stopped go on; somebody has to watch them")
        for verb in (stop, retry):
            verb.add_argument("runs", nargs="+", type=UUID, help="ids of runs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the sub-command, printing one line per run. Raises CommandError at the end if it was impossible for some."""
        if options["verb"] == "list":
            self._list(options["state"], max(1, options["limit"]))
        else:
            self._each(options["verb"], options["runs"])

    def _list(self, state: str | None, limit: int) -> None:
        rows = [HEADINGS, *(_cells(run) for run in runs_newest(state=state, limit=limit))]
        widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
        for row in rows:
            self.stdout.write("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())

    def _each(self, verb: str, run_ids: list[UUID]) -> None:
        act: Callable[..., bool] = run_stop if verb == "stop" else run_retry
        impossible = []
        for run_id in run_ids:
            if act(run_id=run_id):
                self.stdout.write(f"{run_id} {'stopped' if verb == 'stop' else 'may try again'}")
            else:
                impossible.append(str(run_id))
        if impossible:
            raise CommandError("\n".join(f"{run_id} {IMPOSSIBLE[verb]}, or there is no such run" for run_id in impossible))


def _cells(run: Run) -> tuple[str, ...]:
    title = run.title if len(run.title) <= TITLE_MAX else f"{run.title[: TITLE_MAX - 1]}…"
    lease = "-"
    if run.lease_until is not None:
        left_s = (run.lease_until - timezone.now()).total_seconds()
        lease = f"{left_s:.0f}s" if left_s > 0 else "expired"
    head = clock_text(run.head_ms)
    return (str(run.id), title, run.state, run.owner or "-", lease, head, str(run.head_seq), str(run.take_overs))
