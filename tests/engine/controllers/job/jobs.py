"""Short constructors of Jobs for tests."""

import json
from typing import Any

from simulator.engine import Record, World
from tests.engine.worlds import container

Json = dict[str, Any]


def job(script: str = "sleep 2", *, name: str = "j", policy: str = "Never", pod: Json | None = None, **spec: Any) -> Json:
    """A Job whose pods run a script; ``pod``: additional fields of their spec."""
    template = {"spec": {"restartPolicy": policy, "containers": [container(script)], **(pod or {})}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"template": template, **spec}}


def status(world: World, name: str = "j", kind: str = "Job") -> Json:
    """The status of an object."""
    found: Json = json.loads(world.tables.objects[(kind, "default", name)].document).get("status") or {}
    return found


def conditions(world: World, name: str = "j") -> list[tuple[str, str, str]]:
    """Type, status and reason of a Job's conditions."""
    return [(item["type"], item["status"], item.get("reason", "")) for item in status(world, name).get("conditions") or ()]


def made_s(records: list[Record]) -> list[float]:
    """When pods were created."""
    return [
        record.at_ms / 1000 for record in records if record.machine == "object" and record.target == "present" and record.source == "absent"
    ]


def told(records: list[Record], rule: str) -> list[dict[str, Any]]:
    """The numbers in every record of a rule."""
    return [dict(record.data) for record in records if record.rule == rule]
