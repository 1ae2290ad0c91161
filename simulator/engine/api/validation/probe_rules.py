"""Rules for probes and hooks."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.api.validation.container_rules import PORT_MAX, PORT_RANGE, SOME_LETTER, SOME_LETTER_BEFORE
from simulator.engine.api.validation.errors import FieldError, forbidden, invalid, not_supported, required
from simulator.engine.api.validation.names import port_name_problems
from simulator.engine.api.validation.registry import CONTAINER, Context, Fields, Place, fields, number, rule, text

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
HOOKS = ("postStart", "preStop")
HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
SCHEMES = ("HTTP", "HTTPS")
_COUNTS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


def _probes(place: Place) -> Iterator[tuple[str, str, Fields]]:
    """(kind, path, probe); plain init containers are answered by their own rule."""
    for kind in PROBES:
        probe = place.value.get(kind)
        if isinstance(probe, dict) and not place.is_plain_init:
            yield kind, f"{place.path}.{kind}", probe


def _hooks(place: Place) -> Iterator[tuple[str, Fields]]:
    lifecycle = fields(place.value, "lifecycle")
    for hook in HOOKS:
        if isinstance(lifecycle.get(hook), dict) and not place.is_plain_init:
            yield f"{place.path}.lifecycle.{hook}", lifecycle[hook]


def _handlers(place: Place) -> Iterator[tuple[str, Fields]]:
    yield from _hooks(place)
    yield from ((path, probe) for _, path, probe in _probes(place))


@rule("HANDLER", CONTAINER)
def one_handler(place: Place, context: Context) -> Iterator[FieldError]:
    """A probe or hook does exactly one thing."""
    for path, handler in _handlers(place):
        given = [key for key in HANDLERS if handler.get(key) is not None]
        if not given:
            yield required(path, "must specify a handler type")
        for key in given[1:]:
            yield forbidden(f"{path}.{key}", "may not specify more than 1 handler type")


@rule("HANDLER-COMMAND", CONTAINER)
def handler_command(place: Place, context: Context) -> Iterator[FieldError]:
    """An exec handler has a command."""
    for path, handler in _handlers(place):
        if isinstance(handler.get("exec"), dict) and not handler["exec"].get("command"):
            yield required(f"{path}.exec.command")


@rule("HANDLER-SCHEME", CONTAINER)
def handler_scheme(place: Place, context: Context) -> Iterator[FieldError]:
    """An HTTP handler uses HTTP or HTTPS."""
    for path, handler in _handlers(place):
        scheme = text(fields(handler, "httpGet"), "scheme")
        if scheme and scheme not in SCHEMES:
            yield not_supported(f"{path}.httpGet.scheme", scheme, SCHEMES)


def _handler_ports(place: Place, letters: str) -> Iterator[FieldError]:
    for path, handler in _handlers(place):
        for kind in ("httpGet", "tcpSocket", "grpc"):
            if isinstance(handler.get(kind), dict):
                yield from _port_errors(f"{path}.{kind}.port", handler[kind].get("port"), letters)


def _port_errors(field: str, port: Any, letters: str) -> Iterator[FieldError]:
    if isinstance(port, str):
        yield from (invalid(field, port, problem) for problem in port_name_problems(port, letters=letters))
    elif not isinstance(port, int) or not 1 <= port <= PORT_MAX:
        yield invalid(field, port or 0, PORT_RANGE)


@rule("HANDLER-PORT", CONTAINER, since=21)
def handler_port(place: Place, context: Context) -> Iterator[FieldError]:
    """A handler's port is a number of 16 bits or a port name."""
    return _handler_ports(place, SOME_LETTER)


@rule("HANDLER-PORT-1.20", CONTAINER, until=20)
def handler_port_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    return _handler_ports(place, SOME_LETTER_BEFORE)


@rule("PROBE-COUNTS", CONTAINER)
def probe_counts(place: Place, context: Context) -> Iterator[FieldError]:
    """Delays, periods and thresholds are not negative."""
    for _, path, probe in _probes(place):
        for key in _COUNTS:
            if (value := number(probe, key)) is not None and value < 0:
                yield invalid(f"{path}.{key}", value, "must be greater than or equal to 0")


@rule("PROBE-SUCCESS-ONE", CONTAINER)
def probe_success_one(place: Place, context: Context) -> Iterator[FieldError]:
    """One success is enough for liveness and startup."""
    for kind, path, probe in _probes(place):
        value = number(probe, "successThreshold")
        if kind != "readinessProbe" and value not in (None, 0, 1):
            yield invalid(f"{path}.successThreshold", value, "must be 1")


@rule("PROBE-GRACE", CONTAINER)
def probe_grace(place: Place, context: Context) -> Iterator[FieldError]:
    """A probe that kills may set its own grace period, a readiness probe may not."""
    for kind, path, probe in _probes(place):
        value = number(probe, "terminationGracePeriodSeconds")
        if value is not None and kind == "readinessProbe":
            yield invalid(f"{path}.terminationGracePeriodSeconds", value, "must not be set for readinessProbes")
        elif value is not None and value <= 0:
            yield invalid(f"{path}.terminationGracePeriodSeconds", value, "must be greater than 0")


@rule("SLEEP-SECONDS", CONTAINER)
def sleep_seconds(place: Place, context: Context) -> Iterator[FieldError]:
    """A sleeping hook ends within the grace period."""
    written = number(context.spec, "terminationGracePeriodSeconds")
    grace_s = 30 if written is None else written
    for path, handler in _hooks(place):
        value = number(fields(handler, "sleep"), "seconds")
        if value is not None and not 0 <= value <= grace_s:
            detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_s})"
            yield invalid(f"{path}.sleep", value, detail)
