"""The components of the cluster: what each one watches and how it handles the keys of its queues. The only place that knows them all.

The order of the list is the order in which watchers of the same object are notified. No component imports another: they meet in the store.

In a real cluster each is a separate process with informers on the API server; here a single queue orders
all of them. A component reacts to a change through its watches and does its work later, when a key of
its queue is due, never inside another component's handler: the delays in between are real and may be jittered.
The lane of an event orders what is due at the same moment (world/queue.py). ``kubelet`` and ``runtime`` exist
once per node, the others once per cluster.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from simulator.engine.controllers import claim_protection as protection
from simulator.engine.controllers import endpoint_slice, endpoints, pod_gc, replica_set, volume_binder
from simulator.engine.controllers import garbage_collector as garbage
from simulator.engine.controllers import namespace as namespaces
from simulator.engine.controllers import node_lifecycle as monitor
from simulator.engine.controllers import taint_eviction as taints
from simulator.engine.controllers import ttl_after_finished as ttl
from simulator.engine.controllers.cron_job import cron_job
from simulator.engine.controllers.daemon_set import daemon_set
from simulator.engine.controllers.deployment import deployment
from simulator.engine.controllers.disruption import budgets
from simulator.engine.controllers.disruption import conditions as disruption
from simulator.engine.controllers.drain import drain, drained
from simulator.engine.controllers.horizontal_pod_autoscaler import autoscaler
from simulator.engine.controllers.job import job
from simulator.engine.controllers.job import watches as job_watches
from simulator.engine.controllers.stateful_set import stateful_set
from simulator.engine.kubelet.node import eviction, intake, kubelet_restart, node_oom, node_status, partition, runtime_loss, shutdown
from simulator.engine.kubelet.pods.containers import instances
from simulator.engine.kubelet.pods.loop import completions, housekeeping, probing, pulling, relist
from simulator.engine.kubelet.pods.resize import resize
from simulator.engine.kubelet.pods.static import static_pods
from simulator.engine.kubelet.pods.status import reconcile
from simulator.engine.kubelet.pods.stop import stop
from simulator.engine.kubelet.pods.sync import removal, sync
from simulator.engine.kubelet.pods.volumes import mounts
from simulator.engine.network import proxy
from simulator.engine.network.load import requests
from simulator.engine.past import play
from simulator.engine.scheduler import queue as requeue
from simulator.engine.scheduler import scheduler
from simulator.engine.world import events as due
from simulator.engine.world.effects import Effects
from simulator.engine.world.watch import Watch, Watches

Handler = Callable[[Effects, Any], None]


class Component(Struct, frozen=True):
    """A process or controller under its Kubernetes name, with its watches, and its handlers by event type."""

    name: str
    handles: dict[type, Handler]
    watches: tuple[Watch, ...] = ()


COMPONENTS = (
    Component(
        "disruption-controller",
        {due.BudgetSync: budgets.budget_sync, due.DisruptionOver: disruption.end_disruption},
        (*budgets.WATCHES, *disruption.WATCHES),
    ),
    Component("taint-eviction-controller", {due.TaintJudge: taints.taint_judge, due.TaintEvict: taints.taint_evict}, taints.WATCHES),
    Component("scheduler", {due.SchedulePod: scheduler.schedule_pod}, requeue.WATCHES),
    Component("kubectl", {due.DrainRetry: drain.drain_retry, due.DrainTimeout: drain.drain_timeout}, drained.WATCHES),
    Component("pvc-protection-controller", {due.ClaimSweep: protection.claim_sweep}, protection.WATCHES),
    Component(
        "persistentvolume-binder-controller",
        {
            due.ClaimSync: volume_binder.claim_sync,
            due.VolumeSync: volume_binder.volume_sync,
            due.ProvisionDone: volume_binder.provision_done,
        },
        volume_binder.WATCHES,
    ),
    Component("garbage-collector-controller", {due.CollectGarbage: garbage.collect_garbage}, garbage.WATCHES),
    Component("namespace-controller", {due.NamespaceSweep: namespaces.namespace_sweep}, namespaces.WATCHES),
    Component("replicaset-controller", {due.ReplicaSetSync: replica_set.replica_set_sync}, replica_set.WATCHES),
    Component("endpointslice-controller", {due.EndpointSliceSync: endpoint_slice.endpoint_slice_sync}, endpoint_slice.WATCHES),
    Component("endpoint-controller", {due.EndpointsSync: endpoints.endpoints_sync}, endpoints.WATCHES),
    Component("kube-proxy", {due.ProxySync: proxy.proxy_sync}, proxy.WATCHES),
    Component("clients", {due.LoadLook: requests.load_look}, requests.WATCHES),
    Component("statefulset-controller", {due.StatefulSetSync: stateful_set.stateful_set_sync}, stateful_set.WATCHES),
    Component("daemonset-controller", {due.DaemonSetSync: daemon_set.daemon_set_sync}, daemon_set.WATCHES),
    Component("job-controller", {due.JobSync: job.job_sync, due.JobOrphan: job_watches.job_orphan}, job_watches.WATCHES),
    Component("cronjob-controller", {due.CronJobSync: cron_job.cron_job_sync}, cron_job.WATCHES),
    Component("horizontal-pod-autoscaler", {due.AutoscalerSync: autoscaler.autoscaler_sync}, autoscaler.WATCHES),
    Component("ttl-after-finished-controller", {due.JobExpiry: ttl.job_expiry}, ttl.WATCHES),
    Component("deployment-controller", {due.DeploymentSync: deployment.deployment_sync}, deployment.WATCHES),
    Component("node-controller", {due.NodeCheck: monitor.node_check, due.TaintPass: monitor.taint_pass}, monitor.WATCHES),
    Component("pod-garbage-collector", {due.PodGC: pod_gc.pod_gc, due.PodGCOutOfService: pod_gc.pod_gc_out_of_service}, pod_gc.WATCHES),
    Component(
        "kubelet",
        {
            due.KubeletSees: intake.kubelet_sees,
            due.KubeletLoses: intake.kubelet_loses,
            due.SyncDue: intake.sync_due,
            due.DeadlineDue: intake.deadline_due,
            due.WorkerStep: sync.worker_step,
            due.VolumeWait: sync.volume_wait,
            due.VolumeTry: mounts.volume_try,
            due.PullDone: pulling.pull_done,
            due.Relist: relist.relist,
            due.StopStep: stop.stop_step,
            due.HookDone: completions.hook_done,
            due.ProcessEnded: completions.process_ended,
            due.ExecWake: completions.exec_wake,
            due.ExecTimeout: completions.exec_timeout,
            due.ProbeTick: probing.probe_tick,
            due.ProbeAnswer: probing.probe_answer,
            due.StatusBeat: removal.status_beat,
            due.StatusReconcile: reconcile.status_reconcile,
            due.HousekeepingKill: housekeeping.housekeeping_kill,
            due.EvictionTick: eviction.eviction_tick,
            due.MeasureVolumes: eviction.measure_volumes,
            due.MeasureLayers: eviction.measure_layers,
            due.NetworkBack: partition.network_back,
            due.NodeStatusDue: node_status.node_status_due,
            due.KubeletUp: kubelet_restart.kubelet_up,
            due.RuntimeStep: runtime_loss.runtime_step,
            due.ShutdownStep: shutdown.shutdown_step,
            due.StaticSync: static_pods.static_sync,
        },
        (*intake.WATCHES, *node_status.WATCHES, *resize.WATCHES),
    ),
    Component(
        "runtime",
        {
            due.ProcessWake: instances.process_wake,
            due.PeerSignal: instances.peer_signal,
            due.NodeOom: node_oom.node_oom,
        },
    ),
    Component("import", {due.PastDue: play.past_due, due.PastOver: play.finish_past}),
)

# Built once at import: watches cannot be added or removed during a run.
WATCHES = Watches(line for component in COMPONENTS for line in component.watches)
HANDLERS: dict[type, tuple[str, Handler]] = {
    event: (component.name, handler) for component in COMPONENTS for event, handler in component.handles.items()
}
"""The component and handler of each type of event."""
