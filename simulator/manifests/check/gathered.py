"""Merges notes with the same message: a file with twelve Deployments says twelve times that a field has no effect."""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from simulator.manifests.problems import ERROR, INFO, WARNING, Problem

_SEVERITIES = (ERROR, WARNING, INFO)
_BY_CONSEQUENCE = ("noted", "presumed", "bare-server", "no-controller", "custom-kind", "not-simulated")
"""The codes of notes in order of importance: first what keeps a container from behaving as it would elsewhere, then
objects without a controller, then objects that are left out.

Fields without effect and values that the server fills in come last.
"""
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
    """Findings by importance, the worst first, each with its message.

    Errors and warnings stay separate; notes with the same message become one, at the first position, with their number.
    Cost: O(findings).
    """
    groups: dict[tuple[object, ...], list[S]] = {}
    for item in found:
        # Only notes are merged: every error has to be fixed where it is.
        apart = () if item.severity == INFO else (id(item),)
        groups.setdefault((item.severity, item.code, item.message, *apart), []).append(item)
    alike = sorted(groups.values(), key=lambda items: _place(items[0]))
    return [(items[0], items[0].message + (f" (×{len(items)})" if len(items) > 1 else "")) for items in alike]


def printed(found: Iterable[tuple[str, Problem]]) -> Iterator[str]:
    """Terminal lines for findings paired with file names: file by file, merged. Cost: O(findings)."""
    files: dict[str, list[Problem]] = {}
    for name, problem in found:
        files.setdefault(name, []).append(problem)
    for name, problems in files.items():
        yield from (line_of(name, problem, message) for problem, message in gathered(problems))


def line_of(name: str, problem: Problem, message: str) -> str:
    """One finding as a terminal line, in the format of compilers."""
    return f"{name}:{problem.line}:{problem.column}: {problem.severity}: {message}"


def weightiest(found: Iterable[S], limit: int) -> list[S]:
    """At most ``limit`` findings, keeping the most important ones. O(n log n)."""
    return sorted(found, key=_place)[:limit]


def _place(item: Gatherable) -> tuple[int, int, int]:
    last = len(_BY_CONSEQUENCE)
    if item.code in _BY_CONSEQUENCE:
        rank = _BY_CONSEQUENCE.index(item.code)
    else:
        rank = last + 1 + _LAST.index(item.code) if item.code in _LAST else last
    return _SEVERITIES.index(item.severity), rank if item.severity == INFO else 0, item.line
