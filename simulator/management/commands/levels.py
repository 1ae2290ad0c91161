"""``manage.py levels``: play every solution of levels at every seed and report whether each behaves as promised."""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from simulator.engine.kernel.outside_text import one_line
from simulator.levels.reading import HERE, BadLevel, read_level
from simulator.levels.report import level_lines, level_tests
from simulator.levels.results import results_of
from simulator.levels.trial import Trial, tried


class Command(BaseCommand):
    """Check levels, given as files and folders."""

    help = "Play every solution of levels at every seed; the exit code is 1 if a level has problems."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command line."""
        # A subcommand, because otherwise argparse takes no option before the paths.
        check = parser.add_subparsers(dest="what", required=True).add_parser("check", help="play all solutions, and doing nothing")
        check.add_argument("paths", nargs="*", metavar="PATH", help="a level, or a folder of *.toml (default: the product's own levels)")
        check.add_argument("--json", action="store_true", help="print results.json, version 3: one test for each solution at each seed")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and print; exit with 1 if a level breaks its promise."""
        files = [*_files(options["paths"] or [str(HERE)])]
        stems = Counter(path.stem for path in files)
        tests, bad, solutions = [], 0, 0
        for path in files:
            trial = self._trial(path)
            bad += not trial.ok if isinstance(trial, Trial) else 1
            solutions += len(trial.attempts) if isinstance(trial, Trial) else 0
            tests += level_tests(path.stem if stems[path.stem] == 1 else str(path.with_suffix("")), trial)
            if not options["json"]:
                for line in level_lines(str(path), trial):
                    self.stdout.write(line)
        if options["json"]:
            self.stdout.write(msgspec.json.format(msgspec.json.encode(results_of(tests)), indent=2).decode())
        else:
            self.stdout.write(
                _("Levels: %(levels)d. Plays: %(plays)d. Levels with problems: %(bad)d.")
                % {"levels": len(files), "plays": solutions, "bad": bad}
            )
        if bad:
            raise SystemExit(1)

    def _trial(self, path: Path) -> Trial | BadLevel:
        try:
            return tried(read_level(path.read_text(encoding="utf-8-sig"), slug=path.stem))
        except BadLevel as error:
            return error
        except UnicodeDecodeError:
            return BadLevel(_("The file is not UTF-8: save it as UTF-8."))


def _files(paths: list[str]) -> Iterator[Path]:
    for name in paths:
        path = Path(name)
        if path.is_dir():
            found = sorted(each for each in path.rglob("*.toml") if each.is_file())
            if not found:
                raise CommandError(_("There is no level in the folder %(name)s") % {"name": one_line(name, most=200)})
            yield from found
        elif path.is_file():
            yield path
        else:
            raise CommandError(_("There is no file or folder %(name)s") % {"name": one_line(name, most=200)})
