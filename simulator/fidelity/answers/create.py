"""Recorded answers to the creation of pods: each manifest as it was sent for a dry run, to the pods of one namespace.

An act of a run sends each object to its own address and assumes that any ServiceAccount exists. So anything the address
or an empty namespace would refuse is checked with the API server first, and what it accepts is given to the store of an
otherwise empty run.
"""

import json
from pathlib import Path
from typing import Any

from simulator.engine import RunHeader, apply, new_world
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.apiserver.answer import Answer, Cause
from simulator.engine.apiserver.create import CreateRequest, create_answer
from simulator.engine.kernel.json_text import decode
from simulator.engine.kernel.records import Record
from simulator.engine.versions.release import release_of
from simulator.fidelity.answers.outcome import ApiOutcome, compare

MINOR = 20
"""The version whose answers were recorded."""
_CREATED = 201
_NAMESPACE = "rej"
"""The namespace in which the recorded pods were created."""


def measure(path: Path, *, minor: int = MINOR) -> list[ApiOutcome]:
    """Compare every case of a file of recorded answers. Raises OSError."""
    recorded: list[dict[str, Any]] = decode(path.read_text(encoding="utf-8"))
    return [_compare(case, minor) for case in recorded]


def _compare(case: dict[str, Any], minor: int) -> ApiOutcome:
    request = CreateRequest(release=release_of(minor), namespace=_NAMESPACE, kind="Pod", dry_run=True)
    text = json.dumps(case["manifest"])
    refused = create_answer(case["manifest"], request, body=text) or _stored(text, minor)
    return compare(case, refused, code=_CREATED)


def _stored(text: str, minor: int) -> Answer | None:
    """The store's refusal; None if it accepts the manifest."""
    world = new_world(RunHeader(kubernetes=f"1.{minor}"))
    command = ApplyManifest(documents=(text,), namespace=_NAMESPACE, create=True, dry_run=True)
    return refusal_in(apply(world, command))


def refusal_in(records: list[Record]) -> Answer | None:
    """The API server's answer in the record of a refused command; None if the command was accepted."""
    refused = next((dict(record.data) for record in records if record.kind == "command" and record.target == "refused"), None)
    if refused is None:
        return None
    causes = decode(str(refused.get("causes") or "[]"))
    return Answer(
        code=int(refused.get("code") or 0),
        reason=str(refused.get("reason") or ""),
        message=str(refused.get("message") or ""),
        causes=tuple(Cause(**cause) for cause in causes),
    )
