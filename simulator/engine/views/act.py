"""An act: a command that a user may give, with its label, and whether it would be accepted."""

from msgspec import Struct

from simulator.engine.units import Key, Scalar
from simulator.engine.views.text import Text

Fields = tuple[tuple[str, Scalar | tuple[str, ...] | dict[str, str | None]], ...]
"""Fields of a command by name."""


class Act(Struct, frozen=True, kw_only=True):
    """A command that a user may give now. ``fields`` are the command's own fields beside those named here.

    ``why_not`` is the id of the rule that would refuse it; empty where ``enabled``.
    """

    do: str
    label: Text
    target: Key = ""
    container: str = ""
    probe: str = ""
    image: str = ""
    node: str = ""
    fields: Fields = ()
    enabled: bool = True
    why_not: str = ""
