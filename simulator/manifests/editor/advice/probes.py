"""Advice about probes.

Liveness and readiness fail in different ways: a failed readiness probe takes a pod out of its Services until it
recovers, a failed liveness probe kills the container. Most of the advice is about a liveness probe that kills what
would have recovered: because it makes the same check as readiness, gives up after one failure, starts before the
program does, or gives a command only a second. If a field is left out, its default applies (every 10 s, a timeout of 1
s, 3 failures).
"""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.pod_rules import fields, number
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.manifests.editor.advice.advisers import CONTAINER, AdviceScene, ContainerPlace, Hint, advice
from simulator.manifests.texts import _

_DOC = "tasks/configure-pod-container/configure-liveness-readiness-startup-probes/"
_CONCEPT = "concepts/configuration/liveness-readiness-startup-probes/"
_HANDLERS = ("exec", "grpc", "httpGet", "tcpSocket")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_LONG_DELAY_S = 20
_PERIOD_S, _TIMEOUT_S, _FAILURES = 10, 1, 3


def _handler(probe: dict[str, Any]) -> dict[str, Any]:
    return {name: probe[name] for name in _HANDLERS if probe.get(name) is not None}


def initial_delay_s(probe: dict[str, Any]) -> int:
    """Seconds before the first attempt."""
    return number(probe, "initialDelaySeconds") or 0


# An estimate: attempts that hang add their timeouts.
def patience_s(probe: dict[str, Any]) -> int:
    """Seconds of consecutive failures after which the probe has failed, with its defaults."""
    return (number(probe, "periodSeconds") or _PERIOD_S) * (number(probe, "failureThreshold") or _FAILURES)


@advice(
    "liveness-like-readiness",
    CONTAINER,
    why=gettext_noop(
        "Both fail together: a container that is merely busy is restarted, when the Service should just leave it alone until it recovers."
    ),
    doc=_CONCEPT,
)
def liveness_like_readiness(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """Liveness makes the same check as readiness and gives up just as soon."""
    liveness, readiness = fields(place.value, "livenessProbe"), fields(place.value, "readinessProbe")
    if liveness and readiness and _handler(liveness) == _handler(readiness) and patience_s(liveness) <= patience_s(readiness):
        message = _("liveness makes the same check as readiness and gives up after %d s") % patience_s(liveness)
        yield Hint(path=f"{place.path}.livenessProbe", message=message, at_key=True)


@advice(
    "probe-timeout-over-period",
    CONTAINER,
    why=gettext_noop("The next attempt is due while the previous one still hangs, so the probe runs less often than its period says."),
    doc=f"{_DOC}#configure-probes",
)
def timeout_over_period(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """An attempt may take as long as the period between two."""
    for name in PROBES:
        probe = fields(place.value, name)
        timeout_s, period_s = number(probe, "timeoutSeconds"), number(probe, "periodSeconds") or _PERIOD_S
        if timeout_s is not None and timeout_s >= period_s:
            values = {"timeout": timeout_s, "period": period_s}
            message = _("a timeout of %(timeout)d s is not shorter than the period of %(period)d s") % values
            yield Hint(path=f"{place.path}.{name}.timeoutSeconds", message=message)


@advice(
    "initial-delay-for-startup",
    CONTAINER,
    why=gettext_noop(
        "A slow start is killed, and a fast one waits for nothing. A startupProbe holds liveness back exactly as long as the start takes."
    ),
    doc=f"{_DOC}#define-startup-probes",
    since=18,
)
def initial_delay(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A long fixed delay where a startup probe would do."""
    delay_s = number(fields(place.value, "livenessProbe"), "initialDelaySeconds") or 0
    if delay_s >= _LONG_DELAY_S and not place.value.get("startupProbe"):
        yield Hint(
            path=f"{place.path}.livenessProbe.initialDelaySeconds", message=_("a %d s delay is used instead of a startup probe") % delay_s
        )


@advice(
    "liveness-hair-trigger",
    CONTAINER,
    why=gettext_noop("One slow response restarts the container, and under load that removes capacity that is already short."),
    doc=f"{_DOC}#configure-probes",
)
def hair_trigger(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A single failure kills the container."""
    if number(fields(place.value, "livenessProbe"), "failureThreshold") == 1:
        yield Hint(path=f"{place.path}.livenessProbe.failureThreshold", message=_("a single failed attempt kills the container"))


@advice(
    "liveness-without-restart",
    CONTAINER,
    why=gettext_noop("The kubelet kills the container and does not restart it: the pod ends as Failed."),
    doc="concepts/workloads/pods/pod-lifecycle/#restart-policy",
)
def without_restart(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """Liveness under restartPolicy Never."""
    own = place.value.get("restartPolicy")
    if place.group == "containers" and place.value.get("livenessProbe") and (own or place.owner.restart_policy) == "Never":
        message = _("a failed liveness probe ends the container permanently under restartPolicy Never")
        yield Hint(path=f"{place.path}.livenessProbe", message=message, at_key=True)


@advice(
    "exec-probe-short-timeout",
    CONTAINER,
    why=gettext_noop(
        "Starting a process can be slow on a busy node; since 1.20 the timeout of exec probes is enforced, so healthy containers fail it."
    ),
    doc=f"{_DOC}#configure-probes",
    since=20,
)
def exec_timeout(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A liveness command with the default timeout of a second and few failures allowed."""
    probe = fields(place.value, "livenessProbe")
    impatient = patience_s(probe) < _PERIOD_S * _FAILURES
    if probe.get("exec") and (number(probe, "timeoutSeconds") or _TIMEOUT_S) <= _TIMEOUT_S and impatient:
        yield Hint(path=f"{place.path}.livenessProbe.exec", message=_("each attempt of the command has only one second"), at_key=True)
