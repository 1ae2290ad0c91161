"""A cache for what is parsed from user-written texts: it keeps few long texts or none, so that many of them cannot fill the memory."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

_T = TypeVar("_T")


class _Answers(dict[str, _T]):
    """Results for short texts, by text. A hit costs no Python-level call; once there are too many, all are forgotten."""

    def __init__(self, read: Callable[[str], _T], of_long: Callable[[str], _T], *, maxsize: int, chars_max: int) -> None:
        super().__init__()
        self._read, self._of_long, self._maxsize, self._chars_max = read, of_long, maxsize, chars_max

    def __missing__(self, text: str) -> _T:
        if len(text) > self._chars_max:
            return self._of_long(text)
        answer = self._read(text)
        if len(self) >= self._maxsize:
            self.clear()
        self[text] = answer
        return answer


def cached_when_short(*, maxsize: int, chars_max: int, long_kept: int = 0) -> Callable[[Callable[[str], _T]], Callable[[str], _T]]:
    """Cache a pure function of one text; of texts longer than ``chars_max`` characters only the last ``long_kept`` are kept.

    Callers that ask for the same text share the result while it is cached.
    """

    def decorate(read: Callable[[str], _T]) -> Callable[[str], _T]:
        of_long = lru_cache(maxsize=long_kept)(read) if long_kept else read
        return _Answers(read, of_long, maxsize=maxsize, chars_max=chars_max).__getitem__

    return decorate
