"""A kubectl command line taken apart: the verb, what it is about, and the few flags that reading needs."""

import shlex
from collections.abc import Iterator

from msgspec import Struct

from simulator.engine.kernel.errors import EngineError

VERBS = ("get", "describe", "events")
_WRITES = (
    *("annotate", "apply", "autoscale", "cordon", "create", "debug", "delete", "drain", "edit", "exec", "expose", "label"),
    *("logs", "patch", "replace", "rollout", "run", "scale", "set", "taint", "uncordon"),
)
_SHORT = {"n": "namespace", "A": "all-namespaces", "o": "output", "l": "selector", "L": "label-columns", "w": "watch"}
_SWITCHES = ("all-namespaces", "show-labels", "no-headers", "show-kind", "ignore-not-found", "watch", "watch-only", "server-print")
_VALUED = ("namespace", "output", "selector", "field-selector", "label-columns", "sort-by", "for", "types")
_OF_VERB = {
    "get": {"namespace", "all-namespaces", "output", "selector", "field-selector", "label-columns", "sort-by", "show-labels", "no-headers",
            "show-kind", "ignore-not-found", "watch", "watch-only"},
    "describe": {"namespace", "all-namespaces", "selector"},
    "events": {"namespace", "all-namespaces", "output", "for", "types", "no-headers", "watch"},
}  # fmt: skip


class BadLine(EngineError):
    """A command line that kubectl refuses, in its words."""


class Line(Struct, frozen=True, kw_only=True):
    """What was asked. ``words`` are the arguments that are no flags; ``flags`` the values by long name, "true" of a switch."""

    verb: str
    words: tuple[str, ...]
    flags: dict[str, str]

    def has(self, flag: str) -> bool:
        """Whether a switch is on."""
        return self.flags.get(flag, "false") not in ("false", "")

    def value(self, flag: str) -> str:
        """The value of a flag; empty where it is not given."""
        return self.flags.get(flag, "")


def parse_line(text: str) -> Line:
    """The line taken apart; ``kubectl`` may stand in front. Raises BadLine."""
    try:
        words = shlex.split(text.strip())
    except ValueError:
        raise BadLine("error: a quote is not closed") from None
    if words[:1] == ["kubectl"]:
        words = words[1:]
    known = next((word for word in words if not word.startswith("-") and (word in VERBS or word in _WRITES)), "")
    if known in _WRITES:
        raise BadLine(f"error: this command line only reads; it knows {', '.join(VERBS)}")
    flags: dict[str, str] = {}
    plain = list(_plain(words, flags))
    verb = plain[0] if plain else ""
    _check(verb, flags)
    return Line(verb=verb, words=tuple(plain[1:]), flags=flags)


def _check(verb: str, flags: dict[str, str]) -> None:
    if verb not in VERBS:
        raise BadLine(f'error: unknown command "{verb}" for "kubectl"' if verb else f"error: this command line knows {', '.join(VERBS)}")
    unknown = next((name for name in flags if name not in _OF_VERB[verb]), None)
    if unknown is not None:
        raise BadLine(f"error: unknown flag: --{unknown}\nSee 'kubectl {verb} --help' for usage.")
    if flags.get("watch") or flags.get("watch-only"):
        raise BadLine("error: --watch is left out: the answer belongs to one moment of the run")


def _plain(words: list[str], flags: dict[str, str]) -> Iterator[str]:
    """The words that are no flags; what the flags say goes into ``flags``."""
    rest = iter(words)
    for word in rest:
        if word.startswith("--") and len(word) > 2:
            name, equals, value = word[2:].partition("=")
            flags[name] = _value(name, value if equals else None, rest)
        elif word.startswith("-") and len(word) > 1:
            _shorthands(word[1:], flags, rest)
        else:
            yield word


def _shorthands(letters: str, flags: dict[str, str], rest: Iterator[str]) -> None:
    """``-A``, ``-n x``, ``-nx``, ``-owide``, ``-o=wide``."""
    name = _SHORT.get(letters[0])
    if name is None:
        raise BadLine(f"error: unknown shorthand flag: '{letters[0]}' in -{letters}\nSee 'kubectl --help' for usage.")
    more = letters[1:]
    if name in _SWITCHES:
        flags[name] = "true"
        if more:
            _shorthands(more, flags, rest)
    else:
        flags[name] = _value(name, more.removeprefix("=") if more else None, rest)


def _value(name: str, given: str | None, rest: Iterator[str]) -> str:
    if name in _SWITCHES:
        return given if given is not None else "true"
    if name not in _VALUED:
        raise BadLine(f"error: unknown flag: --{name}\nSee 'kubectl --help' for usage.")
    value = given if given is not None else next(rest, None)
    if value is None:
        raise BadLine(f"error: flag needs an argument: --{name}")
    return value
