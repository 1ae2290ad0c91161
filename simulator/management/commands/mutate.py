"""``manage.py mutate``: find code that can be broken on purpose without any test noticing. ``make mutate`` runs it."""

from time import monotonic
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from simulator.bench.mutate.mutants import every_mutant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.bench.mutate.browser import BrowserPlace
    from simulator.bench.mutate.code import CodePlace
    from simulator.bench.mutate.trial import MutantVerdict


class Command(BaseCommand):
    """Break each declaration of the profile and of the machines, or places in code, one at a time; report what no test noticed."""

    help = (
        "Break version switches, numbers, texts and machine rows one at a time, or with --code a sample of comparisons, and/or, min/max "
        "and else in the code around the engine, or with --browser in the scripts of the pages; say what no story and no test notices."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare which mutants to try, and how many processes."""
        parser.add_argument(
            "names", nargs="*", help="mutants by name; * stands for any text (default: all), e.g. 'switch *', or a folder: '* web/run/*'"
        )
        code = parser.add_mutually_exclusive_group()
        code.add_argument("--code", action="store_true", help="break code around the engine, not declarations")
        code.add_argument("--browser", action="store_true", help="break the scripts of the pages; their tests in tests/js may notice")
        parser.add_argument("--sample", type=int, default=100, help="so many of the places in code that are named (0: all; default: 100)")
        parser.add_argument("--seed", type=int, default=1, help="the same seed draws the same places in code (default: 1)")
        parser.add_argument("--jobs", type=int, default=0, help="processes at a time (default: one a core)")
        parser.add_argument(
            "--tests", nargs="+", default=[], metavar="PATH", help="stories and tests that may notice (default: those of what is broken)"
        )
        parser.add_argument("--who", action="store_true", help="also say which test noticed")

    def handle(self, *args: Any, **options: Any) -> None:
        """Try the mutants; an unnoticed one without a reason, or an unneeded reason, is an error."""
        from simulator.bench.mutate.kept import BadKeptLine, compared, report
        from simulator.bench.mutate.trial import Failed

        began = monotonic()
        try:
            verdicts, kept = self._tried(options)
        except (BadKeptLine, Failed) as problem:
            raise CommandError(str(problem)) from problem
        outcome = compared(verdicts, kept)
        if options["names"] or options["tests"]:
            outcome = type(outcome)(new=outcome.new, stale=())
        for line in report(verdicts, outcome):
            self.stdout.write(line)
        self.stdout.write(f"took       {monotonic() - began:.0f} s")
        if outcome.new or outcome.stale:
            raise CommandError(f"{len(outcome.new)} unnoticed without a reason, {len(outcome.stale)} reasons without need")

    def _tried(self, options: dict[str, Any]) -> "tuple[list[MutantVerdict], dict[str, str]]":
        if options["code"]:
            return self._code(options)
        return self._browser(options) if options["browser"] else self._declarations(options)

    def _declarations(self, options: dict[str, Any]) -> "tuple[list[MutantVerdict], dict[str, str]]":
        from simulator.bench.mutate.kept import read_kept
        from simulator.bench.mutate.trial import TESTS, try_mutants

        kept = read_kept()
        mutants = [each for each in every_mutant() if _is_wanted(each.name, options["names"])]
        verdicts = try_mutants(mutants, tests=options["tests"] or TESTS, jobs=options["jobs"])
        self._say_who(verdicts, options)
        return verdicts, kept

    def _code(self, options: dict[str, Any]) -> "tuple[list[MutantVerdict], dict[str, str]]":
        from simulator.bench.mutate.code import every_place
        from simulator.bench.mutate.code_trial import CODE_KEPT, CODE_TESTS, drawn, learn, try_places
        from simulator.bench.mutate.kept import read_kept

        kept = read_kept(CODE_KEPT)
        places = drawn((each for each in every_place() if _is_wanted(each.name, options["names"])), options["sample"], options["seed"])
        learned = learn(options["tests"] or CODE_TESTS, jobs=options["jobs"])
        for test in learned.failed:
            self.stdout.write(f"left out   {test}: fails although nothing is broken")
        verdicts = try_places(places, learned, lambda verdict: self._say_who([verdict], options), jobs=options["jobs"])
        return verdicts, _reasons_for(places, kept)

    def _browser(self, options: dict[str, Any]) -> "tuple[list[MutantVerdict], dict[str, str]]":
        from simulator.bench.mutate.browser import browser_places
        from simulator.bench.mutate.browser_trial import BROWSER_KEPT, BROWSER_TESTS, learn_scripts, not_loaded, try_scripts
        from simulator.bench.mutate.code_trial import drawn
        from simulator.bench.mutate.kept import read_kept

        kept = read_kept(BROWSER_KEPT)
        wanted = [each for each in browser_places() if _is_wanted(each.name, options["names"])]
        learned = learn_scripts(options["tests"] or BROWSER_TESTS, jobs=options["jobs"])
        for file in learned.failed:
            self.stdout.write(f"left out   {file}: fails although nothing is broken")
        for folder, (modules, count) in not_loaded(wanted, learned.loaded).items():
            self.stdout.write(f"not drawn  {count} places of {folder}, in {modules} modules that no test of Node.js loads")
        places = drawn((each for each in wanted if each.found.path in learned.loaded), options["sample"], options["seed"])
        verdicts = self._one_by_one(try_scripts(places, learned, jobs=options["jobs"]), options)
        return verdicts, _reasons_for(places, kept)

    def _one_by_one(self, verdicts: "Iterable[MutantVerdict]", options: dict[str, Any]) -> "list[MutantVerdict]":
        """Collect the verdicts, printing each as it arrives."""
        found = []
        for verdict in verdicts:
            found.append(verdict)
            self._say_who([verdict], options)
        return found

    def _say_who(self, verdicts: "list[MutantVerdict]", options: dict[str, Any]) -> None:
        for verdict in verdicts if options["who"] else ():
            self.stdout.write(f"{verdict.mutant}: {verdict.by or 'nobody'}")


def _is_wanted(name: str, patterns: list[str]) -> bool:
    from simulator.bench.mutate.kept import is_named

    return not patterns or any(is_named(name, pattern) for pattern in patterns)


def _reasons_for(places: "Sequence[CodePlace | BrowserPlace]", kept: dict[str, str]) -> dict[str, str]:
    """The reasons that concern a sample; it says nothing about the places it leaves out."""
    from simulator.bench.mutate.kept import is_named

    return {name: reason for name, reason in kept.items() if any(is_named(each.name, name) for each in places)}
