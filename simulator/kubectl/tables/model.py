"""The parts of a table: columns with the function that fills their cells, and the versions that have them.

Source: pkg/printers/internalversion/printers.go, AddHandlers.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.documents.objects import list_objects
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.duration import human_duration_ms
from simulator.engine.model.times import parse_time
from simulator.engine.versions.facts import Facts
from simulator.engine.versions.span import Span
from simulator.engine.world.world import World

NONE = "<none>"
UNKNOWN = "<unknown>"
UNSET = "<unset>"


class Sight(Struct, frozen=True):
    """A world, and the moment at which it is looked at: ages are counted up to it, in milliseconds of the run.

    ``chosen`` is the namespace that the context was given with ``config set-context``; empty: the run's own. ``context`` is the name of the
    context; empty where it belongs to no run of a site.
    """

    world: World
    now_ms: Ms
    chosen: str = ""
    context: str = ""

    @property
    def namespace(self) -> str:
        """The namespace of lines that name none."""
        return self.chosen or self.world.header.namespace

    @property
    def minor(self) -> int:
        """The minor version of client and server."""
        return self.world.release.minor

    @property
    def facts(self) -> Facts:
        """What client and server of this version print and store."""
        return self.world.release.facts

    @property
    def epoch_now_ms(self) -> Ms:
        """The moment as milliseconds since 1970."""
        return self.now_ms + self.world.header.epoch_s * SECOND

    def objects(self, kind: str) -> list[Json]:
        """Every stored object of a kind, by namespace and name."""
        return list_objects(self.world, kind)

    def since(self, timestamp: str | None) -> str:
        """How long ago a stored timestamp is; ``<unknown>`` without one."""
        return human_duration_ms(self.epoch_now_ms - parse_time(timestamp)) if timestamp else UNKNOWN


def deprecated(kind: str, sight: Sight) -> str:
    """The API server's warning when a kind is read; empty if there is none."""
    if kind == "ComponentStatus":
        return "v1 ComponentStatus is deprecated in v1.19+"
    return sight.facts.endpoints_warning if kind == "Endpoints" else ""


Cell = Callable[[Json, Sight], str]


class Column(Span, frozen=True):
    """One column. ``wide``: only with ``-o wide``."""

    head: str
    cell: Cell
    wide: bool = False

    def shows(self, minor: int, *, wide: bool) -> bool:
        """Whether this version prints the column in this format."""
        return self.holds_for(minor) and (wide or not self.wide)


def at(document: Mapping[str, Any], *path: str) -> Any:
    """The value at a path of keys; None if any of them is missing."""
    value: Any = document
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def text_at(*path: str, default: str = NONE) -> Cell:
    """A cell that shows the value at a path, or ``default``."""

    def cell(document: Json, sight: Sight) -> str:
        value = at(document, *path)
        # 0 and false are values and are shown.
        return default if value in (None, "") else shown(value)

    return cell


def number_at(*path: str) -> Cell:
    """A cell that shows the number at a path, 0 if there is none."""
    return text_at(*path, default="0")


def shown(value: Any) -> str:
    """A value as Go prints it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def name(document: Json, sight: Sight) -> str:
    """The NAME column."""
    return str(at(document, "metadata", "name") or "")


def age(document: Json, sight: Sight) -> str:
    """The AGE column."""
    return sight.since(at(document, "metadata", "creationTimestamp"))


def joined(values: Mapping[str, Any] | None) -> str:
    """``a=1,b=2`` sorted by key; ``<none>`` if empty."""
    return ",".join(f"{key}={value}" for key, value in sorted((values or {}).items())) or NONE


NAME = Column("NAME", name)
AGE = Column("AGE", age)
