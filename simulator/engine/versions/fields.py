"""The Profile: what a Kubernetes version means, as values that the engine reads.

A field says what happens, never since when: versions and sources are in ``engine/data/*.toml``, one row per field, and
``about(field)`` returns that row with its note. Text fields with ``{placeholders}`` are templates for ``str.format``.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from simulator.engine.kernel.units import Ms

PhaseAlgorithm: TypeAlias = Literal["1.3", "1.20", "newest"]
"""How container states become a phase. No version selects ``1.3``; a lesson may set it in a profile."""


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that depends on the Kubernetes version and its feature gates. ``_permille`` are parts per thousand.

    ``minor`` is for display only: code asks for a meaning, never for a number.
    """

    minor: str
    gates_on: tuple[str, ...]

    # Phase and status of the pod
    phase_algorithm: PhaseAlgorithm
    terminal_phase_on_delete: bool
    terminal_phase_waits_for_containers: bool
    pod_reason_kept: bool
    deadline_replaces_status: bool
    pod_failed_reason: bool
    containers_ready_condition: bool
    ready_to_start_condition: Literal["", "PodHasNetwork", "PodReadyToStartContainers"]
    observed_generation: bool
    pod_generation: bool
    scheduling_gated: bool
    disruption_target: bool
    job_pod_replacement: bool
    out_of_service_taint: bool
    budget_condition: bool
    budget_skips_unmanaged: bool
    budget_tells_unmanaged: bool
    stale_disruption_cleared: bool
    budget_spares_unready: bool
    budget_retry_s: int
    unhealthy_eviction_policy: bool
    resize_status: Literal["none", "field", "conditions"]

    # Status of containers
    lost_container_status: Literal["when_deleted", "always"]
    lost_container_counts_restart: bool
    keep_status_on_kubelet_restart: bool
    post_start_reason: Literal["with_error", "plain"]

    # Which containers run
    sidecar_containers: bool
    container_restart_rules: bool
    restart_all_containers: bool
    init_skipped_while_app_runs: bool
    sandbox_kept_when: Literal["init_done", "app_created"]
    in_place_resize: bool
    pod_level_resources: bool
    user_namespaces: bool
    relaxed_env_names: bool
    env_file_quotes: bool
    oom_kills_whole_container: bool
    oom_fails_init_container: bool
    oom_fails_init_phase: bool
    ephemeral_containers: bool
    memory_qos: bool
    memory_high_of: Literal["limit", "span"]
    memory_throttling_permille: int

    # The kubelet's sync loop
    pod_worker_states: bool
    sync_frequency_ms: Ms
    sync_jitter_permille: int
    sync_cost_ms: Ms
    error_requeue_ms: Ms
    error_jitter_permille: int
    network_not_ready_requeue_ms: Ms
    requeue_at_backoff_expiry: bool
    backoff_requeue_max_ms: Ms
    sync_tick_ms: Ms
    housekeeping_ms: Ms
    status_batch_ms: Ms
    relist_ms: Ms
    relist_unhealthy_ms: Ms
    on_demand_relist: bool
    runtime_check_ms: Ms
    runtime_down_after_ms: Ms
    runtime_reconnect_ms: Ms
    runtime_reconnect_max_ms: Ms
    runtime_reconnect_factor_permille: int
    runtime_reconnect_stretch_permille: int
    loop_sleep_initial_ms: Ms
    loop_sleep_max_ms: Ms
    volume_poll_ms: Ms
    volume_wait_ms: Ms
    volume_first_try_ms: Ms
    volume_timeout_event: bool
    volume_timeout_text: str
    token_volume_prefix: str
    volume_retry_initial_ms: Ms
    volume_retry_max_ms: Ms
    volume_refresh_ms: Ms
    orphan_volume_poll_ms: Ms
    static_source_ms: Ms
    container_gc_ms: Ms
    dead_containers_kept: int
    image_gc_ms: Ms
    image_gc_high_permille: int
    image_gc_low_permille: int
    image_gc_min_age_ms: Ms

    # Back-off
    crash_backoff_initial_ms: Ms
    crash_backoff_max_ms: Ms
    crash_backoff_reset_ms: Ms
    image_backoff_initial_ms: Ms
    image_backoff_max_ms: Ms
    registry_qps: int
    registry_burst: int

    # Probes
    probe_grace: bool
    exec_probe_timeout: bool
    probe_tries: int
    probe_first_always_random: bool
    probes_begin_with_sync: bool
    readiness_poke: bool
    readiness_poke_restarts_period: bool
    liveness_stops_on_termination: bool
    startup_result_syncs: bool
    startup_success_holds: bool
    sidecar_start_counts_as_success: bool

    # Hooks and termination
    http_hook_honours_scheme: bool
    container_stop_signals: bool
    grace_min_s: int
    grace_override_before_hook: bool
    min_stop_ms: Ms
    orphan_grace_s: int
    kubelet_restart_margin_ms: Ms
    kill_pod_timeout_min_ms: Ms
    kill_pod_timeout_permille: int
    negative_grace_becomes_one: bool
    zero_grace_is_unset: bool
    sandbox_awaits_collection: bool
    collection_delete_shares_grace: bool
    termination_message_bytes: int
    termination_messages_pod_bytes: int
    termination_log_bytes: int
    termination_log_lines: int

    # Node: heartbeat, pressure, shutdown
    node_declares_features: bool
    node_status_ms: Ms
    node_status_report_ms: Ms
    node_lease_ms: Ms
    node_lease_renew_ms: Ms
    node_monitor_ms: Ms
    node_monitor_grace_ms: Ms
    node_startup_grace_ms: Ms
    node_taint_ms: Ms
    node_taint_every_ms: Ms
    unhealthy_zone_permille: int
    eviction_loop_ms: Ms
    volume_measure_ms: Ms
    layer_measure_ms: Ms
    docker_layer_measure_ms: Ms
    docker_layer_shown_ms: Ms
    eviction_pressure_transition_ms: Ms
    eviction_cleanup_poll_ms: Ms
    eviction_cleanup_wait_ms: Ms
    eviction_memory_available_bytes: int
    eviction_memory_windows_bytes: int
    eviction_nodefs_available_permille: int
    eviction_nodefs_inodes_permille: int
    eviction_imagefs_available_permille: int
    eviction_imagefs_inodes_permille: int
    event_give_up_ms: Ms
    eviction_hard_grace_s: int
    eviction_soft_grace_max_s: int
    eviction_soft_grace: Literal["configured", "capped"]
    graceful_node_shutdown: bool
    graceful_node_shutdown_by_priority: bool
    graceful_node_shutdown_windows: bool
    shutdown_grace_ms: Ms
    shutdown_critical_grace_ms: Ms
    shutdown_reason: Literal["Shutdown", "Terminated"]
    critical_priority: int

    # Scheduler and controllers
    scheduler_backoff_initial_ms: Ms
    scheduler_backoff_max_ms: Ms
    scheduler_backoff_check_ms: Ms
    scheduler_flush_ms: Ms
    scheduler_flush_check_ms: Ms
    scheduler_pops_backoff_early: bool
    scheduler_wakes: Literal["all", "plugins", "hints"]
    score_weight_taint_toleration: int
    score_weight_node_affinity: int
    score_weight_inter_pod_affinity: int
    score_weight_topology_spread: int
    balance_skips_best_effort: bool
    prefilter_narrows: bool
    preemption_awaits_own_victims: bool
    preemption_sorts_victims: bool
    prefers_nominated_node: bool
    volume_zone_knows_new_labels: bool
    old_drivers_are_csi: bool
    nominated_node_cleared: bool
    pod_gc_ms: Ms
    pod_gc_quarantine_ms: Ms
    pod_gc_deleted_node_late_ms: Ms
    pod_gc_unknown_node_late_ms: Ms
    pod_gc_threshold: int
    pod_gc_marks_failed: bool
    pod_gc_evicted_first: bool
    namespace_delete_delay_ms: Ms
    finalizer_estimate_s: int
    disrupted_pod_timeout_ms: Ms
    drain_retry_ms: Ms
    job_backoff: Literal["by_rounds", "by_queue", "by_end"]
    job_batch_ms: Ms
    job_retry_initial_ms: Ms
    job_retry_max_ms: Ms
    job_tracking_finalizers: bool
    job_ready_pods: bool
    job_policy_holds_replacements: bool
    job_deletes_beyond_completions: bool
    job_terminal_delayed: bool
    job_success_reason: bool
    ttl_after_finished: bool
    hpa_sync_ms: Ms
    hpa_tolerance_permille: int
    hpa_cpu_initialization_ms: Ms
    hpa_initial_readiness_ms: Ms
    hpa_stabilization_ms: Ms
    hpa_memory_ms: Ms
    metrics_resolution_ms: Ms
    hpa_wraps_errors: bool
    cron_job_queue: bool
    cron_job_annotation: bool
    cron_job_tells_of_zone: bool
    cron_job_success_time: bool
    cron_job_poll_ms: Ms
    cron_job_delta_ms: Ms
    cron_job_saw_text: str
    pod_index_label: bool
    job_backoff_initial_ms: Ms
    job_backoff_max_ms: Ms
    volume_binder_ms: Ms
    volume_resync_ms: Ms
    volume_provision_ms: Ms
    provisioner_annotation: bool
    external_provisioning_text: str
    daemon_set_backoff_initial_ms: Ms
    daemon_set_backoff_max_ms: Ms
    separate_taint_eviction: bool

    # Events
    event_qps: int
    event_burst: int
    events_overtake_permille: int
    event_spam_burst: int
    event_spam_refill_ms: Ms
    pod_deletion_cost: bool
    logarithmic_scale_down: bool
    terminating_replicas: bool
    stateful_set_max_unavailable: bool
    stateful_set_parallel_replaces_broken: bool
    stateful_set_recreates_at_once: bool
    stateful_set_replaces_succeeded: bool
    stateful_set_available_replicas: bool
    stateful_set_completes_on_delete: bool
    claim_owner_controls: bool
    daemon_set_passes_ended_pods: bool
    daemon_set_deletes_succeeded: bool
    daemon_set_counts_old_unavailable: bool
    daemon_set_surges_where_it_runs: bool
    revision_keeps_creation_time: bool
    retry_first_ms: Ms
    retry_max_ms: Ms
    controller_qps: int
    controller_burst: int
    endpoint_sync_ms: Ms
    endpoint_sync_pod_us: int
    proxy_sync_ms: Ms
    proxy_spread_ms: Ms
    proxy_min_sync_ms: Ms
    proxy_burst: int
    endpoints_over_capacity: str
    endpoints_managed_by: bool
    generated_name_tries: int
    event_aggregate_count: int
    event_aggregate_window_ms: Ms
    event_series_ms: Ms
    event_reporting_fields: bool
    event_ttl_ms: Ms

    # Texts
    rejected_prefix: str
    present_text: str
    pulled_text: Literal["plain", "waiting", "waiting_size"]
    created_text: str
    scaled_text: str
    scaled_new_text: str
    started_text: str
    backoff_event_text: Literal["short", "named"]
    image_backoff_message: Literal["plain", "with_error"]
    image_name_error_text: str
    hook_event_text: Literal["full", "short"]
    hook_error_text: Literal["with_message", "plain"]
    hook_dial_error: str
    probe_errored_text: str
    probe_timeout_output: str
    probe_redirect_text: str
    eviction_text: Literal["short", "threshold"]
    node_affinity_text: str
    claim_for_one_pod_text: str
    mirror_reference_text: str
    taint_text: str
    pod_affinity_text: str
    left_out_text: str
    shutdown_message: str
    network_not_ready_text: str
    drain_bare_text: str
    drain_wait_text: str
    budget_refusal_text: Literal["plain", "by_condition"]
    preempted_reason: str
    preempted_condition_text: str
    preempted_text: str
    preemption_in_failed_scheduling: bool
    prefilter_counts_nodes: bool
    proxy_terminating_endpoints: bool
    endpoint_terminating: bool
    deleted_pod_scheduling_event: bool
    status_update_wakes_scheduler: bool
    pod_update_ends_backoff: bool
    pod_os_field: bool
    windows_machine: str
    oversized_request_unresolvable: bool
    resize_events: bool
    memory_limit_may_shrink: bool
    resize_checked_at_admission: bool
    restarts_ago: bool
    ready_counts_sidecars: bool
    finished_hides_terminating: bool

    # Latencies we assume: Kubernetes does not define them; they come from recordings of a real node
    api_to_scheduler_ms: Ms
    watch_ms: Ms
    relist_cost_ms: Ms
    sandbox_ms: Ms
    sandbox_stop_ms: Ms
    container_start_ms: Ms
    exec_ms: Ms
    network_probe_ms: Ms
    hook_dial_timeout_ms: Ms
    volume_unmount_ms: Ms
    reclaim_ms: Ms
    cgroup_removal_ms: Ms
    failed_pull_ms: Ms
    present_pull_ms: Ms
    unlisted_pull_ms: Ms
    kubelet_startup_ms: Ms

    def has_gate(self, name: str) -> bool:
        """Whether the feature gate ``name`` is on; False for a gate this version does not know. O(gates)."""
        return name in self.gates_on
