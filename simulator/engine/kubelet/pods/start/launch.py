"""What the kubelet passes to the runtime for a container: command, environment, mounts.

A missing ConfigMap, Secret or key is a configuration error. What is too long for the kernel is not built in full: it is cut once it
is certain to be too long, so that the container fails to start as a real one does without costing more.
"""

import json
from collections.abc import Mapping

from simulator.engine.containers import Launch, parse_reference
from simulator.engine.containers.arguments import ALL_BYTES_MAX, exceeds_limits
from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.json_text import decode
from simulator.engine.kubelet.pods.containers.expansion import expand
from simulator.engine.kubelet.pods.facts.naming import naming_of
from simulator.engine.kubelet.pods.sandbox.user_namespaces import RANGE
from simulator.engine.kubelet.pods.start import windows
from simulator.engine.kubelet.pods.start.environment import UNBUILT, Variables, environment
from simulator.engine.kubelet.pods.start.memory_qos import memory_high
from simulator.engine.kubelet.pods.start.presumed import presumed
from simulator.engine.kubelet.pods.volumes.mounts import mounts_of
from simulator.engine.model.container import Container, ContainerSecurityContext, ResourceRequirements
from simulator.engine.model.pod import PodSecurityContext
from simulator.engine.model.quantity import value
from simulator.engine.model.system import WINDOWS, system_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pod_on_node
from simulator.engine.world.rows import PodRow

BEHAVIOUR_ANNOTATION = "podscope.dev/behaviour"
PATH_MAX = 4096
"""How much of a path is built; the kernel accepts none that is longer."""
LONG_CHARS = 1 << 16
"""A container with arguments and environment shorter than this costs the run little, however many there are."""
RUN_CHARS_MAX = 64 << 20
"""How many characters of arguments and environments one run keeps (our limit): a manifest may create many containers of 2 MiB each."""


@cached_when_short(maxsize=1024, chars_max=20_000)
def behaviour_blocks(annotation: str) -> Mapping[str, str]:
    """JSON text of each container's behaviour block, from the annotation's JSON; empty if there is none."""
    if not annotation:
        return {}
    try:
        blocks = decode(annotation)
    except ValueError:
        return {}
    return {name: json.dumps(block) for name, block in blocks.items()} if isinstance(blocks, dict) else {}


def stand_in(fx: Effects, image: str) -> str:
    """The behaviour of this cluster's image of that name if it differs from the public one, as JSON; empty for most."""
    stand_ins = fx.world.header.cluster.stand_ins
    reference = parse_reference(image) if stand_ins else None
    return stand_ins.get(reference.familiar, "") if reference is not None else ""


def _identity(own: ContainerSecurityContext | None, pod: PodSecurityContext | None) -> tuple[int, int, tuple[int, ...]]:
    """User and group from the container's security context, else the pod's, else root's; and the supplementary groups: a group that was
    requested, the volumes' group and those the pod names."""
    users, groups = [], []
    for context in (own, pod):
        if context is not None:
            users.append(context.run_as_user)
            groups.append(context.run_as_group)
    more = [pod.fs_group, *pod.supplemental_groups] if pod is not None else []
    own_users, own_groups = [each for each in users if each is not None], [each for each in groups if each is not None]
    user, group = own_users[0] if own_users else 0, own_groups[0] if own_groups else 0
    return user, group, tuple(sorted({each for each in (*groups, *more) if each is not None}))


def _writable(container: Container, os: str) -> tuple[str, ...] | None:
    """What is writable outside volumes; None for everything: the root file system is not read-only, and never is on Windows.

    Source: containerd's default mounts (/dev and /proc are file systems of their own) and those of the kubelet, kubelet_pods.go makeMounts.
    """
    context = container.security_context
    if context is None or not context.read_only_root_filesystem or os == WINDOWS:
        return None
    return ("/dev", "/proc", "/etc/hosts", container.termination_message_path or "/dev/termination-log")


def _argv(container: Container, values: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Command and args as the container sees them; truncated if they are too many for the kernel."""
    built: list[str] = []
    room = ALL_BYTES_MAX
    for word in (*container.command, *container.args):
        built.append(expand(word, values))
        room -= len(built[-1])
        if room < 0:
            break
    count = len(container.command)
    return tuple(built[:count]), tuple(built[count:])


def _is_beyond_run(fx: Effects, argv: tuple[str, ...], env: Variables) -> bool:
    """Whether the run would keep too many arguments and environments with these. O(containers of the run) for long ones."""
    size = _chars(argv, env)
    if size < LONG_CHARS:
        return False
    launches = (item.process.launch for rows in fx.tables.instances.values() for item in rows if item.process is not None)
    kept = sum(_chars((*launch.command, *launch.args), launch.env) for launch in launches if launch.env != UNBUILT)
    return size + kept > RUN_CHARS_MAX


def _chars(argv: tuple[str, ...], env: Variables) -> int:
    return sum(map(len, argv)) + sum([len(name) + len(text) for name, text in env])


def memory_bounds(fx: Effects, row: PodRow, resources: ResourceRequirements) -> tuple[int, int | None]:
    """memory.min and memory.high of a container with these resources, in bytes, as MemoryQoS sets them."""
    request, limit = (value(str(amounts.get("memory", 0))) for amounts in (resources.requests, resources.limits))
    factor, of = fx.profile.memory_throttling_permille, fx.profile.memory_high_of
    allocatable = fx.tables.nodes[row.node].allocatable_memory_bytes
    return request, memory_high(request, limit, allocatable, factor_permille=factor, of=of)


def build(fx: Effects, row: PodRow, container: Container, attempt: int) -> tuple[Launch | None, str]:
    """The launch of a container's next instance, or None with the configuration error that prevents it.

    Only ephemeral containers have an open input: every other container that asks for one would wait forever, since nobody attaches to it.
    """
    env, problem = environment(fx, row, container)
    if problem:
        return None, problem
    values = dict(env)
    command, args = _argv(container, values)
    argv = (*command, *args)
    if (argv or values) and (exceeds_limits(argv, values) or _is_beyond_run(fx, argv, env)):
        command, args, env = command[:1], (), UNBUILT
    annotations = (pod_on_node(fx.tables, row) if fx.tables.static_pods else row.pod).metadata.annotations
    blocks = behaviour_blocks(annotations.get(BEHAVIOUR_ANNOTATION, "")) if annotations else {}
    limit = container.resources.limits.get("memory")
    memory_min, memory_high = memory_bounds(fx, row, container.resources) if fx.profile.memory_qos else (0, None)
    user, group, groups = _identity(container.security_context, row.pod.spec.security_context)
    os = fx.tables.nodes[row.node].os
    system = system_of(os)
    if os == WINDOWS:
        env = (*windows.variables(row, container), *env)
    sub_paths = tuple(
        [
            item.sub_path or (expand(item.sub_path_expr, values, chars_max=PATH_MAX) if item.sub_path_expr else "")
            for item in container.volume_mounts
        ]
    )
    return Launch(
        image=container.image,
        command=command,
        args=args,
        env=env,
        working_dir=container.working_dir,
        ports=tuple([port.container_port for port in container.ports]),
        mounts=mounts_of(fx, row, container, sub_paths),
        naming=naming_of(fx, row),
        memory_limit_bytes=value(str(limit)) if limit is not None and system.kills_for_memory else None,
        memory_min_bytes=memory_min,
        memory_high_bytes=memory_high,
        is_pid1=not system.has_namespaces or not (row.pod.spec.share_process_namespace or container.target_container_name),
        instance=attempt,
        behaviour=blocks.get(container.name, ""),
        stand_in=stand_in(fx, container.image) if fx.world.header.cluster.stand_ins else "",
        seed=fx.world.header.seed,
        subject=f"container/{row.key}/{container.name}",
        uid=user,
        gid=group,
        groups=groups,
        os=os,
        runtime=fx.world.runtime_of(row.node),
        dies_as_one=fx.profile.oom_kills_whole_container,
        presumed=presumed(row.pod.spec, container),
        writable=_writable(container, os),
        user_range=(fx.tables.user_ranges[row.key][1], RANGE) if row.key in fx.tables.user_ranges else None,
        stdin=container.stdin and container in row.pod.spec.ephemeral_containers,
        tty=container.tty,
    ), ""
