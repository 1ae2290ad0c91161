"""What the operating system of a node means for the pods on it: one row for Linux, one for Windows.

Code that depends on the system uses the row returned by ``system_of`` and never compares names. Sources: the documentation's
"Windows containers in Kubernetes" and "Resource Management for Windows nodes"; hcsshim internal/signals, cmd/containerd-shim-runhcs-v1.
"""

from msgspec import Struct

LINUX, WINDOWS = "linux", "windows"
NAMES = (LINUX, WINDOWS)
STATUS_CONTROL_C_EXIT = 0xC000013A
"""Exit code of a Windows process that is told to stop and has no handler (ntstatus.h)."""


class System(Struct, frozen=True, gc=False, kw_only=True):
    """An operating system.

    ``stop_code`` is the exit code of a process ended from outside, 0 if it follows from the signal. ``protects_first``: the
    first process of a container receives only signals that it handles. ``kills_for_memory``: at a container's limit or when the node has
    nothing left. ``has_namespaces``: containers of a pod may share processes, and user ids can be mapped.
    ``resizes_in_place``: limits of running containers can be changed (pkg/kubelet/allocation/features_windows.go).
    """

    name: str
    code_bits: int
    stop_code: int
    protects_first: bool
    kills_for_memory: bool
    has_namespaces: bool
    resizes_in_place: bool

    def exit_code(self, code: int) -> int:
        """The code as the API shows it: the last byte on Linux, a signed 32-bit number on Windows (CRI's ``int32 exit_code``)."""
        if 0 <= code < 128:
            return code
        code &= (1 << self.code_bits) - 1
        return code - (1 << 32) if code >> 31 else code

    def ended_by(self, signal: int) -> int:
        """The exit code of a process ended by a signal."""
        return self.stop_code or 128 + signal


_SYSTEMS = {
    LINUX: System(
        name=LINUX, code_bits=8, stop_code=0,
        protects_first=True, kills_for_memory=True, has_namespaces=True, resizes_in_place=True,
    ),
    WINDOWS: System(
        name=WINDOWS, code_bits=32, stop_code=STATUS_CONTROL_C_EXIT,
        protects_first=False, kills_for_memory=False, has_namespaces=False, resizes_in_place=False,
    ),
}  # fmt: skip


def system_of(name: str) -> System:
    """The system of that name; a node with no name or an unknown one counts as Linux."""
    return _SYSTEMS.get(name) or _SYSTEMS[LINUX]
