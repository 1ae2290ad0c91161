"""Rules for user namespaces and for resizing in place (pkg/apis/core/validation)."""

from collections.abc import Iterator

from simulator.engine.api.validation.errors import FieldError, duplicate, forbidden, invalid, not_supported, required
from simulator.engine.api.validation.registry import CONTAINER, SPEC, Context, Place, items, rule, text

RESIZE_RESOURCES = ("cpu", "memory")
RESIZE_POLICIES = ("NotRequired", "RestartContainer")
_HOST_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC")


@rule("HOST-USERS", SPEC, since=33)
def host_users(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod with a user namespace of its own shares no other namespace with the node."""
    if context.spec.get("hostUsers") is not False:
        return
    for key in _HOST_NAMESPACES:
        if context.spec.get(key) is True:
            yield forbidden(f"spec.{key}", "when `hostUsers` is false")


@rule("RESIZE-POLICY", CONTAINER, since=33)
def resize_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """cpu and memory, each once, restart the container or not; a pod that never restarts containers does not do it here either."""
    seen: set[str] = set()
    for index, policy in items(place.value, "resizePolicy"):
        path = f"{place.path}.resizePolicy[{index}]"
        name, restart = text(policy, "resourceName"), text(policy, "restartPolicy")
        if name in seen:
            yield duplicate(place.path + ".resizePolicy", name)
        seen.add(name)
        if not name:
            yield required(f"{place.path}.resizePolicy")
        elif name not in RESIZE_RESOURCES:
            yield not_supported(f"{place.path}.resizePolicy", name, RESIZE_RESOURCES)
        if restart and restart not in RESIZE_POLICIES:
            yield not_supported(f"{place.path}.resizePolicy", restart, RESIZE_POLICIES)
        elif restart == "RestartContainer" and text(context.spec, "restartPolicy") == "Never":
            yield invalid(f"{path}.restartPolicy", restart, "must be 'NotRequired' when `restartPolicy` is 'Never'")
