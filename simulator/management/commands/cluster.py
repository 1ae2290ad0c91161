"""``manage.py cluster``: a cluster that kubectl, helm and tests can talk to, for as long as a command runs."""

import secrets
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from simulator.cluster.application import ClusterApplication
from simulator.cluster.clock import RunClock
from simulator.cluster.played import PlayedRun
from simulator.engine import RunHeader
from simulator.engine.kernel.errors import EngineError
from simulator.engine.kernel.units import Ms
from simulator.engine.versions import MINORS, resolve, settings_of
from simulator.engine.versions.usual import TYPED
from simulator.headless.inputs import BadInput, Inputs, header_of, read_text
from simulator.manifests.problems import Problem
from simulator.manifests.script.cluster import NODES_MAX, NODES_USUAL
from simulator.manifests.script.durations import duration_ms
from simulator.runs.log.content import Content, Source
from simulator.scenarios.portable import file_text

RATE_MAX = 3600
RUN = "cluster.podscope.json"


class Command(BaseCommand):
    """Start a cluster without a site or a database, run a command against it, and save what happened to a file."""

    help = "Start a cluster and run a command with KUBECONFIG set; the run is kept as a file. Without a command, serve until Ctrl+C."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command line."""
        parser.add_argument("command", nargs="*", metavar="COMMAND", help="after --: the command (-- pytest tests); its exit code is kept")
        parser.add_argument("-f", "--filename", action="append", default=[], help="manifests that are there from the beginning")
        parser.add_argument("--kubernetes", default=TYPED, help=f"Kubernetes minor, {MINORS[0]} … {MINORS[-1]} (default {TYPED})")
        parser.add_argument("--cluster", help="nodes and images of the cluster (YAML)")
        parser.add_argument("--nodes", type=int, help=f"without --cluster: how many equal nodes, 1 to {NODES_MAX} (default {NODES_USUAL})")
        parser.add_argument("--node-size", default="", help="their size: cpu=8,memory=32Gi,pods=250 (default: 4 cpu, 16Gi, 110 pods)")
        parser.add_argument("--feature-gates", default="", help="gates set against their default: Name=true,Other=false")
        parser.add_argument("--seed", type=int, help="draw what is random in a cluster by this seed")
        parser.add_argument("--namespace", default="default", help="namespace of the context, and of objects that name none")
        parser.add_argument("--rate", type=float, default=1.0, help=f"simulated seconds a second, at most {RATE_MAX} (default 1)")
        parser.add_argument(
            "--skip", default="1h", help="a waiting client is taken straight to what it waits for, at most so far (default 1h; 0s: never)"
        )
        parser.add_argument("--save", default=RUN, metavar="FILE", help=f"where the run is kept (default {RUN}; empty: nowhere)")
        parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (default: any free one)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve, run the command, save the run. Exits with the command's exit code."""
        # Twisted chooses its event loop when it is imported.
        from simulator.cluster.serving import ClusterServer

        run, source = self._run(options), _source_of(options["filename"])
        key = f"k8s/{secrets.token_urlsafe(16)}"  # the server accepts connection upgrades below k8s/
        clock = RunClock(rate=_rate(options["rate"]))
        application = ClusterApplication(run, key=key, clock=clock, skip_ms=_length(options["skip"]), say=self._say)
        with tempfile.TemporaryDirectory(prefix="podscope-") as folder:
            server = ClusterServer(application, key=key, namespace=options["namespace"], port=options["port"], folder=Path(folder))
            try:
                server.run(options["command"], None if options["command"] else self._ready)
            except (OSError, EngineError) as error:
                raise CommandError(str(error)) from None
            finally:
                self._keep(run, source, options["save"])
        if server.problem:
            self.stderr.write(server.problem)
        if server.exit_code:
            raise SystemExit(server.exit_code)

    def _run(self, options: dict[str, Any]) -> PlayedRun:
        try:
            resolve(options["kubernetes"], settings_of(options["feature_gates"]))
            return PlayedRun(self._header(options))
        except (EngineError, ValueError, BadInput) as error:
            raise CommandError(str(error)) from None

    def _header(self, options: dict[str, Any]) -> RunHeader:
        names = ("cluster", "nodes", "node_size", "kubernetes", "namespace", "feature_gates", "seed")
        return header_of(Inputs(files=tuple(options["filename"]), **{name: options[name] for name in names}), self._report)

    def _report(self, name: str, problem: Problem) -> None:
        self.stderr.write(f"{name}: {problem.message}")

    def _say(self, line: str) -> None:
        self.stderr.write(line)

    def _ready(self, url: str, kubeconfig: Path) -> None:
        self.stdout.write(_("The cluster answers at %(url)s (stop it with Ctrl+C). In another terminal:") % {"url": url})
        self.stdout.write(f"export KUBECONFIG={kubeconfig}")
        self.stdout.flush()

    def _keep(self, run: PlayedRun, source: Source, name: str) -> None:
        if not name:
            return
        content = Content(header=run.header, source=source, commands=tuple(run.commands), until_ms=run.world.now_ms)
        try:
            Path(name).write_text(file_text(content, title=""), encoding="utf-8")
        except OSError as error:
            raise CommandError(_("The run cannot be saved: %s") % error) from None
        seconds = run.world.now_ms / 1000
        text = _("%(seconds).1f s of the cluster are kept in %(name)s: open the file on a Podscope site to look at them")
        self.stderr.write(text % {"seconds": seconds, "name": name})


def _source_of(files: list[str]) -> Source:
    """The manifests as written; empty if one of them is standard input, which can be read only once."""
    return Source(manifests="" if "-" in files else "---\n".join(read_text(name) for name in files))


def _rate(rate: float) -> float:
    if not 0 < rate <= RATE_MAX:
        raise CommandError(_("--rate: must be greater than 0 and at most %d") % RATE_MAX)
    return rate


def _length(text: str) -> Ms:
    found = duration_ms(text)
    if found is None:
        message = _("%(option)s: %(value)s is not a duration; write 90s, 5m or 1h30m")
        raise CommandError(message % {"option": "--skip", "value": text})
    return found
