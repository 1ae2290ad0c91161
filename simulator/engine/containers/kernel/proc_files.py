"""The files below /proc and /sys that the kernel generates: those of processes, of user namespaces and of the cgroup.

Sources: Linux fs/proc/array.c proc_pid_status, kernel/user_namespace.c uid_m_show, proc_pid_root of man proc(5).
"""

import re
from typing import TYPE_CHECKING

from simulator.engine.containers.digits import whole
from simulator.engine.containers.files.filesystem import TOO_MANY_LINKS, FileProblem
from simulator.engine.containers.kernel.memory import task_bytes

if TYPE_CHECKING:
    from simulator.engine.containers.kernel.kernel import Kernel
    from simulator.engine.containers.process.state import Process, Task

PAUSE = "/pause"
"""The program of a pod's sandbox, which is PID 1 if containers share their process namespace."""
_CGROUP = "/sys/fs/cgroup/"
_OF_PROCESS = re.compile(r"/proc/(self|[0-9]{1,9})(/[^/].*)?")
_ROOT = re.compile(r"/proc/(self|[0-9]{1,9})/root(?=/)")
LINKS_MAX = 40
"""How many links Linux follows in one path (MAXSYMLINKS); a process's root is one."""
_PLAIN = {
    "/proc/sys/kernel/overflowuid": "65534\n",
    "/proc/sys/kernel/overflowgid": "65534\n",
    "/proc/sys/kernel/pid_max": "4194304\n",
}
_NAMES = ("cgroup", "cmdline", "comm", "environ", "gid_map", "status", "uid_map")
ALL_IDS = 4_294_967_295


def proc_text(kernel: "Kernel", task: "Task", path: str) -> str | None:
    """Text of a generated file, None if ``path`` is not one. ``self`` is the process of ``task``.

    Raises FileProblem if the path leads through more than LINKS_MAX roots.
    """
    if path == "/proc/uptime":
        return f"{kernel.now_ms // 1000}.{kernel.now_ms % 1000 // 10:02d} 0.00\n"
    if path in _PLAIN:
        return _PLAIN[path]
    if path.startswith(_CGROUP) and (bounds := _memory_file(kernel, path.removeprefix(_CGROUP))):
        return bounds
    match = _OF_PROCESS.fullmatch(path) if kernel.system.has_namespaces else None
    if match is None or not match[2]:
        return None
    pid, name = task.pid if match[1] == "self" else whole(match[1], -1), match[2][1:]
    if name.startswith("root/"):
        return _below_root(kernel, task, path)
    return _text_of(kernel, pid, name)


def is_proc_dir(kernel: "Kernel", path: str) -> bool:
    """Whether ``path`` is the directory of a live process, or its root."""
    match = _OF_PROCESS.fullmatch(path) if kernel.system.has_namespaces else None
    if match is None:
        return False
    return (match[1] == "self" or _argv(kernel, whole(match[1], -1)) != ()) and match[2] in (None, "/root")


def proc_names(kernel: "Kernel", path: str) -> tuple[str, ...]:
    """The entries of /proc or of a process's directory, as ``ls`` shows them."""
    if path == "/proc":
        pids = sorted({task.pid for task in kernel.everyone()} | ({1} if kernel.host.pause else set()))
        return (*map(str, pids), "self", "sys", "uptime")
    return (*_NAMES, "root") if is_proc_dir(kernel, path) and not path.endswith("/root") else ()


def _text_of(kernel: "Kernel", pid: int, name: str) -> str | None:
    argv = _argv(kernel, pid)
    if not argv:
        return None
    if name == "cmdline":
        return "\0".join(argv) + "\0"
    if name == "comm":
        return _comm(argv) + "\n"
    if name in ("uid_map", "gid_map"):
        first, count = kernel.launch.user_range or (0, ALL_IDS)
        return f"{0:10d} {first:10d} {count:10d}\n"
    if name == "cgroup":
        return "0::/\n"
    found = _task(kernel, pid)
    if name == "environ":
        return "".join(f"{key}={value}\0" for key, value in found[0].env.items()) if found is not None else ""
    return _status(kernel, pid, argv, found) if name == "status" else None


def _comm(argv: tuple[str, ...]) -> str:
    return argv[0].rpartition("/")[2][:15]


def _status(kernel: "Kernel", pid: int, argv: tuple[str, ...], found: "tuple[Task, Process] | None") -> str:
    """The lines that matter here; the sandbox's ids are those of its image."""
    launch = found[1].launch if found is not None else None
    uid, gid = (launch.uid, launch.gid) if launch is not None else (65535, 65535)
    groups = (launch.groups or (launch.gid,)) if launch is not None else (gid,)
    state, kib, parent = "S (sleeping)", 1024, 0
    if found is not None:
        task, process = found
        text = process.launch.behaviour or process.launch.stand_in
        kib = task_bytes(task, kernel.now_ms, process.started_ms, text) >> 10
        parent = task.ppid
        state = "T (stopped)" if process.hung else state if task.block else "R (running)"
    lines = (
        ("Name", _comm(argv)), ("Umask", "0022"), ("State", state), ("Tgid", pid), ("Ngid", 0), ("Pid", pid), ("PPid", parent),
        ("TracerPid", 0), ("Uid", "\t".join([str(uid)] * 4)), ("Gid", "\t".join([str(gid)] * 4)), ("FDSize", 64),
        ("Groups", " ".join(map(str, groups)) + " "), ("VmRSS", f"{kib:8d} kB"), ("Threads", 1),
    )  # fmt: skip
    return "".join(f"{name}:\t{value}\n" for name, value in lines)


def _task(kernel: "Kernel", pid: int) -> "tuple[Task, Process] | None":
    """A live process of the namespace with the container it belongs to."""
    task = kernel.tasks.get(pid)
    if task is not None:
        return task, kernel.process
    return next(((task, other.process) for other in kernel.host.neighbours for task in other.process.tasks if task.pid == pid), None)


def _below_root(kernel: "Kernel", task: "Task", path: str) -> str | None:
    """A file as seen by the process of the path's last leading ``/proc/PID/root``; None if there is none."""
    process, rest = _follow_roots(kernel, task, path)
    if process is None:
        return None
    if _OF_PROCESS.fullmatch(rest):  # containers that see each other's processes share one /proc
        return proc_text(kernel, task, rest)
    try:
        return kernel.files_of(process).read(rest)
    except FileProblem:
        return None


def _follow_roots(kernel: "Kernel", task: "Task", path: str) -> "tuple[Process | None, str]":
    """The container in whose root a path ends, and the path there; None if a process along the way does not exist. O(path)."""
    # Each root leads into another container's files, and that path may name a root again.
    process, at = kernel.process, 0
    for _ in range(LINKS_MAX):
        link = _ROOT.match(path, at)
        if link is None:
            return process, path[at:]
        found = _task(kernel, task.pid if link[1] == "self" else whole(link[1], -1))
        if found is None:
            return None, ""
        process, at = found[1], link.end()
    if _ROOT.match(path, at):
        raise FileProblem(TOO_MANY_LINKS)
    return process, path[at:]


def _argv(kernel: "Kernel", pid: int) -> tuple[str, ...]:
    """The arguments of a process of the namespace, including the sandbox's and other containers'; empty if there is none."""
    if pid in kernel.tasks:
        return kernel.tasks[pid].argv
    if pid == 1 and kernel.host.pause:
        return (PAUSE,)
    return next((other.argv for other in kernel.everyone() if other.pid == pid), ())


def _memory_file(kernel: "Kernel", name: str) -> str:
    """The memory limits of the container (cgroup v2); empty for another file."""
    launch = kernel.launch
    if name == "memory.min":
        return f"{launch.memory_min_bytes}\n"
    if name not in ("memory.max", "memory.high"):
        return ""
    bound = launch.memory_limit_bytes if name == "memory.max" else launch.memory_high_bytes
    return f"{bound}\n" if bound is not None else "max\n"


class ProcFiles:
    """/proc for the file system, which has no process of its own: ``self`` is the main process."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: "Kernel") -> None:
        self._kernel = kernel

    def text(self, path: str) -> str | None:
        """The text of a file, None if there is none."""
        kernel = self._kernel
        main = kernel.tasks.get(kernel.root)
        try:
            return proc_text(kernel, main, path) if main is not None else None
        except FileProblem:
            return None

    def is_dir(self, path: str) -> bool:
        """Whether there is such a directory."""
        return is_proc_dir(self._kernel, path)

    def names(self, path: str) -> tuple[str, ...]:
        """The entries of a directory."""
        return proc_names(self._kernel, path)
