"""What is wrong with a pasted pod: the most likely cause, the lines that show it, and the next step."""

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from simulator.imports.read import LIMITS
from simulator.remedies.catalogue import remedy_for
from simulator.remedies.clue import Clue, Clues, PodFacts
from simulator.remedies.from_print import clues_of_print
from simulator.remedies.from_yaml import clues_of_yaml
from simulator.remedies.remedy import LookAt, NextStep, Remedy, UsualCause, filled

TROUBLES_MAX = 20
QUOTES_MAX = 4
_TEXT_MAX = 300
_SAID_MAX = 2000
_ORDER: tuple[tuple[str, str], ...] = (
    ("pod", r".+"),
    ("terminated", r"OOMKilled"),
    ("waiting", r"(?!CrashLoopBackOff|ContainerCreating|PodInitializing).+"),
    ("terminated", r"StartError|ContainerCannotRun"),
    ("status", r"(Init:)?(OOMKilled|Create\w+Error|RunContainerError|StartError|Err\w+|Image\w+|InvalidImageName|Evicted|OutOf.+|Unknown)"),
    ("waiting", r"CrashLoopBackOff"),
    ("status", r"(Init:)?CrashLoopBackOff"),
    ("condition", r"Unschedulable|SchedulingGated"),
    ("event", r"FailedMount|FailedMapVolume|FailedAttachVolume|FailedCreatePodSandBox|NetworkNotReady|FailedScheduling"),
    ("terminated", r"(?!Completed).+"),
    ("status", r"Terminating"),
    ("event", r"FailedKillPod|FailedPostStartHook|Evicted|Preempted|Preempting|TaintManagerEviction|OutOf.+"),
    ("event", r"Unhealthy"),
    ("event", r"BackOff|Failed|InspectFailed|ErrImageNeverPull"),
    ("event", r".+"),
    ("condition", r"ReadinessGatesNotReady|ContainersNotInitialized"),
    ("waiting", r".+"),
    ("condition", r".+"),
    ("status", r"(?!Running|Completed|Succeeded).+"),
)
"""The words that say most about what is wrong, best first: kind and pattern of the word."""
_CLUSTER_WIDE = re.compile(r" -n | -A\b| nodes?\b|kubectl (label|taint|drain|uncordon|cordon)\b")
"""Command lines that take no namespace or already have one."""
_OBJECT = re.compile(r'\b(secret|configmap|persistentvolumeclaim) "([^"/]+/)?([\w.-]+)"', re.IGNORECASE)


class Quote(Struct, frozen=True):
    """A line of the pasted text, counting from 1, unchanged except for a limit of 300 characters."""

    line: int
    text: str


class Trouble(Struct, frozen=True, kw_only=True):
    """What is wrong with one pod. ``is_shown`` means the text shows this cause; otherwise it is the most usual one for its word."""

    pod: str
    namespace: str
    container: str
    kind: str
    word: str
    of: str
    remedy: Remedy
    cause: UsualCause
    is_shown: bool
    quotes: tuple[Quote, ...]
    step: NextStep
    look: LookAt


class Examined(Struct, frozen=True):
    """The results for the pods of a text: their troubles, and the pods that are fine, as namespace/name."""

    troubles: tuple[Trouble, ...] = ()
    well: tuple[str, ...] = ()


def examined(text: str) -> Examined:
    """What is wrong with the pods of a text, the worst first; empty if it has none. Never raises because of anything in the text."""
    clues = _clues(text)
    lines = text.split("\n")
    found: list[tuple[int, Trouble]] = []
    well: list[str] = []
    of_pod: dict[str, list[Clue]] = {key: [] for key in clues.pods}
    for clue in clues.found:
        of_pod.setdefault(clue.pod, []).append(clue)
    for key, facts in clues.pods.items():
        ranked = _worst(facts, of_pod[key])
        if ranked is None:
            well.append(key)
        else:
            found.append((ranked[0], _trouble(facts, ranked[1], of_pod[key], lines)))
    ordered = sorted(found, key=lambda item: item[0])
    return Examined(tuple(trouble for _, trouble in ordered[:TROUBLES_MAX]), tuple(well[:TROUBLES_MAX]))


def _clues(text: str) -> Clues:
    if len(text.encode("utf-8", "replace")) > LIMITS.bytes_max:
        return Clues({}, [])
    clues = clues_of_print(text)
    return clues if clues.pods else clues_of_yaml(text)


def _worst(facts: PodFacts, clues: Sequence[Clue]) -> tuple[int, Clue] | None:
    """The clue that says most, with its rank; of equal ones the last Event, otherwise the first in the text."""
    best: tuple[int, Clue] | None = None
    for clue in clues:
        rank = _rank(facts, clue)
        if rank is not None and (best is None or rank < best[0] or (rank == best[0] and clue.kind == "event")):
            best = (rank, clue)
    return best


def _rank(facts: PodFacts, clue: Clue) -> int | None:
    """How much a clue says, 0 being the most; None if it does not indicate a problem, or no longer does."""
    if remedy_for(clue.kind, clue.word, clue.of) is None or _is_over(facts, clue):
        return None
    return next((n for n, (kind, word) in enumerate(_ORDER) if kind == clue.kind and re.fullmatch(word, clue.word)), None)


def _is_over(facts: PodFacts, clue: Clue) -> bool:
    """Whether a clue is about the past: Events are kept for an hour, and an instance that ended may have been replaced."""
    if clue.kind == "event":
        return clue.of == "Normal" or facts.is_ready is True or (clue.word == "FailedScheduling" and facts.is_placed is True)
    if clue.is_last:
        return clue.word != "OOMKilled" and facts.is_ready is True
    return clue.kind == "terminated" and "exitCode=0" in clue.said.split()


def _trouble(facts: PodFacts, clue: Clue, clues: Sequence[Clue], lines: Sequence[str]) -> Trouble:
    remedy = remedy_for(clue.kind, clue.word, clue.of)
    assert remedy is not None
    beside = [other for other in clues if other is not clue and other.container in ("", clue.container)]
    cause, shown_by = _cause(remedy, clue, beside)
    names = {**facts.names, **_names_in(clue), "namespace": facts.namespace}
    if clue.container:
        names["container"] = clue.container
    step = remedy.steps[min(cause.step, len(remedy.steps) - 1)]
    return Trouble(
        pod=facts.name, namespace=facts.namespace, container=clue.container, kind=clue.kind, word=clue.word, of=clue.of, remedy=remedy,
        cause=cause, is_shown=shown_by is not None, quotes=_quotes(clue, shown_by, lines),
        step=replace(step, line=_line(step.line, names)), look=replace(remedy.look[0], line=_line(remedy.look[0].line, names)),
    )  # fmt: skip


def _cause(remedy: Remedy, clue: Clue, beside: Sequence[Clue]) -> tuple[UsualCause, Clue | None]:
    """The first usual cause whose sign is found in the clue, or else in one next to it; if none is, the first cause, and None."""
    for group in ((clue,), beside):
        for cause in remedy.causes:
            for other in group:
                if cause.sign and re.search(cause.sign, f"{other.word} {other.said[:_SAID_MAX]}"):
                    return cause, other
    return next((cause for cause in remedy.causes if not cause.sign), remedy.causes[0]), None


def _quotes(clue: Clue, shown_by: Clue | None, lines: Sequence[str]) -> tuple[Quote, ...]:
    """The lines that show it, in the order of the text."""
    numbers = dict.fromkeys((*clue.lines, *(shown_by.lines if shown_by is not None else ())))
    kept = sorted(number for number in list(numbers)[:QUOTES_MAX] if number <= len(lines))
    return tuple(Quote(number, lines[number - 1].strip()[:_TEXT_MAX]) for number in kept)


def _names_in(clue: Clue) -> dict[str, str]:
    """The names of objects in a message."""
    kinds = {"persistentvolumeclaim": "claim"}
    return {kinds.get(found[1].lower(), found[1].lower()): found[3] for found in _OBJECT.finditer(clue.said)}


def _line(line: str, names: dict[str, str]) -> str:
    """A command line for this pod: with its names, its namespace, and the workload that owns it."""
    if "owner" in names:
        line = line.replace("deployment/<deployment>", names["owner"])
    line = filled(line, names)
    space = names.get("namespace") or "default"
    if (
        space == "default"
        or not line.startswith("kubectl ")
        or re.search(r" -n | -A\b| nodes? | kube-system|kubectl (label|taint|drain|uncordon|cordon)", line)
    ):
        return line
    head, dashes, rest = line.partition(" -- ")
    return f"{head} -n {space}{dashes}{rest}"
