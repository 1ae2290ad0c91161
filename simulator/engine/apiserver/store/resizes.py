"""The resize subresource: other resources for a pod, stored for its kubelet to carry out."""

from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.admission.pod_resize import judge_resize
from simulator.engine.apiserver.pod_updates import update_pod
from simulator.engine.apiserver.refusal import Doing, Refusal
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.policies.resize_rules import problem_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow


def resize_to(fx: Effects, row: PodRow, document: dict[str, Any], spec: PodSpec) -> Doing:
    """Ask the kubelet of a pod for other resources, or store them right away if the pod has no kubelet yet. Raises Refusal."""
    if not fx.profile.in_place_resize:
        raise Refusal("COMMAND-NO-RESIZE")
    if row.status.phase in TERMINAL_PHASES:
        raise Refusal("COMMAND-REJECTED", (("message", "a pod that has ended cannot be resized"),))
    pod_level = fx.profile.pod_level_resources
    problem = problem_of(row.pod.spec, spec, pod_level=pod_level, may_shrink=fx.profile.memory_limit_may_shrink)
    if problem:
        raise Refusal("COMMAND-REJECTED", (("message", f'Pod "{row.name}" is invalid: {problem}'),))
    judge_resize(fx, row, spec)
    return lambda: update_pod(fx, row, document, replace(row.pod, spec=spec))
