"""A cache for what is read out of texts that users write: of long texts it keeps few or none, so that many cannot fill the memory."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

_T = TypeVar("_T")


def cached_when_short(*, maxsize: int, chars_max: int, long_kept: int = 0) -> Callable[[Callable[[str], _T]], Callable[[str], _T]]:
    """``lru_cache`` of a pure function of one text; of texts with more than ``chars_max`` characters only the last ``long_kept`` stay.

    What comes of one text is shared by all who ask for it while it stays.
    """

    def decorate(read: Callable[[str], _T]) -> Callable[[str], _T]:
        cached = lru_cache(maxsize=maxsize)(read)
        of_long = lru_cache(maxsize=long_kept)(read) if long_kept else read

        @wraps(read)
        def call(text: str) -> _T:
            return cached(text) if len(text) <= chars_max else of_long(text)

        return call

    return decorate
