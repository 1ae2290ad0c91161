"""A port has one listener: the containers of a pod share one network, so the second program that wants it fails."""

from simulator.engine.containers.images.known import image_facts
from simulator.engine.containers.images.reference import parse_reference
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.process.state import Holder, Later, Task

NGINX_TRIES = 5
NGINX_RETRY_MS = 500
_IN_USE = "Address already in use"


def taken_port(kernel: Kernel, task: Task, holder: Holder) -> int | None:
    """The first port of ``holder`` on which another process listens, in this container or one that shares its network."""
    for port in holder.ports:
        here = any(other.pid != task.pid and port in held.ports for other, held in kernel.holders())
        if here or kernel.host.lookup.is_taken(port):
            return port
    return None


def is_nginx(image: str) -> bool:
    """Whether an image runs nginx: it is known to, or the last part of its repository is ``nginx``."""
    parsed = parse_reference(image)
    return image_facts(image).kind == "nginx" or (parsed is not None and parsed.path.rpartition("/")[2] == "nginx")


def bind_failure(kernel: Kernel, name: str, port: int) -> tuple[Later, int]:
    """How a program fails that cannot have its port, and how long that takes: it prints an error and exits with 1."""
    name = name.rpartition("/")[2]
    # nginx tries five times, half a second apart, before it gives up (src/core/ngx_connection.c).
    if name == "nginx" or is_nginx(kernel.launch.image):
        line = f"nginx: [emerg] bind() to 0.0.0.0:{port} failed (98: {_IN_USE})\n"
        return Later(stderr=line * NGINX_TRIES + "nginx: [emerg] still could not bind()\n", code=1), NGINX_TRIES * NGINX_RETRY_MS
    if name.startswith("python"):
        return Later(stderr=f"OSError: [Errno 98] {_IN_USE}\n", code=1), 0
    if name == "redis-server":
        said = (
            f"Warning: Could not create server TCP listening socket *:{port}: bind: {_IN_USE}\n"
            f"Failed listening on port {port} (tcp), aborting.\n"
        )
        return Later(stderr=said, code=1), 0
    return Later(stderr=f"{name or 'server'}: bind: {_IN_USE}\n", code=1), 0
