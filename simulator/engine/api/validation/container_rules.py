"""Rules for a container apart from probes, hooks and resources."""

from collections.abc import Iterator

from simulator.engine.api.validation.errors import FieldError, duplicate, forbidden, invalid, not_found, not_supported, required
from simulator.engine.api.validation.names import (
    config_key_problems,
    env_name_problems,
    label_problems,
    old_env_name_problems,
    port_name_problems,
)
from simulator.engine.api.validation.registry import CONTAINER, Context, Fields, Place, fields, items, number, rule, text

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
PROTOCOLS = ("SCTP", "TCP", "UDP")
PORT_MAX = 65535
PORT_RANGE = f"must be between 1 and {PORT_MAX}, inclusive"
SOME_LETTER = "must contain at least one letter (a-z)"
SOME_LETTER_BEFORE = "must contain at least one letter or number (a-z, 0-9)"
_PLAIN_INIT_BANS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
_ENV_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef")


@rule("CONTAINER-NAME", CONTAINER)
def name(place: Place, context: Context) -> Iterator[FieldError]:
    """A container's name is a DNS label, unique among all containers of the pod."""
    field = f"{place.path}.name"
    value = text(place.value, "name")
    if not value:
        yield required(field)
        return
    yield from (invalid(field, value, problem) for problem in label_problems(value))
    if place.path in context.repeated:
        yield duplicate(field, value)


@rule("IMAGE-REQUIRED", CONTAINER)
def image_required(place: Place, context: Context) -> Iterator[FieldError]:
    """A container names its image."""
    if not text(place.value, "image"):
        yield required(f"{place.path}.image")


@rule("IMAGE-BLANKS", CONTAINER)
def image_blanks(place: Place, context: Context) -> Iterator[FieldError]:
    """The image has no blanks around it."""
    image = text(place.value, "image")
    if image != image.strip():
        yield invalid(f"{place.path}.image", image, "must not have leading or trailing whitespace")


@rule("INIT-BANS", CONTAINER, since=29)
def plain_init(place: Place, context: Context) -> Iterator[FieldError]:
    """A container that runs to its end has no probes and no hooks."""
    if place.is_plain_init:
        for key in _PLAIN_INIT_BANS:
            if place.value.get(key) is not None:
                yield forbidden(f"{place.path}.{key}", "may not be set for init containers without restartPolicy=Always")


@rule("INIT-BANS-1.28", CONTAINER, until=28)
def plain_init_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same, before there were sidecars; a readiness probe was answered like the others."""
    if place.group == "initContainers":
        for key in _PLAIN_INIT_BANS:
            if place.value.get(key) is not None:
                yield invalid(f"{place.path}.{key}", place.value[key], "must not be set for init containers")


@rule("INIT-RESTART-POLICY", CONTAINER, until=34)
def init_restart_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """The only restart policy an init container may have is Always."""
    policy = place.value.get("restartPolicy")
    if place.group == "initContainers" and policy not in (None, "Always"):
        yield not_supported(f"{place.path}.restartPolicy", policy, ("Always",))


@rule("CONTAINER-RESTART-POLICY", CONTAINER, until=34)
def app_restart_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """Ordinary containers have no restart policy of their own."""
    if place.group == "containers" and place.value.get("restartPolicy") is not None:
        yield forbidden(f"{place.path}.restartPolicy", "may not be set for non-init containers")


@rule("TERMINATION-MESSAGE-POLICY", CONTAINER)
def termination_message_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """The message comes from the file, or from the log when the file is empty."""
    policy = text(place.value, "terminationMessagePolicy")
    if policy not in ("", "File", "FallbackToLogsOnError"):
        yield invalid(f"{place.path}.terminationMessagePolicy", policy, "must be 'File' or 'FallbackToLogsOnError'")


def _ports(place: Place) -> Iterator[tuple[str, Fields]]:
    for index, port in items(place.value, "ports"):
        yield f"{place.path}.ports[{index}]", port


def _port_names(place: Place, letters: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for path, port in _ports(place):
        value = text(port, "name")
        problems = port_name_problems(value, letters=letters) if value else []
        yield from (invalid(f"{path}.name", value, problem) for problem in problems)
        if value and not problems and value in seen:
            yield duplicate(f"{path}.name", value)
        seen.add(value)


@rule("PORT-NAMES", CONTAINER, since=21)
def port_names(place: Place, context: Context) -> Iterator[FieldError]:
    """Port names are short, with a letter, unique in the container."""
    return _port_names(place, SOME_LETTER)


@rule("PORT-NAMES-1.20", CONTAINER, until=20)
def port_names_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    return _port_names(place, SOME_LETTER_BEFORE)


@rule("PORT-NUMBERS", CONTAINER)
def port_numbers(place: Place, context: Context) -> Iterator[FieldError]:
    """Port numbers have 16 bits; a container port must be given."""
    for path, port in _ports(place):
        if not (value := number(port, "containerPort")):
            yield required(f"{path}.containerPort")
        elif not 1 <= value <= PORT_MAX:
            yield invalid(f"{path}.containerPort", value, PORT_RANGE)
        if (host_port := number(port, "hostPort")) and not 1 <= host_port <= PORT_MAX:
            yield invalid(f"{path}.hostPort", host_port, PORT_RANGE)


@rule("PORT-PROTOCOL", CONTAINER)
def port_protocol(place: Place, context: Context) -> Iterator[FieldError]:
    """A port's protocol is TCP, UDP or SCTP."""
    for path, port in _ports(place):
        if (protocol := text(port, "protocol")) and protocol not in PROTOCOLS:
            yield not_supported(f"{path}.protocol", protocol, PROTOCOLS)


def _env(place: Place) -> Iterator[tuple[str, Fields]]:
    for index, variable in items(place.value, "env"):
        yield f"{place.path}.env[{index}]", variable


@rule("ENV-NAME-REQUIRED", CONTAINER)
def env_name_required(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable has a name."""
    yield from (required(f"{path}.name") for path, variable in _env(place) if not text(variable, "name"))


@rule("ENV-NAME", CONTAINER, since=32)
def env_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable's name is printable ASCII without an equals sign."""
    for path, variable in _env(place):
        if value := text(variable, "name"):
            yield from (invalid(f"{path}.name", value, problem) for problem in env_name_problems(value))


@rule("ENV-NAME-1.31", CONTAINER, until=31)
def env_name_before(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable's name looks like an identifier with dots and hyphens."""
    for path, variable in _env(place):
        if value := text(variable, "name"):
            yield from (invalid(f"{path}.name", value, problem) for problem in old_env_name_problems(value))


@rule("ENV-SOURCE", CONTAINER)
def env_source(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable has a value or one source, which names its key."""
    for path, variable in _env(place):
        source = variable.get("valueFrom")
        if not isinstance(source, dict):
            continue
        given = [key for key, value in source.items() if value is not None]
        if not given:
            yield invalid(
                f"{path}.valueFrom", "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
            )
        elif text(variable, "value"):
            yield invalid(f"{path}.valueFrom", "", "may not be specified when `value` is not empty")
        elif len(given) > 1:
            yield invalid(f"{path}.valueFrom", "", "may not have more than one field specified at a time")
        yield from _env_keys(f"{path}.valueFrom", source)


def _env_keys(path: str, source: Fields) -> Iterator[FieldError]:
    for kind in ("configMapKeyRef", "secretKeyRef"):
        if not isinstance(source.get(kind), dict):
            continue
        field = f"{path}.{kind}.key"
        if key := text(fields(source, kind), "key"):
            yield from (invalid(field, key, problem) for problem in config_key_problems(key))
        else:
            yield required(field)


@rule("ENV-FROM", CONTAINER)
def env_from(place: Place, context: Context) -> Iterator[FieldError]:
    """Variables are taken from one ConfigMap or one Secret."""
    for _, source in items(place.value, "envFrom"):
        given = [key for key in ("configMapRef", "secretRef") if source.get(key) is not None]
        if not given:
            yield invalid(f"{place.path}.envFrom", "", "must specify one of: `configMapRef` or `secretRef`")
        elif len(given) > 1:
            yield invalid(f"{place.path}.envFrom", "", "may not have more than one field specified at a time")


@rule("MOUNTS", CONTAINER)
def mounts(place: Place, context: Context) -> Iterator[FieldError]:
    """A mount names a volume of the pod and a path of its own."""
    seen: set[str] = set()
    for index, mount in items(place.value, "volumeMounts"):
        path = f"{place.path}.volumeMounts[{index}]"
        volume, target = text(mount, "name"), text(mount, "mountPath")
        if not volume:
            yield required(f"{path}.name")
        elif volume not in context.volume_names:
            yield not_found(f"{path}.name", volume)
        if not target:
            yield required(f"{path}.mountPath")
        elif target in seen:
            yield invalid(f"{path}.mountPath", target, "must be unique")
        seen.add(target)


@rule("MOUNT-SUBPATH", CONTAINER)
def mount_subpath(place: Place, context: Context) -> Iterator[FieldError]:
    """A subPath stays inside its volume."""
    for index, mount in items(place.value, "volumeMounts"):
        path = f"{place.path}.volumeMounts[{index}].subPath"
        value = text(mount, "subPath")
        if value.startswith("/"):
            yield invalid(path, value, "must be a relative path")
        elif ".." in value.split("/"):
            yield invalid(path, value, "must not contain '..'")


@rule("PULL-POLICY", CONTAINER)
def pull_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """imagePullPolicy is Always, IfNotPresent or Never."""
    policy = text(place.value, "imagePullPolicy")
    if policy and policy not in PULL_POLICIES:
        yield not_supported(f"{place.path}.imagePullPolicy", policy, PULL_POLICIES)


@rule("PRIVILEGE-ESCALATION", CONTAINER)
def privilege_escalation(place: Place, context: Context) -> Iterator[FieldError]:
    """A privileged container cannot be kept from gaining privileges."""
    security = fields(place.value, "securityContext")
    if security.get("allowPrivilegeEscalation") is False and security.get("privileged") is True:
        detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        yield invalid(f"{place.path}.securityContext", security, detail)
