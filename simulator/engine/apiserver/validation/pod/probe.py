"""Rules for probes and hooks. The place is one probe or one hook; its group is the kind, such as ``livenessProbe``."""

from collections.abc import Callable, Iterator
from typing import Any

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, not_supported, required
from simulator.engine.apiserver.validation.names import header_problems, port_name_problems
from simulator.engine.apiserver.validation.pod.container import PORT_MAX, PORT_RANGE, SOME_LETTER, SOME_LETTER_BEFORE
from simulator.engine.apiserver.validation.pod_rules import HOOK, PROBE, Context, Fields, Place, fields, items, number, rule, text

SCHEMES = ("HTTP", "HTTPS")
_COUNTS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_HANDLERS = (("exec", ""), ("httpGet", ""), ("tcpSocket", ""))
_PROBE_HANDLERS = (*_HANDLERS, ("grpc", "GRPCContainerProbe"))
_HOOK_HANDLERS = (*_HANDLERS, ("sleep", "PodLifecycleSleepAction"))

Inner = Callable[[Fields, str, Context], Iterator[FieldError]]


def _given(place: Place, context: Context, kinds: tuple[tuple[str, str], ...]) -> list[str]:
    return [kind for kind, needs in kinds if place.value.get(kind) is not None and (not needs or context.release.has(needs))]


def _handler(place: Place, context: Context, kinds: tuple[tuple[str, str], ...]) -> Iterator[FieldError]:
    given = _given(place, context, kinds)
    if not given:
        yield required(place.path, "must specify a handler type")
        return
    # Only the first handler is validated; others are refused because there is more than one.
    first = given[0]
    if isinstance(place.value[first], dict) and first in _INNER:
        yield from _INNER[first](place.value[first], f"{place.path}.{first}", context)
    for kind in given[1:]:
        yield forbidden(f"{place.path}.{kind}", "may not specify more than 1 handler type")


@rule("PROBE-HANDLER", PROBE)
def probe_handler(place: Place, context: Context) -> Iterator[FieldError]:
    """A probe has exactly one action, with its required fields."""
    return _handler(place, context, _PROBE_HANDLERS)


@rule("HOOK-HANDLER", HOOK)
def hook_handler(place: Place, context: Context) -> Iterator[FieldError]:
    """A hook has exactly one action, with its required fields."""
    return _handler(place, context, _HOOK_HANDLERS)


def _exec_errors(action: Fields, path: str, context: Context) -> Iterator[FieldError]:
    if not action.get("command"):
        yield required(f"{path}.command")


def _http_errors(action: Fields, path: str, context: Context) -> Iterator[FieldError]:
    yield from _port_errors(action.get("port"), f"{path}.port", context)
    scheme = text(action, "scheme")
    if scheme and scheme not in SCHEMES:
        yield not_supported(f"{path}.scheme", scheme, SCHEMES)
    for _, header in items(action, "httpHeaders"):
        name = text(header, "name")
        yield from (invalid(f"{path}.httpHeaders", name, problem) for problem in header_problems(name))


def _tcp_errors(action: Fields, path: str, context: Context) -> Iterator[FieldError]:
    return _port_errors(action.get("port"), f"{path}.port", context)


def _port_errors(port: Any, field: str, context: Context) -> Iterator[FieldError]:
    if isinstance(port, str):
        letters = SOME_LETTER if context.facts.port_names_need_letters else SOME_LETTER_BEFORE
        yield from (invalid(field, port, problem) for problem in port_name_problems(port, letters=letters))
    elif not isinstance(port, int) or not 1 <= port <= PORT_MAX:
        yield invalid(field, port or 0, PORT_RANGE)


_INNER: dict[str, Inner] = {"exec": _exec_errors, "httpGet": _http_errors, "tcpSocket": _tcp_errors, "grpc": _tcp_errors}


def _request_filled_in(place: Place) -> Iterator[FieldError]:
    action = place.value.get("httpGet")
    # With exec set, httpGet is not the first handler and its content is not checked.
    if not isinstance(action, dict) or place.value.get("exec") is not None:
        return
    if not text(action, "path"):
        yield required(f"{place.path}.httpGet.path")
    if not text(action, "scheme"):
        yield not_supported(f"{place.path}.httpGet.scheme", "", SCHEMES)


@rule("PROBE-PATH-REQUIRED", PROBE, defaulted=True)
def probe_path_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The path and the scheme of a request have been filled in."""
    return _request_filled_in(place)


@rule("HOOK-PATH-REQUIRED", HOOK, defaulted=True)
def hook_path_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The path and the scheme of a request have been filled in."""
    return _request_filled_in(place)


@rule("PROBE-COUNTS", PROBE)
def probe_counts(place: Place, context: Context) -> Iterator[FieldError]:
    """Delays, periods and thresholds are not negative."""
    for key in _COUNTS:
        if (value := number(place.value, key)) is not None and value < 0:
            yield invalid(f"{place.path}.{key}", value, "must be greater than or equal to 0")


@rule("PROBE-GRACE", PROBE, since_gate="ProbeTerminationGracePeriod")
def probe_grace(place: Place, context: Context) -> Iterator[FieldError]:
    """A probe that kills has a positive grace period."""
    value = number(place.value, "terminationGracePeriodSeconds")
    if value is not None and value <= 0:
        yield invalid(f"{place.path}.terminationGracePeriodSeconds", value, "must be greater than 0")


@rule("PROBE-GRACE-OF-READINESS", PROBE, since_gate="ProbeTerminationGracePeriod")
def readiness_grace(place: Place, context: Context) -> Iterator[FieldError]:
    """A readiness probe does not kill and has no grace period."""
    value = number(place.value, "terminationGracePeriodSeconds")
    if value is not None and place.group == "readinessProbe":
        yield invalid(f"{place.path}.terminationGracePeriodSeconds", value, "must not be set for readinessProbes")


@rule("PROBE-SUCCESS-ONE", PROBE)
def probe_success_one(place: Place, context: Context) -> Iterator[FieldError]:
    """The success threshold of liveness and startup probes is one."""
    value = number(place.value, "successThreshold")
    if place.group != "readinessProbe" and value not in (None, 0, 1):
        yield invalid(f"{place.path}.successThreshold", value, "must be 1")


@rule("PROBE-SUCCESS-REQUIRED", PROBE, defaulted=True)
def probe_success_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The success threshold has been filled in."""
    if place.group != "readinessProbe" and number(place.value, "successThreshold") in (None, 0):
        yield invalid(f"{place.path}.successThreshold", 0, "must be 1")


def _sleep(place: Place, context: Context, shortest: int, detail: str) -> Iterator[FieldError]:
    action = place.value.get("sleep")
    if not isinstance(action, dict) or _given(place, context, _HOOK_HANDLERS)[:1] != ["sleep"]:
        return
    written = number(context.spec, "terminationGracePeriodSeconds")
    # If the grace period is not set, its default counts.
    grace_s, seconds = 30 if written is None else written, number(fields(place.value, "sleep"), "seconds") or 0
    if not shortest <= seconds <= grace_s:
        yield invalid(f"{place.path}.sleep", seconds, detail.format(grace_s=grace_s))


@rule("HOOK-SLEEP", HOOK, since_gate="PodLifecycleSleepActionAllowZero")
def sleep_seconds(place: Place, context: Context) -> Iterator[FieldError]:
    """A sleeping hook ends within the grace period."""
    return _sleep(place, context, 0, "must be non-negative and less than terminationGracePeriodSeconds ({grace_s})")


@rule("HOOK-SLEEP-1.32", HOOK, since=32, until_gate="PodLifecycleSleepActionAllowZero")
def sleep_seconds_with_gate(place: Place, context: Context) -> Iterator[FieldError]:
    """A sleeping hook sleeps for a time, and ends within the grace period."""
    gate = "Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."
    return _sleep(place, context, 1, f"must be greater than 0 and less than terminationGracePeriodSeconds ({{grace_s}}). {gate}")


@rule("HOOK-SLEEP-1.31", HOOK, until=31, since_gate="PodLifecycleSleepAction")
def sleep_seconds_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    return _sleep(place, context, 1, "must be greater than 0 and less than terminationGracePeriodSeconds ({grace_s})")
