"""Measure the engine against case tables, examples and recordings that lie in folders."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from simulator.fidelity.cases.families import FAMILIES
from simulator.fidelity.cases.run import run_family
from simulator.fidelity.cases.table import load_families
from simulator.fidelity.corpus.index import read_corpus
from simulator.fidelity.corpus.judge import judge_example
from simulator.fidelity.corpus.report import Report
from simulator.fidelity.measured import Difference, Suite
from simulator.fidelity.recordings.describe import HOW, holding_output, measure_describe

_KINDS = "Deployment|ReplicaSet|StatefulSet|DaemonSet|Job|CronJob|ReplicationController"
CONTROLLED = re.compile(rf"^\s*(?:- )?kind: (?:{_KINDS})\b", re.MULTILINE)
MARGIN_S = 20
"""How much longer than a recording its simulation runs, so that an object that should be gone shows."""


def measure_cases(folder: Path) -> list[Suite]:
    """Every family of case tables that the engine has an evaluator for."""
    reports = [run_family(name, cases) for name, cases in load_families(folder, ()).items() if name in FAMILIES]
    return [
        Suite(kind="cases", name=report.name, agree=len(report.outcomes) - len(report.failing), total=len(report.outcomes))
        for report in reports
        if report.outcomes
    ]


def measure_examples(folder: Path) -> tuple[Suite, list[Difference]]:
    """What the documentation promises of its examples, with what does not hold."""
    corpus = read_corpus(folder)
    reports = [Report(name=example.name, verdicts=tuple(judge_example(corpus, example))) for example in corpus.examples]
    held, failed, out = (sum(report.count(word) for report in reports) for word in ("held", "failed", "left_out"))
    differences = [
        Difference(kind="examples", name=report.name, lines=tuple(item.reason for item in report.verdicts if item.outcome == "failed"))
        for report in reports
        if report.count("failed")
    ]
    return Suite(kind="examples", name="documentation", agree=held, total=held + failed, left_out=out), differences


def needs_controller(folder: Path, name: str) -> bool:
    """Whether the manifest or a step of the recording holds an object that only a controller turns into pods."""
    files = (folder / f"{name}.yaml", folder / f"{name}.script.yaml")
    return any(file.is_file() and CONTROLLED.search(file.read_text(encoding="utf-8")) for file in files)


def measure_recordings(folder: Path, cluster: Path, tool: Path) -> tuple[Suite, list[Difference]]:
    """Simulate every recording that needs no controller, and compare each with ``tool``; agreement counts its aspects.

    Raises ValueError where one cannot be simulated or compared: none may drop out of the count.
    """
    names = sorted(path.stem for path in folder.glob("*.json"))
    own = [name for name in names if not needs_controller(folder, name)]
    agree = total = 0
    differences = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in own:
            made = Path(scratch) / f"{name}.json"
            made.write_text(_simulate(folder, name, cluster), encoding="utf-8")
            head, *lines = _compare(tool, folder / f"{name}.json", made)
            found = re.search(r"(\d+)/(\d+) aspects", head)
            if found is None:
                raise ValueError(f"{name} could not be compared: {head}")
            agree, total = agree + int(found[1]), total + int(found[2])
            if not head.startswith("ok"):
                differences.append(Difference(kind="recordings", name=name, lines=tuple(line.strip() for line in lines)))
    suite = Suite(kind="recordings", name=f"{len(own)} recordings", agree=agree, total=total, left_out=len(names) - len(own))
    return suite, differences


def measure_outputs(folder: Path, cluster: Path) -> tuple[list[Suite], list[Difference]]:
    """``kubectl describe pods`` as recorded and as simulated: how many agree at the moment, within tolerance, in some draw.

    Raises ValueError where a recording cannot be simulated.
    """
    names = sorted(path.stem for path in folder.glob("*.json"))
    own = [name for name in names if not needs_controller(folder, name)]
    outcomes = measure_describe(folder, cluster, own)
    total, out = len(outcomes), len(holding_output(folder, names)) - len(outcomes)
    agree = [sum(item.how in HOW[: place + 1] for item in outcomes if item.how) for place in range(len(HOW))]
    suites = [Suite(kind="describe", name=how, agree=count, total=total, left_out=out) for how, count in zip(HOW, agree, strict=True)]
    return suites, [Difference(kind="describe", name=f"describe {item.name}", lines=item.lines) for item in outcomes if not item.how]


def _simulate(folder: Path, name: str, cluster: Path) -> str:
    recording = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    minor = ".".join(recording["kubernetes"].removeprefix("v").split(".")[:2])
    words = ["simulate", "-f", str(folder / f"{name}.yaml"), "--for", f"{recording['duration'] + MARGIN_S}s", "--cluster", str(cluster)]
    words += ["--kubernetes", minor, "--namespace", name, "--format", "trace", "--lenient"]
    steps = folder / f"{name}.script.yaml"
    if steps.is_file():
        words += ["--script", str(steps)]
    done = subprocess.run((sys.executable, "manage.py", *words), capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"{name} could not be simulated: {done.stderr.strip()}")
    return done.stdout


def _compare(tool: Path, recording: Path, made: Path) -> list[str]:
    """What the tool says, a line each; it ends with 1 where they differ."""
    words = (sys.executable, str(tool), str(recording), str(made))
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise ValueError(f"{recording.stem} could not be compared: {done.stderr.strip()}")
    return done.stdout.splitlines()
