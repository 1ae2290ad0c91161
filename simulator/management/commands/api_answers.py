"""``manage.py api_answers FILE_OR_DIR``: compare our API server's responses with recorded ones."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from simulator.fidelity.answers.report import API_FAMILIES


class Command(BaseCommand):
    """For each file, print how many responses agree by each measure, and every one that does not."""

    help = "Compare answers to creates and updates, and defaults, with recordings of a real API server."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command line."""
        names = ", ".join(f"{name}.json" for name in API_FAMILIES)
        parser.add_argument("path", type=Path, metavar="FILE_OR_DIR", help=f"a file named {names}, or a directory with such files")

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure the files. Raises CommandError if there are none."""
        path: Path = options["path"]
        files = [path] if path.is_file() else [file for name in API_FAMILIES if (file := path / f"{name}.json").is_file()]
        known = [file for file in files if file.stem in API_FAMILIES]
        if not known:
            raise CommandError(f"no file of recorded answers: {path}")
        for file in known:
            for line in API_FAMILIES[file.stem](file).lines():
                self.stdout.write(line)
