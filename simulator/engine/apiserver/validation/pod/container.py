"""Rules for a container apart from variables, mounts, probes, resources and security."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, duplicate, forbidden, invalid, not_found_value, not_supported, required
from simulator.engine.apiserver.validation.names import label_problems, port_name_problems
from simulator.engine.apiserver.validation.pod_rules import (
    CONTAINER,
    CONTAINERS,
    EPHEMERAL,
    EPHEMERAL_IMAGE,
    EPHEMERAL_NAME,
    EPHEMERAL_TARGET,
    IMAGE,
    PORT,
    PULL,
    RESIZE,
    RUN_TO_END,
    SIBLING,
    TERMINATION,
    WHOLE,
    Context,
    Place,
    containers,
    items,
    number,
    rule,
    text,
)
from simulator.engine.apiserver.validation.printed import structure

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
PROTOCOLS = ("SCTP", "TCP", "UDP")
MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
PORT_MAX = 65535
PORT_RANGE = f"must be between 1 and {PORT_MAX}, inclusive"
SOME_LETTER = "must contain at least one letter (a-z)"
SOME_LETTER_BEFORE = "must contain at least one letter or number (a-z, 0-9)"
BLANKS = "must not have leading or trailing whitespace"
RESIZE_RESOURCES = ("cpu", "memory")
RESIZE_POLICIES = ("NotRequired", "RestartContainer")
_RUN_TO_END_BANS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
_EPHEMERAL_BANS = (
    *("ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules"),
    *("livenessProbe", "readinessProbe", "startupProbe", "lifecycle"),
)
_EPHEMERAL_SECURITY = ("securityContext", "volumeDevices")


@rule("CONTAINERS-REQUIRED", CONTAINERS)
def containers_required(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod has at least one container."""
    if not context.spec.get("containers"):
        yield required("spec.containers")


@rule("CONTAINER-NAME", CONTAINER)
def name(place: Place, context: Context) -> Iterator[FieldError]:
    """A container's name is a DNS label."""
    field, value = f"{place.path}.name", text(place.value, "name")
    if not value:
        yield required(field)
    else:
        yield from (invalid(field, value, problem) for problem in label_problems(value))


@rule("CONTAINER-NAME-UNIQUE", SIBLING)
def name_unique(place: Place, context: Context) -> Iterator[FieldError]:
    """No two containers share a name; each list is compared with those before it."""
    value = text(place.value, "name")
    # App containers without a name are duplicates of each other; others are not compared.
    if not value and place.group != "containers":
        return
    if place.is_repeated("name", value):
        yield duplicate(f"{place.path}.name", value)


@rule("IMAGE-REQUIRED", IMAGE)
def image_required(place: Place, context: Context) -> Iterator[FieldError]:
    """A container has an image."""
    if not text(place.value, "image"):
        yield required(f"{place.path}.image")


def _image_blanks(place: Place) -> Iterator[FieldError]:
    image = text(place.value, "image")
    if image != image.strip():
        yield invalid(f"{place.path}.image", image, BLANKS)


@rule("IMAGE-BLANKS", WHOLE, pods_only=True)
def image_blanks(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod's images have no blanks around them."""
    for container in containers(context.spec):
        if container.group != "ephemeralContainers":
            yield from _image_blanks(container)


@rule("EPHEMERAL-IMAGE-BLANKS", EPHEMERAL_IMAGE, pods_only=True)
def ephemeral_image_blanks(place: Place, context: Context) -> Iterator[FieldError]:
    """An ephemeral container's image has no blanks around it."""
    return _image_blanks(place)


@rule("TERMINATION-MESSAGE-POLICY", TERMINATION, since=26)
def termination_message_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """The message comes from the file, or from the log when the file is empty."""
    policy = text(place.value, "terminationMessagePolicy")
    if policy not in ("", *MESSAGE_POLICIES):
        yield not_supported(f"{place.path}.terminationMessagePolicy", policy, MESSAGE_POLICIES)


@rule("TERMINATION-MESSAGE-POLICY-1.25", TERMINATION, until=25)
def termination_message_policy_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    policy = text(place.value, "terminationMessagePolicy")
    if policy not in ("", *MESSAGE_POLICIES):
        yield invalid(f"{place.path}.terminationMessagePolicy", policy, "must be 'File' or 'FallbackToLogsOnError'")


@rule("TERMINATION-MESSAGE-POLICY-REQUIRED", TERMINATION, defaulted=True)
def termination_message_policy_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The policy has been filled in."""
    if not text(place.value, "terminationMessagePolicy"):
        yield required(f"{place.path}.terminationMessagePolicy")


def _port_name(place: Place, letters: str) -> Iterator[FieldError]:
    value = text(place.value, "name")
    problems = port_name_problems(value, letters=letters) if value else []
    yield from (invalid(f"{place.path}.name", value, problem) for problem in problems)
    if value and not problems and place.is_repeated("name", value):
        yield duplicate(f"{place.path}.name", value)


@rule("PORT-NAME", PORT, since=21)
def port_name(place: Place, context: Context) -> Iterator[FieldError]:
    """Port names are short, with a letter, unique in the container."""
    return _port_name(place, SOME_LETTER)


@rule("PORT-NAME-1.20", PORT, until=20)
def port_name_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    return _port_name(place, SOME_LETTER_BEFORE)


@rule("PORT-NUMBER", PORT)
def port_number(place: Place, context: Context) -> Iterator[FieldError]:
    """A container port is set and has 16 bits."""
    value = number(place.value, "containerPort")
    if not value:
        yield required(f"{place.path}.containerPort")
    elif not 1 <= value <= PORT_MAX:
        yield invalid(f"{place.path}.containerPort", value, PORT_RANGE)


@rule("HOST-PORT-NUMBER", PORT)
def host_port_number(place: Place, context: Context) -> Iterator[FieldError]:
    """A host port has 16 bits."""
    # Zero means unset.
    value = number(place.value, "hostPort")
    if value and not 1 <= value <= PORT_MAX:
        yield invalid(f"{place.path}.hostPort", value, PORT_RANGE)


@rule("PORT-PROTOCOL", PORT)
def port_protocol(place: Place, context: Context) -> Iterator[FieldError]:
    """A port's protocol is TCP, UDP or SCTP."""
    protocol = text(place.value, "protocol")
    if protocol and protocol not in PROTOCOLS:
        yield not_supported(f"{place.path}.protocol", protocol, PROTOCOLS)


@rule("PORT-PROTOCOL-REQUIRED", PORT, defaulted=True)
def port_protocol_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The protocol has been filled in."""
    if not text(place.value, "protocol"):
        yield required(f"{place.path}.protocol")


@rule("PULL-POLICY", PULL)
def pull_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """imagePullPolicy is Always, IfNotPresent or Never."""
    policy = text(place.value, "imagePullPolicy")
    if policy and policy not in PULL_POLICIES:
        yield not_supported(f"{place.path}.imagePullPolicy", policy, PULL_POLICIES)


@rule("PULL-POLICY-REQUIRED", PULL, defaulted=True)
def pull_policy_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The pull policy has been filled in."""
    if not text(place.value, "imagePullPolicy"):
        yield required(f"{place.path}.imagePullPolicy")


def _bans(place: Place, detail: str) -> Iterator[FieldError]:
    for key in _RUN_TO_END_BANS:
        if place.value.get(key) is not None:
            yield forbidden(f"{place.path}.{key}", detail)


@rule("INIT-BANS", RUN_TO_END, since=29)
def run_to_end_bans(place: Place, context: Context) -> Iterator[FieldError]:
    """A container that runs to its end has no probes and no hooks."""
    return _bans(place, "may not be set for init containers without restartPolicy=Always")


@rule("INIT-BANS-1.28", RUN_TO_END, since=26, until=28)
def run_to_end_bans_before_sidecars(place: Place, context: Context) -> Iterator[FieldError]:
    """The same, before there were sidecars."""
    return _bans(place, "may not be set for init containers")


@rule("INIT-BANS-1.25", RUN_TO_END, until=25)
def run_to_end_bans_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same, reported as an invalid value."""
    for key in _RUN_TO_END_BANS:
        if place.value.get(key) is not None:
            shown = structure("Lifecycle" if key == "lifecycle" else "Probe", place.value[key], context)
            yield invalid(f"{place.path}.{key}", shown, "must not be set for init containers")


@rule("EPHEMERAL-TARGET", EPHEMERAL_TARGET)
def ephemeral_target(place: Place, context: Context) -> Iterator[FieldError]:
    """An ephemeral container targets an ordinary or an init container of the pod."""
    target = text(place.value, "targetContainerName")
    others = (*items(context.spec, "containers"), *items(context.spec, "initContainers"))
    if target and all(text(other, "name") != target for _, other in others):
        yield not_found_value(f"{place.path}.targetContainerName", target)


@rule("EPHEMERAL-NAME-1.25", EPHEMERAL_NAME, until=25)
def ephemeral_name(place: Place, context: Context) -> Iterator[FieldError]:
    """An ephemeral container has a name; without one nothing else is reported."""
    if not text(place.value, "name"):
        # At the item, not at its name: upstream's path.
        yield required(place.path, "ephemeralContainer requires a name")


@rule("EPHEMERAL-FIELDS", EPHEMERAL)
def ephemeral_fields(place: Place, context: Context) -> Iterator[FieldError]:
    """An ephemeral container has no ports, probes, resources and other fields that do not apply to it."""
    for key in (*_EPHEMERAL_BANS, *(_EPHEMERAL_SECURITY if context.release.facts.ephemeral_security_forbidden else ())):
        # resources is a struct in Go: an empty one cannot be distinguished from a missing one.
        if place.value.get(key) not in ((None, [], {}) if key == "resources" else (None, [])):
            yield forbidden(f"{place.path}.{key}", "cannot be set for an Ephemeral Container")


@rule("EPHEMERAL-SUBPATHS", EPHEMERAL, since=23)
def ephemeral_subpaths(place: Place, context: Context) -> Iterator[FieldError]:
    """An ephemeral container mounts whole volumes."""
    for index, mount in items(place.value, "volumeMounts"):
        for key in ("subPath", "subPathExpr"):
            if text(mount, key):
                yield forbidden(f"{place.path}.volumeMounts[{index}].{key}", "cannot be set for an Ephemeral Container")


@rule("RESIZE-POLICY", RESIZE, since_gate="InPlacePodVerticalScaling")
def resize_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """cpu and memory, each at most once, restart the container or not."""
    # Some errors are reported at the list, as upstream drops the index.
    field = place.path[: place.path.rindex("[")]
    resource, restart = text(place.value, "resourceName"), text(place.value, "restartPolicy")
    if place.is_repeated("resource", resource):
        yield duplicate(place.path, resource)
    if not resource:
        yield required(field)
    elif resource not in RESIZE_RESOURCES:
        yield not_supported(field, resource, RESIZE_RESOURCES)
    if not restart:
        yield required(field)
    elif restart not in RESIZE_POLICIES:
        yield not_supported(field, restart, RESIZE_POLICIES)


def _never_restarted(place: Place, context: Context, detail: str) -> Iterator[FieldError]:
    restart = text(place.value, "restartPolicy")
    if text(context.spec, "restartPolicy") == "Never" and restart != "NotRequired":
        yield invalid(place.path[: place.path.rindex("[")], restart, detail)


@rule("RESIZE-POLICY-NEVER", RESIZE, since=35)
def resize_policy_never(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod that never restarts containers does not restart them for a resize either."""
    return _never_restarted(place, context, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")


@rule("RESIZE-POLICY-NEVER-1.34", RESIZE, until=34, since_gate="InPlacePodVerticalScaling")
def resize_policy_never_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    return _never_restarted(place, context, "must be 'NotRequired' when `restartPolicy` is 'Never'")


@rule("RESIZE-POLICY-INIT", RUN_TO_END, since=35, of="resizePolicy")
def resize_policy_init(place: Place, context: Context) -> Iterator[FieldError]:
    """A container that runs to its end is not restarted for a resize."""
    for index, policy in items(place.value, "resizePolicy"):
        if text(policy, "restartPolicy") == "RestartContainer":
            field = f"{place.path}.resizePolicy[{index}].restartPolicy"
            yield invalid(field, "RestartContainer", "must not be set to 'RestartContainer' for non-sidecar initContainers")
