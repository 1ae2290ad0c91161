"""The defaults of the kinds besides Pod: what the API server fills in before it validates an object."""

import copy
from typing import Any

from simulator.engine.apiserver.defaulting import kinds_core, kinds_workloads
from simulator.engine.apiserver.defaulting.kinds_registry import DEFAULTS
from simulator.engine.apiserver.defaulting.pod import default_template_document
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions.release import Release

_MODULES = (kinds_workloads, kinds_core)
"""Imported for their functions, in this order."""


def default_object(document: Json, *, release: Release) -> Json:
    """A copy of the document with the defaults of the release, if its kind has any. Cost: O(document)."""
    filled: Json = copy.deepcopy(document)
    fill_object(filled, release=release)
    return filled


def fill_object(document: Json, *, release: Release) -> None:
    """Fill in the defaults of an object other than a Pod, in place."""
    kind = str(document.get("kind") or "")
    _fill_template(document, kind, release)
    for default in DEFAULTS:
        if kind in default.kinds and default.holds_for(release.minor):
            default.fill(document)


def _fill_template(document: Json, kind: str, release: Release) -> None:
    """Fill in the defaults of the pod template of a workload, if it has one."""
    info = KINDS.get(kind)
    if info is None or not info.template:
        return
    *path, last = info.template.split(".")
    owner: Any = document
    for step in path:
        owner = owner.get(step) if isinstance(owner, dict) else None
    if isinstance(owner, dict) and isinstance(owner.get(last), dict):
        owner[last] = default_template_document(owner[last], release=release)
