"""All caches that pages keep in a process's memory: their keys, their limits, and why entries never become stale.

There is one policy. Cached values depend only on things that do not change while a process lives: the code, the built-in stories, what a
run was made from. The key contains everything a value depends on, including the language if it contains text, so nothing is ever
invalidated; the least recently used entry goes first. Nothing that changes with a run's clock is cached here: worlds and records belong to
the time machine (``runs/log/timemachine.py``), and panels are cached by the browser, which revalidates them (``run/panel_tags.py``).

``functools.cache`` is for things that need no limit because the code has only a few of them: a theme, a step of a story.
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
    """At most ``most`` values by key (LRU). Thread-safe: two threads that miss at the same time both make the value."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._found: dict[K, V] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._found)

    def of(self, key: K, make: Callable[[], V]) -> V:
        """The value for a key, made if it is not cached. Exceptions from ``make`` are not cached."""
        with self._lock:
            if key in self._found:
                self._found[key] = self._found.pop(key)  # move to the end
                return self._found[key]
        # Outside the lock: making a value may take a second, and lookups must not wait for it.
        value = make()
        with self._lock:
            self._found[key] = value
            while len(self._found) > self.most:
                del self._found[next(iter(self._found))]
        return value


FORMS: Kept[tuple[bytes, str, str, str | None], str] = Kept(2000)
"""Forms of acts, by act, id prefix, why a level refuses it, and language. A page has twenty, again with every record; 2 kB each, plus two
copies of the act's own data, which ``act_markup.FACTS_BYTES_MAX`` limits: at most about 20 MB."""

LEFT_OUT: Kept[tuple["UUID", str], tuple[LeftOut, ...]] = Kept(256)
"""Parts of a run's text that are not objects in it, by run and language. A run's text never changes, so its id stands for it."""

CARDS: Kept[Hashable, SafeString] = Kept(400)
"""Cards of the gallery, by everything they show, and language."""

SEARCHED: Kept[tuple[str, str, tuple[str, ...], tuple[str, ...]], str] = Kept(500)
"""The text that the gallery's search looks at, by scenario and its texts; in all languages at once."""

LENSES: Kept[tuple[str, tuple[str, ...], int], "Lens"] = Kept(64)
"""Comparisons of versions, by content, versions and length: each takes one run per version."""

TILES: Kept[Hashable, SafeString] = Kept(400)
"""Tiles of class walls, by everything they show, and language: 3 kB each, requested twice a second. A run that advances gets a new one."""

PNGS: Kept[tuple[str, str], bytes] = Kept(64)
"""Preview cards as PNG, by their SVG and theme: 60 kB each, which take 50 to 150 ms."""

SOLUTION_TITLES: Kept[str, frozenset[str]] = Kept(200)
"""The titles of branches that show a solution, in all languages, by the level's key, which is derived from its text."""

KEPT_PANELS: Kept[Hashable, SafeString] = Kept(300)
"""Panels of runs behind links, and of runs still at their beginning, by run or starting point, how much is recorded, the moment and all
other parameters of the URL, and language: the past of such a run never changes. About 10 kB each. They contain no visitor's token, run id
or form key: the page inserts those (``run/frozen.py``)."""

SCHEMAS: Kept[tuple[int, str], LastingBody | None] = Kept(160)
"""The editor's schemas of kinds, compressed, by minor version and kind; kind "" is the list. None if a minor lacks the kind."""

RULE_TEXTS: Kept[str, LastingBody] = Kept(8)
"""The sentences of all rules, compressed, by language."""

SCRIPT_TEXTS: Kept[str | None, SafeString] = Kept(16)
"""The texts for the scripts as JSON, by language."""

LEVELS: Kept[str, "Level | None"] = Kept(48)
"""Levels that were written on this site, by text: up to half a megabyte each; None if this release cannot read it."""

ALLOWED: Kept[str, tuple[str, ...]] = Kept(500)
"""The acts that a level written on this site allows, by its key, which is derived from its text: needed for every panel of its runs."""

# By name, so that a test finds each of them and its limit.
ALL: dict[str, Kept[Any, Any]] = {name: value for name, value in list(globals().items()) if isinstance(value, Kept)}
"""Every cache by its name."""
