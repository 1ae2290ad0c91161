"""Factories of rows and values for tests of the site."""

import json

from simulator.engine.course.header import RunHeader
from simulator.engine.kernel.records import Record
from simulator.models import Run
from simulator.runs.drive import lease
from simulator.runs.log.content import Content, Source
from simulator.runs.services.runs import run_create

OWNER = "the-owner-key"
STRANGER = "another-key"


def pod_json(name: str = "web", *, namespace: str = "default", command: tuple[str, ...] = ("sleep", "3600"), **spec: object) -> str:
    """The JSON text of a pod with one busybox container."""
    container = {"name": "app", "image": "busybox:1.28", "command": list(command)}
    document = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [container], **spec},
    }
    return json.dumps(document)


def make_header(*manifests: str, **fields: object) -> RunHeader:
    """A header with one quiet pod unless told otherwise."""
    return RunHeader(kubernetes="1.30", manifests=manifests or (pod_json(),), **fields)


def make_content(*manifests: str) -> Content:
    """A content with ``make_header``."""
    return Content(header=make_header(*manifests), source=Source(manifests="kind: Pod"))


def make_run(**fields: object) -> Run:
    """A stored run of the owner, with nothing computed yet."""
    values: dict[str, object] = {"content": make_content(), "title": "A run", "owner_key": OWNER}
    return run_create(**(values | fields))  # type: ignore[arg-type]


def make_record(seq: int, at_ms: int = 0, **fields: object) -> Record:
    """A record of a phase change."""
    values: dict[str, object] = {
        "kind": "transition",
        "subject": "pod/default/web",
        "machine": "phase",
        "source": "Pending",
        "trigger": "sync",
        "target": "Running",
        "cause": max(0, seq - 1),
        "rule": "PHASE",
        "data": (("reason", ""),),
    }
    return Record(seq=seq, at_ms=at_ms, **(values | fields))  # type: ignore[arg-type]


def own(run: Run) -> int:
    """Take the run's lease and return its epoch."""
    epoch = lease.acquire(run.id, owner="host:1:tests", lease_ms=10_000)
    assert epoch is not None
    return epoch


def drive(run: Run, *, shown_ms: int = 0) -> int:
    """Own the run and send a heartbeat, as an owner that keeps its clock running does every second."""
    epoch = own(run)
    sign = lease.Sign(controls=run.controls, shown_ms=shown_ms)
    assert lease.renew([lease.Hold(run_id=run.id, epoch=epoch, sign=sign)], lease_ms=10_000)
    run.refresh_from_db()
    return epoch
