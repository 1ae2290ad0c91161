"""The registry of quick fixes: each handles certain problem codes or message texts."""

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from simulator.manifests.editor.fixes.page import Fix, Page, TextChange
from simulator.manifests.problems import Problem

Maker = Callable[[Problem, Page], Iterable[Fix | None]]


class Fixer(Struct, frozen=True, kw_only=True):
    """A kind of fix, for problems with one of ``codes`` or whose message matches ``words``."""

    id: str
    make: Maker
    codes: tuple[str, ...]
    words: re.Pattern[str] | None

    def answers(self, problem: Problem) -> bool:
        """Whether the fixer handles this kind of problem."""
        return problem.code in self.codes or (self.words is not None and self.words.search(problem.message) is not None)


FIXERS: list[Fixer] = []


def fixer(fixer_id: str, *codes: str, words: str = "") -> Callable[[Maker], Maker]:
    """Register the decorated function."""

    def register(make: Maker) -> Maker:
        assert all(known.id != fixer_id for known in FIXERS), fixer_id
        FIXERS.append(Fixer(id=fixer_id, make=make, codes=codes, words=re.compile(words) if words else None))
        return make

    return register


def fix(title: str, *changes: TextChange | None) -> Fix | None:
    """A fix made of these changes; None if one of them cannot be made."""
    made = [change for change in changes if change is not None]
    # Half a fix could leave the text worse than before.
    if len(made) < len(changes) or not made:
        return None
    return Fix(title=title, changes=tuple(sorted(made, key=lambda change: change.start)))


def fixes_for(problem: Problem, page: Page) -> Iterator[Fix]:
    """The fixes for a problem, most likely first."""
    for known in FIXERS:
        if known.answers(problem):
            yield from (made for made in known.make(problem, page) if made is not None)
