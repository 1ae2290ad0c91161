"""A cache for what is read out of texts that users write: it keeps short texts only, so that many long ones cannot fill the memory."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

_T = TypeVar("_T")


def cached_when_short(*, maxsize: int, chars_max: int) -> Callable[[Callable[[str], _T]], Callable[[str], _T]]:
    """``lru_cache`` of a pure function of one text; a text of more than ``chars_max`` characters is read anew each time."""

    def decorate(read: Callable[[str], _T]) -> Callable[[str], _T]:
        cached = lru_cache(maxsize=maxsize)(read)

        @wraps(read)
        def call(text: str) -> _T:
            return cached(text) if len(text) <= chars_max else read(text)

        return call

    return decorate
