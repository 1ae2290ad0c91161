"""The form of an act as plain data: its fields with types and limits, and the command they produce."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop

Values = Mapping[str, Any]
"""Cleaned values by field. Missing ones are "" for a text or choice, None for a number, False for a switch, () for words."""

TEXT, NUMBER, SWITCH, CHOICE, WORDS = "text", "number", "switch", "choice", "words"
EMPTY: dict[str, Any] = {TEXT: "", NUMBER: None, SWITCH: False, CHOICE: "", WORDS: ()}
"""The value of an empty field of each type."""


class FormField(Struct, frozen=True):
    """A field. ``label`` is a message id; ``choices`` are all values of a choice, ``limit`` the maximum length of a text.

    ``words`` is a command line that is split as a shell would. A choice of numbers gives a number, or None if left out.
    """

    name: str
    type: str = TEXT
    label: str = ""
    limit: int = 500
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str | int, ...] = ()
    is_needed: bool = False


class Form(Struct, frozen=True):
    """The fields of an act and the command they produce: with ``make``, or without it from the fields by name.

    ``needs`` names a choice and, for each of its values, the fields that must then not be empty.
    """

    fields: tuple[FormField, ...]
    make: Callable[[Values], Command] | None = None
    needs: tuple[str, Mapping[str, tuple[str, ...]]] = ("", {})

    def command(self, kind: type[Command], values: Values) -> Command:
        """The command for cleaned values. Raises TypeError if a field of the command has no value."""
        # Without a function of its own, the form's fields are named like the command's.
        return self.make(values) if self.make is not None else kind(**{field.name: values[field.name] for field in self.fields})

    def needed(self, values: Values) -> tuple[str, ...]:
        """The fields that must not be empty."""
        choice, by_value = self.needs
        return (*(field.name for field in self.fields if field.is_needed), *by_value.get(values.get(choice) or "", ()))


def is_needed(field: FormField) -> FormField:
    """The same field, but required."""
    return replace(field, is_needed=True)


TARGET = FormField("target", limit=1000, is_needed=True)
CONTAINER = FormField("container", limit=63)
THE_CONTAINER = is_needed(CONTAINER)
NODE = FormField("node", limit=253, is_needed=True)
IMAGE = FormField("image")
NAMESPACE = FormField("namespace", limit=63)
GRACE_S = FormField("grace_s", NUMBER, gettext_noop("Grace period"), maximum=3600)
NAME = FormField("name", label=gettext_noop("Name"), limit=316)
VALUE = FormField("value", label=gettext_noop("Value"))
COMMAND_LINE = FormField("words", WORDS, gettext_noop("Command"), limit=2000)
SECONDS = FormField("seconds", NUMBER, gettext_noop("Seconds"), minimum=1, maximum=10_000_000)
