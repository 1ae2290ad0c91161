"""``manage.py simulate``: run manifests headless and print what happened."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from simulator.engine import ClusterSpec, RunHeader, ScriptStep
from simulator.engine.errors import EngineError
from simulator.engine.profile import resolve, settings_of
from simulator.headless.tables import event_list, watch_table
from simulator.headless.trace import TraceRecorder
from simulator.manifests.check import check_text
from simulator.manifests.cluster import default_cluster, read_cluster
from simulator.manifests.durations import duration_ms
from simulator.manifests.problems import Problem
from simulator.manifests.script import read_script


class Command(BaseCommand):
    """Simulate manifests from time 0 and print a trace, a watch table or the Events."""

    help = "Simulate manifests headless and print what happened."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The options of the command."""
        parser.add_argument("-f", "--filename", action="append", required=True, help="a manifest; may be given several times, - is stdin")
        parser.add_argument("--script", help="what is done to the pods afterwards (YAML list of steps)")
        parser.add_argument("--for", dest="duration", default="120s", help="how long to simulate: 90s, 5m, 1h30m (default 120s)")
        parser.add_argument("--cluster", help="nodes and images of the cluster (YAML)")
        parser.add_argument("--kubernetes", default="1.30", help="Kubernetes minor, 1.20 … 1.37 (default 1.30)")
        parser.add_argument("--feature-gates", default="", help="gates set against their default: Name=true,Other=false")
        parser.add_argument("--seed", type=int, help="draw what is random in a cluster by this seed")
        parser.add_argument("--jitter", choices=("real", "none"), help="none (default without --seed) fixes every random draw at its mean")
        parser.add_argument("--namespace", default="default", help="namespace of objects that name none")
        parser.add_argument("--format", choices=("trace", "table", "events"), default="table", help="what to print (default table)")
        parser.add_argument("--lenient", action="store_true", help="unknown fields are warnings, not errors")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check the inputs, run, print."""
        until_ms = duration_ms(options["duration"])
        if until_ms is None:
            raise CommandError(_("--for: %(value)s is no duration; write 90s, 5m or 1h30m") % {"value": options["duration"]})
        try:
            resolve(options["kubernetes"], settings_of(options["feature_gates"]))
            recorder = TraceRecorder(self._header(options))
        except (EngineError, ValueError) as error:
            raise CommandError(str(error)) from None
        recorder.run(until_ms)
        if options["format"] == "trace":
            self.stdout.write(json.dumps(recorder.trace(scenario=options["namespace"]), ensure_ascii=False))
            return
        lines = watch_table(recorder.records, until_ms=until_ms) if options["format"] == "table" else event_list(recorder.records)
        for line in lines:
            self.stdout.write(line)

    def _header(self, options: dict[str, Any]) -> RunHeader:
        documents: list[str] = []
        for name in options["filename"]:
            checked = check_text(
                self._read(name), kubernetes=options["kubernetes"], strict=not options["lenient"], namespace=options["namespace"]
            )
            problems = checked.problems
            if options["script"] is not None:  # a script may be all there is
                problems = tuple(problem for problem in problems if problem.code != "empty")
            self._report(name, problems)
            documents += [document.json for document in checked.documents]
        return RunHeader(
            kubernetes=options["kubernetes"],
            seed=1 if options["seed"] is None else options["seed"],
            jitter=(options["jitter"] or ("none" if options["seed"] is None else "real")) == "real",
            namespace=options["namespace"],
            gates=settings_of(options["feature_gates"]),
            cluster=self._cluster(options["cluster"]),
            manifests=tuple(documents),
            script=self._script(options),
            scenario=options["namespace"],
        )

    def _cluster(self, name: str | None) -> ClusterSpec:
        if name is None:
            return default_cluster()
        read = read_cluster(self._read(name))
        self._report(name, read.problems)
        return read.spec

    def _script(self, options: dict[str, Any]) -> tuple[ScriptStep, ...]:
        if options["script"] is None:
            return ()
        script = read_script(self._read(options["script"]), kubernetes=options["kubernetes"], namespace=options["namespace"])
        self._report(options["script"], script.problems)
        return script.steps

    def _read(self, name: str) -> str:
        try:
            return self.stdin_text() if name == "-" else Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(_("cannot read %(name)s: %(error)s") % {"name": name, "error": error}) from None

    @staticmethod
    def stdin_text() -> str:
        """All of standard input."""
        import sys

        return sys.stdin.read()

    def _report(self, name: str, problems: tuple[Problem, ...]) -> None:
        """Print every problem with its line; errors end the command."""
        for problem in problems:
            self.stderr.write(f"{name}:{problem.line}:{problem.column}: {problem.severity}: {problem.message}")
        if any(problem.severity == "error" for problem in problems):
            raise CommandError(_("%(name)s was not accepted") % {"name": name})
