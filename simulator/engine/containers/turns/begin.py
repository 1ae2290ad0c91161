"""How a turn begins: the kernel with the shell and the programs that run on it."""

from simulator.engine.containers.effort import Meter
from simulator.engine.containers.kernel.execute import continue_reader
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.kernel.userland import Userland
from simulator.engine.containers.process.state import Process
from simulator.engine.containers.process.turn import Host
from simulator.engine.containers.programs.catalogue import STREAMING, program_of
from simulator.engine.containers.shell.builtins import BUILTINS
from simulator.engine.containers.shell.machine import run_shell

USERLAND = Userland(run_shell, continue_reader, program_of, STREAMING, BUILTINS)


def kernel_of(process: Process, host: Host, meter: Meter | None = None) -> Kernel:
    """A working copy of a container. ``meter`` is the requesting container's if this one answers a request."""
    return Kernel(process, host, USERLAND, meter)
