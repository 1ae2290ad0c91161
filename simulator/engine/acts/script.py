"""Script verbs as plain data, and how an act reads its step of a script."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from msgspec import Struct

from simulator.engine.kernel.command import Command
from simulator.engine.kernel.units import Ms
from simulator.engine.projection.text import Text, Value


class BadStep(Exception):
    """A step that cannot be turned into commands: a message id with its values; ``path`` is relative to the step."""

    def __init__(self, msgid: str, path: str = "", **values: Value) -> None:
        super().__init__(msgid)
        self.text = Text(msgid, tuple(values.items()))
        self.path = path


# A protocol, so that the engine does not import the reader, which deals with YAML and line numbers.
class StepReader(Protocol):
    """A step of a script while it is read; ``body`` is the value of the verb. Every method may raise BadStep.

    ``sent_to_api``: the step was recorded at the API server itself, so a grace period of 0 means 0.
    """

    @property
    def verb(self) -> str:
        """The verb of the step."""

    @property
    def body(self) -> Any:
        """The value of the verb."""

    @property
    def namespace(self) -> str:
        """The namespace of the run."""

    @property
    def sent_to_api(self) -> bool:
        """Whether the step was recorded at the API server itself."""

    def field(self, name: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        """A field of the body, checked for its type."""

    def needed(self, name: str, kind: type | tuple[type, ...]) -> Any:
        """A required field."""

    def only(self, *names: str) -> None:
        """Refuse options other than these, since ignoring them would change what the step means."""

    def target(self) -> str:
        """The key of the pod named by ``pod``."""

    def duration(self, name: str) -> Ms | None:
        """A field that is a duration, in ms; None if it is missing."""

    def words(self, name: str) -> tuple[str, ...]:
        """A field that is a list of words."""

    def quantities(self, name: str) -> dict[str, str]:
        """A field that is a map of quantities."""

    def priorities(self, name: str) -> tuple[tuple[int, int], ...]:
        """A field that is a list of priority and seconds."""

    def documents(self, text: Any, field: str = "") -> tuple[str, ...]:
        """The objects of a manifest, each as JSON text; none if it has errors, which the script then has too."""


class Verb(Struct, frozen=True):
    """A script verb: what it does, in a few words, the fields of its map, and the function that turns a step into commands.

    A field may be followed by what it accepts (``type strategic, merge or json``). Of a tuple in ``needs`` one must be present.
    A verb without fields takes the text of manifests.
    """

    name: str
    does: str
    read: Callable[[StepReader], Iterable[Command]]
    needs: tuple[str | tuple[str, ...], ...] = ()
    may: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of all fields."""
        each = [name for item in self.needs for name in ((item,) if isinstance(item, str) else item)]
        return tuple(field.partition(" ")[0] for field in (*each, *self.may))

    def row(self) -> str:
        """The verb's row in the table of ``docs/scripts.md``."""
        plain = ", ".join(_shown(item) for item in self.needs if isinstance(item, str))
        either = [" or ".join(map(_shown, item)) for item in self.needs if not isinstance(item, str)]
        may = [f"[{', '.join(map(_shown, self.may))}]"] if self.may else []
        fields = "; ".join(part for part in (plain, *either, *may) if part)
        return f"| `{self.name}` | {fields or 'the text of manifests'} | {self.does} |"


def _shown(field: str) -> str:
    name, _, takes = field.partition(" ")
    return f"`{name}` {takes}".strip()
