"""Programs that read text: cat, tac, head, tail, rev, grep and tee."""

import re

from simulator.engine.containers import regex
from simulator.engine.containers.digits import whole
from simulator.engine.containers.files.filesystem import FileProblem
from simulator.engine.containers.kernel.bodies import shown_of
from simulator.engine.containers.kernel.execute import Call, ProgramStart
from simulator.engine.containers.process.state import Follow, Followed, Holder
from simulator.engine.containers.programs.files import size_of

ZERO_BYTES_PER_S = 1 << 30
"""How fast ``tail /dev/zero`` fills memory; a container of 32 MiB is killed after about 30 ms, as on a real node."""


def complain(call: Call, name: str, problem: FileProblem) -> int:
    """Report that a file cannot be opened, as busybox or GNU do."""
    if call.gnu or call.name in ("rev",):
        verb = "cannot open " if call.name == "rev" else ""
        return call.fail(f"{verb}{name}: {problem}")
    return call.fail(f"can't open '{name}': {problem}")


def texts_of_files(call: Call, names: list[str]) -> tuple[list[tuple[str, str]], int]:
    """Names and texts of the files (standard input if there are none), and the status."""
    found, status = [], 0
    for name in names or ["-"]:
        try:
            found.append((name, call.read(name)))
        except FileProblem as problem:
            status = complain(call, name, problem)
    return found, status


def operands(call: Call, valued: str = "") -> tuple[str, list[str], dict[str, str]]:
    flags, names, values = "", [], {}
    words = list(call.argv[1:])
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-" or word.startswith("--"):
            if not word.startswith("--"):
                names.append(word)
            continue
        for index, letter in enumerate(word[1:], 1):
            flags += letter
            if letter in valued:
                values[letter] = word[index + 1 :] or (words.pop(0) if words else "")
                break
    return flags, names, values


def cat(call: Call) -> int:
    """``cat [file …]``."""
    _, names, _ = operands(call)
    status = 0
    for name in names or ["-"]:
        try:
            call.out(call.read(name))
        except FileProblem as problem:
            status = complain(call, name, problem)
    return status


def tac(call: Call) -> int:
    """``tac``."""
    found, status = texts_of_files(call, operands(call)[1])
    for _, text in found:
        call.out("".join(reversed(text.splitlines(keepends=True))))
    return status


def head(call: Call) -> int:
    """``head [-n lines] [-c bytes] [file …]``."""
    _, names, values = operands(call, "nc")
    short = next((word[1:] for word in call.argv[1:] if re.fullmatch(r"-\d+", word)), "")
    count = values.get("n", short or "10")
    lines = int(count) if re.fullmatch(r"-?[0-9]{1,18}", count) else 10
    if "c" in values:
        size = size_of(values["c"]) or 0
        call.out(
            "\0" * min(size, 1 << 16) if names[:1] == ["/dev/zero"] else "".join(text for _, text in texts_of_files(call, names)[0])[:size]
        )
        return 0
    # From a pipe head takes its lines and ends, which lets the writer die of SIGPIPE.
    if not names and lines >= 0:
        call.out("".join(call.input(lines).splitlines(keepends=True)[:lines]))
        return 0
    found, status = texts_of_files(call, names)
    for index, (name, text) in enumerate(found):
        if len(names) > 1:
            call.out(("\n" if index else "") + f"==> {name} <==\n")
        call.out("".join(text.splitlines(keepends=True)[:lines]))
    return status


def tail(call: Call) -> "int | ProgramStart":
    """``tail [-f|-F] [-n lines] [file …]``; ``/dev/zero`` fills the memory."""
    flags, names, values = operands(call, "nc")
    short = next((word[1:] for word in call.argv[1:] if re.fullmatch(r"-\d+", word)), "")
    names = [name for name in names if not re.fullmatch(r"\+\d+", name)]
    if "/dev/zero" in names:
        return ProgramStart(Holder(memory_rate=ZERO_BYTES_PER_S, memory_since_ms=call.kernel.now_ms))
    count = values.get("n", short or "10")
    following = "f" in flags or "F" in flags
    followed, status = [], 0
    for name in names or ["-"]:
        path = call.path(name)
        if following and name == "/dev/null":
            continue
        if following:
            followed.append(Followed(path, shown_of(call.kernel, path)))
        try:
            _last_lines(call, call.read(name), count)
        except FileProblem as problem:
            status = complain(call, name, problem) if not call.gnu else call.fail(f"cannot open '{name}' for reading: {problem}")
            # -f gives up on a missing file, -F waits for it.
            if following and "F" not in flags:
                followed.pop()
    if not following or (followed == [] and status):
        return status
    return ProgramStart(Follow(tuple(followed)), "file" if followed else "never")


def _last_lines(call: Call, text: str, count: str) -> None:
    lines = text.splitlines(keepends=True)
    if count.startswith("+") and count[1:].isdecimal():
        call.out("".join(lines[max(whole(count[1:], len(lines) + 1) - 1, 0) :]))
    elif last := whole(count.lstrip("-"), 0):
        call.out("".join(lines[-last:]))


def rev(call: Call) -> int:
    """``rev [file …]``: each line reversed."""
    found, status = texts_of_files(call, operands(call)[1])
    for _, text in found:
        call.out("".join(line.rstrip("\n")[::-1] + ("\n" if line.endswith("\n") else "") for line in text.splitlines(keepends=True)))
    return status


def grep(call: Call) -> int:
    """``grep [-ivcqnoEFwxl] [-e pattern] pattern [file …]``: 0 found, 1 not found, 2 trouble."""
    flags, names, values = operands(call, "emABC")
    flags += "E" if call.name == "egrep" else "F" if call.name == "fgrep" else ""
    pattern = values["e"] if "e" in values else names.pop(0) if names else ""
    around = r"\b(?:%s)\b" if "w" in flags else r"\A(?:%s)\z" if "x" in flags else "%s"
    try:
        compiled = _compiled(call, pattern, flags, around)
    except regex.BadPattern:
        return call.fail(f"bad regex '{pattern}'", 2)
    found, status = texts_of_files(call, names)
    limit = whole(values.get("m", ""), 1 << 30)
    hits = 0
    for name, text in found:
        lead = f"{name}:" if len(names) > 1 and "h" not in flags else ""
        here = _matching_lines(call, compiled, text, flags=flags, lead=lead, limit=limit)
        hits += here
        if "c" in flags:
            call.out(f"{lead}{here}\n")
        elif "l" in flags and here:
            call.out(f"{name}\n")
    return 0 if hits else 2 if status else 1


def _compiled(call: Call, pattern: str, flags: str, around: str) -> regex.Pattern:
    """The pattern that grep looks for. Raises BadPattern."""
    fixed, meter = "F" in flags, call.kernel.meter
    text = "".join("\\" + char if char in "\\[]*.^$" else char for char in pattern) if fixed else pattern
    return regex.posix(meter, text, extended=not fixed and ("E" in flags or "P" in flags), ignore_case="i" in flags, around=around)


def _matching_lines(call: Call, compiled: regex.Pattern, text: str, *, flags: str, lead: str, limit: int) -> int:
    hits = 0
    for number, line in enumerate(call.lines(text), 1):
        is_found = compiled.search(call.kernel.meter, line) is not None
        if is_found == ("v" in flags):
            continue
        hits += 1
        if not re.search("[cql]", flags):
            only = [match.group() or "" for match in compiled.each(call.kernel.meter, line)] if "o" in flags and is_found else [line]
            for shown in only:
                if shown or "o" not in flags:
                    call.out(f"{lead}{f'{number}:' if 'n' in flags else ''}{shown}\n")
        if hits >= limit:
            break
    return hits


def tee(call: Call) -> int:
    """``tee [-a] file …``."""
    flags, names, _ = operands(call)
    text = call.input()
    call.out(text)
    streaming = call.stdin is not None
    for name in names:
        # A stream comes piece by piece; only the first piece may truncate the file.
        if "a" in flags or (streaming and call.kernel.fs.get(call.path(name)) is not None):
            call.kernel.fs.append(call.path(name), text)
        else:
            call.kernel.fs.write(call.path(name), text)
    return 0
