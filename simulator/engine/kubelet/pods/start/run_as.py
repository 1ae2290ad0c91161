"""Which user a container would run as, if it must not be root.

Source: pkg/kubelet/kuberuntime/security_context.go verifyRunAsNonRoot, kuberuntime_container.go generateContainerConfig.
"""

from simulator.engine import containers as behaviour
from simulator.engine.model.container import Container
from simulator.engine.world.rows import PodRow


def must_not_be_root(row: PodRow, container: Container) -> bool:
    """Whether the container may only run as a non-root user: its own security context says so, else the pod's."""
    for context in (container.security_context, row.pod.spec.security_context):
        if context is not None and context.run_as_non_root is not None:
            return context.run_as_non_root
    return False


def non_root_problem(row: PodRow, container: Container) -> str:
    """Why the container may not start as the user it would run as, or empty.

    The container's security context takes precedence over the pod's, field by field. An image that is not listed is assumed to
    have its own user that is not root.
    """
    if not must_not_be_root(row, container):
        return ""
    contexts = [item for item in (container.security_context, row.pod.spec.security_context) if item is not None]
    where = f'(pod: "{row.name}_{row.namespace}({row.uid})", container: {container.name})'
    asked = next((item.run_as_user for item in contexts if item.run_as_user is not None), None)
    if asked is not None:
        return f"container's runAsUser breaks non-root policy {where}" if asked == 0 else ""
    image = behaviour.image_facts(container.image)
    user = image.user.partition(":")[0]
    if not image.known or (user.isdecimal() and user.strip("0") != ""):
        return ""
    if user and not user.isdecimal():
        return f"container has runAsNonRoot and image has non-numeric user ({user}), cannot verify user is non-root {where}"
    return f"container has runAsNonRoot and image will run as root {where}"
