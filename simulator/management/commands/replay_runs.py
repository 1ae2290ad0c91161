"""``manage.py replay_runs``: recompute stored runs and compare them with what was recorded."""

import sys
import time
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from simulator.engine.course.header import REVISION
from simulator.headless.replays import ReplayVerdict, verdict_of
from simulator.models import Run, StoredReplay
from simulator.runs.log.content import Unreadable
from simulator.runs.log.replays import head_of, replay_task
from simulator.runs.log.storage import BrokenLog
from simulator.runs.services.link_mending import LinkMend, link_mend
from simulator.runs.services.replays import replay_ask
from simulator.runs.state_notes import note_text
from simulator.web.presenters import clock_text

LOOK_S = 1.0
MISSING = ReplayVerdict(problem="it was left out")

Found = tuple[UUID, int, ReplayVerdict]
"""A run, the revision that recorded it, and the result of its replay."""


class Command(BaseCommand):
    """Print one line per run that differs, and totals. Exits with 1 if a run of this engine's own revision differs.

    A run behind a link that lacks an act from its records is repaired (``link_mend``), which is also printed, and then counts as
    agreeing; with ``--dry-run`` it is listed and counts as differing.
    """

    help = "Replay stored runs, report the first record that differs, and mend links that lack an act which their records tell of."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare which runs; all by default."""
        parser.add_argument("runs", nargs="*", type=UUID, help="ids of runs (default: all)")
        parser.add_argument(
            "--job",
            action="store_true",
            help="have the site's runners or workers do it, and wait; a command that was interrupted goes on with what is there",
        )

        parser.add_argument("--dry-run", action="store_true", help="change nothing: links that could be mended are only named")

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay each run; those of other revisions are counted separately, since a difference is not an error for them."""
        runs = Run.objects.filter(head_seq__gt=0)
        if options["runs"]:
            runs = runs.filter(id__in=options["runs"])
        own, kept = [0, 0], [0, 0]
        for run_id, revision, verdict in self._job(runs) if options["job"] else _here(runs):
            counted = own if revision == REVISION else kept
            is_mended = not verdict.agrees and self._mend(run_id, is_dry=options["dry_run"])
            counted[0] += verdict.agrees or is_mended
            counted[1] += 1
            if not verdict.agrees and not is_mended:
                by = "" if revision == REVISION else f"of revision {revision} "
                self.stdout.write(f"{run_id} {by}{in_words(verdict)}")
        self.stdout.write(f"{own[0]} of {own[1]} runs agree")
        if kept[1]:
            self.stdout.write(f"{kept[0]} of {kept[1]} runs of other revisions agree")
        if own[0] != own[1]:
            sys.exit(1)

    def _mend(self, run_id: UUID, *, is_dry: bool) -> bool:
        """Repair the run if it is behind a link; return whether that was done. With ``is_dry`` it is only reported."""
        run = Run.objects.filter(id=run_id).first()
        try:
            mend = link_mend(run=run, changes_nothing=is_dry) if run is not None else None
        except (Unreadable, BrokenLog):  # reported like for any other run
            return False
        if mend is not None:
            self.stdout.write(f"{run_id} {(to_mend_in_words if is_dry else mended_in_words)(mend)}")
        return mend is not None and not is_dry

    def _job(self, runs: Any) -> Iterable[Found]:
        """The results of the job, once it is done. Raises CommandError if it ended in any other state."""
        row = replay_ask(runs)
        while row.is_open:
            if self.stderr.isatty():
                self.stderr.write(f"\r{row.get_state_display()}: {row.done}/{row.size}", ending="\r")
            time.sleep(LOOK_S)
            row.refresh_from_db()
        if row.state != StoredReplay.State.DONE:
            raise CommandError(f"The replay {row.id} has {row.state}. {note_text(row.state_note)}")
        return [(head.run, head.revision, verdict or MISSING) for head, verdict in zip(row.heads(), row.verdicts(), strict=True)]


def _here(runs: Any) -> Iterable[Found]:
    """Replay the runs in this process, each as far as it is recorded when its turn comes. Runs deleted by then are left out."""
    for run_id in list(runs.order_by("-revision", "created_at", "id").values_list("id", flat=True)):
        run = Run.objects.filter(id=run_id).first()
        if run is not None:
            yield run.id, run.revision, _played(run)


def _played(run: Run) -> ReplayVerdict:
    """Replay a run. One that cannot be read or computed counts as differing."""
    try:
        return verdict_of(replay_task(head_of(run)))
    except Exception as error:
        return ReplayVerdict(problem=f"{type(error).__name__}: {error}")


def mended_in_words(mend: LinkMend) -> str:
    """A description of what was done to a link."""
    if mend.is_begun_again:
        return f"behind link {mend.share_id}: its records did not follow from its content and are computed again when it is opened"
    acts = f"{mend.acts} act{'' if mend.acts == 1 else 's'} put back into its content"
    return f"behind link {mend.share_id}: mended, {acts if mend.acts else 'its head moved to where its records end'}"


def to_mend_in_words(mend: LinkMend) -> str:
    """A description of what would be done to a link."""
    if mend.is_begun_again:
        return f"behind link {mend.share_id}: its records do not follow from its content and would be computed again"
    acts = f"{mend.acts} act{'' if mend.acts == 1 else 's'} would be put back into its content"
    return f"behind link {mend.share_id}: {acts if mend.acts else 'its head would move to where its records end'}"


def in_words(verdict: ReplayVerdict) -> str:
    """A description of what is wrong with a run."""
    if verdict.problem:
        return f"cannot be replayed: {verdict.problem}"
    rules = f"rule {verdict.stored or 'none'}, now {verdict.now or 'none'}"
    return f"differs from record {verdict.seq} on, at {clock_text(verdict.at_ms)} ({rules})"
