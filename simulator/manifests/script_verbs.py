"""The verbs a script knows for what happens to containers, probes and images, each turned into commands."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from simulator.engine.commands import (
    AnyCommand,
    ApplyManifest,
    ExitContainer,
    HangContainer,
    OomContainer,
    SetImage,
    SetProbe,
    SignalContainer,
)
from simulator.manifests.check import check_text
from simulator.manifests.durations import duration_ms
from simulator.manifests.script_nodes import NODE_VERBS, sandbox_signal
from simulator.manifests.script_objects import OBJECT_VERBS
from simulator.manifests.script_resources import RESOURCE_VERBS
from simulator.manifests.script_step import BadStep, Step
from simulator.manifests.texts import _

SIGNALS = {"HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "SEGV": 11, "USR2": 12, "TERM": 15, "STOP": 19}
PROBES = ("liveness", "readiness", "startup")
OUTCOMES = ("success", "failure", "timeout", "error")


def _apply(step: Step) -> Iterator[AnyCommand]:
    if not isinstance(step.body, str):
        raise BadStep(_("%s takes the text of a manifest") % step.verb, step.verb)
    checked = check_text(step.body, kubernetes=step.kubernetes, namespace=step.namespace, gates=step.gates)
    path = f"{step.path}.{step.verb}"
    node = step.source.node_at(path)
    line = step.source.locate(path)[0] + (0 if node is not None and node.block else -1)
    moved = (replace(problem, line=max(1, line + problem.line), document=step.source.index) for problem in checked.problems)
    step.problems.extend(moved)
    if checked.ok and checked.documents:
        documents = tuple(document.json for document in checked.documents)
        yield ApplyManifest(documents=documents, namespace=step.namespace, create=step.verb == "create")


def _signal(step: Step) -> Iterator[AnyCommand]:
    if step.field("sandbox", bool, False):
        yield from sandbox_signal(step)
        return
    step.only("pod", "container", "signal", "from")
    signal = step.needed("signal", (int, str))
    number = SIGNALS.get(signal.upper().removeprefix("SIG")) if isinstance(signal, str) else signal
    if isinstance(number, bool) or number is None or not 1 <= number <= 64:
        raise BadStep(_('there is no signal "%s"') % signal, "signal.signal")
    yield SignalContainer(target=step.target(), container=step.field("container", str, ""), signal=number)


def _image(step: Step) -> Iterator[AnyCommand]:
    step.only("name", "available", "pull")
    command = SetImage(image=step.needed("name", str), available=step.field("available", bool, True))
    pull = step.field("pull", (int, float, str))
    pull_ms = command.pull_ms if pull is None else duration_ms(pull)
    if pull_ms is None:
        raise BadStep(_("pull must be a duration"), "image.pull")
    yield replace(command, pull_ms=pull_ms)


def _exit(step: Step) -> Iterator[AnyCommand]:
    step.only("pod", "container", "code")
    code = step.needed("code", int)
    if not 0 <= code <= 255:
        raise BadStep(_("an exit code is between 0 and 255"), "exit.code")
    yield ExitContainer(target=step.target(), container=step.needed("container", str), exit_code=code)


def _oom(step: Step) -> Iterator[AnyCommand]:
    step.only("pod", "container")
    yield OomContainer(target=step.target(), container=step.needed("container", str))


def _hang(step: Step) -> Iterator[AnyCommand]:
    step.only("pod", "container", "hang")
    yield HangContainer(target=step.target(), container=step.needed("container", str), hang=step.field("hang", bool, True))


def _probe(step: Step) -> Iterator[AnyCommand]:
    step.only("pod", "container", "probe", "outcome", "attempts")
    probe, outcome, attempts = step.needed("probe", str), step.field("outcome", str), step.field("attempts", int, 0)
    if probe not in PROBES:
        raise BadStep(_("probe is one of %s") % ", ".join(PROBES), "probe.probe")
    if outcome is not None and outcome not in OUTCOMES:
        raise BadStep(_("outcome is one of %s") % ", ".join(OUTCOMES), "probe.outcome")
    if attempts < 0:
        raise BadStep(_("attempts must not be negative"), "probe.attempts")
    yield SetProbe(target=step.target(), container=step.needed("container", str), probe=probe, outcome=outcome, attempts=attempts)


VERBS: dict[str, Callable[[Step], Iterator[AnyCommand]]] = {
    "apply": _apply,
    "create": _apply,
    "signal": _signal,
    "image": _image,
    "exit": _exit,
    "oom": _oom,
    "hang": _hang,
    "probe": _probe,
    **OBJECT_VERBS,
    **NODE_VERBS,
    **RESOURCE_VERBS,
}
"""Every verb with the function that turns its step into commands."""
