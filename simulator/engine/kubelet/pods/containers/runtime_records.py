"""The runtime's containers in the form the pure rules expect."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.engine.model.pod import PodSpec
from simulator.engine.world.rows import Instance, Seen


class RuntimeContainer(Struct, frozen=True, kw_only=True, gc=False):
    """One instance of a container as the runtime knows it. ``state``: created, running, exited or unknown.

    ``attempt`` is the restart count of the instance. ``spec_changed``: the definition differs from the one it was created
    with. ``resize_restarts``: a resize takes effect only after a restart.
    """

    name: str
    state: str
    id: str = ""
    attempt: int = 0
    exit_code: int = 0
    reason: str = ""
    message: str = ""
    spec_changed: bool = False
    resize_restarts: bool = False
    created_ms: Ms = 0
    started_ms: Ms | None = None
    finished_ms: Ms | None = None
    sandbox_id: str = ""


def runtime_records(spec: PodSpec, seen: Seen | None) -> dict[str, RuntimeContainer]:
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
                reason=item.reason,
                spec_changed=definition_changed(spec, item),
                created_ms=item.created_ms,
                started_ms=item.started_ms,
                finished_ms=item.finished_ms,
            )
    return found


def definition_changed(spec: PodSpec, item: Instance) -> bool:
    """Whether the container's image differs from the instance's; no other change of a pod requires a new container."""
    for container in spec.containers if item.group == "app" else spec.init_containers:
        if container.name == item.container:
            return container.image != item.spec.image
    return False
