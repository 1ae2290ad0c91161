"""Advice about how containers and pods end.

When a pod is deleted its grace period starts, preStop runs, then TERM is sent, and KILL when the period is over. So
everything here is about where that time goes: a preStop hook that sleeps through it, a shell as PID 1 that does not
pass TERM on, a grace period of zero. Only what the manifest shows for certain is counted: a ``sleep`` in a hook's
command has a known length, anything else does not.
"""

import re
from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.pod_rules import fields, number
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.manifests.editor.advice.advisers import CONTAINER, POD, AdviceScene, ContainerPlace, Hint, PodPlace, advice
from simulator.manifests.texts import _

_DOC = "concepts/workloads/pods/pod-lifecycle/#pod-termination"
_HOOKS = "concepts/containers/container-lifecycle-hooks/"
GRACE_S = 30
_SHELLS = ("sh", "bash", "ash", "dash", "/bin/sh", "/bin/bash", "/bin/ash", "/bin/dash", "/usr/bin/sh", "/usr/bin/bash")
_SLEEP = re.compile(r"(?:^|[\s;&|(])sleep\s+(\d{1,6})(?:s?(?=$|[\s;&|)]))")
# A script with a single command is fine: most shells replace themselves with it, and TERM arrives.
_SEVERAL = re.compile(r"[;\n|]|&&|\bdo\b")
_HANDLES_TERM = re.compile(r"(?:^|[\s;&|(])(?:exec|trap)\s")


def grace_s(place: PodPlace) -> int:
    """The pod's grace period, with its default."""
    own = number(place.spec, "terminationGracePeriodSeconds")
    return GRACE_S if own is None else own


def pre_stop_sleep_s(container: dict[str, Any]) -> tuple[str, int] | None:
    """The path below the container and the seconds that a preStop hook is certain to sleep, or None."""
    hook = fields(fields(container, "lifecycle"), "preStop")
    seconds = number(fields(hook, "sleep"), "seconds")
    if seconds is not None:
        return "lifecycle.preStop.sleep.seconds", seconds
    command = fields(hook, "exec").get("command")
    words = [word for word in command if isinstance(word, str)] if isinstance(command, list) else []
    found = [int(match) for match in _SLEEP.findall(" ".join(words))]
    return ("lifecycle.preStop.exec.command", sum(found)) if found else None


@advice(
    "prestop-eats-grace",
    CONTAINER,
    why=gettext_noop("preStop counts against the grace period: nothing is left for TERM, and the container is killed two seconds later."),
    doc=_HOOKS,
)
def pre_stop(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A preStop hook that sleeps as long as the whole grace period."""
    found = pre_stop_sleep_s(place.value)
    grace = grace_s(place.owner)
    if found is not None and grace and found[1] >= grace:
        message = _("preStop sleeps for %(sleep)d s, but the grace period is %(grace)d s") % {"sleep": found[1], "grace": grace}
        yield Hint(path=f"{place.path}.{found[0]}", message=message)


@advice(
    "grace-zero",
    POD,
    why=gettext_noop("Deleting the pod kills its processes at once: no preStop, no TERM, and in-flight requests are cut off."),
    doc=_DOC,
)
def grace_zero(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A grace period of zero."""
    if number(place.spec, "terminationGracePeriodSeconds") == 0:
        yield Hint(path=f"{place.path}spec.terminationGracePeriodSeconds", message=_("the pod gets no time to stop"))


@advice(
    "shell-swallows-term",
    CONTAINER,
    why=gettext_noop(
        "The shell is PID 1 and does not pass TERM on; PID 1 ignores signals it does not handle, so each stop takes the whole grace period."
    ),
    doc=_DOC,
)
def shell(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A script as the main process that neither traps TERM nor uses exec."""
    script = _script(place.value)
    if not place.runs_on or script is None or place.owner.spec.get("shareProcessNamespace"):
        return
    if place.owner.restart_policy == "Always" and _SEVERAL.search(script) and not _HANDLES_TERM.search(script):
        key = "command" if place.value.get("command") else "args"
        yield Hint(path=f"{place.path}.{key}", message=_("the program never receives TERM because of the shell"), at_key=True)


def _script(container: dict[str, Any]) -> str | None:
    """The script of ``sh -c``; None if the container does not start that way."""
    words = [word for key in ("command", "args") for word in (container.get(key) or []) if isinstance(word, str)]
    if len(words) < 3 or words[0] not in _SHELLS or not (words[1].startswith("-") and words[1].endswith("c")):
        return None
    return words[2]


@advice(
    "deadline-on-endless-pod",
    POD,
    why=gettext_noop(
        "When the time is up, the pod becomes Failed with DeadlineExceeded and is not restarted, whatever its restart policy."
    ),
    doc="concepts/workloads/pods/init-containers/#detailed-behavior",
)
def deadline(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A deadline on a pod that is meant to keep running."""
    seconds = number(place.spec, "activeDeadlineSeconds")
    if seconds is not None and place.restart_policy == "Always":
        yield Hint(path=f"{place.path}spec.activeDeadlineSeconds", message=_("the pod is terminated after %d s") % seconds)


@advice(
    "prestop-without-grace-left",
    CONTAINER,
    why=gettext_noop("What preStop leaves of the grace period is all the program has between TERM and KILL."),
    doc=_HOOKS,
)
def little_left(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A preStop hook that leaves less than a fifth of the grace period."""
    found = pre_stop_sleep_s(place.value)
    grace = grace_s(place.owner)
    if found is not None and 0 < found[1] < grace and (grace - found[1]) * 5 < grace:
        yield Hint(path=f"{place.path}.{found[0]}", message=_("the program has %d s left to stop") % (grace - found[1]))
