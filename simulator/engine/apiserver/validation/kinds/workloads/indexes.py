"""Lists of indexes as Jobs write them: ``1,3-5,7`` (pkg/apis/batch/validation)."""

import json

from simulator.engine.model.whole import clamped


class BadIndexes(ValueError):
    """A string that is not a list of indexes; says why in the API server's wording."""


def count_indexes(text: str, completions: int) -> int:
    """How many indexes a list holds. Raises BadIndexes when it is malformed, not increasing, or beyond ``completions``."""
    total, last = 0, -1
    for fragment in text.split(",") if text else ():
        first, end = _interval(fragment, completions)
        if last >= first:
            raise BadIndexes(f"non-increasing order, previous: {last}, current: {first}")
        total += end - first + 1
        last = end
    return total


def _interval(fragment: str, completions: int) -> tuple[int, int]:
    limits = fragment.split("-")
    if len(limits) > 2:
        what = "violates the requirement that an index interval can have at most two parts separated by '-'"
        raise BadIndexes(f"the fragment {json.dumps(fragment)} {what}")
    numbers = [_index(limit, completions) for limit in limits]
    if len(numbers) == 2 and numbers[0] >= numbers[1]:
        raise BadIndexes(f"non-increasing order, previous: {numbers[0]}, current: {numbers[1]}")
    return numbers[0], numbers[-1]


def _index(text: str, completions: int) -> int:
    # Atoi takes a plus sign.
    if not (text.isascii() and text.removeprefix("+").isdecimal()):
        raise BadIndexes(f"cannot convert string to integer for index: {json.dumps(text)}")
    number = clamped(text.removeprefix("+"))
    if number >= completions:
        raise BadIndexes(f"too large index: {json.dumps(text)}")
    return number
