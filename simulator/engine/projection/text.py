"""Sentences that a caller may translate: a message id and the values for its ``{placeholders}``.

``{count:pod is|pods are}`` is the first of the two if the value is 1, otherwise the second. Languages without a plural omit
it from their translation.
"""

import re
from collections.abc import Callable, Mapping
from typing import Union

from msgspec import Struct

from simulator.engine.kernel.units import Scalar

MISSING = "…"
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?::([^{}|]*)\|([^{}|]*))?\}")


Value = Union[Scalar, "Text"]
"""The value of a placeholder; a nested text is translated along with the sentence."""


def fill(template: str, values: Mapping[str, Value]) -> str:
    """``template`` with every ``{name}`` replaced; a name without a value becomes ``…``. Never raises, never looks deeper."""
    return _PLACEHOLDER.sub(lambda match: _put(match, values), template)


def _put(match: re.Match[str], values: Mapping[str, Value]) -> str:
    name, one, more = match.groups()
    if one is None:
        return _shown(values.get(name))
    return str(one) if values.get(name) in (1, "1") else str(more)


def unfilled(template: str) -> str:
    """``template`` for readers without values: its ``{names}`` as they are, the plural if it has one."""
    return _PLACEHOLDER.sub(lambda match: match[0] if match[3] is None else match[3], template)


def _shown(value: Value) -> str:
    if value is None:
        return MISSING
    if isinstance(value, Text):
        return value.english
    return str(value) if not isinstance(value, bool) else str(value).lower()


class Text(Struct, frozen=True, gc=False):
    """A sentence; ``translated_text`` gives it in a language. Its values may be texts, too."""

    msgid: str
    values: tuple[tuple[str, Value], ...] = ()

    @property
    def english(self) -> str:
        """The sentence in English."""
        return fill(self.msgid, dict(self.values))


def translated_text(text: Text, translate: Callable[[str], str]) -> str:
    """The sentence in the language of ``translate``, including nested texts; "" for an empty one."""
    if not text.msgid:
        return ""
    values = {name: translated_text(value, translate) if isinstance(value, Text) else value for name, value in text.values}
    return fill(translate(text.msgid), values)


def missing(msgid: str, values: Mapping[str, Value]) -> list[str]:
    """The names that the sentence uses but ``values`` does not have."""
    return [name for name in _names(msgid) if values.get(name) is None]


def _names(msgid: str) -> dict[str, None]:
    """The names of its placeholders in order, each once."""
    return dict.fromkeys(match[1] for match in _PLACEHOLDER.finditer(msgid))


def needed(msgid: str, values: Mapping[str, Value]) -> Text:
    """The sentence with only the values that it uses, in the order of its placeholders."""
    return Text(msgid, tuple((name, values[name]) for name in _names(msgid) if values.get(name) is not None))
