"""Facts: what documents, responses and printed texts of a Kubernetes version look like, as values that the engine reads.

A ``Profile`` says what happens in a run; a fact says how an object, an error or a line of kubectl is written. Facts follow from the
version alone. If a feature gate decides, ``Release.has`` answers. Versions and sources are in ``engine/data/facts.toml``; a field that
the profile has as well (``memory_limit_may_shrink``) has its row there.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from simulator.engine.kernel.typed import Typed
from simulator.engine.versions.rows import FACT_ROWS, ROWS, VersionRow, value_at


class Facts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Everything about texts and documents that depends on the version alone; notes are in the data."""

    # Stored documents
    bound_tokens: bool
    dockershim: bool
    host_ips: bool
    mounts_in_status: bool
    kube_proxy_version: bool
    template_host_ports: bool
    image_volume_pull_policy: bool
    job_labels_prefixed: bool
    pod_security: bool

    # Decoding and patches
    json_iterator: bool
    malformed_merge_is_internal: bool

    # Validation: what is checked, and in which order
    stateful_set_templates_judged: bool
    ephemeral_security_forbidden: bool
    containers_judged_by_group: bool
    read_write_once_pod: bool
    memory_limit_may_shrink: bool
    new_pod_judged_first: bool
    static_pods_refuse_debug: bool
    scheduling_gates_may_go: bool
    downward_huge_pages: bool
    label_values_in_selectors: bool
    label_values_in_node_affinity: bool
    local_token_paths: bool
    min_domains: bool

    # Validation: its messages
    values_as_json: bool
    diff_starts_with_new: bool
    diff_long_text: int
    pod_update_text: str
    bad_condition_path: str
    no_address_text: str
    ephemeral_claim_text: str
    bytes_at_most: bool
    blanks_in_paths_mended: bool
    volume_types_per_source: bool
    port_names_need_letters: bool

    # What kubectl prints
    self_link: bool
    events_command: bool
    natural_sort: bool
    job_pods_running: bool
    watch_list: bool
    service_account_line: bool
    every_old_replica_set: bool
    spread_constraints: bool
    pod_resources_line: bool
    optional_line: bool
    event_paths: bool
    template_placement: bool
    daemon_set_namespace: bool
    autoscaler_metric_names: bool
    job_mode_line: bool
    job_limit_line: bool
    preemption_policy_line: bool
    binary_data_lines: bool
    internal_policy_line: bool
    endpoint_slice_v1: bool
    endpoints_warning: str
    default_container_annotation: bool
    logs_default_container: bool
    logs_not_found_namespace: bool
    drain_warnings_named: bool
    drain_stops_at_first: bool
    drain_error_set_off: bool
    delete_namespace_shown: bool
    exec_needs_dashes: bool
    service_endpoints: Literal["endpoints", "every_slice", "ready_slices"]
    subresources_of_client: str
    debug_asks_first: bool
    autoscale_by_metrics: bool
    autoscale_of_any_use: bool


FACTS: tuple[str, ...] = Facts.__struct_fields__
"""The names of all facts, in order."""
_FACTS: Typed[Facts] = Typed(Facts)


@lru_cache(maxsize=64)
def facts_of(minor: int) -> Facts:
    """The facts of ``1.<minor>``; for versions outside the known range those of the nearest. Cost: some microseconds, then cached."""
    return _FACTS.from_plain({name: value_at(_row(name), minor) for name in FACTS})


def _row(name: str) -> VersionRow:
    return FACT_ROWS[name] if name in FACT_ROWS else ROWS[name]


def check_facts(facts: Collection[str], rows: Mapping[str, VersionRow], shared: Mapping[str, VersionRow]) -> None:
    """Raise ValueError unless every fact has one row, no row is left over, and none of them depends on a gate."""
    problems = {
        "no fact": rows.keys() - set(facts),
        "without a row": set(facts) - rows.keys() - shared.keys(),
        "both a fact and of the profile": rows.keys() & shared.keys(),
        "gated": {name for name in facts if name in {**rows, **shared} and {**shared, **rows}[name].gated},
    }
    for problem, names in problems.items():
        if names:
            raise ValueError(f"engine/data/facts.toml: {problem}: {sorted(names)}")


check_facts(FACTS, FACT_ROWS, ROWS)
