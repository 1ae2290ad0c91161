"""Scripts: what is done to a run and when, as scenarios store it and ``simulate --script`` reads it.

A script is a YAML list of steps, each with ``at`` (seconds since the start) and one verb::

    - at: 12.0
      delete: {kind: Pod, names: [web], gracePeriodSeconds: 5}
    - at: 20
      apply: |
        apiVersion: v1
        …

``answer``, what a real system replied, decides nothing but one thing: a reply with a ``code`` came from the API server itself, so that
a grace period of 0 was meant as it stands, while kubectl sends 1 in its place unless forced. ``VERBS`` is the table of verbs; a verb
or an option that no command carries is an error that names its step.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.commands import (
    AnyCommand,
    ApplyManifest,
    DeletePod,
    ExitContainer,
    HangContainer,
    OomContainer,
    SetImage,
    SetProbe,
    SignalContainer,
)
from simulator.engine.header import ScriptStep
from simulator.manifests.check import check_text
from simulator.manifests.durations import duration_ms
from simulator.manifests.findings import Finding
from simulator.manifests.loader import RawDocument, load
from simulator.manifests.problems import ERROR, Problem, sorted_problems
from simulator.manifests.texts import _

SIGNALS = {"HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "SEGV": 11, "USR2": 12, "TERM": 15, "STOP": 19}
PROBES = ("liveness", "readiness", "startup")
OUTCOMES = ("success", "failure", "timeout", "error")
_NOT_VERBS = ("at", "answer")


class Script(Struct, frozen=True, kw_only=True):
    """The steps of a script in the order of their time, and what is wrong with it."""

    steps: tuple[ScriptStep, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the script can be run."""
        return all(problem.severity != ERROR for problem in self.problems)


class _BadStep(Exception):
    """A step that cannot be turned into commands; ``path`` is relative to the step."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path


class _Step(Struct, frozen=True, kw_only=True):
    """One step while it is read. ``body`` is what stands under the verb."""

    path: str
    verb: str
    body: Any
    sent_to_api: bool
    namespace: str
    kubernetes: str
    source: RawDocument
    problems: list[Problem]

    def field(self, name: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """A field of the body, checked for its type; raises _BadStep."""
        value = self.body.get(name) if isinstance(self.body, dict) else None
        if value is None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            raise _BadStep(_("%s has the wrong type") % name, f"{self.verb}.{name}")
        return value

    def needed(self, name: str, kind: type | tuple[type, ...]) -> Any:
        """A field that must be there."""
        value = self.field(name, kind)
        if value is None:
            raise _BadStep(_("%s is missing") % name, self.verb)
        return value

    def only(self, *names: str) -> None:
        """Refuse options beyond these, since leaving them out would change what the step means."""
        for name in self.body if isinstance(self.body, dict) else ():
            if name not in names:
                message = _('"%(verb)s" with "%(option)s" is not supported') % {"verb": self.verb, "option": name}
                raise _BadStep(message, f"{self.verb}.{name}")

    def target(self) -> str:
        """The key of the pod named by ``pod``."""
        return f"{self.namespace}/{self.needed('pod', str)}"


def read_script(text: str | bytes, *, kubernetes: str, namespace: str = "default") -> Script:
    """Read a script for a run of that Kubernetes version; pods without a namespace are in ``namespace``. Never raises for its text."""
    loaded = load(text)
    problems = list(loaded.problems)
    steps: list[ScriptStep] = []
    for document in loaded.documents:
        if not isinstance(document.value, list):
            problems.append(_problem(document, Finding(path="", message=_("a script is a list of steps"), code="script")))
            continue
        for index, entry in enumerate(document.value):
            steps += _read_step(document, index, entry, problems, namespace=namespace, kubernetes=kubernetes)
    return Script(steps=tuple(sorted(steps, key=lambda step: step.at_ms)), problems=sorted_problems(problems))


def _problem(document: RawDocument, finding: Finding) -> Problem:
    line, column = document.locate(finding.path, key=True)
    return Problem(
        severity=finding.severity,
        message=finding.message,
        code=finding.code,
        line=line,
        column=column,
        path=finding.path,
        document=document.index,
    )


def _read_step(
    document: RawDocument, index: int, entry: Any, problems: list[Problem], *, namespace: str, kubernetes: str
) -> list[ScriptStep]:
    try:
        at_ms, verb = _heading(entry)
        step = _Step(
            path=f"[{index}]",
            verb=verb,
            body=entry[verb],
            sent_to_api=isinstance(entry.get("answer"), dict) and "code" in entry["answer"],
            namespace=namespace,
            kubernetes=kubernetes,
            source=document,
            problems=problems,
        )
        return [ScriptStep(at_ms=at_ms, command=command) for command in VERBS[verb](step)]
    except _BadStep as bad:
        message = _("step %(number)d: %(problem)s") % {"number": index + 1, "problem": bad.message}
        path = f"[{index}].{bad.path}" if bad.path else f"[{index}]"
        problems.append(_problem(document, Finding(path=path, message=message, code="script")))
        return []


def _heading(entry: Any) -> tuple[int, str]:
    """(time, verb) of a step."""
    if not isinstance(entry, dict):
        raise _BadStep(_("a step is a map with at and one verb"))
    at_ms = duration_ms(entry.get("at"))
    if at_ms is None:
        raise _BadStep(_("at must be a number of seconds"), "at")
    verbs = [key for key in entry if key not in _NOT_VERBS]
    if len(verbs) != 1:
        raise _BadStep(_("a step has exactly one verb"))
    if verbs[0] not in VERBS:
        raise _BadStep(_('the verb "%s" is not supported') % verbs[0], verbs[0])
    return at_ms, verbs[0]


def _apply(step: _Step) -> Iterator[AnyCommand]:
    if not isinstance(step.body, str):
        raise _BadStep(_("apply takes the text of a manifest"), "apply")
    checked = check_text(step.body, kubernetes=step.kubernetes, namespace=step.namespace)
    path = f"{step.path}.apply"
    node = step.source.node_at(path)
    line = step.source.locate(path)[0] + (0 if node is not None and node.block else -1)
    moved = (replace(problem, line=max(1, line + problem.line), document=step.source.index) for problem in checked.problems)
    step.problems.extend(moved)
    if checked.ok and checked.documents:
        yield ApplyManifest(documents=tuple(document.json for document in checked.documents), namespace=step.namespace)


def _delete(step: _Step) -> Iterator[AnyCommand]:
    step.only("kind", "names", "gracePeriodSeconds", "force", "now")
    kind = step.field("kind", str, "Pod")
    if kind.lower() not in ("pod", "pods", "po"):
        raise _BadStep(_('"delete" of kind "%s" is not supported') % kind, "delete.kind")
    names = step.needed("names", list)
    if not names or not all(isinstance(name, str) for name in names):
        raise _BadStep(_("names must be a list of pod names"), "delete.names")
    force, grace_s = step.field("force", bool, False), step.field("gracePeriodSeconds", int)
    if grace_s == 0 and step.sent_to_api:
        force = True  # what --force --grace-period=0 asks of the API server
    elif grace_s == 0 or step.field("now", bool, False):
        grace_s = 1
    for name in names:
        yield DeletePod(target=f"{step.namespace}/{name}", grace_s=0 if force else grace_s, force=force)


def _signal(step: _Step) -> Iterator[AnyCommand]:
    step.only("pod", "container", "signal", "from")
    signal = step.needed("signal", (int, str))
    number = SIGNALS.get(signal.upper().removeprefix("SIG")) if isinstance(signal, str) else signal
    if isinstance(number, bool) or number is None or not 1 <= number <= 64:
        raise _BadStep(_('there is no signal "%s"') % signal, "signal.signal")
    yield SignalContainer(target=step.target(), container=step.field("container", str, ""), signal=number)


def _image(step: _Step) -> Iterator[AnyCommand]:
    step.only("name", "available", "pull")
    command = SetImage(image=step.needed("name", str), available=step.field("available", bool, True))
    pull = step.field("pull", (int, float, str))
    pull_ms = command.pull_ms if pull is None else duration_ms(pull)
    if pull_ms is None:
        raise _BadStep(_("pull must be a duration"), "image.pull")
    yield replace(command, pull_ms=pull_ms)


def _exit(step: _Step) -> Iterator[AnyCommand]:
    step.only("pod", "container", "code")
    code = step.needed("code", int)
    if not 0 <= code <= 255:
        raise _BadStep(_("an exit code is between 0 and 255"), "exit.code")
    yield ExitContainer(target=step.target(), container=step.needed("container", str), exit_code=code)


def _oom(step: _Step) -> Iterator[AnyCommand]:
    step.only("pod", "container")
    yield OomContainer(target=step.target(), container=step.needed("container", str))


def _hang(step: _Step) -> Iterator[AnyCommand]:
    step.only("pod", "container", "hang")
    yield HangContainer(target=step.target(), container=step.needed("container", str), hang=step.field("hang", bool, True))


def _probe(step: _Step) -> Iterator[AnyCommand]:
    step.only("pod", "container", "probe", "outcome", "attempts")
    probe, outcome, attempts = step.needed("probe", str), step.field("outcome", str), step.field("attempts", int, 0)
    if probe not in PROBES:
        raise _BadStep(_("probe is one of %s") % ", ".join(PROBES), "probe.probe")
    if outcome is not None and outcome not in OUTCOMES:
        raise _BadStep(_("outcome is one of %s") % ", ".join(OUTCOMES), "probe.outcome")
    if attempts < 0:
        raise _BadStep(_("attempts must not be negative"), "probe.attempts")
    yield SetProbe(target=step.target(), container=step.needed("container", str), probe=probe, outcome=outcome, attempts=attempts)


VERBS: dict[str, Callable[[_Step], Iterator[AnyCommand]]] = {
    "apply": _apply,
    "delete": _delete,
    "signal": _signal,
    "image": _image,
    "exit": _exit,
    "oom": _oom,
    "hang": _hang,
    "probe": _probe,
}
"""Every verb with the function that turns its step into commands."""
