"""Family ``validation_create``: the rules by which the API server accepts or refuses a new pod."""

import re

from simulator.engine.apiserver.validation import validate_pod
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.release import Release

MINOR = 33
"""The minor version whose rules apply to cases that name none: the newest in which all of the suite's facts are true."""
_VERSIONS = re.compile(r"v1\.(\d+)(?:\+|\.\.v1\.(\d+))")
_AS_WRITTEN = {"spec.HostPID": "spec.hostPID", "spec.HostIPC": "spec.hostIPC"}
"""Fields that the API server spells differently from manifests; the cases spell them as manifests do."""


def evaluate(case: Json, *, note: str = "") -> Json:
    """``{valid, errors: [{type, field}]}``; warnings do not count. ``note`` may name the versions that the case applies to."""
    judged = validate_pod(_completed(case["pod"]), release=Release(minor_of(note)), defaulted=True)
    found = [error for rule, error in judged if not rule.warning]
    errors = [{"type": error.type, "field": _AS_WRITTEN.get(error.field, error.field)} for error in found]
    return {"valid": not errors, "errors": errors}


def minor_of(note: str) -> int:
    """The version for a case: the usual one, or the nearest that its note allows (``v1.34+``, ``v1.28..v1.33``)."""
    match = _VERSIONS.match(note)
    if match is None:
        return MINOR
    oldest, newest = int(match[1]), int(match[2]) if match[2] else MINOR
    return max(oldest, min(MINOR, newest))


def _completed(pod: Json) -> Json:
    """The pod as given plus the grace period, which the cases leave out although the newest versions require it."""
    spec = {"terminationGracePeriodSeconds": 30, **(pod.get("spec") or {})}
    return {**pod, "spec": spec}


def agrees(expected: Json, got: Json) -> bool:
    """Whether every expected error was reported; there may be more. Type and field may be lists of alternatives."""
    if expected["valid"] != got["valid"]:
        return False
    return all(any(_matches(wanted, error) for error in got["errors"]) for wanted in expected.get("errors", ()))


def _matches(wanted: Json, error: Json) -> bool:
    return all(error[key] in (value if isinstance(value, list) else [value]) for key, value in wanted.items())
