"""What runs on top of the kernel: the shell and the programs. They are passed to a turn, so that the kernel knows neither."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from simulator.engine.containers.process.frames import OutputTarget
from simulator.engine.containers.process.state import Reader, Shell, Task

if TYPE_CHECKING:
    from simulator.engine.containers.kernel.execute import Program
    from simulator.engine.containers.kernel.kernel import Kernel

Builtin: TypeAlias = Callable[["Kernel", Task, Shell, tuple[str, ...], dict[int, OutputTarget]], int | None]
"""Returns the status, or None if the builtin has pushed frames or ended the shell."""


class Userland(Struct, frozen=True):
    """``run_shell`` continues a shell, ``read_on`` a program that waited for input; ``program`` finds one by its name in an image.

    ``streaming``: names of programs that pass on each line as it comes instead of waiting for the end of their input.
    """

    run_shell: Callable[["Kernel", Task], None]
    read_on: Callable[["Kernel", Task, Reader], None]
    program: Callable[["Kernel", str], "Program | None"]
    streaming: tuple[str, ...]
    builtins: Mapping[str, Builtin]
