"""A copy of a document in which every value can be read: values that do not decode are repaired if their meaning is clear,
otherwise removed.

The API server stops at the first value that it cannot read, but the author of a manifest wants to know everything at
once. So the rules judge such a copy, and findings caused only by the repair are dropped.

A repair is a guess at what was meant: ``"80"`` for a number, ``yes`` for a boolean, a single text for a list, the known
field for a misspelt one. A repair may not help or may uncover the next problem, so the structural check runs again for
a few rounds; the last round only removes. List items are removed only from the end, because a removal in the middle
would shift the paths of all later items; otherwise the whole list goes.

``holds`` filters afterwards. Once something has been removed, findings that compare with another place ("Not found",
"must match") are not trusted, nor are those about parents of the removed field.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.wire.field_paths import child, parse_path
from simulator.engine.kernel.bounded import is_digits
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import without_nulls
from simulator.manifests.check.findings import Finding
from simulator.manifests.check.schema import check_structure
from simulator.manifests.problems import ERROR

UNDECODABLE = ("wrong-type", "bad-value")
"""Codes of findings after which a document's values cannot be relied on."""
_ROUNDS = 4
_BOOLS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_REFERS = ("Not found", "must match", "does not match", "template `labels`")
"""Parts of messages of rules that compare a value with another one in the document."""


class Decodable(Struct, frozen=True, kw_only=True):
    """The copy, and the paths of the fields that were ``repaired`` (given another value or name) or ``removed``."""

    document: Json
    repaired: frozenset[str]
    removed: frozenset[str]

    def holds(self, finding: Finding) -> bool:
        """Whether a finding about the copy also holds for the text, rather than for what was repaired or removed."""
        if any(_within(finding.path, path) for path in self.repaired | self.removed):
            return False
        if not self.removed:
            return True
        if any(word in finding.message for word in _REFERS) or any(_within(path, finding.path) for path in self.removed):
            return False
        return "Forbidden" not in finding.message or not any(_within(finding.path, _parent(path)) for path in self.removed)


def decodable(document: Json, found: Iterable[Finding], *, minor: int) -> Decodable | None:
    """A readable copy of a document whose structural findings are ``found``; None if nothing readable is left of it.

    Cost: O(document) and one or a few more structural checks.
    """
    wrong = [item for item in found if item.code in UNDECODABLE or (item.code == "unknown-field" and item.severity == ERROR)]
    if not wrong:
        return Decodable(document=document, repaired=frozenset(), removed=frozenset())
    copy = without_nulls(document)
    repaired: set[str] = set()
    removed: set[str] = set()
    # The last round removes whatever is still wrong, instead of repairing it.
    for last in (False,) * _ROUNDS + (True,):
        for finding in wrong:
            _put_right(copy, finding, repaired, removed, only_remove=last)
        wrong = [item for item in check_structure(copy, minor=minor, lenient=True) if item.code in UNDECODABLE]
        if not wrong:
            return Decodable(document=copy, repaired=frozenset(repaired), removed=frozenset(removed))
    return None


def _put_right(copy: Json, finding: Finding, repaired: set[str], removed: set[str], *, only_remove: bool) -> None:
    owner, key, path = _place(copy, finding.path)
    if key is None:
        return
    if finding.code == "unknown-field":
        if finding.hint and isinstance(owner, dict) and finding.hint not in owner:
            owner[finding.hint] = owner.pop(key)
            repaired.add(child(_parent(path), finding.hint))
        return
    value = None if only_remove or finding.path != path else _read_as(owner[key], finding)
    if value is not None and path not in repaired:
        owner[key] = value
        repaired.add(path)
        return
    # Not the last item: climb until something can be removed without moving the paths of others.
    while isinstance(owner, list) and key != len(owner) - 1:
        path = _parent(path)
        owner, key, path = _place(copy, path)
    del owner[key]
    removed.add(path)


def _place(copy: Json, path: str) -> tuple[Any, Any, str]:
    """The parent of the last step of ``path``, the step, and the path as far as it exists; the step is None if the path does not exist."""
    steps = parse_path(path)
    owner: Any = copy
    where = ""
    for index, step in enumerate(steps):
        key: Any = int(step) if isinstance(owner, list) and is_digits(step) and len(step) < 10 else step
        if isinstance(owner, list):
            if not isinstance(key, int) or key >= len(owner):
                return owner, None, where
        elif not isinstance(owner, dict) or key not in owner:
            return owner, None, where
        where = child(where, key)
        if index == len(steps) - 1:
            return owner, key, where
        owner = owner[key]
    return owner, None, where


def _read_as(value: Any, finding: Finding) -> Any:
    """The value that was clearly meant by one of a wrong type; None if that is not clear."""
    wanted = finding.message.rpartition(" of type ")[2] if finding.code == "wrong-type" else ""
    if wanted == "string" and isinstance(value, bool | int | float):
        return json.dumps(value)
    if wanted == "bool" and isinstance(value, str):
        return _BOOLS.get(value.strip().lower())
    if wanted in ("int32", "int64") and isinstance(value, str | float):
        match = re.fullmatch(r"(-?[0-9]{1,9})(?:\.[0-9]+|\s?s(?:ec\w*)?)?", str(value).strip())
        return int(match[1]) if match else None
    if wanted == "[]string" and isinstance(value, str):
        return [value]
    if wanted.startswith("[]v1.") and isinstance(value, dict):
        return [value]
    return None


def _parent(path: str) -> str:
    return re.sub(r"(\.?[^.\[\]]+|\[[^\]]*\])$", "", path)


def _within(path: str, other: str) -> bool:
    """Whether ``path`` is ``other`` or below it; everything is below the whole document."""
    return not other or path == other or path.startswith((f"{other}.", f"{other}["))
