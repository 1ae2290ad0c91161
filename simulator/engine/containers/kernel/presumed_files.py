"""Files that an unknown image is assumed to have because its manifest copies, runs or changes them.

Nothing is known about the contents of such an image, so a script that relies on a file in it is trusted, and a note says so. A
volume, and a directory for runtime data, hold what was written there and nothing else.
"""

from simulator.engine.containers.files.filesystem import File
from simulator.engine.containers.kernel.execute import NOT_UNDERSTOOD
from simulator.engine.containers.kernel.kernel import Kernel

PROGRAM_BYTES = 1 << 20
"""Size of a file with unknown content: when run, it is a program that cannot be interpreted."""
_OF_RUN_TIME = ("/dev/", "/proc/", "/run/", "/sys/", "/tmp/", "/var/run/", "/var/tmp/")


def file_in_image(kernel: Kernel, path: str) -> File | None:
    """The file that is there or that the image is assumed to have; None if there is none. ``path`` is absolute."""
    entry = kernel.fs.get(path)
    # A known image's files are listed, and a volume holds what was written there: nothing to assume.
    if entry is not None or kernel.facts.known or kernel.fs.mounted(path) or kernel.fs.is_dir(path) or path.startswith(_OF_RUN_TIME):
        return entry
    kernel.note(NOT_UNDERSTOOD, f"It is not known whether the image has {path[:200]}; it is taken to.")
    return File(mode=0o755, extra_bytes=PROGRAM_BYTES)
