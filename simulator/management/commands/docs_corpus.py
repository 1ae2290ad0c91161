"""``manage.py docs_corpus DIR [--json FILE] [NAME …]``: run the documentation's examples and check what it says about them."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError

from simulator.fidelity.corpus.index import read_corpus
from simulator.fidelity.corpus.judge import judge_example
from simulator.fidelity.corpus.report import CorpusReport, as_json, summary


class Command(BaseCommand):
    """Print ``example held/total`` and what did not hold; exit 1 if a hard expectation failed."""

    help = "Run the examples of the documentation and check what is said of them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command line."""
        parser.add_argument("directory", type=Path, metavar="DIR", help="directory with index.json and its manifests")
        parser.add_argument("names", nargs="*", metavar="NAME", help="only these examples (default: all)")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write every verdict to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the examples. Raises CommandError if the index cannot be read, or has no example of that name."""
        try:
            corpus = read_corpus(options["directory"])
        except (OSError, ValueError, msgspec.DecodeError) as error:
            raise CommandError(f"cannot read the index: {error}") from error
        wanted = options["names"] or [example.name for example in corpus.examples]
        unknown = sorted(set(wanted) - {example.name for example in corpus.examples})
        if unknown:
            raise CommandError(f"no such example: {', '.join(unknown)}")
        reports = []
        for example in corpus.examples:
            if example.name in wanted:
                report = CorpusReport(name=example.name, verdicts=tuple(judge_example(corpus, example)))
                reports.append(report)
                for line in report.lines():
                    self.stdout.write(line)
        for line in summary(reports):
            self.stdout.write(line)
        if options["json"]:
            options["json"].write_text(json.dumps(as_json(reports), indent=1) + "\n", encoding="utf-8")
        if any(report.count("failed", hard_only=True) for report in reports):
            raise SystemExit(1)
