"""VolumeBinding: every claim that the pod names must exist; one that exists counts as bound. Source: plugins/volumebinding."""

from simulator.engine.model.service_account import own_volumes
from simulator.engine.scheduler.framework import SKIP, Cycle, Plugin, PreFilterRejection
from simulator.engine.scheduler.placement import claim_problem


def _begin(cycle: Cycle) -> object:
    problem = claim_problem(cycle.tables, cycle.row) if own_volumes(cycle.spec) else ""
    return PreFilterRejection(problem) if problem else SKIP


VOLUME_BINDING = Plugin(name="VolumeBinding", begin=_begin)
