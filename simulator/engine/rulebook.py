"""The rulebook: every rule the engine knows, by id. Records name rules; pages, explanations and docs look them up here.

A module that decides something lists its rules in ``RULES``, an act in its declaration; this registry collects them and refuses
two of one id.
"""

from collections.abc import Iterable
from types import ModuleType

from simulator.engine.acts import carry_out, registry
from simulator.engine.api import (
    actions,
    backoff,
    conditions,
    deadline,
    downward,
    eviction,
    grace,
    image_pull,
    kubelet_preemption,
    oom_score,
    phase_rules,
    printing,
    probe_step,
    qos,
    requests,
    resize,
    restart,
    sandbox,
)
from simulator.engine.api.admission import limit_ranger, priority, resource_quota
from simulator.engine.controllers import (
    api_server,
    facets,
    pod_updates,
    preemption,
    refusal,
    scheduler,
)
from simulator.engine.controllers.kubelet import (
    admission,
    beats,
    endings,
    environment,
    hooks,
    node_oom,
    oom_events,
    probe_results,
    removal,
    restart_all,
    runtime,
    runtime_loss,
    shutdown,
    static_pods,
    status,
    user_execs,
    user_namespaces,
    worker,
)
from simulator.engine.controllers.kubelet import restart as kubelet_restart
from simulator.engine.controllers.kubelet import volumes as volume_mounts
from simulator.engine.controllers.node import conditions as node_conditions
from simulator.engine.controllers.node import drain, drained, monitor, pod_gc, taints
from simulator.engine.controllers.node import labels as node_labels
from simulator.engine.controllers.node import objects as node_objects
from simulator.engine.controllers.node import status as node_status
from simulator.engine.controllers.past import rules as past_rules
from simulator.engine.controllers.store import apply as store_apply
from simulator.engine.controllers.store import binding as store_binding
from simulator.engine.controllers.store import budgets as store_budgets
from simulator.engine.controllers.store import disruption as store_disruption
from simulator.engine.controllers.store import evictions as store_evictions
from simulator.engine.controllers.store import garbage as store_garbage
from simulator.engine.controllers.store import labels as store_labels
from simulator.engine.controllers.store import namespace_deletion as store_namespaces
from simulator.engine.controllers.store import objects as store_objects
from simulator.engine.machines import container, pod_worker, stop
from simulator.engine.machines import sandbox as sandbox_machine
from simulator.engine.rules.text import RuleText

_MODULES: tuple[ModuleType, ...] = (
    phase_rules, conditions, printing, actions, restart, sandbox, backoff, probe_step, grace, qos, requests, downward,
    deadline, image_pull,
    container, stop, sandbox_machine, pod_worker,
    api_server, scheduler, facets, carry_out, pod_updates, refusal,
    limit_ranger, resource_quota, node_labels, volume_mounts, beats, worker, status, environment, hooks, probe_results, removal,
    restart_all, runtime,
    user_execs, endings, eviction, oom_score, oom_events, node_oom, admission, preemption, priority, resize, user_namespaces,
    kubelet_preemption,
    store_objects, store_apply, store_budgets, store_disruption, store_evictions, store_binding, store_garbage, store_labels,
    store_namespaces,
    kubelet_restart, runtime_loss, shutdown, static_pods, node_conditions, node_status, monitor, taints, pod_gc, drain, drained,
    node_objects,
    past_rules,
)  # fmt: skip


def collect(lists: Iterable[tuple[RuleText, ...]]) -> dict[str, RuleText]:
    """These rules by id. Raises ValueError where an id comes twice."""
    found: dict[str, RuleText] = {}
    for rules in lists:
        for rule in rules:
            if rule.id in found:
                raise ValueError(f"rule {rule.id} is listed twice")
            found[rule.id] = rule
    return found


RULEBOOK: dict[str, RuleText] = collect([*(module.RULES for module in _MODULES), *(act.rules for act in registry.ACTS)])
"""Every rule by id, in the order of the story: status, actions, machines, API server, kubelet."""
