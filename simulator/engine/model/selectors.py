"""Label selectors, as written in objects and as accepted by ``kubectl -l``, and field selectors of lists.

Source: apimachinery pkg/labels/selector.go, pkg/fields/selector.go, pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector.
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

Labels = Mapping[str, str]


class Requirement(Struct, frozen=True, gc=False):
    """One term: ``key`` with an operator In, NotIn, Exists or DoesNotExist, and its values."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def holds(self, labels: Labels) -> bool:
        """Whether the labels satisfy the term; NotIn also holds for a missing label."""
        if self.operator == "Exists":
            return self.key in labels
        if self.operator == "DoesNotExist":
            return self.key not in labels
        if self.operator == "NotIn":
            return labels.get(self.key) not in self.values
        return labels.get(self.key) in self.values


Selector = tuple[Requirement, ...]
"""All terms must hold; no terms select everything."""


class BadSelector(Exception):
    """A selector that cannot be parsed; the text says why."""


def from_document(selector: Mapping[str, Any] | None) -> Selector | None:
    """A LabelSelector; None (not set) selects nothing, an empty one everything."""
    if selector is None:
        return None
    equal = tuple(Requirement(key, "In", (str(value),)) for key, value in (selector.get("matchLabels") or {}).items())
    given = (
        Requirement(str(item.get("key")), str(item.get("operator")), tuple(str(value) for value in item.get("values") or ()))
        for item in selector.get("matchExpressions") or ()
    )
    return (*equal, *given)


def selects(selector: Selector | None, labels: Labels) -> bool:
    """Whether the labels are selected."""
    if selector is None:
        return False
    for item in selector:  # noqa: SIM110 - all() takes twice as long, and controllers ask this for every pod of theirs
        if not item.holds(labels):
            return False
    return True


_TERM = re.compile(
    r"\s*(?:(?P<absent>!)\s*(?P<no>[\w./-]+)|(?P<set>[\w./-]+)\s+(?P<word>in|notin)\s*\((?P<values>[^()]*)\)"
    r"|(?P<key>[\w./-]+)\s*+(?:(?P<sign>==|=|!=)\s*(?P<value>[\w.-]*))?)\s*(?:,|$)"
)


def parse_labels(text: str) -> Selector:
    """``a=b,c!=d,e in (f,g),h,!i`` as a selector. Raises BadSelector."""
    found: list[Requirement] = []
    place = 0
    while place < len(text):
        match = _TERM.match(text, place)
        if match is None:
            raise BadSelector(f"unable to parse requirement: {text[place:]!r}")
        found.append(_requirement(match))
        place = match.end()
    return tuple(found)


def _requirement(match: re.Match[str]) -> Requirement:
    if match["absent"]:
        return Requirement(match["no"], "DoesNotExist")
    if match["set"]:
        values = tuple(part.strip() for part in match["values"].split(","))
        return Requirement(match["set"], "In" if match["word"] == "in" else "NotIn", values)
    if not match["sign"]:
        return Requirement(match["key"], "Exists")
    return Requirement(match["key"], "NotIn" if match["sign"] == "!=" else "In", (match["value"],))


def parse_fields(text: str) -> tuple[tuple[str, str, bool], ...]:
    """``a=b,c!=d`` as (field, value, is equal). Raises BadSelector."""
    found = []
    for part in filter(None, text.split(",")):
        for sign in ("!=", "==", "="):
            key, given, value = part.partition(sign)
            if given:
                found.append((key.strip(), value.strip(), sign != "!="))
                break
        else:
            raise BadSelector(f"invalid selector: '{part}'; can't understand '{part}'")
    return tuple(found)
