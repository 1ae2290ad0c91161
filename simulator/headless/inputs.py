"""The inputs of a headless run: manifests, script and cluster are read from files and turned into the header of a run.

Files are checked in order, each in the presence of the objects from those before. Without a seed nothing is random:
delays take their mean, so that two runs of the same command line are the same. ``--jitter`` overrides that.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from simulator.engine import ClusterSpec, RunHeader
from simulator.engine.apiserver.admission.cluster import EMPTY
from simulator.engine.versions import settings_of
from simulator.engine.versions.usual import TYPED
from simulator.manifests.check.check import Document, check_text
from simulator.manifests.check.kinds import UNMATCHED
from simulator.manifests.problems import Problem
from simulator.manifests.read.loader import RawDocument
from simulator.manifests.script.cluster import (
    NODES_MAX,
    NODES_USUAL,
    default_cluster,
    equal_nodes,
    read_cluster,
    runtime_problem,
    with_awaited_images,
)
from simulator.manifests.script.node_size import BadSize, read_size
from simulator.manifests.script.script import Script, read_script

Report = Callable[[str, Problem], None]
"""Takes a file's name and a problem in it."""


class BadInput(Exception):
    """A file that cannot be read or was not accepted; the text says which."""


class Inputs(Struct, frozen=True, kw_only=True):
    """The command-line inputs of a run. ``files`` are manifests (``-`` is standard input); ``seed`` None fixes random delays at their mean.

    ``nodes`` and ``node_size`` (``cpu=8, pods=250``) describe the nodes if there is no ``cluster`` file.
    """

    files: tuple[str, ...]
    script: str | None = None
    cluster: str | None = None
    nodes: int | None = None
    node_size: str = ""
    kubernetes: str = TYPED
    namespace: str = "default"
    feature_gates: str = ""
    seed: int | None = None
    jitter: str | None = None
    lenient: bool = False


class Written(Struct, frozen=True, kw_only=True):
    """An object of a run and its origin: the file's name, and its document in that file."""

    file: str
    document: Document
    raw: RawDocument


class Prepared(Struct, frozen=True, kw_only=True):
    """A run that is ready to begin, and the objects written for it; ``script_lines`` are the line numbers of the header's steps."""

    header: RunHeader
    written: tuple[Written, ...] = ()
    script_lines: tuple[int, ...] = ()


def header_of(inputs: Inputs, report: Report) -> RunHeader:
    """Build the header of the run, reporting every problem. Raises BadInput, BadGate and UnknownVersion."""
    return prepare(inputs, report).header


def prepare(inputs: Inputs, report: Report) -> Prepared:
    """Build the header of the run, with its objects as they were written. Reports and raises like ``header_of``."""
    jitter = inputs.jitter or ("none" if inputs.seed is None else "real")
    cluster, written, read = _cluster(inputs, report), _written(inputs, report), _script(inputs, report)
    script = read.steps
    header = RunHeader(
        kubernetes=inputs.kubernetes,
        seed=1 if inputs.seed is None else inputs.seed,
        jitter=jitter == "real",
        namespace=inputs.namespace,
        gates=settings_of(inputs.feature_gates),
        cluster=with_awaited_images(cluster, script),
        manifests=tuple(item.document.json for item in written),
        script=script,
        scenario=inputs.namespace,
    )
    return Prepared(header=header, written=written, script_lines=read.lines)


def _written(inputs: Inputs, report: Report) -> tuple[Written, ...]:
    found: list[Written] = []
    unmatched: list[str] = []
    gates, cluster = settings_of(inputs.feature_gates), EMPTY
    for name in inputs.files:
        checked = check_text(
            read_text(name),
            kubernetes=inputs.kubernetes,
            strict=not inputs.lenient,
            namespace=inputs.namespace,
            gates=gates,
            cluster=cluster,
        )
        cluster = checked.cluster or cluster  # the objects of one file exist for the next
        problems = checked.problems
        if inputs.script is not None:  # a script alone is enough
            problems = tuple(problem for problem in problems if problem.code != "empty")
        found += [Written(file=name, document=document, raw=checked.raws[document.index]) for document in checked.documents]
        _report_problems(name, problems, report, but=UNMATCHED)
        unmatched += [name for problem in problems if problem.code == UNMATCHED]
    # A file may contain only kinds that are not simulated, as long as there is something else to run.
    if unmatched and not found and inputs.script is None:
        raise BadInput(_("%(name)s was not accepted") % {"name": unmatched[0]})
    return tuple(found)


def _cluster(inputs: Inputs, report: Report) -> ClusterSpec:
    if inputs.cluster is None:
        return _equal_cluster(inputs)
    if inputs.nodes is not None or inputs.node_size:
        raise BadInput(_("--nodes and --node-size can only be used without --cluster"))
    read = read_cluster(read_text(inputs.cluster))
    _report_problems(inputs.cluster, read.problems, report)
    problem = runtime_problem(read.spec.runtime, inputs.kubernetes)
    if problem:
        raise BadInput(f"{inputs.cluster}: {problem}")
    return read.spec


def _equal_cluster(inputs: Inputs) -> ClusterSpec:
    count = NODES_USUAL if inputs.nodes is None else inputs.nodes
    if not 1 <= count <= NODES_MAX:
        raise BadInput(_("--nodes: must be a whole number from 1 to %d") % NODES_MAX)
    try:
        return replace(default_cluster(), nodes=equal_nodes(count, read_size(inputs.node_size)))
    except BadSize as error:
        raise BadInput(f"--node-size: {error}") from None


def _script(inputs: Inputs, report: Report) -> Script:
    if inputs.script is None:
        return Script()
    script = read_script(
        read_text(inputs.script), kubernetes=inputs.kubernetes, namespace=inputs.namespace, gates=settings_of(inputs.feature_gates)
    )
    _report_problems(inputs.script, script.problems, report)
    return script


def read_text(name: str) -> str:
    """The text of a file, or all of standard input for ``-``. Raises BadInput."""
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(_("cannot read %(name)s: %(error)s") % {"name": name, "error": error}) from None


def _report_problems(name: str, problems: tuple[Problem, ...], report: Report, *, but: str = "") -> None:
    """Report every problem. Raise BadInput if there is an error with a code other than ``but``."""
    for problem in problems:
        report(name, problem)
    if any(problem.severity == "error" and problem.code != but for problem in problems):
        raise BadInput(_("%(name)s was not accepted") % {"name": name})
