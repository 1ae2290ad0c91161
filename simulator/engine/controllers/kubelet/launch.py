"""What the kubelet hands to the runtime for a container: command, environment, mounts.

``$(NAME)`` in values, command and args is expanded by the kubelet before the container sees it (docs: define environment
variables; spec: third_party/forked/golang/expansion). A missing ConfigMap, Secret or key is a configuration error.
"""

import json
from collections.abc import Mapping

from simulator.engine.api.container import Container, ContainerSecurityContext
from simulator.engine.api.pod import PodSecurityContext
from simulator.engine.api.quantity import value
from simulator.engine.behaviour import Launch, parse_reference
from simulator.engine.caching import cached_when_short
from simulator.engine.controllers.kubelet.environment import environment
from simulator.engine.controllers.kubelet.volumes import mounts_of
from simulator.engine.effects import Effects
from simulator.engine.rows import PodRow

BEHAVIOUR_ANNOTATION = "podscope.dev/behaviour"


def expand(text: str, values: Mapping[str, str]) -> str:
    """Replace ``$(NAME)`` by its value; unknown names stay, ``$$`` is one dollar sign."""
    if "$" not in text:
        return text
    out, position = [], 0
    while position < len(text):
        char = text[position]
        if char != "$" or position + 1 == len(text):
            out.append(char)
            position += 1
            continue
        follower = text[position + 1]
        if follower == "$":
            out.append("$")
            position += 2
            continue
        end = text.find(")", position) if follower == "(" else -1
        if end < 0:
            out.append(char if follower == "(" else char + follower)
            position += 1 if follower == "(" else 2
            continue
        name = text[position + 2 : end]
        out.append(values.get(name, text[position : end + 1]))
        position = end + 1
    return "".join(out)


@cached_when_short(maxsize=1024, chars_max=20_000)
def behaviour_blocks(annotation: str) -> Mapping[str, str]:
    """JSON text of the behaviour block of each container, from the annotation's JSON; empty where there is none."""
    if not annotation:
        return {}
    try:
        blocks = json.loads(annotation)
    except ValueError:
        return {}
    return {name: json.dumps(block) for name, block in blocks.items()} if isinstance(blocks, dict) else {}


def stand_in(fx: Effects, image: str) -> str:
    """What this cluster's image of that name does where it differs from the public one, as JSON; empty for most."""
    stand_ins = fx.world.header.cluster.stand_ins
    reference = parse_reference(image) if stand_ins else None
    return stand_ins.get(reference.familiar, "") if reference is not None else ""


def _first(own: ContainerSecurityContext | None, pod: PodSecurityContext | None, name: str) -> int:
    """A number of the container's security context, else of the pod's, else root's."""
    for context in (own, pod):
        value = getattr(context, name, None)
        if value is not None:
            return int(value)
    return 0


def _groups(own: ContainerSecurityContext | None, pod: PodSecurityContext | None) -> tuple[int, ...]:
    """The supplementary groups: a group that was asked for, the group of the volumes and those the pod names."""
    asked = {context.run_as_group for context in (own, pod) if context is not None}
    if pod is not None:
        asked |= {pod.fs_group, *pod.supplemental_groups}
    return tuple(sorted(group for group in asked if group is not None))


def build(fx: Effects, row: PodRow, container: Container, attempt: int) -> tuple[Launch | None, str]:
    """The launch of a container's next instance, or None with the configuration error that forbids it."""
    env, problem = environment(fx, row, container, expand)
    if problem:
        return None, problem
    values = dict(env)
    blocks = behaviour_blocks(row.pod.metadata.annotations.get(BEHAVIOUR_ANNOTATION, ""))
    limit = container.resources.limits.get("memory")
    sub_paths = tuple(item.sub_path or expand(item.sub_path_expr, values) for item in container.volume_mounts)
    return Launch(
        image=container.image,
        command=tuple(expand(word, values) for word in container.command),
        args=tuple(expand(word, values) for word in container.args),
        env=env,
        working_dir=container.working_dir,
        ports=tuple(port.container_port for port in container.ports),
        mounts=mounts_of(fx, row, container, sub_paths),
        hostname=row.pod.spec.hostname or row.name,
        memory_limit_bytes=value(str(limit)) if limit is not None else None,
        is_pid1=not row.pod.spec.share_process_namespace and not container.target_container_name,
        instance=attempt,
        behaviour=blocks.get(container.name, ""),
        stand_in=stand_in(fx, container.image),
        seed=fx.world.header.seed,
        subject=f"container/{row.key}/{container.name}",
        uid=_first(container.security_context, row.pod.spec.security_context, "run_as_user"),
        gid=_first(container.security_context, row.pod.spec.security_context, "run_as_group"),
        groups=_groups(container.security_context, row.pod.spec.security_context),
    ), ""
