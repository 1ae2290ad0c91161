"""``manage.py conformance --cases DIR [FAMILY …] [--json FILE]``: compare the engine with published facts."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from simulator.fidelity.cases.run import as_json, run_family
from simulator.fidelity.cases.table import load_families


class Command(BaseCommand):
    """Print ``family passed/total`` and the failing ids; exit 1 when anything failed."""

    help = "Check the engine against case files of known Kubernetes behaviour."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command line."""
        parser.add_argument("families", nargs="*", metavar="FAMILY", help="only these families (default: every case file)")
        parser.add_argument("--cases", required=True, type=Path, metavar="DIR", help="directory of FAMILY.json files")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write every outcome to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the families. Raises CommandError if the directory or a named family is missing."""
        directory: Path = options["cases"]
        if not directory.is_dir():
            raise CommandError(f"not a directory: {directory}")
        try:
            families = load_families(directory, tuple(options["families"]))
        except FileNotFoundError as error:
            raise CommandError(f"no case file: {error.filename}") from error
        reports = [run_family(name, cases) for name, cases in families.items()]
        for report in reports:
            for line in report.lines():
                self.stdout.write(line)
        if options["json"]:
            options["json"].write_text(json.dumps(as_json(reports), indent=1) + "\n", encoding="utf-8")
        if any(report.has_failed for report in reports):
            raise SystemExit(1)
