"""What Docker, behind the kubelet's dockershim (until 1.23), reports differently from containerd.

The texts are those of Docker 20.10.8 with runc 1.0.1. Source: moby daemon/start.go, daemon/errors.go translateContainerdStartErr;
pkg/kubelet/dockershim docker_container.go, exec.go, naming.go, convert.go; kubelet logs and Events that were published with them.
"""

from simulator.engine.containers.images.reference import parse_reference, with_default_tag

CONTAINERD = "containerd"
DOCKER = "docker"
NAMES = (CONTAINERD, DOCKER)
"""The container runtimes a cluster file may name."""
VERSION = f"{DOCKER}://20.10.8"
"""The runtime as in nodeInfo."""
NOT_STARTED = "ContainerCannotRun"
"""The reason of a container whose program could not be started."""
NO_COMMAND = "No command specified"
# The sandbox ended between its own start and that of the container.
NO_NETWORK = "cannot join network of a non running container: {sandbox}"
_DAEMON = "Error response from daemon: "
_RPC = "rpc error: code = Unknown desc = "
_RUNC = 'failed: {what}container_linux.go:380: starting container process caused: exec: "{name}": {reason}: unknown'


def start_error(name: str, reason: str) -> str:
    """What the daemon records about a program that could not be started."""
    return "OCI runtime create " + _RUNC.format(what="", name=name, reason=reason)


def exec_output(name: str, reason: str) -> str:
    """What a command that could not be run inside a container appears to have printed; its exit code is 126."""
    # Docker reports this on the stream of the command, not as an error of the call; the terminal's
    # line break comes with it.
    return "OCI runtime exec " + _RUNC.format(what="exec failed: ", name=name, reason=reason) + "\r\n"


def refused(container: str, problem: str) -> str:
    """The dockershim's error for a container (by name or id) that could not be started."""
    return f'failed to start container "{container}": {_DAEMON}{problem}'


def not_running(container: str) -> str:
    """The answer to a command in a container, given by its id, that has ended."""
    return f"{_RPC}container not running ({container})"


TIMED_OUT = f"{_RPC}operation timeout: context deadline exceeded"
"""The answer of a daemon that hangs."""


def missing(image: str, *, known: bool) -> str:
    """The error of pulling what the registry does not have; ``known``: the registry has the repository."""
    if known:
        return f"{_RPC}{_DAEMON}manifest for {familiar(image)} not found: manifest unknown: manifest unknown"
    repository = familiar(image).rpartition(":")[0]
    return (
        f"{_RPC}{_DAEMON}pull access denied for {repository}, repository does not exist or may require 'docker login': "
        "denied: requested access to the resource is denied"
    )


def no_platform(system: str) -> str:
    """The error of pulling an image that is not built for a system such as ``linux/amd64``."""
    return f"{_RPC}no matching manifest for {system} in the manifest list entries"


def familiar(image: str) -> str:
    """The image as Docker lists it: ``nginx:1.25`` and not ``docker.io/library/nginx:1.25``."""
    full, reference = with_default_tag(image), parse_reference(image)
    return full if reference is None else reference.familiar + full.removeprefix(reference.name)


def image_id(image: str) -> str:
    """A digest's name, ``docker.io/library/nginx@sha256:…``, as the dockershim reports it."""
    return f"docker-pullable://{familiar(image)}"
