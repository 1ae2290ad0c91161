"""Branches in a run's API: which runs a key opens besides its own, and the branch that begins at a moment of the past.

``/r/ID@branch-42/k8s/…`` is that branch. The first write creates it: until then, reads show the moment at which it begins.
"""

from uuid import UUID

from simulator.door.kubeconfig import clock_text, seconds_text
from simulator.engine.kernel.units import Ms
from simulator.kubectl.context import context_name
from simulator.models import DoorKey, Run
from simulator.runs.services.runs import branch_key_of, door_branch_key, run_branch_by_key
from simulator.web.door.addresses import BRANCH, DoorAddress
from simulator.web.door.moments import AskedOf

_FOREBEARS_MAX = 20
"""How many generations of branches are followed back to a key's run."""
BRANCHES_MAX = 20
"""The most branches for which a kubeconfig has contexts, newest first."""


def opened_run(key: DoorKey, address: DoorAddress) -> AskedOf | None:
    """The run that a key opens at a URL: its own, or a branch of it, which is writable only with the same owner."""
    try:
        wanted = UUID(address.id)
    except ValueError:
        return None
    run = key.run if key.run_id == wanted else _descendant(wanted, key.run_id)
    if run is None:
        return None
    may_write = key.can_write and run.owner_hash == key.run.owner_hash
    of = AskedOf(run_id=run.id, at_ms=address.at_ms, may_write=may_write, clock=address.clock, key_id=key.id, label=key.label)
    if not address.is_branch or address.at_ms is None:
        return of
    branch = _known_branch(run, key.id, address.at_ms)
    if branch is None:
        return AskedOf(run_id=run.id, at_ms=address.at_ms, may_write=may_write, key_id=key.id, label=key.label, makes_branch=may_write)
    return AskedOf(run_id=branch.id, at_ms=None, may_write=may_write, key_id=key.id, label=key.label)


def _descendant(wanted: UUID, forebear: UUID) -> Run | None:
    found = run = Run.objects.filter(id=wanted, is_frozen=False).first()
    for _ in range(_FOREBEARS_MAX):
        if run is None or run.parent_id is None:
            return None
        if run.parent_id == forebear:
            return found
        run = Run.objects.filter(id=run.parent_id).only("id", "parent_id").first()
    return None


def _known_branch(run: Run, key_id: int, at_ms: Ms) -> Run | None:
    name = branch_key_of("", door_branch_key(key_id, at_ms))
    return Run.objects.filter(parent=run, branch_key=name).first()


def branch_made(of: AskedOf) -> AskedOf:
    """Switch to the branch that begins at the moment, creating it if necessary. Raises ServiceError."""
    branch = run_branch_by_key(parent=Run.objects.get(id=of.run_id), key_id=of.key_id, at_ms=of.at_ms or 0)
    return AskedOf(run_id=branch.id, at_ms=None, may_write=of.may_write, key_id=of.key_id, label=of.label)


def past_text(of: AskedOf) -> str:
    """The message for a write at a moment of the past: where to send it instead."""
    thing, at_ms = of.run_id.hex, of.at_ms or 0
    name = context_name(thing, f"-{BRANCH.rstrip('-')}@{clock_text(at_ms)}")
    where = f"/r/{thing}@{BRANCH}{seconds_text(at_ms)}/k8s/"
    with_key = "" if of.may_write else ", with a key that writes"
    return (
        "this address is a moment of the past and only reads. To make a branch from this moment and change that, "
        f"use the context {name}{with_key} (its server is {where}...)"
    )


def branches_of(run: Run) -> list[Run]:
    """The newest branches of a run, for contexts in a kubeconfig."""
    return list(
        Run.objects.filter(parent=run, is_frozen=False)
        .only("id", "parent_ms", "title", "owner_hash")
        .order_by("-created_at")[:BRANCHES_MAX]
    )
