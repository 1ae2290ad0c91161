"""The few files below /proc and /sys that scripts read."""

from typing import TYPE_CHECKING

from simulator.engine.runtime.digits import whole

if TYPE_CHECKING:
    from simulator.engine.runtime.kernel import Kernel
    from simulator.engine.runtime.process import Task

PAUSE = "/pause"
"""The program of a pod's sandbox, which is PID 1 where containers share their processes."""
_CGROUP = "/sys/fs/cgroup/"


def proc_text(kernel: "Kernel", task: "Task", path: str) -> str | None:
    """Text of a file that the system makes up, None where ``path`` is not one."""
    if path == "/proc/uptime":
        return f"{kernel.now_ms // 1000}.{kernel.now_ms % 1000 // 10:02d} 0.00\n"
    if path.startswith(_CGROUP) and (bounds := _memory_file(kernel, path.removeprefix(_CGROUP))):
        return bounds
    parts = path.split("/")
    if len(parts) == 4 and parts[1] == "proc":
        argv = task.argv if parts[2] == "self" else _argv(kernel, whole(parts[2], -1))
        if argv and parts[3] == "cmdline":
            return "\0".join(argv) + "\0"
        if argv and parts[3] == "comm":
            return argv[0].rpartition("/")[2] + "\n"
    return None


def _argv(kernel: "Kernel", pid: int) -> tuple[str, ...]:
    """The words of a process of the namespace, also of the sandbox's own and of another container's; empty where there is none."""
    if pid in kernel.tasks:
        return kernel.tasks[pid].argv
    if pid == 1 and kernel.host.pause:
        return (PAUSE,)
    return next((other.argv for other in kernel.everyone() if other.pid == pid), ())


def _memory_file(kernel: "Kernel", name: str) -> str:
    """What bounds the memory of the container (cgroup v2); empty for another file."""
    launch = kernel.launch
    if name == "memory.min":
        return f"{launch.memory_min_bytes}\n"
    if name not in ("memory.max", "memory.high"):
        return ""
    bound = launch.memory_limit_bytes if name == "memory.max" else launch.memory_high_bytes
    return f"{bound}\n" if bound is not None else "max\n"
