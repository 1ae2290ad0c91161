"""``manage.py fidelity``: write ``docs/fidelity.md`` from the registry and the last measurement; measure anew where folders are given."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from simulator.fidelity.document import document
from simulator.fidelity.measure import measure_cases, measure_examples, measure_outputs, measure_recordings
from simulator.fidelity.measured import Measured, read_measured, write_measured
from simulator.fidelity.rows import rule_rows


class Command(BaseCommand):
    """Write the document, or with ``--check`` exit 1 where it is out of date."""

    help = "Write docs/fidelity.md; with folders of facts, measure the agreement first."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command line."""
        parser.add_argument("--cases", type=Path, metavar="DIR", help="case tables, as for the command conformance")
        parser.add_argument("--examples", type=Path, metavar="DIR", help="examples, as for the command docs_corpus")
        parser.add_argument("--recordings", type=Path, metavar="DIR", help="recordings with manifests and steps; DIR/../cluster.yaml too")
        parser.add_argument("--compare", type=Path, metavar="FILE", help="the program that compares a recording with a simulation")
        parser.add_argument("--check", action="store_true", help="write nothing, say whether the document is up to date")

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure what is given, keep the rest of the last measurement, write. Raises CommandError for a folder that is not there."""
        for name in ("cases", "examples", "recordings", "compare"):
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
        """The last measurement, with what is measured now in its place."""
        last = read_measured()
        suites = {kind: [suite for suite in last.suites if suite.kind == kind] for kind in ("recordings", "describe", "cases", "examples")}
        differences = {kind: [item for item in last.differences if item.kind == kind] for kind in suites}
        if options["recordings"] is not None:
            cluster = options["recordings"].parent / "cluster.yaml"
            suite, differences["recordings"] = measure_recordings(options["recordings"], cluster, options["compare"])
            suites["recordings"] = [suite]
            suites["describe"], differences["describe"] = measure_outputs(options["recordings"], cluster)
        if options["cases"] is not None:
            suites["cases"] = measure_cases(options["cases"])
        if options["examples"] is not None:
            suite, differences["examples"] = measure_examples(options["examples"])
            suites["examples"] = [suite]
        flat = tuple(suite for group in suites.values() for suite in group)
        return Measured(suites=flat, differences=tuple(item for group in differences.values() for item in group))
