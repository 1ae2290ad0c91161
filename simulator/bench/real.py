"""Published files, unmodified: whether each is accepted, what it costs, and which of its pods become Ready."""

import lzma
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from msgspec import Struct

from simulator.engine import RunHeader, World, advance, new_world
from simulator.engine.kernel.units import MINUTE
from simulator.engine.projection.columns import columns_at
from simulator.engine.projection.events import events_of
from simulator.engine.world.rows import PodRow
from simulator.manifests.check.check import Checked, check_text, placed
from simulator.manifests.check.filled import unused_findings
from simulator.manifests.check.gathered import gathered
from simulator.manifests.check.kinds import UNMATCHED
from simulator.manifests.problems import ERROR, Problem
from simulator.manifests.script.cluster import default_cluster

KUBERNETES = "1.33"
FOR_MS = 5 * MINUTE
_NAMES = ("*.yaml", "*.yml", "*.json", "*.yaml.xz", "*.yml.xz")
_LACKING = ("FailedMount", "FailedScheduling", "FailedAttachVolume", "ProvisioningFailed")
"""Reasons of Events about a pod that needs something not in its file."""
_LACKING_STATES = ("CreateContainerConfigError", "InvalidImageName", "ErrImageNeverPull")


class Tried(Struct, frozen=True, kw_only=True):
    """One file. ``refusals`` are the objects that are left out, or errors; ``waiting`` are pods that are not Ready, each with the reason;
    ``lacking`` of them cannot become Ready because of the file itself. ``seconds`` are CPU time: reading and checking, and five minutes of
    the run."""

    name: str
    accepted: bool
    refusals: tuple[str, ...]
    objects: int
    read_s: float
    run_s: float = 0.0
    pods: int = 0
    ready: int = 0
    lacking: int = 0
    waiting: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_real(path: Path) -> str:
    """The text of a file, decompressed if its name ends with xz."""
    data = path.read_bytes()
    return (lzma.decompress(data) if path.suffix == ".xz" else data).decode()


def files_of(folder: Path) -> list[Path]:
    """The manifests in a folder, by name."""
    return sorted({path for pattern in _NAMES for path in folder.glob(pattern)})


def try_file(name: str, text: str, *, kubernetes: str = KUBERNETES) -> Tried:
    """Check a text, run it for five minutes if it is accepted, and look at its pods. Cost: seconds for thousands of lines."""
    began = process_time()
    checked = check_text(text, kubernetes=kubernetes)
    read_s = process_time() - began
    refusals = tuple(
        f"line {item.line}: {item.message.splitlines()[0]}" for item in checked.problems if item.severity == ERROR or item.code == UNMATCHED
    )
    found = Tried(
        name=name, accepted=checked.ok, refusals=refusals, objects=len(checked.documents), read_s=read_s, notes=_notes(checked, kubernetes)
    )
    return _played(found, checked, kubernetes) if checked.ok else found


def _notes(checked: Checked, kubernetes: str) -> tuple[str, ...]:
    minor = int(kubernetes.partition(".")[2])
    unused: list[Problem] = []
    for document in checked.documents:
        raw = checked.raws[document.index]
        unused += (placed(raw, finding) for finding in unused_findings(document.doc, minor=minor))
    told_of = [item for item in (*checked.problems, *unused) if item.severity != ERROR and item.code != UNMATCHED]
    return tuple(message for _, message in gathered(told_of))


def _played(found: Tried, checked: Checked, kubernetes: str) -> Tried:
    manifests = tuple(document.json for document in checked.documents)
    header = RunHeader(kubernetes=kubernetes, seed=1, jitter=False, cluster=default_cluster(), manifests=manifests)
    began = process_time()
    world = new_world(header)
    advance(world, until_ms=FOR_MS)
    run_s = process_time() - began
    rows = [row for row in world.tables.pods.values() if row.gone_ms is None]
    late = [row for row in rows if not _is_well(world, row)]
    reasons = [_why(world, row) for row in late]
    return Tried(
        name=found.name,
        accepted=True,
        refusals=found.refusals,
        objects=found.objects,
        read_s=found.read_s,
        run_s=run_s,
        pods=len(rows),
        ready=len(rows) - len(late),
        lacking=sum(lacks for lacks, _ in reasons),
        waiting=tuple(f"{row.name}: {why}" for row, (_, why) in zip(late, reasons, strict=True)),
        notes=found.notes,
    )


def _is_well(world: World, row: PodRow) -> bool:
    """Whether the pod is Ready, or has completed."""
    shown = columns_at(world, row, FOR_MS)
    ready, _, wanted = shown.ready.partition("/")
    return shown.status == "Completed" or (shown.status == "Running" and ready == wanted)


def _why(world: World, row: PodRow) -> tuple[bool, str]:
    """Whether the pod needs something not in its file; its STATUS, and the last warning about it."""
    status = columns_at(world, row, FOR_MS).status
    warned = [event for event in events_of(world, row.key, now_ms=FOR_MS) if event.type == "Warning"]
    last = f"{warned[-1].reason}: {warned[-1].message}" if warned else "no warning"
    lacks = status.removeprefix("Init:") in _LACKING_STATES or any(event.reason in _LACKING for event in warned[-1:])
    return lacks, f"{status}, {last}"


def lines_about(tried: Tried) -> Iterator[str]:
    """The lines that a bench prints about a file: a summary, and one for each refusal, each pod that is not Ready and each note."""
    verdict = "accepted" if tried.accepted else "REFUSED"
    able = tried.pods - tried.lacking
    yield (
        f"real      {tried.name:<32} {verdict}, {tried.objects} objects, read in {tried.read_s:.2f} s, 5 min in {tried.run_s:.2f} s; "
        f"{tried.ready} of {able} pods Ready that can be" + (f", {tried.lacking} cannot" if tried.lacking else "")
        + f"; {len(tried.notes)} notes"
    )  # fmt: skip
    for mark, lines in (("left out", tried.refusals), ("not Ready", tried.waiting), ("note", tried.notes)):
        yield from (f"            {mark}: {line}" for line in lines)
