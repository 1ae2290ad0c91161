"""The annotation ``podscope.dev/load`` of a Service: how many requests it gets, from where, and how patient their client is.

The value is a list of ``name=value``, separated by blanks or commas; only ``rate`` is required::

    podscope.dev/load: rate=100 duration=50ms timeout=1s retries=1 from=node-2 port=80 path=/healthz connections=20

``rate``: requests per second (up to three decimals); ``duration``: how long a request takes if the server adds no delay (10ms);
``after``: when the first request is sent (0s: at once); ``timeout``: when the client gives up (1s); ``retries``: with another
endpoint after a failed request (0); ``from``: a node, or ``outside``, meaning the first ten nodes in rotation (default: the first
node); ``port``: of the Service (its first); ``path``: expects an HTTP answer, without it an accepted connection is enough;
``connections``: kept alive and used in rotation (0: a new one each time).
"""

import re
from typing import Any

from msgspec import Struct

from simulator.engine.containers.declared import BadBehaviour, parse_duration_ms
from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.errors import EngineError
from simulator.engine.kernel.units import Ms
from simulator.engine.model.objects import Service, ServicePort

ANNOTATION = "podscope.dev/load"
OUTSIDE = "outside"
ENTRIES_MAX = 10
"""Maximum number of nodes through which outside requests arrive."""
RATE_MAX, RETRIES_MAX, CONNECTIONS_MAX = 1_000_000, 10, 1000
_RATE = re.compile(r"([0-9]{1,7})(?:\.([0-9]{1,3}))?")


class BadLoad(EngineError):
    """The annotation cannot be parsed. ``problem`` is one sentence that names the item."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class Load(Struct, frozen=True, kw_only=True):
    """A declared load. ``rate_milli``: thousandths of a request a second."""

    rate_milli: int = 0
    duration_ms: Ms = 10
    timeout_ms: Ms = 1000
    retries: int = 0
    after_ms: Ms = 0
    origin: str = ""
    port: int = 0
    path: str = ""
    connections: int = 0


NO_LOAD = Load()


@cached_when_short(maxsize=256, chars_max=500)
def read_load(text: str) -> Load:
    """The load in an annotation's value. Raises BadLoad."""
    found: dict[str, Any] = {}
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        reader = _READERS.get(name)
        if not equals or reader is None:
            raise BadLoad(f'"{word}" is none of {", ".join(f"{known}=" for known in _READERS)}')
        if reader[0] in found:
            raise BadLoad(f"{name} is given twice")
        found[reader[0]] = reader[1](name, value)
    if "rate_milli" not in found:
        raise BadLoad("rate= is missing: how many requests a second")
    return Load(**found)


def written(load: Load) -> str:
    """The annotation's value for a load; defaults are omitted."""
    whole, part = divmod(load.rate_milli, 1000)
    words = [f"rate={whole}" + (f".{part:03}".rstrip("0") if part else "")]
    for name, (field, _) in _READERS.items():
        value = getattr(load, field)
        if field != "rate_milli" and value != getattr(NO_LOAD, field):
            words.append(f"{name}={value}ms" if field.endswith("_ms") else f"{name}={value}")
    return " ".join(words)


def port_of(load: Load, service: Service) -> ServicePort | None:
    """The port of the Service that the requests use; None if it has no such port."""
    return next((port for port in service.spec.ports if load.port in (0, port.port)), None)


def _rate(name: str, value: str) -> int:
    match = _RATE.fullmatch(value)
    milli = int(match.group(1)) * 1000 + int((match.group(2) or "").ljust(3, "0")) if match else -1
    if not 0 <= milli <= RATE_MAX * 1000:
        raise BadLoad(f"{name}={value}: a number of requests a second up to {RATE_MAX}, with at most three decimals")
    return milli


def _duration(name: str, value: str) -> Ms:
    try:
        return parse_duration_ms(int(value) if value.isdecimal() and len(value) < 9 else value, name)
    except BadBehaviour as problem:
        raise BadLoad(str(problem)) from None


def _number(name: str, value: str, most: int) -> int:
    if not value.isascii() or not value.isdecimal() or len(value) > 6 or int(value) > most:
        raise BadLoad(f"{name}={value}: a whole number up to {most}")
    return int(value)


def _text(name: str, value: str) -> str:
    if not value or len(value) > 253:
        raise BadLoad(f"{name}= needs a value of at most 253 characters")
    return value


_READERS: dict[str, tuple[str, Any]] = {
    "rate": ("rate_milli", _rate),
    "duration": ("duration_ms", _duration),
    "timeout": ("timeout_ms", _duration),
    "retries": ("retries", lambda name, value: _number(name, value, RETRIES_MAX)),
    "after": ("after_ms", _duration),
    "from": ("origin", _text),
    "port": ("port", lambda name, value: _number(name, value, 65535)),
    "path": ("path", _text),
    "connections": ("connections", lambda name, value: _number(name, value, CONNECTIONS_MAX)),
}
WORDS = tuple(_READERS)
"""The names of the annotation."""
