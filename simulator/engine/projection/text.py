"""Sentences that a caller may translate: a message id and the values that belong into its ``{placeholders}``."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from simulator.engine.kernel.records import Data
from simulator.engine.kernel.units import Scalar

MISSING = "…"
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def fill(template: str, values: Mapping[str, Scalar]) -> str:
    """``template`` with every ``{name}`` replaced; a name without a value becomes ``…``. Never raises, never looks deeper."""
    return _PLACEHOLDER.sub(lambda match: _shown(values.get(match[1])), template)


def _shown(value: Scalar) -> str:
    if value is None:
        return MISSING
    return str(value) if not isinstance(value, bool) else str(value).lower()


class Text(Struct, frozen=True, gc=False):
    """A sentence. Translated: ``fill(gettext(text.msgid), dict(text.values))``."""

    msgid: str
    values: Data = ()

    @property
    def english(self) -> str:
        """The sentence in English."""
        return fill(self.msgid, dict(self.values))


def missing(msgid: str, values: Mapping[str, Scalar]) -> list[str]:
    """The names that the sentence asks for and ``values`` does not have."""
    return [name for name in _PLACEHOLDER.findall(msgid) if values.get(name) is None]


def needed(msgid: str, values: Mapping[str, Scalar]) -> Text:
    """The sentence with only the values that it asks for, in the order of its placeholders."""
    names: Iterable[str] = dict.fromkeys(_PLACEHOLDER.findall(msgid))
    return Text(msgid, tuple((name, values[name]) for name in names if values.get(name) is not None))
