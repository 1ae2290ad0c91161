"""The rulebook: every rule the engine knows, by id. Records name rules; pages, explanations and docs look them up here.

A module that decides something lists its rules in ``RULES``, an act in its declaration; this registry collects them and rejects
two with the same id.

The order of the modules is the order of the page that lists all rules. Ids are permanent: stored records
name them, and a removed id still shows in runs of earlier revisions.
"""

from collections.abc import Iterable
from types import ModuleType

from simulator.engine.acts import all_acts, carry_out, targets
from simulator.engine.apiserver import pod_updates, refusal
from simulator.engine.apiserver import pods as api_server
from simulator.engine.apiserver import publish as facets
from simulator.engine.apiserver.admission import limit_ranger, pod_resize, priority, resource_quota
from simulator.engine.apiserver.admission.pod_security import plugin as pod_security
from simulator.engine.apiserver.nodes import conditions as node_conditions
from simulator.engine.apiserver.nodes import labels as node_labels
from simulator.engine.apiserver.nodes import objects as node_objects
from simulator.engine.apiserver.store import apply as store_apply
from simulator.engine.apiserver.store import binding as store_binding
from simulator.engine.apiserver.store import evictions as store_evictions
from simulator.engine.apiserver.store import labels as store_labels
from simulator.engine.apiserver.store import namespace_deletion as store_namespaces
from simulator.engine.apiserver.store import objects as store_objects
from simulator.engine.apiserver.store import unacted as store_unacted
from simulator.engine.controllers import endpoint_slice, endpoints, pod_gc, replica_set, volume_binder
from simulator.engine.controllers import garbage_collector as store_garbage
from simulator.engine.controllers import node_lifecycle as monitor
from simulator.engine.controllers import taint_eviction as taints
from simulator.engine.controllers import ttl_after_finished as ttl
from simulator.engine.controllers.cron_job import cron_job
from simulator.engine.controllers.daemon_set import daemon_set
from simulator.engine.controllers.daemon_set import nodes as daemon_nodes
from simulator.engine.controllers.daemon_set import plan as daemon_plan
from simulator.engine.controllers.daemon_set import status as daemon_status
from simulator.engine.controllers.deployment import deployment, replica_sets, rollout
from simulator.engine.controllers.deployment import step as deployment_step
from simulator.engine.controllers.disruption import budgets as store_budgets
from simulator.engine.controllers.disruption import conditions as store_disruption
from simulator.engine.controllers.drain import drain, drained
from simulator.engine.controllers.horizontal_pod_autoscaler import autoscaler
from simulator.engine.controllers.job import failure_policy as job_policy
from simulator.engine.controllers.job import job
from simulator.engine.controllers.job import pods as job_pods
from simulator.engine.controllers.job import tracking as job_tracking
from simulator.engine.controllers.job import watches as job_watches
from simulator.engine.controllers.stateful_set import claims as stateful_claims
from simulator.engine.controllers.stateful_set import stateful_set
from simulator.engine.controllers.stateful_set import status as stateful_status
from simulator.engine.kernel.rule_text import RuleText
from simulator.engine.kubelet.base import beats
from simulator.engine.kubelet.node import (
    admission,
    eviction_rules,
    kubelet_preemption,
    kubelet_restart,
    node_oom,
    node_status,
    oom_score,
    partition,
    runtime_loss,
    shutdown,
)
from simulator.engine.kubelet.pods.containers import container_machine, hooks, instances, oom_events, user_execs
from simulator.engine.kubelet.pods.probes import bare_server, probe_results, probe_step
from simulator.engine.kubelet.pods.sandbox import sandbox_change, sandbox_machine, user_namespaces
from simulator.engine.kubelet.pods.start import environment, image_pull, windows
from simulator.engine.kubelet.pods.static import static_pods
from simulator.engine.kubelet.pods.status import condition_rules, deadline, endings, phase_rules, pod_status, reconcile, restarting_all
from simulator.engine.kubelet.pods.stop import stop_machine
from simulator.engine.kubelet.pods.sync import pod_actions, removal, restart_all
from simulator.engine.kubelet.pods.volumes import mounts as volume_mounts
from simulator.engine.kubelet.pods.worker import pod_worker_machine, sync_timing
from simulator.engine.model import downward, qos, requests
from simulator.engine.network.load import fate
from simulator.engine.network.load import requests as load_requests
from simulator.engine.past import rules as past_rules
from simulator.engine.policies import backoff, grace, printing, resize_rules, restart_policy
from simulator.engine.scheduler import preemption, scheduler
from simulator.engine.workloads import history, pod_control, progress, ranking, refs

_MODULES: tuple[ModuleType, ...] = (
    phase_rules, condition_rules, printing, pod_actions, restart_policy, sandbox_change, backoff, probe_step, grace,
    qos, requests, downward,
    deadline, image_pull,
    container_machine, stop_machine, sandbox_machine, pod_worker_machine,
    api_server, scheduler, facets, carry_out, targets, pod_updates, refusal,
    limit_ranger, resource_quota, node_labels, volume_mounts, beats, sync_timing, pod_status, reconcile, environment, hooks,
    probe_results, bare_server, removal,
    restarting_all, restart_all, instances, pod_security,
    user_execs, endings, eviction_rules, oom_score, oom_events, node_oom, admission, preemption, priority,
    resize_rules, pod_resize, user_namespaces,
    kubelet_preemption,
    store_objects, store_apply, store_budgets, store_disruption, store_evictions, store_binding, store_garbage, store_labels,
    store_namespaces, store_unacted,
    pod_control, refs, ranking, progress, replica_set, history, stateful_set, stateful_claims, stateful_status,
    daemon_set, daemon_nodes, daemon_plan, daemon_status, volume_binder,
    job, job_pods, job_tracking, job_policy, job_watches, cron_job, ttl, autoscaler,
    deployment, deployment_step, rollout, replica_sets,
    endpoint_slice, endpoints, fate, load_requests,
    kubelet_restart, runtime_loss, windows, shutdown, partition, static_pods,
    node_conditions, node_status, monitor, taints, pod_gc, drain, drained,
    node_objects,
    past_rules,
)  # fmt: skip


def collect(lists: Iterable[tuple[RuleText, ...]]) -> dict[str, RuleText]:
    """These rules by id. Raises ValueError if an id occurs twice."""
    found: dict[str, RuleText] = {}
    for rules in lists:
        for rule in rules:
            # At import, so that two rules with the same id cannot even reach a test.
            if rule.id in found:
                raise ValueError(f"rule {rule.id} is listed twice")
            found[rule.id] = rule
    return found


RULEBOOK: dict[str, RuleText] = collect([*(module.RULES for module in _MODULES), *(act.rules for act in all_acts.ACTS)])
"""Every rule by id, in the order of the page: status, actions, machines, API server, kubelet."""
