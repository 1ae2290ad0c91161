"""Many findings that say the same, as one: a file with twelve Deployments says twelve times that a field has no effect."""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from simulator.manifests.problems import ERROR, INFO, WARNING, Problem

_SEVERITIES = (ERROR, WARNING, INFO)
_BY_CONSEQUENCE = ("noted", "presumed", "bare-server", "no-controller", "custom-kind", "not-simulated")
"""Codes of notes by what comes of them: first what keeps a container from doing what it does elsewhere, then objects that nothing acts
on, then objects that are left out; fields without effect and values that the server fills in come last."""
_LAST = ("not-modelled", "default")


class Gatherable(Protocol):
    """A problem or a diagnostic."""

    @property
    def severity(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def line(self) -> int: ...


S = TypeVar("S", bound=Gatherable)


def gathered(found: Iterable[S]) -> list[tuple[S, str]]:
    """Findings by consequence, the worst first, each with its message: errors and warnings each for itself, notes of the same words as one
    at its first place, with their number. Cost: O(findings).
    """
    groups: dict[tuple[object, ...], list[S]] = {}
    for item in found:
        # Only notes are gathered: every error has to be fixed where it stands.
        apart = () if item.severity == INFO else (id(item),)
        groups.setdefault((item.severity, item.code, item.message, *apart), []).append(item)
    alike = sorted(groups.values(), key=lambda items: _place(items[0]))
    return [(items[0], items[0].message + (f" (×{len(items)})" if len(items) > 1 else "")) for items in alike]


def printed(found: Iterable[tuple[str, Problem]]) -> Iterator[str]:
    """A terminal's lines for findings with the names of their files: file by file, gathered. Cost: O(findings)."""
    files: dict[str, list[Problem]] = {}
    for name, problem in found:
        files.setdefault(name, []).append(problem)
    for name, problems in files.items():
        yield from (line_of(name, problem, message) for problem, message in gathered(problems))


def line_of(name: str, problem: Problem, message: str) -> str:
    """A terminal's line for one finding, as compilers write them."""
    return f"{name}:{problem.line}:{problem.column}: {problem.severity}: {message}"


def weightiest(found: Iterable[S], limit: int) -> list[S]:
    """At most so many findings: of too many those that matter least are left out. O(n log n)."""
    return sorted(found, key=_place)[:limit]


def _place(item: Gatherable) -> tuple[int, int, int]:
    last = len(_BY_CONSEQUENCE)
    if item.code in _BY_CONSEQUENCE:
        rank = _BY_CONSEQUENCE.index(item.code)
    else:
        rank = last + 1 + _LAST.index(item.code) if item.code in _LAST else last
    return _SEVERITIES.index(item.severity), rank if item.severity == INFO else 0, item.line
