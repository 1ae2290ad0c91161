"""``manage.py mutate``: what no test notices when it is broken on purpose. ``make mutate`` runs it."""

from time import monotonic
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from simulator.bench.mutate.mutants import every_mutant


class Command(BaseCommand):
    """Break each declaration of the profile and of the machines, one at a time, and say what nobody noticed."""

    help = "Break version switches, numbers, texts and machine rows one at a time; say what no story and no engine test notices."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Which mutants, and how many processes."""
        parser.add_argument("names", nargs="*", help="mutants by name; * stands for any text (default: all), e.g. 'switch *'")
        parser.add_argument("--jobs", type=int, default=0, help="processes at a time (default: one a core)")
        parser.add_argument(
            "--tests", nargs="+", default=[], metavar="PATH", help="stories and tests that may notice (default: the engine's and kubectl's)"
        )
        parser.add_argument("--who", action="store_true", help="also say which test noticed")

    def handle(self, *args: Any, **options: Any) -> None:
        """Try the mutants; an unnoticed one without a reason, or a reason without need, is an error."""
        from simulator.bench.mutate.kept import BadKeptLine, compared, is_named, read_kept, report
        from simulator.bench.mutate.trial import TESTS, Failed, try_mutants

        wanted = options["names"]
        mutants = [each for each in every_mutant() if not wanted or any(is_named(each.name, pattern) for pattern in wanted)]
        began = monotonic()
        try:
            kept = read_kept()
            verdicts = try_mutants(mutants, tests=options["tests"] or TESTS, jobs=options["jobs"])
        except (BadKeptLine, Failed) as problem:
            raise CommandError(str(problem)) from problem
        if options["who"]:
            for verdict in verdicts:
                self.stdout.write(f"{verdict.mutant}: {verdict.by or 'nobody'}")
        outcome = compared(verdicts, kept)
        if wanted or options["tests"]:
            outcome = type(outcome)(new=outcome.new, stale=())
        for line in report(verdicts, outcome):
            self.stdout.write(line)
        self.stdout.write(f"took       {monotonic() - began:.0f} s")
        if outcome.new or outcome.stale:
            raise CommandError(f"{len(outcome.new)} unnoticed without a reason, {len(outcome.stale)} reasons without need")
