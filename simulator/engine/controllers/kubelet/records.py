"""The runtime's containers in the form the pure rules want them."""

from msgspec.structs import replace

from simulator.engine.api.action_types import RuntimeContainer
from simulator.engine.api.container import Container
from simulator.engine.profile import Profile
from simulator.engine.rows import Instance, PodRow, Seen


def runtime_records(row: PodRow, seen: Seen | None, profile: Profile) -> dict[str, RuntimeContainer]:
    """The newest instance of each container as last seen, by name."""
    found: dict[str, RuntimeContainer] = {}
    if seen is None:
        return found
    for item in seen.instances:
        if item.container not in found:
            found[item.container] = RuntimeContainer(
                name=item.container,
                state=item.runtime_state,
                id=f"{item.container}#{item.attempt}",
                attempt=item.attempt,
                exit_code=item.exit_code,
                spec_changed=definition_changed(row, item, profile),
                created_ms=item.created_ms,
                started_ms=item.started_ms,
                finished_ms=item.finished_ms,
            )
    return found


def definition_changed(row: PodRow, item: Instance, profile: Profile) -> bool:
    """Whether the spec of the container is no longer the one the instance was made from."""
    for container in row.pod.spec.containers if item.group == "app" else row.pod.spec.init_containers:
        if container.name == item.container:
            return container is not item.spec and _differs(container, item.spec, profile)
    return False


def _differs(new: Container, old: Container, profile: Profile) -> bool:
    if profile.container_hash == "image":
        return new.image != old.image
    return new != (replace(old, resources=new.resources) if profile.in_place_resize else old)
