"""Golden files: their content, and what it would be now."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from simulator.engine import Record
from tests.engine.stories import FOLDER, read, told
from tests.engine.telling import Pattern, StoryLine, Usuals, from_table, lines, parsed, usual_times
from tests.yaml_texts import read_yaml

SHOWN = (
    "object",
    "status_word",
    "phase",
    "condition",
    "container",
    "stop",
    "hook",
    "probe",
    "probe_attempt",
    "sandbox",
    "volumes",
    "k8s_event",
    "eviction",
    "resize",
    "user_namespace",
    "command",
    "note",
    "api_object",
    "budget",
    "workload",
    "pod_eviction",
    "requests",
)
NODE_MACHINES = ("node_condition", "taint", "taint_eviction", "kubelet", "runtime", "network", "uplink", "shutdown", "static_pod", "drain",
                 "orphan", "status_report")  # fmt: skip
"""Also shown if the story specifies the number of nodes."""
TABLE = Path(__file__).parent / "usual_times.txt"
DASHES = "\n----\n"


def paths() -> list[Path]:
    """The golden stories, in order."""
    return sorted(FOLDER.glob("*.txt"))


def given(path: Path) -> str:
    """The input of the file: its part above the dashes."""
    return path.read_text(encoding="utf-8").partition(DASHES)[0]


def expected(path: Path) -> list[StoryLine]:
    """The lines that the file expects; none for a story that has just been started."""
    return parsed(path.read_text(encoding="utf-8").partition(DASHES)[2])


@cache
def played(path: Path) -> tuple[list[Record], list[int]]:
    """All records of the story as it runs now, and which of them (by seq) it shows."""
    head = read_yaml(given(path))
    _, records = (read(path) if path.parent == FOLDER else told("", head)).played()
    return records, [record.seq for record in records if _shows(head, record)]


def _shows(head: dict[str, Any], record: Record) -> bool:
    if record.machine == "node_condition" and not record.source:  # it only says that a node starts healthy
        return False
    return record.machine in SHOWN or ("nodes" in head and record.machine in NODE_MACHINES)


def kept_times() -> Usuals:
    """The usual times in the table."""
    return from_table(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}


@cache
def times_now() -> Usuals:
    """The usual times of the stories as they run now. Plays all of them: some five seconds."""
    return usual_times(played(path) for path in paths())


def uses_now() -> dict[Pattern, Counter[str]]:
    """By row of the usual times: how many lines of which story rely on it now."""
    found: defaultdict[Pattern, Counter[str]] = defaultdict(Counter)
    for path in paths():
        for line in goes(path, times_now()):
            if line.goes_by:
                found[line.goes_by][path.stem] += 1
    return dict(found)


def as_file(path: Path, story: Sequence[StoryLine]) -> str:
    """The text of the file with these lines."""
    return f"{given(path)}{DASHES}" + "".join(f"{line}\n" for line in story)


def goes(path: Path, usuals: Usuals) -> list[StoryLine]:
    """The lines of the story as it runs now."""
    return lines(*played(path), usuals)
