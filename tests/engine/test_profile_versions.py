"""The differences between Kubernetes versions: every change is listed with the minor before it and the minor that introduces it."""

import pytest

from simulator.engine.versions import FIELDS, MINORS, diff, resolve

SWITCHED_ON = {
    "provisioner_annotation": "1.23",
    "daemon_set_passes_ended_pods": "1.26",
    "daemon_set_deletes_succeeded": "1.26",
    "daemon_set_surges_where_it_runs": "1.29",
    "preemption_sorts_victims": "1.29",
    "stateful_set_available_replicas": "1.22",
    "pod_index_label": "1.28",
    "stateful_set_replaces_succeeded": "1.27",
    "claim_owner_controls": "1.31",
    "stateful_set_max_unavailable": "1.37",
    "stateful_set_parallel_replaces_broken": "1.37",
    "stateful_set_completes_on_delete": "1.37",
    "job_tracking_finalizers": "1.25",
    "ttl_after_finished": "1.21",
    "hpa_wraps_errors": "1.26",
    "cron_job_queue": "1.21",
    "cron_job_annotation": "1.28",
    "cron_job_tells_of_zone": "1.22",
    "cron_job_success_time": "1.22",
    "job_ready_pods": "1.24",
    "job_policy_holds_replacements": "1.28",
    "job_deletes_beyond_completions": "1.22",
    "preemption_awaits_own_victims": "1.27",
    "job_terminal_delayed": "1.31",
    "job_success_reason": "1.32",
    "terminating_replicas": "1.35",
    "endpoints_managed_by": "1.33",
    "startup_result_syncs": "1.21",
    "graceful_node_shutdown": "1.21",
    "pod_worker_states": "1.22",
    "pod_deletion_cost": "1.22",
    "logarithmic_scale_down": "1.22",
    "terminal_phase_waits_for_containers": "1.22",
    "pod_reason_kept": "1.22",
    "lost_container_counts_restart": "1.22",
    "init_skipped_while_app_runs": "1.22",
    "readiness_poke": "1.22",
    "probes_begin_with_sync": "1.22",
    "liveness_stops_on_termination": "1.22",
    "grace_override_before_hook": "1.28",
    "negative_grace_becomes_one": "1.22",
    "restarts_ago": "1.22",
    "budget_spares_unready": "1.21",
    "budget_condition": "1.22",
    "endpoint_terminating": "1.22",
    "budget_skips_unmanaged": "1.22",
    "unhealthy_eviction_policy": "1.27",
    "proxy_terminating_endpoints": "1.26",
    "pod_os_field": "1.24",
    "graceful_node_shutdown_by_priority": "1.24",
    "preemption_in_failed_scheduling": "1.24",
    "pod_failed_reason": "1.25",
    "probe_grace": "1.25",
    "disruption_target": "1.26",
    "out_of_service_taint": "1.26",
    "job_pod_replacement": "1.29",
    "http_hook_honours_scheme": "1.26",
    "pod_gc_evicted_first": "1.23",
    "pod_gc_marks_failed": "1.26",
    "budget_tells_unmanaged": "1.27",
    "stale_disruption_cleared": "1.26",
    "terminal_phase_on_delete": "1.27",
    "scheduling_gated": "1.27",
    "event_reporting_fields": "1.27",
    "oom_kills_whole_container": "1.28",
    "oom_fails_init_container": "1.23",
    "oom_fails_init_phase": "1.27",
    "ready_counts_sidecars": "1.28",
    "sidecar_containers": "1.29",
    "startup_success_holds": "1.29",
    "separate_taint_eviction": "1.29",
    "finished_hides_terminating": "1.30",
    "relaxed_env_names": "1.32",
    "pod_generation": "1.33",
    "in_place_resize": "1.33",
    "user_namespaces": "1.33",
    "scheduler_pops_backoff_early": "1.33",
    "balance_skips_best_effort": "1.33",
    "nominated_node_cleared": "1.35",
    "prefilter_narrows": "1.24",
    "prefers_nominated_node": "1.22",
    "volume_zone_knows_new_labels": "1.29",
    "old_drivers_are_csi": "1.23",
    "observed_generation": "1.34",
    "memory_limit_may_shrink": "1.34",
    "oversized_request_unresolvable": "1.34",
    "graceful_node_shutdown_windows": "1.34",
    "resize_events": "1.34",
    "pod_level_resources": "1.34",
    "container_restart_rules": "1.35",
    "keep_status_on_kubelet_restart": "1.35",
    "requeue_at_backoff_expiry": "1.35",
    "readiness_poke_restarts_period": "1.35",
    "env_file_quotes": "1.35",
    "restart_all_containers": "1.36",
    "resize_checked_at_admission": "1.36",
    "node_declares_features": "1.36",
    "on_demand_relist": "1.36",
    "sidecar_start_counts_as_success": "1.35",
}
GATES_ON = {  # gates that no field follows
    "WindowsHostProcessContainers": "1.23",
    "GRPCContainerProbe": "1.24",
    "ImageMaximumGCAge": "1.30",
    "NodeSwap": "1.30",
    "PodLifecycleSleepAction": "1.30",
    "KubeletSeparateDiskGC": "1.31",
    "PodAffinityNamespaceSelector": "1.22",
    "NodeInclusionPolicyInPodTopologySpread": "1.26",
    "MatchLabelKeysInPodTopologySpread": "1.27",
    "MinDomainsInPodTopologySpread": "1.27",
    "MatchLabelKeysInPodAffinity": "1.31",
    "PodLifecycleSleepActionAllowZero": "1.33",
    "SupplementalGroupsPolicy": "1.33",
    "DynamicResourceAllocation": "1.34",
    "EnvFiles": "1.35",
    "HostnameOverride": "1.35",
    "ImageVolume": "1.35",
    "KubeletEnsureSecretPulledImages": "1.35",
    "MutableCSINodeAllocatableCount": "1.35",
    "PreventStaticPodAPIReferences": "1.34",
}
SWITCHED_OFF = {
    "stateful_set_recreates_at_once": "1.28",
    "revision_keeps_creation_time": "1.34",
    "sandbox_awaits_collection": "1.21",
    "collection_delete_shares_grace": "1.21",
    "probe_first_always_random": "1.21",
    "deleted_pod_scheduling_event": "1.21",
    "status_update_wakes_scheduler": "1.21",
    "pod_update_ends_backoff": "1.21",
    "deadline_replaces_status": "1.22",
    "volume_timeout_event": "1.29",
    "prefilter_counts_nodes": "1.26",
}
NOT_MOUNTED = (
    "Unable to attach or mount volumes: unmounted volumes=[{unmounted}], unattached volumes=[WORD]: timed out waiting for the condition"
)
SCALED = "Scaled {way} replica set {name}"
PRESENT = 'Container image "{image}" already present on machine'
IMAGE_NAME = 'Failed to apply default image tag "{image}": couldn\'t parse image WORD "{image}": {error}'
UNTOLERATED = "node(s) had untolerated taint"
BESIDE = "node(s) didn't match pod affinity/anti-affinity"
PROVISIONED = (
    'waiting for a volume to be created, either by external provisioner "{provisioner}" or manually created by system administrator'
)
PROVISIONED_NOW = (
    "Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the system administrator. "
    "If volume creation is delayed, please verify that the provisioner is running and correctly registered."
)
CHANGED = [
    ("daemon_set_counts_old_unavailable", "1.21", True, False),
    ("daemon_set_counts_old_unavailable", "1.28", False, True),
    ("left_out_text", "1.30", "", "node(s) didn't satisfy plugin(s) [NodeAffinity]"),
    ("scheduler_wakes", "1.22", "all", "plugins"),
    ("scheduler_wakes", "1.32", "plugins", "hints"),
    ("endpoints_over_capacity", "1.21", "", "warning"),
    ("endpoints_over_capacity", "1.22", "warning", "truncated"),
    ("endpoints_over_capacity", "1.21", "", "warning"),
    ("endpoints_over_capacity", "1.22", "warning", "truncated"),
    ("left_out_text", "1.30", "", "node(s) didn't satisfy plugin(s) [NodeAffinity]"),
    ("scheduler_wakes", "1.22", "all", "plugins"),
    ("scheduler_wakes", "1.32", "plugins", "hints"),
    ("pod_affinity_text", "1.21", BESIDE, f"{BESIDE} rules"),
    ("pod_affinity_text", "1.23", f"{BESIDE} rules", ""),
    ("score_weight_taint_toleration", "1.23", 1, 3),
    ("score_weight_node_affinity", "1.23", 1, 2),
    ("score_weight_inter_pod_affinity", "1.23", 1, 2),
    ("memory_high_of", "1.27", "limit", "span"),
    ("memory_throttling_permille", "1.27", 800, 900),
    ("events_overtake_permille", "1.21", 750, 0),
    ("node_affinity_text", "1.21", "node(s) didn't match Pod's node affinity", "node(s) didn't match Pod's node affinity/selector"),
    (
        "mirror_reference_text",
        "1.34",
        'node "{node}" can not create pods that reference {reference}',
        'node "{node}" can not create pods that reference "{reference}"',
    ),
    (
        "claim_for_one_pod_text",
        "1.33",
        "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    ),
    ("token_volume_prefix", "1.21", "default-token-", "kube-api-access-"),
    ("network_not_ready_text", "1.21", "runtime network not ready: {problem}", "container runtime network not ready: {problem}"),
    ("grace_min_s", "1.22", 0, 1),
    ("runtime_reconnect_ms", "1.27", 1_000, 100),
    ("runtime_reconnect_max_ms", "1.27", 120_000, 3_000),
    (
        "drain_bare_text",
        "1.23",
        "Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet (use --force to override)",
        "Pods declare no controller (use --force to override)",
    ),
    (
        "drain_bare_text",
        "1.30",
        "Pods declare no controller (use --force to override)",
        "cannot delete Pods that declare no controller (use --force to override)",
    ),
    (
        "drain_bare_text",
        "1.36",
        "cannot delete Pods that declare no controller (use --force to override)",
        "Pods that declare no controller (use --force to override)",
    ),
    (
        "drain_wait_text",
        "1.26",
        'error when waiting for pod "{pod}" terminating',
        'error when waiting for pod "{pod}" in namespace "{namespace}" to terminate',
    ),
    ("budget_retry_s", "1.22", 0, 10),
    ("budget_refusal_text", "1.31", "plain", "by_condition"),
    ("shutdown_message", "1.22", "Node is shutting, evicting pods", "Pod was terminated in response to imminent node shutdown."),
    ("eviction_hard_grace_s", "1.31", 0, 1),
    ("zero_grace_is_unset", "1.22", False, True),
    ("zero_grace_is_unset", "1.31", True, False),
    ("eviction_soft_grace", "1.22", "configured", "capped"),
    ("lost_container_status", "1.22", "when_deleted", "always"),
    ("post_start_reason", "1.22", "with_error", "plain"),
    ("shutdown_reason", "1.22", "Shutdown", "Terminated"),
    ("probe_redirect_text", "1.22", "{body}", "Probe terminated redirects, Response body: {body}"),
    ("image_name_error_text", "1.22", IMAGE_NAME.replace("WORD", "reference"), IMAGE_NAME.replace("WORD", "name")),
    ("scheduler_flush_ms", "1.23", 60_000, 300_000),
    ("probe_timeout_output", "1.24", "", 'command "{command}" timed out'),
    ("windows_machine", "1.23", "Windows Server 2019 Datacenter|10.0.17763.107", "Windows Server 2022 Datacenter|10.0.20348.169"),
    ("eviction_memory_windows_bytes", "1.31", 0, 500 << 20),
    ("rejected_prefix", "1.26", "Pod ", "Pod was rejected: "),
    ("taint_text", "1.24", "node(s) had taint {{{taint}}}, that the pod didn't tolerate", UNTOLERATED + " {{{taint}}}"),
    ("preempted_reason", "1.27", "PreemptionByKubeScheduler", "PreemptionByScheduler"),
    (
        "preempted_condition_text",
        "1.26",
        "Kube-scheduler: preempting",
        "{scheduler}: preempting to accommodate a higher priority pod",
    ),
    ("preempted_text", "1.26", "Preempted by {namespace}/{pod} on node {node}", "Preempted by pod {uid} on node {node}"),
    ("hook_event_text", "1.26", "full", "short"),
    ("hook_error_text", "1.26", "with_message", "plain"),
    ("hook_dial_error", "1.26", "i/o timeout", "connect: connection timed out"),
    ("hook_dial_timeout_ms", "1.26", 30_000, 127_000),
    ("pulled_text", "1.26", "plain", "waiting"),
    ("eviction_text", "1.26", "short", "threshold"),
    (
        "volume_timeout_text",
        "1.26",
        NOT_MOUNTED.replace("WORD", "{all}"),
        NOT_MOUNTED.replace("[WORD]", "[], failed to process volumes=[]"),
    ),
    ("phase_algorithm", "1.27", "1.20", "newest"),
    ("backoff_event_text", "1.27", "short", "named"),
    ("event_qps", "1.27", 5, 50),
    ("event_burst", "1.27", 10, 100),
    ("resize_status", "1.27", "none", "field"),
    ("job_backoff", "1.21", "by_rounds", "by_queue"),
    ("job_batch_ms", "1.24", 0, 1_000),
    ("job_backoff", "1.27", "by_queue", "by_end"),
    ("job_backoff_max_ms", "1.28", 360_000, 600_000),
    ("scaled_text", "1.25", SCALED + " to {after}", SCALED + " to {after} from {before}"),
    ("ready_to_start_condition", "1.29", "", "PodReadyToStartContainers"),
    ("sandbox_kept_when", "1.29", "init_done", "app_created"),
    ("pulled_text", "1.30", "waiting", "waiting_size"),
    ("eviction_imagefs_inodes_permille", "1.30", 0, 50),
    ("node_monitor_grace_ms", "1.32", 40_000, 50_000),
    ("generated_name_tries", "1.31", 1, 8),
    ("scaled_text", "1.31", SCALED + " to {after} from {before}", SCALED + " from {before} to {after}"),
    ("scaled_new_text", "1.31", SCALED + " to {after}", SCALED + " from {before} to {after}"),
    ("image_backoff_message", "1.32", "plain", "with_error"),
    (
        "cron_job_saw_text",
        "1.32",
        "Saw completed job: {job}, status: {condition}",
        "Saw completed job: {job}, condition: {condition}",
    ),
    ("created_text", "1.32", "Created container {container}", "Created container: {container}"),
    ("resize_status", "1.33", "field", "conditions"),
    ("probe_errored_text", "1.33", "{probe} probe errored: {error}", "{probe} probe errored and resulted in {result} state: {error}"),
    ("taint_text", "1.35", UNTOLERATED + " {{{taint}}}", UNTOLERATED + "(s)"),
    ("created_text", "1.35", "Created container: {container}", "Container created"),
    ("external_provisioning_text", "1.29", PROVISIONED, PROVISIONED_NOW),
    ("present_text", "1.35", PRESENT, PRESENT + " and can be accessed by the pod"),
    ("started_text", "1.35", "Started container {container}", "Container started"),
]
RECORDED = {  # from the recordings of a 1.20.2 node
    "sandbox_ms": 370,
    "container_start_ms": 42,
    "exec_ms": 20,
    "api_to_scheduler_ms": 5,
    "watch_ms": 10,
    "runtime_down_after_ms": 30_000,
    "node_taint_ms": 5_000,
    "event_spam_burst": 25,
    "min_stop_ms": 2_000,
    "crash_backoff_initial_ms": 10_000,
    "crash_backoff_max_ms": 300_000,
    "crash_backoff_reset_ms": 600_000,
}


def before(minor):
    return MINORS[MINORS.index(minor) - 1]


@pytest.mark.parametrize(("field", "minor"), sorted(SWITCHED_ON.items()))
def test_profile_switches_on_at_its_minor(field, minor):
    values = [getattr(resolve(each), field) for each in MINORS]
    assert values == [MINORS.index(each) >= MINORS.index(minor) for each in MINORS]


@pytest.mark.parametrize(("gate", "minor"), sorted(GATES_ON.items()))
def test_gate_is_on_by_default_from_its_minor_on(gate, minor):
    values = [resolve(each).has_gate(gate) for each in MINORS]
    assert values == [MINORS.index(each) >= MINORS.index(minor) for each in MINORS]


@pytest.mark.parametrize(("field", "minor"), sorted(SWITCHED_OFF.items()))
def test_profile_switches_off_at_its_minor(field, minor):
    values = [getattr(resolve(each), field) for each in MINORS]
    assert values == [MINORS.index(each) < MINORS.index(minor) for each in MINORS]


@pytest.mark.parametrize(("field", "minor", "old", "new"), CHANGED)
def test_profile_changes_its_value_at_its_minor(field, minor, old, new):
    assert (getattr(resolve(before(minor)), field), getattr(resolve(minor), field)) == (old, new)


def test_every_change_between_minors_stands_in_a_table_above():
    named = SWITCHED_ON.keys() | GATES_ON.keys() | SWITCHED_OFF.keys() | {row[0] for row in CHANGED}
    changed = {each.field for minor in MINORS[1:] for each in diff(resolve(before(minor)), resolve(minor))}
    assert changed - named == set()


@pytest.mark.parametrize(("field", "value"), sorted(RECORDED.items()))
def test_profile_follows_the_recordings_in_1_20(field, value):
    assert getattr(resolve("1.20"), field) == value


def test_probe_grace_is_known_but_off_when_it_is_beta_in_1_24():
    assert resolve("1.24", {"ProbeTerminationGracePeriod": True}).probe_grace
    assert not resolve("1.24").probe_grace


@pytest.mark.parametrize("minor", ["1.36", "1.37"])
def test_crash_backoff_goes_from_10_to_300_seconds_by_default(minor):
    profile = resolve(minor)
    assert (profile.crash_backoff_initial_ms, profile.crash_backoff_max_ms) == (10_000, 300_000)


def test_crash_backoff_goes_from_1_to_60_seconds_when_only_the_reduced_gate_is_on():
    profile = resolve("1.34", {"ReduceDefaultCrashLoopBackOffDecay": True})
    assert (profile.crash_backoff_initial_ms, profile.crash_backoff_max_ms) == (1_000, 60_000)


@pytest.mark.parametrize("minor", ["1.33", "1.35"])
def test_crash_backoff_goes_from_1_to_300_seconds_when_both_gates_are_on(minor):
    profile = resolve(minor, {"ReduceDefaultCrashLoopBackOffDecay": True, "KubeletCrashLoopBackOffMax": True})
    assert (profile.crash_backoff_initial_ms, profile.crash_backoff_max_ms) == (1_000, 300_000)


def test_condition_is_named_pod_has_network_when_its_gate_is_on():
    assert resolve("1.26", {"PodHasNetworkCondition": True}).ready_to_start_condition == "PodHasNetwork"


def test_condition_is_absent_when_its_gate_is_off():
    assert resolve("1.30", {"PodReadyToStartContainersCondition": False}).ready_to_start_condition == ""


def test_status_is_not_kept_over_a_kubelet_restart_when_the_old_way_is_asked_for():
    assert not resolve("1.36", {"ChangeContainerStatusOnKubeletRestart": True}).keep_status_on_kubelet_restart


def test_user_namespaces_are_switched_by_their_first_gate_when_it_is_1_25():
    assert resolve("1.25", {"UserNamespacesStatelessPodsSupport": True}).user_namespaces


def test_1_37_means_what_1_36_means_but_for_updates_of_stateful_sets():
    assert [each.field for each in diff(resolve("1.36"), resolve("1.37"))] == [
        "stateful_set_max_unavailable",
        "stateful_set_parallel_replaces_broken",
        "stateful_set_completes_on_delete",
    ]


def test_taint_text_makes_the_message_of_its_version():
    texts = [resolve(minor).taint_text.format(taint="dedicated: node2") for minor in ("1.20", "1.30", "1.35")]
    assert texts == [
        "node(s) had taint {dedicated: node2}, that the pod didn't tolerate",
        "node(s) had untolerated taint {dedicated: node2}",
        "node(s) had untolerated taint(s)",
    ]


def test_times_are_whole_and_never_negative():
    values = [getattr(resolve(minor), field) for minor in MINORS for field in FIELDS]
    assert all(not isinstance(value, float) and (isinstance(value, str) or value >= 0) for value in values)
