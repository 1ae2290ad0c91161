"""Files of a container: one private layer that dies with the instance, and mounted volumes that outlive it.

``Files`` maps a path to a ``File``. Keys of the private layer are absolute (``/tmp/healthy``), keys of a volume are relative
to its root (``index.html``). A stored ``Files`` never changes: a write creates a new mapping, so forks share what they have
in common. A directory exists if a file lies below it, if the image has it, or by an entry of its own.

A path belongs to the mount with the longest matching mount path, else to the private layer, as in
the kernel. The first write of a turn copies the mapping of its layer (``_owned``) and later ones change the
copy: the first write costs O(files), the others O(1). Sizes are bounded per layer; beyond the bound a program
gets ENOSPC, as a real one would, and never an error of the simulator. An unknown image (``base_dirs``
None) is assumed to have every directory.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeAlias

from msgspec import Struct

from simulator.engine.containers.effort import CHARS, COPIED, Meter
from simulator.engine.containers.files.etc import PATHS

DIRECTORY = 0o040000
"""Bit of ``File.mode`` that marks a directory entry."""
KEPT_CHARS_MAX = 1 << 18
"""How much text is kept of one file; of a longer one the oldest part is dropped and only its bytes are counted."""
NAME_CHARS_MAX, PATH_CHARS_MAX = 255, 4095
"""Limits of a single name and of a whole path, as in Linux."""
STORE_CHARS_MAX = 1 << 20
STORE_FILES_MAX = 5000
"""Limits of text and number of files in one layer or volume; beyond them there is no space left on the device."""


class File(Struct, frozen=True, gc=False):
    """Content and metadata of one file. ``extra_bytes`` counts bytes without stored text (zeroes, or dropped old lines)."""

    text: str = ""
    mode: int = 0o644
    mtime_ms: int = 0
    extra_bytes: int = 0

    @property
    def is_directory(self) -> bool:
        """Whether the entry is a directory."""
        return bool(self.mode & DIRECTORY)

    @property
    def is_opaque(self) -> bool:
        """Whether it is a file whose bytes are only counted: a program of an image, or zeroes."""
        return not self.is_directory and not self.text and self.extra_bytes > 0

    @property
    def size_bytes(self) -> int:
        """What ``ls -l`` shows."""
        # Bytes that are not UTF-8 are lone surrogates in the text; each counts as one byte.
        return len(self.text.encode("utf-8", "surrogateescape")) + self.extra_bytes


Files: TypeAlias = Mapping[str, File]
"""Path → file. Never changed once stored."""


class Mount(Struct, frozen=True, gc=False):
    """A volume in the container's file system. ``volume`` is its key in ``Host.volumes``; ``path`` has no trailing slash."""

    path: str
    volume: str
    sub_path: str = ""
    read_only: bool = False


class FileProblem(Exception):
    """A file operation failed; the text is the reason in strerror's words."""


NOT_FOUND = "No such file or directory"
READ_ONLY = "Read-only file system"
IS_DIRECTORY = "Is a directory"
NOT_DIRECTORY = "Not a directory"
EXISTS = "File exists"
BUSY = "Device or resource busy"
NAME_TOO_LONG = "File name too long"
NO_SPACE = "No space left on device"
TOO_MANY_LINKS = "Too many levels of symbolic links"

SYSVIPC = "/proc/sysvipc"
"""Where the kernel shows the System V objects of an IPC namespace."""


def normalise(path: str, cwd: str = "/") -> str:
    """The absolute path without ``.``, ``..`` and doubled slashes."""
    if not path.startswith("/"):
        path = f"{cwd}/{path}"
    # Most paths are already normal; this is the hottest function of the file system.
    if "//" not in path and "/." not in path and not (path.endswith("/") and len(path) > 1):
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def parent_of(path: str) -> str:
    """The directory that holds ``path``."""
    return path.rpartition("/")[0] or "/"


class MadeUp(Protocol):
    """The files that the kernel generates below /proc."""

    def text(self, path: str) -> str | None:
        """The text of a file, None if there is none."""

    def is_dir(self, path: str) -> bool:
        """Whether there is such a directory."""

    def names(self, path: str) -> tuple[str, ...]:
        """The entries of a directory."""


class FileSystem:
    """What a process of the container sees during one turn. Collects changes; ``private`` and ``changed`` are the result.

    ``base_dirs`` are the directories of the image, or None if the image is unknown and any directory is assumed to exist; ``etc``
    returns the text of files in /etc that exist without being stored. ``writable``: what can be written
    to outside volumes, None for everything.
    """

    __slots__ = (
        "_base_dirs",
        "_chars",
        "_etc",
        "_meter",
        "_mounts",
        "_owned",
        "_volumes",
        "_writable",
        "changed",
        "now_ms",
        "private",
        "proc",
        "version",
    )

    def __init__(
        self,
        private: Files,
        mounts: tuple[Mount, ...],
        volumes: Mapping[str, Files],
        *,
        base_dirs: Mapping[str, None] | None,
        now_ms: int,
        meter: Meter,
        etc: Callable[[str], str | None] | None = None,
        writable: tuple[str, ...] | None = None,
    ) -> None:
        self.private: Files = private
        self.changed: dict[str, Files] = {}
        self.version = 0
        self.proc: MadeUp | None = None
        self.now_ms = now_ms
        self._mounts = mounts
        self._volumes = volumes
        self._base_dirs = base_dirs
        self._etc = etc
        self._writable = writable
        self._owned: dict[str, None] = {}
        self._chars: dict[str, int] = {}
        self._meter = meter

    def _locate(self, path: str) -> tuple[Mount | None, str]:
        """The mount (None = private layer) and the key of ``path`` in it. Longest mount path wins."""
        best: Mount | None = None
        self._meter.charge(2 * len(self._mounts) + (len(path) >> 3))
        for mount in self._mounts:
            point = mount.path
            # /data must not take /database; the mount of / has no slash to look for.
            inside = path.startswith(point) and (path[len(point) : len(point) + 1] in ("", "/") or point == "/")
            if inside and (best is None or len(point) > len(best.path)):
                best = mount
        if best is None:
            return None, path
        inner = path[len(best.path) :].strip("/")
        return best, "/".join(part for part in (best.sub_path, inner) if part)

    def _store(self, mount: Mount | None) -> Files:
        if mount is None:
            return self.private
        changed = self.changed.get(mount.volume)
        return changed if changed is not None else self._volumes.get(mount.volume, {})

    def get(self, path: str) -> File | None:
        """The entry at ``path`` (absolute, normalised), or None. A directory without an entry of its own is None too."""
        mount, key = self._locate(path)
        entry = self._store(mount).get(key)
        # A stored entry wins: a program may have overwritten /etc/hosts.
        return self._made(path) if entry is None and mount is None and path.startswith(("/etc/", "/proc/")) else entry

    def _made(self, path: str) -> File | None:
        made = self._etc if path.startswith("/etc/") else self.proc.text if self.proc is not None else None
        text = made(path) if made is not None else None
        return File(text) if text is not None else None

    def read(self, path: str) -> str:
        """Text of a file. Raises FileProblem if there is none."""
        entry = self.get(path)
        if entry is not None and not entry.is_directory:
            return entry.text
        if self.is_dir(path):
            raise FileProblem(IS_DIRECTORY)
        raise FileProblem(NOT_FOUND)

    def is_dir(self, path: str) -> bool:
        """Whether ``path`` is a directory, by an entry, a mount, the image, or a file below it."""
        if path == "/":
            return True
        mount, key = self._locate(path)
        store = self._store(mount)
        entry = store.get(key)
        if entry is not None:
            return entry.is_directory
        if mount is None and self._base_dirs is not None and path in self._base_dirs:
            return True
        if path.startswith("/proc/") and self.proc is not None and self.proc.is_dir(path):
            return True
        inside = path + "/"
        for m in self._mounts:
            if m.path.startswith(path) and (m.path == path or m.path.startswith(inside)):
                return True
        if not store:
            return False
        prefix = key + "/"
        self._meter.charge(len(store))
        return any(name.startswith(prefix) for name in store)

    def mounted(self, path: str) -> bool:
        """Whether ``path`` lies in a volume."""
        return self._locate(path)[0] is not None

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory at ``path``."""
        return self.get(path) is not None or self.is_dir(path)

    def is_read_only(self, path: str) -> bool:
        """Whether what is at ``path`` cannot be written: its volume, or the root file system, is read-only."""
        mount, _key = self._locate(path)
        if mount is not None:
            return mount.read_only
        return self._writable is not None and not any(path == place or path.startswith(f"{place}/") for place in self._writable)

    def _put(self, path: str, entry: File | None, *, by_kernel: bool = False) -> None:
        mount, key = self._locate(path)
        if not by_kernel and self.is_read_only(path):
            raise FileProblem(READ_ONLY)
        owner = mount.volume if mount else ""
        store = self._store(mount)
        if entry is not None:
            if len(path) > PATH_CHARS_MAX or max(map(len, path.split("/"))) > NAME_CHARS_MAX:
                raise FileProblem(NAME_TOO_LONG)
            # Space is checked before the copy is made, so a refused write changes nothing.
            self._reserve(owner, store, key, entry)
        elif owner in self._chars and key in store:
            self._chars[owner] -= len(store[key].text)
        if owner not in self._owned:
            self._meter.charge(len(store) >> 2)
        # The stored mapping is shared with forks of the world; only this turn's own copy is changed.
        mine = dict(store) if owner not in self._owned else store
        assert isinstance(mine, dict)
        self._owned[owner] = None
        if entry is None:
            mine.pop(key, None)
        else:
            mine[key] = entry
        if mount is None:
            self.private = mine
        else:
            self.changed[mount.volume] = mine
        self.version += 1

    def _reserve(self, owner: str, store: Files, key: str, entry: File) -> None:
        """Raise FileProblem if the store would hold too much. Cost: O(files) once per turn, then O(1)."""
        before = store.get(key)
        more = len(entry.text) - (len(before.text) if before is not None else 0)
        if more > 0 or before is None:
            held = self._chars.get(owner)
            if held is None:
                self._meter.charge(len(store))
                held = sum(len(file.text) for file in store.values())
            if (more > 0 and held + more > STORE_CHARS_MAX) or (before is None and len(store) >= STORE_FILES_MAX):
                raise FileProblem(NO_SPACE)
            self._chars[owner] = held + more
        elif owner in self._chars:
            self._chars[owner] += more

    def check_parent(self, path: str) -> None:
        """Raise FileProblem unless the directory that would hold ``path`` exists."""
        parent = parent_of(path)
        if self.is_dir(parent):
            return
        # An unknown image may well have the directory; the script is trusted.
        if self._base_dirs is None and self._locate(parent)[0] is None and self.get(parent) is None:
            return
        raise FileProblem(NOT_DIRECTORY if self.get(parent) is not None else NOT_FOUND)

    def write(self, path: str, text: str, *, mode: int | None = None, extra_bytes: int = 0) -> None:
        """Replace the content of ``path``, creating it. Raises FileProblem."""
        entry = self.get(path)
        if (entry is not None and entry.is_directory) or (entry is None and self.is_dir(path)):
            raise FileProblem(IS_DIRECTORY)
        if entry is None:
            self.check_parent(path)
        kept = entry.mode if entry is not None else 0o644
        self._put(path, File(text, mode if mode is not None else kept, self.now_ms, extra_bytes))

    def write_as_kernel(self, path: str, text: str) -> None:
        """Replace the content of a file that the kernel maintains, such as one of SYSVIPC; read-only applies to programs alone.

        Raises FileProblem if there is no space left.
        """
        self._put(path, File(text, 0o444, self.now_ms, 0), by_kernel=True)

    def append(self, path: str, text: str) -> None:
        """Add to the end of ``path``, creating it. Raises FileProblem. Old text beyond the limit is only counted."""
        entry = self.get(path)
        if entry is None or entry.is_directory:
            self.write(path, text)
            return
        self._meter.charge(len(entry.text) // COPIED + len(text) // CHARS)
        whole, extra = entry.text + text, entry.extra_bytes
        if len(whole) > KEPT_CHARS_MAX:
            # Half is dropped at once, so that a log that grows line by line is not copied for every line.
            cut = whole.find("\n", len(whole) - KEPT_CHARS_MAX // 2) + 1
            extra += len(whole[:cut].encode("utf-8", "surrogateescape"))
            whole = whole[cut:]
        self._put(path, File(whole, entry.mode, self.now_ms, extra))

    def set_entry(self, path: str, entry: File) -> None:
        """Store an entry as it is (a directory, or changed metadata of a file). Raises FileProblem."""
        self.check_parent(path)
        self._put(path, entry)

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with everything below it. Raises FileProblem if there is nothing or it is read-only."""
        below = [path, *self.below(path)]
        if any(self._locate(name)[0] is None and self._made(name) is not None for name in below if name in PATHS):
            # The kubelet's files are bind mounts, which cannot be removed from inside.
            raise FileProblem(BUSY)
        for name in below:
            if self.get(name) is not None:
                self._put(name, None)

    def below(self, path: str) -> Iterator[str]:
        """Paths of every stored entry under the directory ``path``, in order."""
        mount, key = self._locate(path)
        self._meter.charge(2 * len(self._store(mount)))
        lead = key.rstrip("/") + "/" if key and key != "/" else ("/" if mount is None else "")
        found: dict[str, None] = {}
        for name in self._store(mount):
            if name.startswith(lead) and name != key:
                found["/".join([path.rstrip("/"), name[len(lead) :]])] = None
        # Generated files are listed too.
        if mount is None and "/etc/".startswith(lead):
            found.update(dict.fromkeys(name for name in PATHS if self.get(name) is not None))
        for point in self._mounts:
            if point.path.startswith(path.rstrip("/") + "/") and point is not mount:
                found[point.path] = None
                for name in self._store(point):
                    inner = name[len(point.sub_path) :].strip("/") if name.startswith(point.sub_path) else None
                    if inner:
                        found[f"{point.path}/{inner}"] = None
        return iter(sorted(found))

    def names(self, path: str) -> list[str]:
        """Names directly inside the directory ``path``, sorted."""
        lead = path.rstrip("/") + "/"
        found = {name[len(lead) :].split("/", 1)[0]: None for name in self.below(path)}
        if self._locate(path)[0] is None:
            if path.startswith("/proc") and self.proc is not None:
                found.update(dict.fromkeys(self.proc.names(path)))
            for name in self._base_dirs or ():
                if name.startswith(lead) and name != path:
                    found[name[len(lead) :].split("/", 1)[0]] = None
        return sorted(name for name in found if name)
