"""Programs that read text: cat, head, tail, grep, wc, sort, cut, tr, sed and the like."""

import re

from simulator.engine.behaviour.bodies import shown_of
from simulator.engine.behaviour.execute import Call, Start
from simulator.engine.behaviour.filesystem import FileProblem
from simulator.engine.behaviour.process import Follow, Followed, Holder
from simulator.engine.behaviour.programs.files import size_of

ZERO_BYTES_PER_S = 1 << 30
"""How fast ``tail /dev/zero`` fills memory; a container of 32 MiB is killed after about 30 ms, as on a real node."""


def complain(call: Call, name: str, problem: FileProblem) -> int:
    """Say that a file cannot be opened, as busybox or GNU do."""
    if call.gnu or call.name in ("rev",):
        verb = "cannot open " if call.name == "rev" else ""
        return call.fail(f"{verb}{name}: {problem}")
    return call.fail(f"can't open '{name}': {problem}")


def _texts(call: Call, names: list[str]) -> tuple[list[tuple[str, str]], int]:
    """Names and texts of the files (standard input without any), and the status."""
    found, status = [], 0
    for name in names or ["-"]:
        try:
            found.append((name, call.read(name)))
        except FileProblem as problem:
            status = complain(call, name, problem)
    return found, status


def _operands(call: Call, valued: str = "") -> tuple[str, list[str], dict[str, str]]:
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
    _, names, _ = _operands(call)
    status = 0
    for name in names or ["-"]:
        try:
            call.out(call.read(name))
        except FileProblem as problem:
            status = complain(call, name, problem)
    return status


def tac(call: Call) -> int:
    """``tac``."""
    found, status = _texts(call, _operands(call)[1])
    for _, text in found:
        call.out("".join(reversed(text.splitlines(keepends=True))))
    return status


def head(call: Call) -> int:
    """``head [-n lines] [-c bytes] [file …]``."""
    _, names, values = _operands(call, "nc")
    short = next((word[1:] for word in call.argv[1:] if re.fullmatch(r"-\d+", word)), "")
    count = values.get("n", short or "10")
    lines = int(count) if re.fullmatch(r"-?\d+", count) else 10
    if "c" in values:
        size = size_of(values["c"]) or 0
        call.out("\0" * min(size, 1 << 16) if names[:1] == ["/dev/zero"] else "".join(text for _, text in _texts(call, names)[0])[:size])
        return 0
    if not names and lines >= 0:
        call.out("".join(call.input(lines).splitlines(keepends=True)[:lines]))
        return 0
    found, status = _texts(call, names)
    for index, (name, text) in enumerate(found):
        if len(names) > 1:
            call.out(("\n" if index else "") + f"==> {name} <==\n")
        call.out("".join(text.splitlines(keepends=True)[:lines]))
    return status


def tail(call: Call) -> "int | Start":
    """``tail [-f|-F] [-n lines] [file …]``; ``/dev/zero`` fills the memory."""
    flags, names, values = _operands(call, "nc")
    short = next((word[1:] for word in call.argv[1:] if re.fullmatch(r"-\d+", word)), "")
    names = [name for name in names if not re.fullmatch(r"\+\d+", name)]
    if "/dev/zero" in names:
        return Start(Holder(memory_rate=ZERO_BYTES_PER_S, memory_since_ms=call.kernel.now_ms))
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
            if following and "F" not in flags:
                followed.pop()
    if not following or (followed == [] and status):
        return status
    return Start(Follow(tuple(followed)), "file" if followed else "never")


def _last_lines(call: Call, text: str, count: str) -> None:
    lines = text.splitlines(keepends=True)
    if count.startswith("+") and count[1:].isdecimal():
        call.out("".join(lines[max(int(count[1:]) - 1, 0) :]))
    elif count.lstrip("-").isdecimal() and int(count.lstrip("-")):
        call.out("".join(lines[-int(count.lstrip("-")) :]))


def rev(call: Call) -> int:
    """``rev [file …]``: each line backwards."""
    found, status = _texts(call, _operands(call)[1])
    for _, text in found:
        call.out("".join(line.rstrip("\n")[::-1] + ("\n" if line.endswith("\n") else "") for line in text.splitlines(keepends=True)))
    return status


def grep(call: Call) -> int:
    """``grep [-ivcqnoEFwxl] [-e pattern] pattern [file …]``: 0 found, 1 not found, 2 trouble."""
    flags, names, values = _operands(call, "emABC")
    flags += "E" if call.name == "egrep" else "F" if call.name == "fgrep" else ""
    pattern = values["e"] if "e" in values else names.pop(0) if names else ""
    source = re.escape(pattern) if "F" in flags else pattern if "E" in flags or "P" in flags else _basic(pattern)
    source = rf"\b(?:{source})\b" if "w" in flags else rf"\A(?:{source})\Z" if "x" in flags else source
    try:
        compiled = re.compile(source, re.I if "i" in flags else 0)
    except re.error:
        return call.fail(f"bad regex '{pattern}'", 2)
    found, status = _texts(call, names)
    limit = int(values["m"]) if values.get("m", "").isdecimal() else 1 << 30
    hits = 0
    for name, text in found:
        lead = f"{name}:" if len(names) > 1 and "h" not in flags else ""
        here = _matching_lines(call, compiled, text, flags, lead, limit)
        hits += here
        if "c" in flags:
            call.out(f"{lead}{here}\n")
        elif "l" in flags and here:
            call.out(f"{name}\n")
    return 0 if hits else 2 if status else 1


def _matching_lines(call: Call, compiled: "re.Pattern[str]", text: str, flags: str, lead: str, limit: int) -> int:
    hits = 0
    for number, line in enumerate(text.splitlines(), 1):
        match = compiled.search(line)
        if (match is None) != ("v" in flags):
            continue
        hits += 1
        if not re.search("[cql]", flags):
            shown = match.group() if "o" in flags and match else line
            call.out(f"{lead}{f'{number}:' if 'n' in flags else ''}{shown}\n")
        if hits >= limit:
            break
    return hits


def _basic(pattern: str) -> str:
    """A basic regular expression as an extended one."""
    swapped = re.sub(r"\\([(){}|+?])|([(){}|+?])", lambda m: m.group(1) or "\\" + m.group(2), pattern)
    return re.sub(r"\[\[:(\w+):\]\]", lambda m: {"digit": "[0-9]", "space": r"\s", "alpha": "[A-Za-z]"}.get(m.group(1), "."), swapped)


def wc(call: Call) -> int:
    """``wc [-lwc] [file …]``."""
    flags, names, _ = _operands(call)
    found, status = _texts(call, names)
    for name, text in found:
        counts = {"l": text.count("\n"), "w": len(text.split()), "c": len(text.encode("utf-8", "surrogateescape"))}
        chosen = [str(counts[letter]) for letter in "lwc" if letter in (flags or "lwc")]
        call.out(" ".join(chosen) + (f" {name}" if names else "") + "\n")
    return status


def sort(call: Call) -> int:
    """``sort [-rnu] [file …]``."""
    flags, names, _ = _operands(call, "tk")
    found, status = _texts(call, names)
    lines = [line for _, text in found for line in text.splitlines()]

    def numeric(line: str) -> tuple[int, str]:
        match = re.match(r"\s*(-?\d+)", line)
        return (int(match.group(1)) if match else 0, line)

    lines = sorted(lines, key=numeric, reverse="r" in flags) if "n" in flags else sorted(lines, reverse="r" in flags)
    if "u" in flags:
        lines = list(dict.fromkeys(lines))
    call.out("".join(line + "\n" for line in lines))
    return status


def uniq(call: Call) -> int:
    """``uniq [-cd] [file]``."""
    flags, names, _ = _operands(call)
    found, status = _texts(call, names[:1])
    groups: list[tuple[str, int]] = []
    for line in "".join(text for _, text in found).splitlines():
        if groups and groups[-1][0] == line:
            groups[-1] = (line, groups[-1][1] + 1)
        else:
            groups.append((line, 1))
    for line, count in groups:
        if "d" not in flags or count > 1:
            call.out((f"{count:7d} " if "c" in flags else "") + line + "\n")
    return status


def _ranges(text: str) -> list[tuple[int, int]]:
    result = []
    for piece in text.split(","):
        match = re.fullmatch(r"(\d*)(-?)(\d*)", piece)
        if match:
            low = int(match.group(1) or 1)
            result.append((low, int(match.group(3) or (1 << 30)) if match.group(2) else low))
    return result


def cut(call: Call) -> int:
    """``cut -d delimiter -f fields`` and ``-c columns``."""
    _, names, values = _operands(call, "dfcb")
    found, status = _texts(call, names)
    delimiter = values.get("d", "\t") or "\t"
    ranges = _ranges(values.get("f", values.get("c", values.get("b", "1"))))
    for line in "".join(text for _, text in found).splitlines():
        pieces = line.split(delimiter) if "f" in values else list(line)
        chosen = [piece for index, piece in enumerate(pieces, 1) if any(low <= index <= high for low, high in ranges)]
        whole = "f" in values and len(pieces) == 1
        call.out((line if whole else (delimiter if "f" in values else "").join(chosen)) + "\n")
    return status


def _characters(text: str) -> str:
    text = text.encode("latin-1", "replace").decode("unicode_escape", "replace") if "\\" in text else text
    for name, span in (("upper", "A-Z"), ("lower", "a-z"), ("digit", "0-9"), ("alpha", "A-Za-z"), ("alnum", "A-Za-z0-9"), ("space", " \t\n\r")):
        text = text.replace(f"[:{name}:]", span)
    return re.sub(r"(.)-(.)", lambda m: "".join(chr(code) for code in range(ord(m.group(1)), ord(m.group(2)) + 1)[:1024]), text, flags=re.S)


def tr(call: Call) -> int:
    """``tr [-dsc] set1 [set2]``."""
    flags, names, _ = _operands(call)
    if not names:
        return call.fail("missing operand")
    text, first = call.input(), _characters(names[0])
    second = _characters(names[1]) if len(names) > 1 else ""
    if "c" in flags:
        first = "".join(dict.fromkeys(char for char in text if char not in first))
    if "d" in flags:
        call.out("".join(char for char in text if char not in first))
        return 0
    if second:
        second += second[-1] * (len(first) - len(second))
        text = text.translate(dict(zip(map(ord, first), second, strict=False)))
    if "s" in flags:
        text = re.sub(rf"([{re.escape(second or first)}])\1+", r"\1", text)
    call.out(text)
    return 0


def tee(call: Call) -> int:
    """``tee [-a] file …``."""
    flags, names, _ = _operands(call)
    text = call.input()
    call.out(text)
    streaming = call.stdin is not None
    for name in names:
        if "a" in flags or (streaming and call.kernel.fs.get(call.path(name)) is not None):
            call.kernel.fs.append(call.path(name), text)
        else:
            call.kernel.fs.write(call.path(name), text)
    return 0


def base64(call: Call) -> int:
    """``base64 [-d] [file]``."""
    from binascii import Error, a2b_base64, b2a_base64

    flags, names, _ = _operands(call, "w")
    found, status = _texts(call, names)
    data = "".join(text for _, text in found)
    if "d" in flags or "D" in flags:
        try:
            call.out(a2b_base64(data.encode("ascii", "ignore")).decode("utf-8", "replace"))
        except Error:
            return call.fail("invalid input")
    else:
        call.out(b2a_base64(data.encode("utf-8", "surrogateescape")).decode())
    return status


def sha(call: Call) -> int:
    """``md5sum``, ``sha1sum``, ``sha256sum``, ``sha512sum``."""
    from hashlib import new

    found, status = _texts(call, _operands(call)[1])
    for name, text in found:
        call.out(f"{new(call.name.removesuffix('sum'), text.encode('utf-8', 'surrogateescape'), usedforsecurity=False).hexdigest()}  {name}\n")
    return status
