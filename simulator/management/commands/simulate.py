"""``manage.py simulate``: run manifests headless and print what happened."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from msgspec.structs import replace

from simulator.engine.kernel.errors import EngineError
from simulator.engine.kernel.units import Ms
from simulator.engine.past.document import past_of
from simulator.engine.versions import MINORS, resolve, settings_of
from simulator.engine.versions.usual import TYPED
from simulator.headless.decisions import decision_lines, replayed_decision
from simulator.headless.inputs import BadInput, Inputs, Prepared, prepare, read_text
from simulator.headless.notes import report_noted, report_unused
from simulator.headless.refused import is_refusal, why_refused
from simulator.headless.refused import said as in_words
from simulator.headless.requests import request_lines
from simulator.headless.session import Session
from simulator.headless.tables import event_list, watch_table
from simulator.headless.trace import TraceRecorder
from simulator.headless.unready import unready_lines
from simulator.imports.build import import_text
from simulator.kubectl.changes import changes, document_of, without_noise
from simulator.kubectl.drain import drain_output
from simulator.manifests.check.gathered import line_of, printed
from simulator.manifests.editor.preview.differ import diff_lines
from simulator.manifests.problems import INFO, Problem
from simulator.manifests.script.cluster import NODES_MAX, NODES_USUAL
from simulator.manifests.script.durations import duration_ms


class Command(BaseCommand):
    """Simulate manifests from time 0 and print a trace, a watch table or the Events."""

    help = "Simulate manifests headless and print what happened."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command line."""
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("-f", "--filename", action="append", help="a manifest; may be given several times, - is stdin")
        what.add_argument(
            "--import", dest="imported", metavar="FILE", help="output of kubectl get pod,events -o yaml: its past, and how it goes on"
        )
        parser.add_argument("--script", help="what is done to the pods afterwards (YAML list of steps)")
        parser.add_argument("--for", dest="duration", default="120s", help="how long to simulate, from an import on: 90s, 5m (120s)")
        parser.add_argument("--cluster", help="nodes and images of the cluster (YAML)")
        parser.add_argument(
            "--nodes", type=int, help=f"without --cluster: how many equal nodes there are, 1 to {NODES_MAX} (default {NODES_USUAL})"
        )
        parser.add_argument("--node-size", default="", help="their size: cpu=8,memory=32Gi,pods=250 (default: 4 cpu, 16Gi, 110 pods)")
        parser.add_argument("--kubernetes", help=f"Kubernetes minor, {MINORS[0]} … {MINORS[-1]} (default {TYPED}, or what an import shows)")
        parser.add_argument("--feature-gates", default="", help="gates set against their default: Name=true,Other=false")
        parser.add_argument("--seed", type=int, help="draw what is random in a cluster by this seed")
        parser.add_argument("--jitter", choices=("real", "none"), help="none (default without --seed) fixes every random draw at its mean")
        parser.add_argument("--namespace", default="default", help="namespace of objects that name none")
        parser.add_argument(
            "--kubectl",
            action="append",
            metavar="LINE",
            help='print what kubectl answers: "get pods -o wide", "exec p -- ls"; several times',
        )
        parser.add_argument("--at", help="the moment of that answer: 12.5s, 5m (default: the end)")
        parser.add_argument(
            "--explain", metavar="POD@TIME", help="print the scheduler's last decision about a pod before a moment: web@45s, shop/web@5m"
        )
        parser.add_argument(
            "--diff",
            metavar="OBJECT@TIME..TIME",
            help="print what changed in an object between two moments: web@10s..45s, deployment/shop/web@0s..2m",
        )
        parser.add_argument("--format", choices=("trace", "table", "events"), default="table", help="what to print (default table)")
        parser.add_argument("--lenient", action="store_true", help="unknown fields are warnings, not errors")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check the inputs, run, print."""
        until_ms = self._length("--for", options["duration"])
        at_ms = until_ms if options["at"] is None else self._length("--at", options["at"])
        if options["at"] is not None and not options["kubectl"]:
            raise CommandError(_("--at can only be used with --kubectl"))
        asked = [f"--{name}" for name in ("kubectl", "explain", "diff") if options[name]]
        if len(asked) > 1:
            raise CommandError(_("%(one)s and %(other)s cannot be used together") % {"one": asked[0], "other": asked[1]})
        self._notes: list[tuple[str, Problem]] = []
        try:
            prepared = self._prepared(options)
            header = prepared.header
            recorder = TraceRecorder(header)
        except (EngineError, ValueError, BadInput) as error:
            self._print_notes()
            raise CommandError(str(error)) from None
        past = past_of(header)
        if past is not None:
            until_ms += past.resume_ms
            at_ms = until_ms if options["at"] is None else at_ms
        if options["kubectl"]:
            recorder.run(at_ms)
            self._print_outputs(recorder, prepared)
            self._answer(Session(recorder.world, recorder.records, now_ms=at_ms), options["kubectl"])
            return
        if options["explain"] is not None:
            self._explain(recorder, prepared, options)
            return
        if options["diff"] is not None:
            self._print_notes()
            self._diff(recorder, options)
            return
        recorder.run(until_ms)
        self._print_outputs(recorder, prepared)
        if options["format"] == "trace":
            self.stdout.write(json.dumps(recorder.trace(scenario=options["namespace"]), ensure_ascii=False))
            return
        lines = (
            watch_table(recorder.records, until_ms=until_ms, header=recorder.world.header)
            if options["format"] == "table"
            else event_list(recorder.records)
        )
        for line in lines:
            self.stdout.write(line)
        for line in request_lines(recorder.world, recorder.records):
            self.stdout.write(line)

    def _prepared(self, options: dict[str, Any]) -> Prepared:
        """The run from manifests, or from an import. Raises BadInput, ValueError or EngineError."""
        if options["imported"] is None:
            resolve(options["kubernetes"] or TYPED, settings_of(options["feature_gates"]))
            return prepare(inputs_of(options), self._report)
        if any(options[name] not in (None, "") for name in ("cluster", "nodes", "node_size")):
            raise BadInput(_("--import brings its own nodes: --cluster, --nodes and --node-size are only for manifests"))
        jitter = options["seed"] is not None if options["jitter"] is None else options["jitter"] == "real"
        seed = 1 if options["seed"] is None else options["seed"]
        imported = import_text(read_text(options["imported"]), kubernetes=options["kubernetes"] or "", seed=seed, jitter=jitter)
        for problem in imported.problems:
            self._report(options["imported"], problem)
        if imported.header is None:
            raise BadInput(_("%s cannot be imported") % options["imported"])
        gates = settings_of(options["feature_gates"])
        resolve(imported.kubernetes, gates)
        return Prepared(header=replace(imported.header, gates=gates))

    def _print_outputs(self, recorder: TraceRecorder, prepared: Prepared) -> None:
        """Print what the API server did not accept and a drain's output, both verbatim, and what the simulation could not do.

        None of this is a failure.
        """
        report_unused(prepared.written, self._report, minor=recorder.world.release.minor)
        for text in report_noted(recorder.records, prepared.written, self._report):
            self.stderr.write(text)
        self._print_notes()
        for text in unready_lines(recorder.world, recorder.records):
            self.stderr.write(text)
        said = [
            (record.at_ms, str(record.get("message") or in_words(why_refused(record)))) for record in recorder.records if is_refusal(record)
        ]
        for at_ms, text in sorted([*said, *drain_output(recorder.records, recorder.world.release.facts)], key=lambda line: line[0]):
            self.stderr.write(f"{at_ms / 1000:g}s: {text}")

    def _answer(self, session: Session, lines: list[str]) -> None:
        """Print kubectl's output for each line in turn; with several lines, each after a prompt.

        Like a shell script, it ends with the exit code of the last line.
        """
        for line in lines:
            if len(lines) > 1:
                self.stdout.write(f"$ kubectl {line}")
            self.stdout.write(session.ask(line), ending="")
        if session.exit_code:
            raise SystemExit(session.exit_code)

    def _diff(self, recorder: TraceRecorder, options: dict[str, Any]) -> None:
        """Print the fields and YAML lines of an object that differ between two moments, without bookkeeping."""
        name, _at, moments = options["diff"].rpartition("@")
        first, dots, second = moments.partition("..")
        if not name or not dots:
            raise CommandError(_("--diff: write OBJECT@10s..45s, not %s") % options["diff"])
        lengths = sorted(self._length("--diff", length) for length in (first, second))
        key = name if "/" in name else f"{options['namespace']}/{name}"
        subject = name if name.count("/") > 1 or name.startswith("node/") else f"pod/{key}"
        documents = []
        for at_ms in lengths:
            recorder.run(at_ms)
            document = document_of(recorder.world, subject)
            documents.append(None if document is None else without_noise(document))
        for change in changes(*documents):
            self.stdout.write(f"{change.kind}: {change.path or subject}")
        for line in diff_lines(*documents):
            self.stdout.write(f"@@ -{line.old} +{line.new} @@" if line.op == "@" else f"{line.op}{line.text}")

    def _explain(self, recorder: TraceRecorder, prepared: Prepared, options: dict[str, Any]) -> None:
        """Print what the scheduler decided about a pod. Raises CommandError if it never considered it."""
        name, _at, moment = options["explain"].rpartition("@")
        if not name:
            raise CommandError(_("--explain: %s does not specify a moment; write POD@45s") % options["explain"])
        at_ms = self._length("--explain", moment)
        recorder.run(at_ms)
        self._print_outputs(recorder, prepared)
        pod = name if "/" in name else f"{options['namespace']}/{name}"
        found = replayed_decision(prepared.header, recorder.records, pod, at_ms)
        if found is None:
            raise CommandError(_("the scheduler had not considered %(pod)s by %(moment)s") % {"pod": pod, "moment": moment})
        for line in decision_lines(*found):
            self.stdout.write(line)

    @staticmethod
    def _length(option: str, text: str) -> Ms:
        """Parse an option's duration. Raises CommandError."""
        found = duration_ms(text)
        if found is None:
            message = _("%(option)s: %(value)s is not a duration; write 90s, 5m or 1h30m")
            raise CommandError(message % {"option": option, "value": text})
        return found

    def _report(self, name: str, problem: Problem) -> None:
        """Print a problem with its line; notes are held back until all of them are known."""
        if problem.severity == INFO:
            self._notes.append((name, problem))
        else:
            self.stderr.write(line_of(name, problem, problem.message))

    def _print_notes(self) -> None:
        """Print the notes for each file by consequence, merging identical ones."""
        for line in printed(self._notes):
            self.stderr.write(line)
        self._notes.clear()


def inputs_of(options: dict[str, Any]) -> Inputs:
    """The inputs from the command line."""
    return Inputs(
        files=tuple(options["filename"]),
        script=options["script"],
        cluster=options["cluster"],
        nodes=options["nodes"],
        node_size=options["node_size"],
        kubernetes=options["kubernetes"] or TYPED,
        namespace=options["namespace"],
        feature_gates=options["feature_gates"],
        seed=options["seed"],
        jitter=options["jitter"],
        lenient=options["lenient"],
    )
