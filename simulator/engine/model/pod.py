"""A Pod: the typed view of the manifest that the engine works with. The original document stays with the object."""

from typing import Any

from msgspec import Struct, field

from simulator.engine.model.container import Container, Quantities, ResourceRequirements, WindowsOptions
from simulator.engine.model.meta import ObjectMeta


class Toleration(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A tolerated taint; an empty key tolerates every taint."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class ReadinessGate(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A condition that must be True before the pod is Ready."""

    condition_type: str


class SchedulingGate(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A gate that holds the pod back from scheduling."""

    name: str


class PodOS(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """The operating system the pod is for."""

    name: str


class PodSecurityContext(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """The fields of the pod's security context that have an effect."""

    run_as_user: int | None = None
    run_as_group: int | None = None
    run_as_non_root: bool | None = None
    fs_group: int | None = None
    supplemental_groups: tuple[int, ...] = ()
    windows_options: WindowsOptions | None = None


class Volume(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A volume; the sources that the engine models are typed as plain documents."""

    name: str
    empty_dir: dict[str, Any] | None = None
    config_map: dict[str, Any] | None = None
    secret: dict[str, Any] | None = None
    projected: dict[str, Any] | None = None
    downward_api: dict[str, Any] | None = field(name="downwardAPI", default=None)
    persistent_volume_claim: dict[str, Any] | None = None
    host_path: dict[str, Any] | None = None
    image: dict[str, Any] | None = None
    gce_persistent_disk: dict[str, Any] | None = None
    aws_elastic_block_store: dict[str, Any] | None = None
    azure_disk: dict[str, Any] | None = None
    iscsi: dict[str, Any] | None = None
    rbd: dict[str, Any] | None = None


class PodSpec(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """The desired state of the pod."""

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    ephemeral_containers: tuple[Container, ...] = ()
    volumes: tuple[Volume, ...] = ()
    restart_policy: str = "Always"
    termination_grace_period_seconds: int | None = None
    active_deadline_seconds: int | None = None
    node_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: dict[str, Any] | None = None
    topology_spread_constraints: tuple[dict[str, Any], ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    scheduler_name: str = "default-scheduler"
    scheduling_gates: tuple[SchedulingGate, ...] = ()
    readiness_gates: tuple[ReadinessGate, ...] = ()
    host_network: bool = False
    host_ipc: bool = field(name="hostIPC", default=False)
    host_users: bool | None = None
    share_process_namespace: bool = False
    security_context: PodSecurityContext | None = None
    service_account_name: str = ""
    automount_service_account_token: bool | None = None
    hostname: str = ""
    subdomain: str = ""
    hostname_override: str | None = None
    set_hostname_as_fqdn: bool | None = field(name="setHostnameAsFQDN", default=None)
    host_aliases: tuple[dict[str, Any], ...] = ()
    dns_policy: str = ""
    dns_config: dict[str, Any] | None = None
    enable_service_links: bool | None = None
    priority: int | None = None
    priority_class_name: str = ""
    preemption_policy: str = ""
    overhead: Quantities = {}
    resources: ResourceRequirements | None = None
    os: PodOS | None = None


class Pod(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A Pod object without its status, which the engine computes (``model/status.py``)."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
