"""The objects and patches in an act: the engine takes JSON, while authors may write YAML, as ``kubectl`` takes it, or a table.

A file of a level is easier to read with the manifest of a pod on several lines than with its JSON on one.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from simulator.manifests.problems import ERROR
from simulator.manifests.read.loader import load

LISTED, SINGLE, PATCH = "documents", "document", "patch"
"""The fields of acts that hold objects: several, one, and a change to one."""


def with_json(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an act with JSON where an author wrote YAML or a table.

    A text of several objects becomes several documents. A patch that is no YAML either stays as it is: the run refuses it. Raises
    ValueError, which begins with the name of the field, for an object that cannot be read. O(texts).
    """
    found = dict(fields)
    if isinstance(listed := found.get(LISTED), (list, tuple, str)):
        rows = [listed] if isinstance(listed, str) else listed
        found[LISTED] = [text for row in rows for text in _documents(LISTED, row)]
    if (single := found.get(SINGLE)) is not None:
        texts = _documents(SINGLE, single)
        found[SINGLE] = texts[0] if len(texts) == 1 else single
    if (patch := found.get(PATCH)) is not None:
        found[PATCH] = _patch(patch)
    return found


def _documents(name: str, value: Any) -> list[Any]:
    if not isinstance(value, str):
        return [_text(value)]
    if not value or _is_json(value):
        return [value]
    loaded = load(value)
    for problem in loaded.problems:
        if problem.severity == ERROR:
            raise ValueError(f"{name}: {problem.message} ({problem.line}:{problem.column})")
    if not all(isinstance(document.value, dict) for document in loaded.documents):
        raise ValueError(name + ": " + _("this is no object with apiVersion and kind"))
    return [_text(document.value) for document in loaded.documents]


def _patch(value: Any) -> Any:
    if not isinstance(value, str) or _is_json(value):
        return _text(value)
    loaded = load(value)
    is_patch = not loaded.problems and len(loaded.documents) == 1 and isinstance(loaded.documents[0].value, (dict, list))
    return _text(loaded.documents[0].value) if is_patch else value


def _text(value: Any) -> Any:
    """A table or list as JSON; anything else, also what JSON cannot say, as it is."""
    if not isinstance(value, (dict, list)):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except TypeError:
        return value


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
