"""Recorded answers to the creation of pods: each manifest as it was sent, for a dry run, to an otherwise empty cluster."""

import json
from pathlib import Path
from typing import Any

from simulator.fidelity.answers.outcome import ApiOutcome, compare
from simulator.manifests.answers import create_answer

MINOR = 20
"""The version whose answers were recorded."""
_CREATED = 201
_NAMESPACE = "rej"
"""Where the recorded pods were created."""


def measure(path: Path, *, minor: int = MINOR) -> list[ApiOutcome]:
    """Compare every case of a file of recorded answers. Raises OSError."""
    recorded: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return [_compare(case, minor) for case in recorded]


def _compare(case: dict[str, Any], minor: int) -> ApiOutcome:
    manifest = case["manifest"]
    body = json.dumps(manifest)
    answer = create_answer(manifest, minor=minor, namespace=_NAMESPACE, body=body, kind="Pod", dry_run=True)
    return compare(case, answer, code=_CREATED)
