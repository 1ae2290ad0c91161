"""``manage.py bench``: what ``make bench`` prints."""

from collections.abc import Callable, Iterable, Iterator
from math import inf
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from simulator.bench import clusters, engine, fanout, fuzz, import_fuzz, level_checks, manifests, real, rollouts, run_fuzz
from simulator.bench.browser import report as browser
from simulator.bench.budget import against, canonical, ledger
from simulator.bench.doors import report as doors
from simulator.bench.faults import report as faults
from simulator.bench.faults.servers import NotInstalled
from simulator.bench.hostile import measure, siege
from simulator.bench.lesson import report as lesson
from simulator.bench.load import report as load
from simulator.bench.scale import report as scale
from simulator.bench.soak import report as soak

ROLLED_SIZES = (1_000, 5_000)
CLUSTERS = ((1_000, 50, "Deployment"), (1_000, 1_000, "DaemonSet"), (10_000, 500, "Deployment"), (100_000, 1_000, "Deployment"))
SIZES = (1_000, 10_000, 100_000)
PROFILED = (1_000, 50)
"""Pods and nodes of the cluster that is profiled."""
SMALL_PERMILLE = 20
"""Parts with a smaller share are not listed."""


class Command(BaseCommand):
    """Measure this machine, part by part. All parts together take a few minutes."""

    help = "Print speed figures of this machine."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare which parts to run; all by default."""
        parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)} (default: all but {', '.join(ASKED_FOR)})")
        parser.add_argument("--documents", type=int, default=20_000, help="number of documents that fuzz examines (default 20000; 0: none)")
        parser.add_argument("--runs", type=int, default=2_000, help="number of random runs that fuzz plays (default 2000)")
        parser.add_argument("--imports", type=int, default=500, help="number of random moments that fuzz imports (default 500)")
        parser.add_argument("--first", type=int, default=0, help="number of the first of these runs and imports (default 0)")
        parser.add_argument("--examples", type=Path, help="folder of manifests that fuzz mutates (default: those of the stories)")
        parser.add_argument("--folder", type=Path, help="folder of published manifests for real")
        parser.add_argument("--faults", type=int, default=faults.FAULTS, help=f"number of faults to deal (default {faults.FAULTS})")
        parser.add_argument(
            "--sites", nargs="+", choices=faults.SITES, default=list(faults.SITES), help="what to deal faults to (default both)"
        )
        parser.add_argument(
            "--minutes",
            type=float,
            help=f"minutes that soak (default {soak.MINUTES:g}) or class (default {lesson.SECONDS / 60:g}) takes, "
            "or after which no more faults are dealt (default: any number)",
        )
        parser.add_argument("--pupils", type=int, default=lesson.PUPILS, help=f"number of pupils of class (default {lesson.PUPILS})")
        parser.add_argument("--seed", type=int, default=1, help="seed for the faults, or for the inputs of doors (default 1)")
        parser.add_argument("--inputs", type=int, default=doors.INPUTS, help=f"number of inputs for doors (default {doors.INPUTS})")
        parser.add_argument("--case", type=int, help="send one of the inputs of doors alone, by its number, and show it")
        parser.add_argument("--attacks", nargs="+", choices=siege.ATTACKS, default=[], help="attacks of siege (default all)")
        parser.add_argument("--pods-max", type=int, default=SIZES[-1], help="largest number of pods to start (default 100000)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the parts in order."""
        if options["parts"][:1] == ["against"] and len(options["parts"]) == 2:
            options["commit"] = options["parts"].pop()
        unknown = [name for name in options["parts"] if name not in PARTS]
        if unknown:
            raise CommandError(f"There is no part {unknown[0]!r}; choose from {', '.join(PARTS)}.")
        for name in options["parts"] or [name for name in PARTS if name not in ASKED_FOR]:
            for line in PARTS[name](options):
                self.stdout.write(line)
                self.stdout.flush()


def _events(options: dict[str, Any]) -> list[str]:
    rate = engine.event_rate()
    ratio = rate.events_s / rate.simpy_s
    return [f"events    {rate.events_s:,} engine events/s; bare SimPy timeouts {rate.simpy_s:,}/s; ratio {ratio:.2f}"]


def _pods(options: dict[str, Any]) -> list[str]:
    lines = []
    for size in (size for size in SIZES if size <= options["pods_max"]):
        figures = engine.startup_apart(size)
        speed = figures.ready / figures.took_s
        lines.append(
            f"pods      {figures.ready:,} of {size:,} Ready in {figures.took_s} s of one core ({speed:,.0f} pods/s, "
            f"{figures.simulated_ms / 1000:.0f} s simulated), {figures.memory_mb} MB"
        )
    return lines


def _rollouts(options: dict[str, Any]) -> Iterator[str]:
    for size in (size for size in ROLLED_SIZES if size <= options["pods_max"]):
        figures = rollouts.rolled_over(size)
        yield (
            f"rollouts  one Deployment of {figures.pods:,} pods available in {figures.made_s} s of one core, "
            f"rolled over in {figures.rolled_s} s ({figures.simulated_ms / 1000:,.0f} s simulated)"
        )


def _clusters(options: dict[str, Any]) -> Iterator[str]:
    for pods, nodes, kind in (size for size in CLUSTERS if size[0] <= options["pods_max"]):
        figures = clusters.cluster_apart(pods, nodes, kind)
        whose = "Deployments of 100" if kind == "Deployment" else "a DaemonSet"
        yield (
            f"clusters  {pods:,} pods of {whose} on {nodes:,} nodes Ready in {figures.ready_s} s of one core "
            f"({figures.ready_s / pods * 1000:.2f} ms a pod, {figures.ready_ms / 1000:,.0f} s simulated), deleted in {figures.gone_s} s; "
            f"fork {figures.fork_ms} ms, {figures.memory_mb:,} MB"
        )
    spent = clusters.spent_by_part(*PROFILED)
    parts = ", ".join(f"{part} {share / 10:.0f} %" for part, share in spent.permille.items() if share >= SMALL_PERMILLE)
    yield (
        f"clusters  until a pod is Ready, {spent.records_a_pod} records and {spent.calls_a_pod:,} calls of the engine's functions; "
        f"under a profiler {parts}"
    )


def _replay(options: dict[str, Any]) -> list[str]:
    lines = []
    for everyday in (True, False):
        figures = engine.replay_hour(everyday=everyday)
        lines += [
            f"replay    1 h of {figures.pods} {figures.what} ({figures.records:,} records) in {figures.took_s} s",
            f"seek      in that hour {figures.seek_mean_ms} ms on average, {figures.seek_worst_ms} ms at worst",
        ]
    return lines


def _fanout(options: dict[str, Any]) -> list[str]:
    ours, plain, ratio = fanout.compare()
    lines = [
        f"fan-out   {figures.kind:8} {figures.viewers} viewers at 10 frames/s: {figures.delivered:.1%} delivered, p50 {figures.p50_ms} ms, "
        f"p99 {figures.p99_ms} ms; at once: {figures.deliveries_s:,} records/s, {figures.flood_delivered:.1%} delivered"
        for figures in (ours, plain)
    ]
    return [*lines, f"fan-out   capacity {ratio:.1f} × that of a plain group_send"]


def _check(options: dict[str, Any]) -> list[str]:
    figures = manifests.check_time()
    return [
        f"check     {figures.lines:,} lines of YAML, {figures.findings} findings: {figures.mean_ms} ms on average, "
        f"{figures.worst_ms} ms at worst, {figures.first_ms} ms the first time"
    ]


def _fuzz(options: dict[str, Any]) -> Iterator[str]:
    runs = run_fuzz.fuzz_runs(options["runs"], first=options["first"])
    yield (
        f"fuzz      {runs.runs:,} random runs with {runs.acts:,} acts and {runs.records:,} records in {runs.took_s} s: no exception, no"
        " restart count that fell, no final phase left, no pod that stays Terminating without a reason"
    )
    imports = import_fuzz.fuzz_imports(options["imports"], first=options["first"])
    yield (
        f"fuzz      {imports.imports:,} imports of {imports.pods:,} pods in {imports.took_s} s: status, table and ages as exported, no"
        f" contradiction at {imports.looks:,} looks into the past, and {imports.determined:,} pods that nothing is left open of go on alike"
    )
    if not options["documents"]:
        return
    examples = fuzz.examples_in(options["examples"]) if options["examples"] else fuzz.story_examples()
    tally = fuzz.fuzz(options["documents"], examples)
    yield (
        f"fuzz      {tally.documents:,} documents examined in {tally.took_s} s ({len(examples)} examples mutated): no exception, "
        f"{tally.accepted:,} accepted, each came back as the same object"
    )


def _hostile(options: dict[str, Any]) -> Iterable[str]:
    return measure.report()


def _siege(options: dict[str, Any]) -> Iterable[str]:
    return siege.report(options["attacks"])


def _browser(options: dict[str, Any]) -> Iterable[str]:
    return browser.report()


def _load(options: dict[str, Any]) -> Iterable[str]:
    return load.report()


def _scale(options: dict[str, Any]) -> Iterator[str]:
    try:
        yield from scale.report()
    except (AssertionError, NotInstalled, scale.TrialFailed) as error:
        raise CommandError(str(error)) from None


def _class(options: dict[str, Any]) -> Iterable[str]:
    return lesson.report(options["pupils"], lesson.SECONDS if options["minutes"] is None else options["minutes"] * 60)


def _checks(options: dict[str, Any]) -> Iterable[str]:
    return level_checks.report()


def _faults(options: dict[str, Any]) -> Iterator[str]:
    seconds = inf if options["minutes"] is None else options["minutes"] * 60
    try:
        yield from faults.report(options["faults"], seed=options["seed"], sites=options["sites"], seconds=seconds)
    except (AssertionError, NotInstalled) as error:
        raise CommandError(str(error)) from None


def _soak(options: dict[str, Any]) -> Iterator[str]:
    try:
        yield from soak.report(soak.MINUTES if options["minutes"] is None else options["minutes"])
    except (soak.MemoryKept, ValueError) as error:
        raise CommandError(str(error)) from None


def _doors(options: dict[str, Any]) -> Iterator[str]:
    try:
        yield from doors.report(options["inputs"], seed=options["seed"], only=options["case"])
    except AssertionError as error:
        raise CommandError(str(error)) from None


def _real(options: dict[str, Any]) -> Iterator[str]:
    folder = options["folder"]
    if folder is None or not folder.is_dir():
        raise CommandError("real takes published manifests: --folder DIR (*.yaml, *.yml, *.json, also packed as .xz)")
    for path in real.files_of(folder):
        yield from real.lines_about(real.try_file(path.name, real.read_real(path)))


def _calls(options: dict[str, Any]) -> Iterator[str]:
    for name in canonical.RUNS:
        run = ledger.play_in(ledger.TREE, "calls", "full", [name])[name]
        yield f"calls     {name:10} {sum(run['functions'].values()):,} calls of the project's functions, {run['records']:,} records"


def _against(options: dict[str, Any]) -> Iterator[str]:
    if "commit" not in options:
        raise CommandError("against takes a commit: against COMMIT")
    try:
        yield from against.report(options["commit"])
    except against.NoSuchCommit as error:
        raise CommandError(str(error)) from None


PARTS: dict[str, Callable[[dict[str, Any]], Iterable[str]]] = {
    "events": _events,
    "pods": _pods,
    "rollouts": _rollouts,
    "clusters": _clusters,
    "replay": _replay,
    "fanout": _fanout,
    "check": _check,
    "fuzz": _fuzz,
    "hostile": _hostile,
    "siege": _siege,
    "browser": _browser,
    "load": _load,
    "scale": _scale,
    "class": _class,
    "checks": _checks,
    "faults": _faults,
    "soak": _soak,
    "doors": _doors,
    "real": _real,
    "calls": _calls,
    "against": _against,
}
ASKED_FOR = ("load", "scale", "class", "checks", "faults", "soak", "doors", "real", "calls", "against")
"""Parts that only run on request: they take many minutes, system services, a folder or a commit."""
