"""System V objects that the containers of a pod share: ``ipcs``, ``ipcmk`` and ``ipcrm``.

They are kept as lines of the files in /proc/sysvipc, a little shorter than Linux shows them. Source: util-linux sys-utils/ipcs.c, ipcmk.c.
"""

from simulator.engine.runtime.digits import whole
from simulator.engine.runtime.execute import Call
from simulator.engine.runtime.filesystem import FileProblem

_DIRECTORY = "/proc/sysvipc"
_KINDS = {
    "q": ("msg", "Message Queues", "msqid", "used-bytes   messages    ", "Message queue id"),
    "m": ("shm", "Shared Memory Segments", "shmid", "bytes      nattch     status      ", "Shared memory id"),
    "s": ("sem", "Semaphore Arrays", "semid", "nsems     ", "Semaphore id"),
}
"""By the letter of an option: file, title, the columns that differ, and what ipcmk says."""
_MAKES = {"Q": "q", "M": "m", "S": "s"}


def _rows(call: Call, kind: str) -> list[str]:
    try:
        return call.lines(call.kernel.fs.read(f"{_DIRECTORY}/{_KINDS[kind][0]}"))
    except FileProblem:
        return []


def _keep(call: Call, kind: str, rows: list[str]) -> None:
    call.kernel.fs.write(f"{_DIRECTORY}/{_KINDS[kind][0]}", "".join(f"{row}\n" for row in rows))


def ipcs(call: Call) -> int:
    """``ipcs [-qms]``: what there is in the IPC namespace."""
    flags = "".join(word[1:] for word in call.argv[1:] if word.startswith("-"))
    for kind in [kind for kind in _KINDS if kind in flags] or list(_KINDS):
        _, title, number_head, more_head, _ = _KINDS[kind]
        head = f"{'key':<10} {number_head:<10} {'owner':<10} {'perms':<10} {more_head}"
        lines = []
        for row in _rows(call, kind):
            key, number, uid, perms, size = row.split(" ")
            owner = "root" if uid == "0" else uid
            more = {"q": f"{0:<12} {0:<12}", "m": f"{size:<10} {0:<10} {'':<12}", "s": f"{size:<10}"}[kind]
            lines.append(f"{key:<10} {number:<10} {owner:<10} {perms:<10} {more}")
        call.out("\n".join(["", f"------ {title} --------", head, *lines]) + "\n")
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
        rows = _rows(call, kind)
        number = max((whole(row.split(" ")[1]) for row in rows), default=-1) + 1
        key = f"0x{(call.kernel.launch.seed * 2_654_435_761 + call.kernel.now_ms + number) & 0xFFFFFFFF:08x}"
        _keep(call, kind, [*rows, f"{key} {number} {call.kernel.launch.uid} 644 {whole(word[2:] or follows)}"])
        call.out(f"{_KINDS[kind][4]}: {number}\n")
        return 0
    return call.fail("bad usage")


def ipcrm(call: Call) -> int:
    """``ipcrm -m id | -q id | -s id``: removes an object."""
    words = list(call.argv[1:])
    if len(words) != 2 or words[0][1:] not in _KINDS:
        return call.fail("bad usage")
    kind = words[0][1:]
    rows = _rows(call, kind)
    kept = [row for row in rows if row.split(" ")[1] != words[1]]
    if len(kept) == len(rows):
        return call.fail(f"invalid id ({words[1]})")
    _keep(call, kind, kept)
    return 0
