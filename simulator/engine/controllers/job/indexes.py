"""Completion indexes of an Indexed Job: sets of them as a status writes them (``1,3-5,7``), and what the success policy requires.

Source: pkg/controller/job/indexed_job_utils.go, success_policy.go. Pure functions; a set is a tuple
of intervals in order.
"""

from collections.abc import Iterable

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.whole import clamped
from simulator.engine.world.rows import PodRow

INDEX = "batch.kubernetes.io/job-completion-index"
"""Annotation, and in later versions label too, with a pod's index."""
FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count"
NO_INDEX = -1

Intervals = tuple[tuple[int, int], ...]
"""First and last of each run of indexes, in order; no two of them touch."""


def index_of(row: PodRow) -> int:
    """The completion index of a pod; -1 if it has none."""
    written = row.pod.metadata.annotations.get(INDEX, "")
    return clamped(written) if written.isascii() and written.isdecimal() else NO_INDEX


def count_in(row: PodRow, annotation: str) -> int:
    """The number in an annotation of a pod; 0 if there is none."""
    written = row.pod.metadata.annotations.get(annotation, "")
    return clamped(written) if written.isascii() and written.isdecimal() else 0


def parsed_indexes(text: str, completions: int) -> Intervals:
    """The set written in a text, limited to indexes below ``completions``; unreadable parts are ignored."""
    found = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        if first.isdecimal() and (not last or last.isdecimal()) and clamped(first) < completions:
            found.append((clamped(first), min(clamped(last or first), completions - 1)))
    return _merged(found)


def indexes_text(intervals: Intervals) -> str:
    """The set as a status writes it: two neighbours with a comma, more with a dash."""
    parts = []
    for first, last in intervals:
        # Two neighbours take a comma: upstream writes a dash only from three indexes on.
        parts.append(str(first) if first == last else f"{first}{',' if last == first + 1 else '-'}{last}")
    return ",".join(parts)


def including(intervals: Intervals, indexes: Iterable[int]) -> Intervals:
    """The set with more indexes. O(n log n) in intervals and indexes."""
    return _merged([*intervals, *((index, index) for index in indexes)])


def _merged(parts: list[tuple[int, int]]) -> Intervals:
    found: list[tuple[int, int]] = []
    for first, last in sorted(parts):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return tuple(found)


def total(intervals: Intervals) -> int:
    """How many indexes the set has."""
    return sum(last - first + 1 for first, last in intervals)


def has(intervals: Intervals, index: int) -> bool:
    """Whether the index is in the set. O(intervals)."""
    return any(first <= index <= last for first, last in intervals)


def first_missing(taken: Intervals, count: int, completions: int) -> list[int]:
    """The first ``count`` indexes below ``completions`` that are not taken. O(intervals + count)."""
    found: list[int] = []
    candidate = 0
    for first, last in (*taken, (completions, completions)):
        # candidate is the lowest index not yet known to be taken; each interval ends a run of free
        # ones.
        until = min(first, completions, candidate + count - len(found))
        found += range(candidate, until)
        candidate = max(candidate, last + 1)
        if len(found) >= count:
            break
    return found


def met_success_rule(policy: Json | None, completions: int, succeeded: Intervals) -> int:
    """The number of the first rule of a successPolicy that the succeeded indexes meet; -1 for none."""
    for number, rule in enumerate((policy or {}).get("rules") or () if succeeded else ()):
        count = rule.get("succeededCount")
        if rule.get("succeededIndexes") is None:
            if count is not None and total(succeeded) >= count:
                return number
            continue
        wanted = parsed_indexes(str(rule["succeededIndexes"]), completions)
        there = _overlap(wanted, succeeded)
        if wanted and (there == total(wanted) or (count is not None and there >= count)):
            return number
    return -1


def _overlap(one: Intervals, other: Intervals) -> int:
    return sum(max(0, min(last, its_last) - max(first, its_first) + 1) for first, last in one for its_first, its_last in other)
