"""Measure the engine against case tables, examples and recordings in folders."""

from collections.abc import Callable, Iterator
from pathlib import Path

from simulator.fidelity.answers.report import API_FAMILIES, ApiReport
from simulator.fidelity.cases.families import FAMILIES
from simulator.fidelity.cases.run import run_family
from simulator.fidelity.cases.table import load_families
from simulator.fidelity.corpus.index import read_corpus
from simulator.fidelity.corpus.judge import judge_example
from simulator.fidelity.corpus.report import CorpusReport
from simulator.fidelity.measured import Disagreement, Suite
from simulator.fidelity.recordings.describe import HOW, holding_output, measure_describe
from simulator.fidelity.recordings.played import read_recordings
from simulator.fidelity.recordings.traces import compare_traces, load_comparer


def measure_cases(folder: Path) -> list[Suite]:
    """Every family of case tables that the engine has an evaluator for."""
    reports = [run_family(name, cases) for name, cases in load_families(folder, ()).items() if name in FAMILIES]
    return [
        Suite(
            kind="cases",
            name=report.name,
            agree=len(report.outcomes) - len(report.failing),
            total=len(report.outcomes),
            note=FAMILIES[report.name].remark,
        )
        for report in reports
        if report.outcomes
    ]


def measure_answers(folder: Path) -> list[Suite]:
    """The recorded answers of an API server in the folder: whether code, reason and causes match, and the exact text."""
    return [
        suite for name, family in API_FAMILIES.items() if (folder / f"{name}.json").is_file() for suite in _answers(name, family, folder)
    ]


def _answers(name: str, family: Callable[[Path], ApiReport], folder: Path) -> Iterator[Suite]:
    report = family(folder / f"{name}.json")
    for score in report.scores:
        yield Suite(kind="answers", name=f"{name}, {score.measure}", agree=score.agreed, total=score.total, left_out=len(report.left_out))


def measure_examples(folder: Path) -> tuple[Suite, list[Disagreement]]:
    """What the documentation promises about its examples, with what does not hold."""
    corpus = read_corpus(folder)
    reports = [CorpusReport(name=example.name, verdicts=tuple(judge_example(corpus, example))) for example in corpus.examples]
    held, failed, out = (sum(report.count(word) for report in reports) for word in ("held", "failed", "left_out"))
    differences = [
        Disagreement(kind="examples", name=report.name, lines=tuple(item.reason for item in report.verdicts if item.outcome == "failed"))
        for report in reports
        if report.count("failed")
    ]
    return Suite(kind="examples", name="documentation", agree=held, total=held + failed, left_out=out), differences


def measure_recordings(folder: Path, cluster: Path, tool: Path) -> tuple[Suite, list[Disagreement]]:
    """Simulate every recording that needs no controller, and compare each one with ``tool``; agreement is counted in aspects.

    Raises ValueError if one cannot be simulated or compared: none may be dropped from the count.
    """
    own, left_out = read_recordings(folder, cluster)
    found = compare_traces(own, load_comparer(tool))
    agree, total = sum(item.agree for item in found), sum(item.total for item in found)
    suite = Suite(kind="recordings", name=f"{len(own)} recordings", agree=agree, total=total, left_out=len(left_out))
    return suite, [Disagreement(kind="recordings", name=item.name, lines=item.lines) for item in found if item.lines]


def measure_outputs(folder: Path, cluster: Path) -> tuple[list[Suite], list[Disagreement]]:
    """Recorded and simulated ``kubectl describe pods``: how many agree at the moment, within tolerance, and in some draw.

    Raises ValueError if a recording cannot be simulated.
    """
    own, left_out = read_recordings(folder, cluster)
    outcomes = measure_describe(own)
    total, out = len(outcomes), len(holding_output(left_out))
    agree = [sum(item.how in HOW[: place + 1] for item in outcomes if item.how) for place in range(len(HOW))]
    suites = [Suite(kind="describe", name=how, agree=count, total=total, left_out=out) for how, count in zip(HOW, agree, strict=True)]
    return suites, [Disagreement(kind="describe", name=f"describe {item.name}", lines=item.lines) for item in outcomes if not item.how]
