"""Programs about sizes and locations of files: dd, truncate, stat, mktemp, find, df."""

from simulator.engine.containers.digits import whole
from simulator.engine.containers.effort import LINE, STEP
from simulator.engine.containers.files.filesystem import DIRECTORY, File
from simulator.engine.containers.kernel.execute import Call, ProgramStart
from simulator.engine.containers.process.state import Holder
from simulator.engine.containers.programs.files import size_of, split_words
from simulator.engine.containers.shell.pattern import matches

ENDLESS = ("/dev/zero", "/dev/urandom", "/dev/random")
"""Devices that never come to an end."""


def dd(call: Call) -> "int | ProgramStart":
    """``dd if= of= bs= count=``: only the size matters. From a device without an end to nowhere it runs until it is stopped."""
    options = dict(word.partition("=")[::2] for word in call.argv[1:])
    size = (size_of(options.get("bs", "512")) or 512) * whole(options.get("count", "1"), 1)
    target = options.get("of")
    source = options.get("if", "-")
    if source in ENDLESS:
        if target == "/dev/null" and "count" not in options:
            return ProgramStart(Holder())
        if target:
            call.kernel.fs.write(call.path(target), "", extra_bytes=size)
    else:
        text = call.read(source)
        size = len(text)
        if target:
            call.kernel.fs.write(call.path(target), text)
        else:
            call.out(text)
    count = options.get("count", "1")
    call.err(f"{count}+0 records in\n{count}+0 records out\n{size} bytes copied\n")
    return 0


def fallocate(call: Call) -> int:
    """``fallocate -l size file`` and ``truncate -s size file``."""
    _, operands, values = split_words(call, "ls")
    size = size_of(values.get("l", values.get("s", "")))
    if size is None or not operands:
        return call.fail("invalid number")
    for name in operands:
        call.kernel.fs.write(call.path(name), "", extra_bytes=size)
    return 0


def stat(call: Call) -> int:
    """``stat [-c format] file …`` with the commonest directives."""
    _, operands, values = split_words(call, "c")
    status = 0
    for name in operands:
        path = call.path(name)
        entry = call.kernel.fs.get(path)
        if entry is None and not call.kernel.fs.is_dir(path):
            status = call.fail(f"can't stat '{name}': No such file or directory")
            continue
        entry = entry or File(mode=DIRECTORY | 0o755)
        when = call.kernel.host.epoch_s + entry.mtime_ms // 1000
        text = values.get("c", "  File: %n\n  Size: %s")
        facts = {
            "n": name,
            "s": str(entry.size_bytes),
            "a": f"{entry.mode & 0o777:o}",
            "Y": str(when),
            "U": "root",
            "G": "root",
            "u": "0",
            "g": "0",
        }
        # Each directive may lengthen the text by the length of a name.
        call.charge(len(text) * (4 + (len(name) >> 1)))
        for letter, value in facts.items():
            text = text.replace(f"%{letter}", value)
        call.out(text + "\n")
    return status


def mktemp(call: Call) -> int:
    """``mktemp [-d]``: names are numbered, so that runs stay the same."""
    flags, _, _ = split_words(call, "p")
    count = 1
    call.charge(STEP)
    while call.kernel.fs.exists(path := f"/tmp/tmp.{count:06d}"):
        count += 1
    mode = DIRECTORY | 0o700 if "d" in flags else 0o600
    call.kernel.fs.set_entry(path, File(mode=mode, mtime_ms=call.kernel.now_ms))
    call.out(path + "\n")
    return 0


def find(call: Call) -> int:
    """``find [path] [-name pattern] [-type f|d]``."""
    words = list(call.argv[1:])
    start = words.pop(0) if words and not words[0].startswith("-") else "."
    options = dict(zip(words[::2], words[1::2], strict=False))
    path = call.path(start)
    if not call.kernel.fs.exists(path):
        return call.fail(f"{start}: No such file or directory")
    for name in [path, *call.kernel.fs.below(path)]:
        directory = call.kernel.fs.is_dir(name)
        kind = options.get("-type")
        if kind and (kind == "d") != directory:
            continue
        if "-name" in options and not matches(call.kernel.meter, [(options["-name"], False)], name.rpartition("/")[2]):
            continue
        call.charge(LINE)
        call.out(start + name[len(path) :] + "\n")
    return 0


def df(call: Call) -> int:
    """``df``/``du``: sizes of what is stored."""
    _, operands, _ = split_words(call)
    for name in operands or ["."]:
        path = call.path(name)
        entries = [call.kernel.fs.get(other) for other in [path, *call.kernel.fs.below(path)]]
        call.charge(sum(len(entry.text) >> 4 for entry in entries if entry is not None))
        total = sum(entry.size_bytes for entry in entries if entry is not None)
        call.out(f"{max(total // 1024, 4)}\t{name}\n")
    return 0
