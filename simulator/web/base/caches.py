"""Everything that the pages keep in the memory of a process: by what it is found again, how much at most, and why it stays true.

One policy. What is kept follows from things that do not change while a process lives: the code, the built-in stories, what a run was made
from. The key names all that it depends on, with the language where words are in it, so nothing is ever taken back; what has not been
asked for longest goes first. What changes with a run's clock is not kept here: worlds and records are the time machine's
(``runs/timemachine.py``), and a panel that was sent is the browser's, which asks with its tag (``run/panel_tags.py``).

``functools.cache`` is for what needs no bound, since the code itself has so few of it: a theme, a step of a story, a text without a key.
"""

from collections.abc import Callable, Hashable
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.utils.safestring import SafeString

from simulator.manifests.check.left_out import LeftOut
from simulator.web.base.lasting import LastingBody

if TYPE_CHECKING:
    from uuid import UUID

    from simulator.headless.lens import Lens
    from simulator.levels.level import Level

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """At most ``most`` values by their keys. Threads may share it: two that miss at once both make the value."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._found: dict[K, V] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._found)

    def of(self, key: K, make: Callable[[], V]) -> V:
        """The value of that key, made where it is not kept. What ``make`` raises is not kept."""
        with self._lock:
            if key in self._found:
                self._found[key] = self._found.pop(key)  # behind all that were asked for before
                return self._found[key]
        # Outside of the lock: a value may take a second, and others must be found meanwhile.
        value = make()
        with self._lock:
            self._found[key] = value
            while len(self._found) > self.most:
                del self._found[next(iter(self._found))]
        return value


FORMS: Kept[tuple[bytes, str, str, str | None], str] = Kept(2000)
"""Forms of acts, by the act, the beginning of its id, why a level refuses it, and the language. Twenty to a page and again with every
record; 2 kB each, and what an act says twice in it, which ``act_markup.FACTS_BYTES_MAX`` bounds: at most some 20 MB."""

LEFT_OUT: Kept[tuple["UUID", str], tuple[LeftOut, ...]] = Kept(256)
"""What of a run's text is no object in it, by run and language: what a run was made from never changes, so its id stands for the text."""

CARDS: Kept[Hashable, SafeString] = Kept(400)
"""Cards of the gallery, by all that they show, and the language."""

SEARCHED: Kept[tuple[str, str, tuple[str, ...], tuple[str, ...]], str] = Kept(500)
"""Everything that the gallery's search looks at, by a scenario and its words; in all languages at once."""

LENSES: Kept[tuple[str, tuple[str, ...], int], "Lens"] = Kept(64)
"""Comparisons of versions, by content, versions and length: each is a run for every version."""

TILES: Kept[Hashable, SafeString] = Kept(400)
"""Tiles of class walls, by all that they show, and the language: 3 kB each, twice a second. A run that goes on has another one."""

PNGS: Kept[tuple[str, str], bytes] = Kept(64)
"""Preview cards as PNG, by their SVG and theme: 60 kB each, which take 50 to 150 ms."""

SOLUTION_TITLES: Kept[str, frozenset[str]] = Kept(200)
"""What branches that show a solution are called, in all languages, by the level's key, which its text gives."""

KEPT_PANELS: Kept[Hashable, SafeString] = Kept(300)
"""Panels of runs behind links, and of runs that stand where they begin, by run or by what it begins with, how much of it is recorded, the
moment and all else that the address names, and the language: what such a run has been never changes. Some 10 kB each. They have no
visitor's token, no run's id and no form's key: the page puts those in (``run/frozen.py``)."""

SCHEMAS: Kept[tuple[int, str], LastingBody | None] = Kept(160)
"""What the editor knows of kinds, packed, by minor and kind; of the kind "" their list. None where a minor lacks the kind."""

RULE_TEXTS: Kept[str, LastingBody] = Kept(8)
"""The sentences of all rules, packed, by language."""

SCRIPT_TEXTS: Kept[str | None, SafeString] = Kept(16)
"""The texts of the scripts as JSON, by language."""

LEVELS: Kept[str, "Level | None"] = Kept(48)
"""Levels that were written on this site, by their text: up to half a megabyte each; None for one that this release cannot read."""

ALLOWED: Kept[str, tuple[str, ...]] = Kept(500)
"""The acts that a level written on this site allows, by its key, which its text gives: asked with every panel of its runs."""

# By their names, so that a test finds each of them and its bound.
ALL: dict[str, Kept[Any, Any]] = {name: value for name, value in list(globals().items()) if isinstance(value, Kept)}
"""Every cache by its name."""
