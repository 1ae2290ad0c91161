"""System V objects that the containers of a pod share: ``ipcs``, ``ipcmk`` and ``ipcrm``.

They are kept as lines of the files in /proc/sysvipc, slightly shorter than on Linux. Source: util-linux sys-utils/ipcs.c, ipcmk.c.
A pod may mount something of its own there, so unknown lines are skipped.
"""

import re

from msgspec import Struct

from simulator.engine.containers.digits import whole
from simulator.engine.containers.files.filesystem import NO_SPACE, SYSVIPC, FileProblem
from simulator.engine.containers.kernel.execute import Call


class _Kind(Struct, frozen=True):
    """What differs between kinds: file, title and columns of a list, ipcmk's message, and how many there may be (…MNI of Linux)."""

    file: str
    title: str
    number_head: str
    more_head: str
    made: str
    failed: str
    limit: int


_KINDS = {
    "q": _Kind("msg", "Message Queues", "msqid", "used-bytes   messages    ", "Message queue id", "create message queue failed", 32_000),
    "m": _Kind(
        "shm",
        "Shared Memory Segments",
        "shmid",
        "bytes      nattch     status      ",
        "Shared memory id",
        "create share memory failed",
        4096,
    ),
    "s": _Kind("sem", "Semaphore Arrays", "semid", "nsems     ", "Semaphore id", "create semaphore failed", 32_000),
}
"""By the letter of an option."""
_MAKES = {"Q": "q", "M": "m", "S": "s"}
_ROW = re.compile(r"(0x[0-9a-f]{8}) ([0-9]{1,9}) ([0-9]{1,10}) ([0-7]{1,4}) ([0-9]{1,18})", re.ASCII)


def _rows(call: Call, kind: str) -> list[tuple[str, ...]]:
    """Key, number, owner, mode and size of each object."""
    try:
        text = call.kernel.fs.read(f"{SYSVIPC}/{_KINDS[kind].file}")
    except FileProblem:
        return []
    return [match.groups() for match in map(_ROW.fullmatch, call.lines(text)) if match is not None]


def _keep(call: Call, kind: str, rows: list[tuple[str, ...]]) -> None:
    """Store the objects. Raises FileProblem if the volume is full."""
    text = "".join(f"{' '.join(row)}\n" for row in rows)
    call.kernel.fs.write_as_kernel(f"{SYSVIPC}/{_KINDS[kind].file}", text)


def ipcs(call: Call) -> int:
    """``ipcs [-qms]``: lists the IPC namespace."""
    flags = "".join(word[1:] for word in call.argv[1:] if word.startswith("-"))
    for kind in [kind for kind in _KINDS if kind in flags] or list(_KINDS):
        what = _KINDS[kind]
        head = f"{'key':<10} {what.number_head:<10} {'owner':<10} {'perms':<10} {what.more_head}"
        lines = []
        for key, number, uid, perms, size in _rows(call, kind):
            owner = "root" if uid == "0" else uid
            more = {"q": f"{0:<12} {0:<12}", "m": f"{size:<10} {0:<10} {'':<12}", "s": f"{size:<10}"}[kind]
            lines.append(f"{key:<10} {number:<10} {owner:<10} {perms:<10} {more}")
        call.out("\n".join(["", f"------ {what.title} --------", head, *lines]) + "\n")
    call.out("\n")
    return 0


def ipcmk(call: Call) -> int:
    """``ipcmk -M size | -S count | -Q``: a new object; prints its number."""
    words = list(call.argv[1:])
    for letter, kind in _MAKES.items():
        word = next((word for word in words if word.startswith(f"-{letter}")), None)
        if word is None:
            continue
        follows = words[words.index(word) + 1] if words.index(word) + 1 < len(words) else "0"
        return _make(call, kind, whole(word[2:] or follows))
    return call.fail("bad usage")


def _make(call: Call, kind: str, size: int) -> int:
    rows = _rows(call, kind)
    number = max((whole(row[1]) for row in rows), default=-1) + 1
    # The kernel's keys are random; these derive from the seed, so that runs stay the same.
    key = f"0x{(call.kernel.launch.seed * 2_654_435_761 + call.kernel.now_ms + number) & 0xFFFFFFFF:08x}"
    try:
        if len(rows) >= _KINDS[kind].limit:
            raise FileProblem(NO_SPACE)
        _keep(call, kind, [*rows, (key, str(number), str(call.kernel.launch.uid), "644", str(size))])
    except FileProblem as problem:
        return call.fail(f"{_KINDS[kind].failed}: {problem}")
    call.out(f"{_KINDS[kind].made}: {number}\n")
    return 0


def ipcrm(call: Call) -> int:
    """``ipcrm -m id | -q id | -s id``: removes an object."""
    words = list(call.argv[1:])
    if len(words) != 2 or words[0][1:] not in _KINDS:
        return call.fail("bad usage")
    kind = words[0][1:]
    rows = _rows(call, kind)
    kept = [row for row in rows if row[1] != words[1]]
    if len(kept) == len(rows):
        return call.fail(f"invalid id ({words[1]})")
    _keep(call, kind, kept)
    return 0
