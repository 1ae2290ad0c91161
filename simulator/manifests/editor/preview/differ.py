"""The difference between two versions of an object as lines of YAML."""

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from simulator.kubectl.yaml import to_yaml
from simulator.manifests.editor.preview.outcome import DiffLine

CONTEXT = 3
LINES_MAX = 4000
"""Longer objects are not compared line by line: the whole old text is removed and the whole new one added."""
PAIRS_MAX = 20_000
"""The most pairs of equal lines that are compared. With more of them, lines that repeat often are not used to align the texts."""
REPEATS_MAX = 8


def diff_lines(old: dict[str, Any] | None, new: dict[str, Any] | None) -> tuple[DiffLine, ...]:
    """The lines that differ, with some context; every line if there is only one version; nothing if they are equal."""
    before = to_yaml(old).splitlines() if old is not None else []
    after = to_yaml(new).splitlines() if new is not None else []
    if before == after:
        return ()
    # The comparison is quadratic and runs within a request.
    if len(before) + len(after) > LINES_MAX:
        return (*_lines("-", before, 0, 0), *_lines("+", after, 0, 0))
    return tuple(_hunks(before, after))


def _hunks(before: list[str], after: list[str]) -> Iterator[DiffLine]:
    for group in _matcher(before, after).get_grouped_opcodes(CONTEXT):
        first = group[0]
        if first[1] or first[3]:
            yield DiffLine(op="@", old=first[1] + 1, new=first[3] + 1)
        for tag, low, high, new_low, new_high in group:
            if tag == "equal":
                yield from (DiffLine(op=" ", text=text, old=low + n + 1, new=new_low + n + 1) for n, text in enumerate(before[low:high]))
                continue
            yield from _lines("-", before[low:high], low, 0)
            yield from _lines("+", after[new_low:new_high], 0, new_low)


def _matcher(before: list[str], after: list[str]) -> SequenceMatcher[str]:
    """The matcher; its time grows with the pairs of equal lines times the places that differ."""
    counts, others = Counter(after), Counter(before)
    is_vast = sum(count * others[line] for line, count in counts.items()) > PAIRS_MAX
    # autojunk would ignore frequent lines in any long text, not just in a vast one.
    return SequenceMatcher((lambda line: counts[line] > REPEATS_MAX) if is_vast else None, before, after, autojunk=False)


def _lines(op: str, texts: list[str], old: int, new: int) -> Iterator[DiffLine]:
    for n, text in enumerate(texts, 1):
        yield DiffLine(op=op, text=text, old=old + n if op == "-" else 0, new=new + n if op == "+" else 0)
