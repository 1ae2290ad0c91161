"""``manage.py fidelity``: write ``docs/fidelity.md`` from the registry and the last measurement, or a new one if folders are given."""

import subprocess
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from simulator.engine import REVISION
from simulator.fidelity.document import document
from simulator.fidelity.measure import measure_answers, measure_cases, measure_examples, measure_outputs, measure_recordings
from simulator.fidelity.measured import KIND_NAMES, Measured, Stamp, read_measured, write_measured
from simulator.fidelity.rows import rule_rows

_WRITTEN = ("docs/fidelity.md", "simulator/fidelity/data/measured.json")
"""Files that this command writes: changes to them do not affect what is measured."""


class Command(BaseCommand):
    """Write the document, or with ``--check`` exit 1 if it is out of date."""

    help = "Write docs/fidelity.md; with folders of facts, measure the agreement first."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command line."""
        parser.add_argument("--cases", type=Path, metavar="DIR", help="case tables, as for the command conformance")
        parser.add_argument("--examples", type=Path, metavar="DIR", help="examples, as for the command docs_corpus")
        parser.add_argument("--answers", type=Path, metavar="DIR", help="recorded answers, as for the command api_answers")
        parser.add_argument("--recordings", type=Path, metavar="DIR", help="recordings with manifests and steps; DIR/../cluster.yaml too")
        parser.add_argument("--compare", type=Path, metavar="FILE", help="the program that compares a recording with a simulation")
        parser.add_argument("--commit", default="", help="the commit that is measured (default: what git says of this folder)")
        parser.add_argument("--date", default="", help="its day, 2026-01-31 (default: what git says of the commit)")
        parser.add_argument("--check", action="store_true", help="write nothing, say whether the document is up to date")

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure what is given, keep the rest of the last measurement, and write. Raises CommandError for a missing folder."""
        for name in ("cases", "examples", "answers", "recordings", "compare"):
            if options[name] is not None and not options[name].exists():
                raise CommandError(f"--{name}: {options[name]} is not there")
        if (options["recordings"] is None) != (options["compare"] is None):
            raise CommandError("--recordings and --compare go together")
        target = Path(settings.BASE_DIR) / "docs" / "fidelity.md"
        try:
            measured = self._measured(options)
        except ValueError as error:
            raise CommandError(str(error)) from error
        text = document(rule_rows(), measured)
        if options["check"]:
            if not target.is_file() or target.read_text(encoding="utf-8") != text:
                raise CommandError("docs/fidelity.md is out of date: run manage.py fidelity")
            return
        write_measured(measured)
        target.write_text(text, encoding="utf-8")
        for suite in measured.suites:
            self.stdout.write(f"{suite.kind} {suite.name} {suite.agree}/{suite.total}")
        for item in measured.differences if options["recordings"] is not None else ():
            for line in item.lines if item.kind == "describe" else ():
                self.stdout.write(f"{item.name}: {line}")

    def _measured(self, options: dict[str, Any]) -> Measured:
        """The last measurement, updated with what is measured now."""
        last = read_measured()
        suites = {kind: [suite for suite in last.suites if suite.kind == kind] for kind in KIND_NAMES}
        differences = {kind: [item for item in last.differences if item.kind == kind] for kind in KIND_NAMES}
        fresh: list[str] = []
        if options["recordings"] is not None:
            cluster = options["recordings"].parent / "cluster.yaml"
            suite, differences["recordings"] = measure_recordings(options["recordings"], cluster, options["compare"])
            suites["recordings"] = [suite]
            suites["describe"], differences["describe"] = measure_outputs(options["recordings"], cluster)
            fresh += ["recordings", "describe"]
        if options["answers"] is not None:
            suites["answers"] = measure_answers(options["answers"])
            fresh.append("answers")
        if options["cases"] is not None:
            suites["cases"] = measure_cases(options["cases"])
            fresh.append("cases")
        if options["examples"] is not None:
            suite, differences["examples"] = measure_examples(options["examples"])
            suites["examples"] = [suite]
            fresh.append("examples")
        stamps = {**last.stamps, **(dict.fromkeys(fresh, _stamp(options)) if fresh else {})}
        flat = tuple(suite for group in suites.values() for suite in group)
        return Measured(suites=flat, differences=tuple(item for group in differences.values() for item in group), stamps=stamps)


def _stamp(options: dict[str, Any]) -> Stamp:
    """The commit and date being measured: as given, or from git. The date is the commit's, so that repeating gives the same result."""
    commit, date = (
        options["commit"] or _git("rev-parse", "--short=10", "HEAD"),
        options["date"] or _git("show", "-s", "--format=%cs", "HEAD"),
    )
    if not commit or not date:
        raise CommandError("git does not say which commit this is: give --commit and --date")
    if not options["commit"] and _git("status", "--porcelain", "--untracked-files=no", "--", ".", *(f":!{path}" for path in _WRITTEN)):
        commit += " with changes"
    return Stamp(date, commit, REVISION)


def _git(*words: str) -> str:
    """git's output; empty without git or a repository."""
    try:
        done = subprocess.run(("git", *words), cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
