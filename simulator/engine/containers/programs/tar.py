"""``tar`` as ``kubectl cp`` calls it: an archive on standard output, or one from standard input. Only commands from outside can use it.

An archive is bytes, and texts of a container hold bytes that are not UTF-8 as lone surrogates (``File.size_bytes``), so every file comes
out as it went in. Source: POSIX.1-2001 pax, section ustar Interchange Format; the messages are busybox's.
"""

from collections.abc import Iterator

from simulator.engine.containers.effort import CHARS
from simulator.engine.containers.files.filesystem import DIRECTORY, File, FileProblem, normalise
from simulator.engine.containers.kernel.execute import Call

WITH_TAR = ("busybox", "alpine", "debian")
"""Userlands that have it."""
BLOCK = 512
FILES_MAX = 1000
_LONG = {"--create": "c", "--extract": "x", "--list": "t"}
_VALUED = {"--file": "f", "--directory": "C"}


class _TarLine:
    """A parsed command line: ``mode`` c, x or t; where; and which paths."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.mode, self.file, self.directory, self.paths = "", "", "", list[str]()
        rest = iter(words)
        for number, word in enumerate(rest):
            name, equals, value = word.partition("=")
            if name in _LONG:
                self.mode = _LONG[name]
            elif name in _VALUED:
                self._take(_VALUED[name], value if equals else next(rest, ""))
            elif word.startswith("--"):
                continue  # owners and permissions are not kept anyway
            elif (word.startswith("-") and len(word) > 1) or not number:
                self._letters(word.removeprefix("-"), rest)
            else:
                self.paths.append(word)

    def _letters(self, letters: str, rest: Iterator[str]) -> None:
        for place, letter in enumerate(letters):
            if letter in "cxt":
                self.mode = letter
            elif letter in "fC":
                more = letters[place + 1 :] if letter == "C" else ""
                self._take(letter, more or next(rest, ""))

    def _take(self, letter: str, value: str) -> None:
        if letter == "f":
            self.file = value
        else:
            self.directory = value


def tar(call: Call) -> int:
    """``tar cf - path …``, ``tar xmf - [-C directory]``, ``tar tf -``. Raises NeedInput."""
    asked = _TarLine(call.argv[1:])
    if not asked.mode:
        return call.fail("must specify one of -c, -x, -t")
    if asked.file != "-":
        return call.fail(f"can't open '{asked.file or '/dev/tape'}': No such file or directory")
    base = call.path(asked.directory) if asked.directory else call.cwd
    if not call.kernel.fs.is_dir(base):
        return call.fail(f"can't change directory to '{asked.directory}': No such file or directory")
    if asked.mode == "c":
        return _create(call, base, asked.paths)
    data = call.input().encode("utf-8", "surrogateescape")
    call.charge(len(data) // CHARS)
    return _extract(call, base, data, lists=asked.mode == "t")


def _create(call: Call, base: str, paths: list[str]) -> int:
    if not paths:
        return call.fail("empty archive")
    if any(path.startswith("/") for path in paths):
        call.err("tar: removing leading '/' from member names\n")
    status, parts = 0, list[bytes]()
    for word in paths:
        full = normalise(word, base)
        if not call.kernel.exists(full, base):
            call.err(f"tar: {word}: No such file or directory\n")
            status = 1
            continue
        below = list(call.kernel.fs.below(full))[:FILES_MAX] if call.kernel.fs.is_dir(full) else []
        for path in (full, *below):
            name = (word.rstrip("/") + path[len(full) :]).lstrip("/") or "."
            parts.append(_member(call, path, name))
    call.out((b"".join(parts) + bytes(2 * BLOCK)).decode("utf-8", "surrogateescape"))
    if status:
        call.err("tar: error exit delayed from previous errors\n")
    return status


def _member(call: Call, path: str, name: str) -> bytes:
    files = call.kernel.fs
    entry = files.get(path)
    if entry is None or entry.is_directory:
        return _header(name + "/", entry.mode & 0o7777 if entry is not None else 0o755, 0, _seconds(call, entry), b"5")
    data = call.read(path).encode("utf-8", "surrogateescape")
    call.charge(len(data) // CHARS)
    return _header(name, entry.mode & 0o7777, len(data), _seconds(call, entry), b"0") + data + bytes(-len(data) % BLOCK)


def _seconds(call: Call, entry: File | None) -> int:
    return call.kernel.host.epoch_s + (entry.mtime_ms if entry is not None else call.kernel.started_ms) // 1000


def _header(name: str, mode: int, size: int, mtime_s: int, kind: bytes) -> bytes:
    text = name.encode("utf-8", "surrogateescape")
    prefix = b""
    if len(text) > 100:
        cut = text.rfind(b"/", 0, 156)
        prefix, text = (text[:cut], text[cut + 1 :]) if cut > 0 else (b"", text)
    numbers = b"%07o\0%07o\0%07o\0%011o\0%011o\0" % (mode, 0, 0, size, mtime_s)
    end = kind + bytes(100) + b"ustar\x0000" + b"root".ljust(32, b"\0") * 2 + b"%07o\0%07o\0" % (0, 0) + prefix[:155].ljust(155, b"\0")
    head = text[:100].ljust(100, b"\0") + numbers
    total = sum(head) + sum(end) + 8 * 32
    return (head + b"%06o\0 " % total + end).ljust(BLOCK, b"\0")


def _extract(call: Call, base: str, data: bytes, *, lists: bool) -> int:
    place, count = 0, 0
    while place + BLOCK <= len(data) and (header := data[place : place + BLOCK]).strip(b"\0"):
        name, size = _name(header), _octal(header[124:136])
        text = data[place + BLOCK : place + BLOCK + size]
        place += BLOCK + (size + BLOCK - 1) // BLOCK * BLOCK
        count += 1
        if size < 0 or count > FILES_MAX or len(text) < size:
            return call.fail("short read" if len(text) < size else "too many files")
        if lists:
            call.out(f"{name}\n")
        elif header[156:157] in b"05\0" and (status := _put(call, base, name, text, header)):
            return status
    if not count:
        return call.fail("short read")
    return 0


def _put(call: Call, base: str, name: str, data: bytes, header: bytes) -> int:
    # Nothing leaves the directory, as in every modern tar.
    path = f"{base.rstrip('/')}{normalise(name, '/')}"
    files = call.kernel.fs
    try:
        for place in range(len(base.rstrip("/")) + 1, len(path)):
            if path[place] == "/" and not files.is_dir(path[:place]):
                files.set_entry(path[:place], File(mode=DIRECTORY | 0o755, mtime_ms=files.now_ms))
        if header[156:157] == b"5":
            if not files.is_dir(path):
                files.set_entry(path, File(mode=DIRECTORY | 0o755, mtime_ms=files.now_ms))
        else:
            files.write(path, data.decode("utf-8", "surrogateescape"), mode=_octal(header[100:108]) & 0o777 or 0o644)
    except FileProblem as problem:
        return call.fail(f"can't open '{name}': {problem}")
    return 0


def _name(header: bytes) -> str:
    name, prefix = header[:100].rstrip(b"\0"), header[345:500].rstrip(b"\0") if header[257:262] == b"ustar" else b""
    return (prefix + b"/" + name if prefix else name).decode("utf-8", "surrogateescape")


def _octal(field: bytes) -> int:
    text = field.strip(b"\0 ")
    return int(text, 8) if text.isdigit() and not set(text) & set(b"89") else -1 if text else 0
