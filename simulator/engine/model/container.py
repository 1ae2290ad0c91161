"""A container of a pod spec (app, init and ephemeral alike). Source: Kubernetes v1 API reference.

Only fields that the engine reads are typed; the rest stays in the stored document. ``gc=False``
keeps these trees, of which a large run has hundreds of thousands, out of Python's cycle collector;
nothing in them can point back.
"""

from typing import Any

from msgspec import Struct, field

from simulator.engine.kernel.typed import Typed
from simulator.engine.model.probe import Lifecycle, Probe

Quantities = dict[str, str | int | float]


class KeySelector(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A key of a ConfigMap or Secret."""

    name: str = ""
    key: str = ""
    optional: bool = False


class FieldSelector(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A field of the pod itself (Downward API)."""

    field_path: str
    api_version: str = "v1"


class ResourceSelector(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A resource of a container (Downward API)."""

    resource: str
    container_name: str = ""
    divisor: str | int | float = "0"


RESOURCE_SELECTOR: Typed[ResourceSelector] = Typed(ResourceSelector)


class FileKeySelector(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A key of an environment file in a volume."""

    volume_name: str
    path: str
    key: str
    optional: bool = False


class EnvVarSource(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """Where a variable's value comes from; exactly one field is set."""

    config_map_key_ref: KeySelector | None = None
    secret_key_ref: KeySelector | None = None
    field_ref: FieldSelector | None = None
    resource_field_ref: ResourceSelector | None = None
    file_key_ref: FileKeySelector | None = None


class EnvVar(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """An environment variable."""

    name: str
    value: str = ""
    value_from: EnvVarSource | None = None


class EnvFromObject(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A whole ConfigMap or Secret taken as variables."""

    name: str = ""
    optional: bool = False


class EnvFrom(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """Variables taken from an object, with a prefix."""

    prefix: str = ""
    config_map_ref: EnvFromObject | None = None
    secret_ref: EnvFromObject | None = None


class ContainerPort(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A port a container declares."""

    container_port: int
    name: str = ""
    protocol: str = "TCP"
    host_port: int = 0
    host_ip: str = field(name="hostIP", default="")


class ResourceRequirements(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """Requests and limits, as quantities."""

    requests: Quantities = {}
    limits: Quantities = {}


class VolumeMount(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """Where a volume appears in the container."""

    name: str
    mount_path: str
    sub_path: str = ""
    sub_path_expr: str = ""
    read_only: bool = False


class WindowsOptions(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """The Windows options of a security context. ``host_process``: the container is a process of the node itself."""

    host_process: bool | None = None
    run_as_user_name: str | None = None


class ContainerSecurityContext(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """The fields of a container's security context that have an effect."""

    run_as_user: int | None = None
    run_as_group: int | None = None
    run_as_non_root: bool | None = None
    read_only_root_filesystem: bool | None = None
    windows_options: WindowsOptions | None = None


class RestartRuleExitCodes(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """The exit codes that a restart rule refers to."""

    operator: str
    values: tuple[int, ...] = ()


class RestartRule(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """One container restart rule."""

    action: str
    exit_codes: RestartRuleExitCodes | None = None


class ResizePolicy(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """Whether a resize of a resource restarts the container."""

    resource_name: str
    restart_policy: str = "NotRequired"


class Container(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A container as written in the manifest."""

    name: str = ""
    image: str = ""
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    working_dir: str = ""
    env: tuple[EnvVar, ...] = ()
    env_from: tuple[EnvFrom, ...] = ()
    ports: tuple[ContainerPort, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    resize_policy: tuple[ResizePolicy, ...] = ()
    volume_mounts: tuple[VolumeMount, ...] = ()
    liveness_probe: Probe | None = None
    readiness_probe: Probe | None = None
    startup_probe: Probe | None = None
    lifecycle: Lifecycle | None = None
    image_pull_policy: str = ""
    termination_message_path: str = ""
    termination_message_policy: str = ""
    security_context: ContainerSecurityContext | None = None
    # On an init container ``Always`` makes a sidecar (1.28); the others use the pod's.
    restart_policy: str | None = None
    restart_policy_rules: tuple[RestartRule, ...] = ()
    target_container_name: str = ""
    stdin: bool = False
    tty: bool = False
    volume_devices: tuple[dict[str, Any], ...] = ()
