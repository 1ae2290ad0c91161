"""The version-dependent options of the pure rules, computed once per world from its profile.

The pure rules (``policies``, ``machines``) take their few switches as a Struct and never see a profile,
so a conformance case can be run against them alone. The switches, and the releases that flip them, are
listed in data/switches.toml.
"""

from msgspec import Struct

from simulator.engine.kubelet.pods.probes.probe_step import ProbeOptions
from simulator.engine.kubelet.pods.status.condition_rules import ConditionOptions
from simulator.engine.kubelet.pods.status.phase_rules import PhaseRules
from simulator.engine.kubelet.pods.sync.action_types import ActionRules
from simulator.engine.policies.printing import PrintOptions
from simulator.engine.versions import Profile


class Options(Struct, frozen=True, kw_only=True):
    """The options of the pure rules under one profile."""

    phase: PhaseRules
    conditions: ConditionOptions
    printing: PrintOptions
    probes: ProbeOptions
    actions: ActionRules


def options_of(profile: Profile) -> Options:
    """The options that follow from a profile."""
    return Options(
        phase=PhaseRules(
            algorithm=profile.phase_algorithm,
            sidecars=profile.sidecar_containers,
            terminal_phase=profile.terminal_phase_on_delete,
            restart_rules=profile.container_restart_rules,
            oom_fails_init=profile.oom_fails_init_phase,
        ),
        conditions=ConditionOptions(
            sidecars=profile.sidecar_containers,
            pod_failed_reason=profile.pod_failed_reason,
            restart_all=profile.restart_all_containers,
        ),
        printing=PrintOptions(
            restart_age=profile.restarts_ago,
            scheduling_gates=profile.scheduling_gated,
            sidecars=profile.ready_counts_sidecars,
            phase_outlives_deletion=profile.finished_hides_terminating,
        ),
        probes=ProbeOptions(
            stops_on_deletion=profile.liveness_stops_on_termination,
            holds_after_startup=profile.startup_success_holds,
            sidecar_start_succeeds=profile.sidecar_start_counts_as_success,
        ),
        actions=ActionRules(
            sidecars=profile.sidecar_containers,
            restart_rules=profile.container_restart_rules,
            restart_all=profile.restart_all_containers,
            running_app_means_initialized=profile.init_skipped_while_app_runs,
            app_record_means_initialized=profile.sandbox_kept_when == "app_created",
            oom_fails_init=profile.oom_fails_init_container,
        ),
    )
