"""Programs that change or list files."""

import re

from simulator.engine.containers.effort import STEP
from simulator.engine.containers.files.filesystem import DIRECTORY, EXISTS, READ_ONLY, File, FileProblem, parent_of
from simulator.engine.containers.kernel.execute import Call
from simulator.engine.containers.kernel.presumed_files import file_in_image
from simulator.engine.containers.programs.clock import strftime

_UNITS = {"": 1, "b": 512, "c": 1, "k": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size_of(text: str) -> int | None:
    """Bytes of ``5M``, ``1k`` …; None if it is not a size."""
    match = re.fullmatch(r"([0-9]{1,18})([bckKMG]?)(?:i?B)?", text)
    return int(match.group(1)) * _UNITS[match.group(2)] if match else None


def split_words(call: Call, valued: str = "") -> tuple[str, list[str], dict[str, str]]:
    """Flags, operands and values of options that take one."""
    flags, operands, values = "", [], {}
    words = list(call.argv[1:])
    while words:
        word = words.pop(0)
        if word == "--":
            operands += words
            break
        if word.startswith("-") and len(word) > 1:
            flags += word[1:] if not word.startswith("--") else ""
            letter = word[1]
            if letter in valued and not word.startswith("--"):
                values[letter] = word[2:] or (words.pop(0) if words else "")
        else:
            operands.append(word)
    return flags, operands, values


def touch(call: Call) -> int:
    """``touch file …``."""
    flags, operands, _ = split_words(call, "dtr")
    status = 0
    for name in operands:
        path = call.path(name)
        entry = call.kernel.fs.get(path)
        try:
            if entry is not None:
                call.kernel.fs.set_entry(path, File(entry.text, entry.mode, call.kernel.now_ms, entry.extra_bytes))
            elif not call.kernel.fs.is_dir(path) and "c" not in flags:
                call.kernel.fs.write(path, "")
        except FileProblem as problem:
            status = call.fail(f"cannot touch '{name}': {problem}" if call.gnu else f"{name}: {problem}")
    return status


def rm(call: Call) -> int:
    """``rm [-rf] file …`` and ``rmdir``."""
    flags, operands, _ = split_words(call)
    status = 0
    for name in operands:
        path = call.path(name)
        directory = call.kernel.fs.is_dir(path)
        try:
            if not call.kernel.fs.exists(path):
                if "f" not in flags:
                    raise FileProblem("No such file or directory")
            elif directory and not re.search("[rR]", flags) and call.name != "rmdir":
                raise FileProblem("Is a directory")
            else:
                call.kernel.fs.remove(path)
        except FileProblem as problem:
            status = call.fail(f"cannot remove '{name}': {problem}" if call.gnu else f"can't remove '{name}': {problem}")
    return status


def mkdir(call: Call) -> int:
    """``mkdir [-p] directory …``."""
    flags, operands, _ = split_words(call, "m")
    status = 0
    for name in operands:
        path = call.path(name)
        try:
            _make_directory(call, path, parents="p" in flags)
        except FileProblem as problem:
            status = call.fail(
                f"cannot create directory '{name}': {problem}" if call.gnu else f"can't create directory '{name}': {problem}"
            )
    return status


def _make_directory(call: Call, path: str, *, parents: bool) -> None:
    fs = call.kernel.fs
    if fs.exists(path):
        if parents and fs.is_dir(path):
            return
        raise FileProblem(EXISTS)
    # The recursion is bounded; a deeper path is refused for its missing parent.
    if parents and path.count("/") < 40:
        _make_directory(call, parent_of(path), parents=True) if parent_of(path) != "/" else None
    fs.set_entry(path, File(mode=DIRECTORY | 0o755, mtime_ms=call.kernel.now_ms))


def _mode_text(mode: int, *, directory: bool) -> str:
    bits = "".join(letter if mode >> (8 - index) & 1 else "-" for index, letter in enumerate("rwxrwxrwx"))
    return ("d" if directory else "-") + bits


def ls(call: Call) -> int:
    """``ls [-la1dR] [path …]``: one name per line; ``-l`` as busybox prints it."""
    flags, operands, _ = split_words(call)
    fs, status, files, directories = call.kernel.fs, 0, [], []
    for name in operands or ["."]:
        path = call.path(name)
        if not fs.exists(path):
            text = f"cannot access '{name}': No such file or directory" if call.gnu else f"{name}: No such file or directory"
            status = call.fail(text, 2 if call.gnu else 1)
        elif fs.is_dir(path) and "d" not in flags:
            directories.append((name, path))
        else:
            files.append((name, path))
    call.charge(STEP * len(files))
    _list(call, files, flags)
    for index, (name, path) in enumerate(directories):
        if len(operands) > 1 or "R" in flags:
            call.out(("\n" if index or files else "") + f"{name}:\n")
        names = [entry for entry in fs.names(path) if re.search("[aA]", flags) or not entry.startswith(".")]
        call.charge(STEP * len(names))
        if "l" in flags:
            call.out(f"total {4 * len(names)}\n")
        _list(call, [(entry, f"{path.rstrip('/')}/{entry}") for entry in names], flags)
    return status


def _list(call: Call, entries: list[tuple[str, str]], flags: str) -> None:
    for name, path in entries:
        if "l" not in flags:
            call.out(name + "\n")
            continue
        entry = call.kernel.fs.get(path) or File(mode=DIRECTORY | 0o755)
        directory = entry.is_directory
        when = strftime("%b %e %H:%M", call.kernel.host.epoch_s + entry.mtime_ms // 1000)
        size = 4096 if directory else entry.size_bytes
        call.out(f"{_mode_text(entry.mode, directory=directory)}    {2 if directory else 1} root     root     {size:9d} {when} {name}\n")


def cp(call: Call) -> int:
    """``cp``/``mv [-rf] source … target``."""
    flags, operands, _ = split_words(call, "t" if call.gnu else "")
    if len(operands) < 2:
        return call.fail("missing file operand")
    fs, status, target = call.kernel.fs, 0, call.path(operands[-1])
    for name in operands[:-1]:
        source = call.path(name)
        into = f"{target.rstrip('/')}/{source.rpartition('/')[2]}" if fs.is_dir(target) and source != "/" else target
        try:
            entry = file_in_image(call.kernel, source)
            if entry is None and not fs.is_dir(source):
                raise FileProblem(
                    f"cannot stat '{name}': No such file or directory" if call.gnu else f"can't stat '{name}': No such file or directory"
                )
            if fs.is_dir(source) and not re.search("[rRa]", flags) and call.name == "cp":
                raise FileProblem(f"omitting directory '{name}'")
            # Checked before the copy: a failed mv must not leave two files.
            if call.name == "mv" and fs.is_read_only(source):
                raise FileProblem(f"can't remove '{name}': {READ_ONLY}")
            _copy(call, source, entry, into, contents=name.endswith("/."))
            if call.name == "mv" and fs.exists(source):
                fs.remove(source)
        except FileProblem as problem:
            status = call.fail(str(problem))
    return status


def _copy(call: Call, source: str, entry: File | None, target: str, *, contents: bool) -> None:
    fs = call.kernel.fs
    # ``cp -r dir/. target``: the contents, not the directory itself.
    if contents:
        target = parent_of(target) if target.rpartition("/")[2] == source.rpartition("/")[2] else target
    if entry is not None and not entry.is_directory:
        fs.set_entry(target, File(entry.text, entry.mode, call.kernel.now_ms, entry.extra_bytes))
        return
    if not fs.is_dir(target):
        fs.set_entry(target, File(mode=DIRECTORY | 0o755, mtime_ms=call.kernel.now_ms))
    for path in list(fs.below(source)):
        call.charge(STEP)
        inner = fs.get(path)
        if inner is not None:
            fs.set_entry(target.rstrip("/") + path[len(source.rstrip("/")) :], inner)


def ln(call: Call) -> int:
    """``ln``: links are not modelled, so the target becomes a copy."""
    _, operands, _ = split_words(call)
    if len(operands) < 2:
        return 1
    source = call.path(operands[0])
    entry = call.kernel.fs.get(source)
    if entry is not None:
        call.kernel.fs.set_entry(call.path(operands[1]), entry)
    return 0


def chmod(call: Call) -> int:
    """``chmod [-R] mode file …`` with octal modes and ``+x``; ``chown`` changes nothing."""
    _, operands, _ = split_words(call)
    status = 0
    for name in operands[1:]:
        path = call.path(name)
        entry = file_in_image(call.kernel, path)
        if entry is None and not call.kernel.fs.is_dir(path):
            status = call.fail(f"{name}: No such file or directory")
        elif call.kernel.fs.is_read_only(path):
            status = call.fail(f"{name}: {READ_ONLY}")
        # A file that an unknown image is only assumed to have is executable already.
        elif entry is not None and call.name == "chmod" and call.kernel.fs.exists(path):
            call.kernel.fs.set_entry(path, File(entry.text, _new_mode(entry.mode, operands[0]), entry.mtime_ms, entry.extra_bytes))
    return status


def _new_mode(mode: int, text: str) -> int:
    if re.fullmatch(r"[0-7]{1,4}", text):
        return mode & DIRECTORY | int(text, 8)
    for clause in text.split(","):
        match = re.fullmatch(r"[ugoa]*([-+=])([rwxX]*)", clause)
        if match:
            bits = sum({"r": 0o444, "w": 0o200, "x": 0o111, "X": 0o111}[letter] for letter in dict.fromkeys(match.group(2)))
            mode = mode & ~bits if match.group(1) == "-" else mode | bits
    return mode
