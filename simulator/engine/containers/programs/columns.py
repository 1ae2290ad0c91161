"""Programs that rearrange lines and columns: wc, sort, uniq, cut, tr and checksums."""

import re

from simulator.engine.containers.effort import LINE
from simulator.engine.containers.kernel.execute import Call, ProgramStart
from simulator.engine.containers.process.state import Holder
from simulator.engine.containers.programs.storage import ENDLESS
from simulator.engine.containers.programs.text import operands, texts_of_files


def wc(call: Call) -> int:
    """``wc [-lwc] [file …]``."""
    flags, names, _ = operands(call)
    found, status = texts_of_files(call, names)
    for name, text in found:
        call.charge(len(text) >> 2)
        counts = {"l": text.count("\n"), "w": len(text.split()), "c": len(text.encode("utf-8", "surrogateescape"))}
        chosen = [str(counts[letter]) for letter in "lwc" if letter in (flags or "lwc")]
        call.out(" ".join(chosen) + (f" {name}" if names else "") + "\n")
    return status


def sort(call: Call) -> int:
    """``sort [-rnu] [file …]``."""
    flags, names, _ = operands(call, "tk")
    found, status = texts_of_files(call, names)
    lines = [line for _, text in found for line in call.lines(text)]
    call.charge(2 * LINE * len(lines))

    # Lines with the same number are ordered by their text, sort's last resort.
    def numeric(line: str) -> tuple[int, str]:
        match = re.match(r"\s*(-?[0-9]{1,400})", line)
        return (int(match.group(1)) if match else 0, line)

    lines = sorted(lines, key=numeric, reverse="r" in flags) if "n" in flags else sorted(lines, reverse="r" in flags)
    if "u" in flags:
        lines = list(dict.fromkeys(lines))
    call.out("".join(line + "\n" for line in lines))
    return status


def uniq(call: Call) -> int:
    """``uniq [-cd] [file]``."""
    flags, names, _ = operands(call)
    found, status = texts_of_files(call, names[:1])
    groups: list[tuple[str, int]] = []
    for line in call.lines("".join(text for _, text in found)):
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
        match = re.fullmatch(r"([0-9]{0,18})(-?)([0-9]{0,18})", piece)
        if match:
            low = int(match.group(1) or 1)
            result.append((low, int(match.group(3) or (1 << 30)) if match.group(2) else low))
    return result


def cut(call: Call) -> int:
    """``cut -d delimiter -f fields`` and ``-c columns``."""
    _, names, values = operands(call, "dfcb")
    found, status = texts_of_files(call, names)
    delimiter = values.get("d", "\t") or "\t"
    ranges = _ranges(values.get("f", values.get("c", values.get("b", "1"))))
    text = "".join(text for _, text in found)
    call.charge(len(ranges) * (text.count(delimiter) + text.count("\n") if "f" in values else len(text)))
    for line in call.lines(text):
        pieces = line.split(delimiter) if "f" in values else list(line)
        chosen = [piece for index, piece in enumerate(pieces, 1) if any(low <= index <= high for low, high in ranges)]
        # A line without the delimiter is passed on whole.
        whole = "f" in values and len(pieces) == 1
        call.out((line if whole else (delimiter if "f" in values else "").join(chosen)) + "\n")
    return status


def _characters(text: str) -> str:
    text = text.encode("latin-1", "replace").decode("unicode_escape", "replace") if "\\" in text else text
    for name, span in (
        ("upper", "A-Z"),
        ("lower", "a-z"),
        ("digit", "0-9"),
        ("alpha", "A-Za-z"),
        ("alnum", "A-Za-z0-9"),
        ("space", " \t\n\r"),
    ):
        text = text.replace(f"[:{name}:]", span)
    return re.sub(r"(.)-(.)", lambda m: "".join(chr(code) for code in range(ord(m.group(1)), ord(m.group(2)) + 1)[:1024]), text, flags=re.S)


def tr(call: Call) -> int:
    """``tr [-dsc] set1 [set2]``."""
    flags, names, _ = operands(call)
    if not names:
        return call.fail("missing operand")
    call.charge(512 * sum(name.count("-") for name in names[:2]))
    text, first = call.input(), _characters(names[0])
    second = _characters(names[1]) if len(names) > 1 else ""
    call.charge((len(text) + len(first) + len(second)) >> 1)
    wanted = frozenset(first)
    if "c" in flags:
        first = "".join(dict.fromkeys(char for char in text if char not in wanted))
        wanted = frozenset(first)
    if "d" in flags:
        call.out("".join(char for char in text if char not in wanted))
        return 0
    if second:
        # GNU and busybox repeat the last character of a shorter second set.
        second += second[-1] * (len(first) - len(second))
        text = text.translate(dict(zip(map(ord, first), second, strict=False)))
    if "s" in flags:
        text = re.sub(rf"([{re.escape(second or first)}])\1+", r"\1", text)
    call.out(text)
    return 0


def base64(call: Call) -> int:
    """``base64 [-d] [file]``."""
    from binascii import Error, a2b_base64, b2a_base64

    flags, names, _ = operands(call, "w")
    found, status = texts_of_files(call, names)
    data = "".join(text for _, text in found)
    if "d" in flags or "D" in flags:
        try:
            call.out(a2b_base64(data.encode("ascii", "ignore")).decode("utf-8", "replace"))
        except Error:
            return call.fail("invalid input")
    else:
        call.out(b2a_base64(data.encode("utf-8", "surrogateescape")).decode())
    return status


def sha(call: Call) -> "int | ProgramStart":
    """``md5sum``, ``sha1sum``, ``sha256sum``, ``sha512sum``; of a device without an end they compute until they are stopped."""
    from hashlib import new

    names = operands(call)[1]
    if any(name in ENDLESS for name in names):
        return ProgramStart(Holder())
    found, status = texts_of_files(call, names)
    for name, text in found:
        call.out(
            f"{new(call.name.removesuffix('sum'), text.encode('utf-8', 'surrogateescape'), usedforsecurity=False).hexdigest()}  {name}\n"
        )
    return status
