"""``sed`` and ``awk``, as far as scripts of examples go; anything else is reported, not guessed."""

import re

from simulator.engine.behaviour.execute import Call
from simulator.engine.behaviour.filesystem import FileProblem
from simulator.engine.behaviour.programs import regex
from simulator.engine.behaviour.shell.lexer import Unsupported

_SUBSTITUTE = re.compile(
    r"s(?P<sep>[^\w\s])(?P<old>(?:\\.|(?!(?P=sep)).)*)(?P=sep)(?P<new>(?:\\.|(?!(?P=sep)).)*)(?P=sep)(?P<flags>[gipI0-9]*)"
)
_ADDRESS = re.compile(r"(\d+|\$|/(?:\\.|[^/])*/)?(?:,(\d+|\$|/(?:\\.|[^/])*/))?\s*")


def _pattern(text: str, *, extended: bool) -> str:
    return text if extended else regex.basic(text)


def _commands(call: Call, script: str, *, extended: bool) -> list[tuple[str, str, str, str, str, str]]:
    """(from, to, command, old, new, flags) of each command. Raises Unsupported."""
    result, at = [], 0
    while at < len(script):
        if script[at] in "; \n":
            at += 1
            continue
        address = _ADDRESS.match(script, at)
        assert address is not None
        at = address.end()
        match = _SUBSTITUTE.match(script, at)
        low, high = address.group(1) or "", address.group(2) or ""
        if match:
            separator = match["sep"]
            old, new = (match[part].replace("\\" + separator, separator) for part in ("old", "new"))
            new = re.sub(r"(?<!\\)&", r"\\g<0>", new).replace("\\&", "&")
            result.append((low, high, "s", _pattern(old, extended=extended), new, match["flags"]))
            at = match.end()
        elif script[at : at + 1] in ("d", "p", "q"):
            result.append((low, high, script[at], "", "", ""))
            at += 1
        else:
            raise Unsupported(f"the sed command “{script[at:][:30]}” is not supported")
    return result


def _applies(low: str, high: str, number: int, line: str, last: int, *, extended: bool) -> bool:
    def hit(address: str) -> bool:
        if address == "$":
            return number == last
        if address.startswith("/"):
            return regex.compile_extended(_pattern(address[1:-1], extended=extended)).search(line) is not None
        return number == int(address)

    if not low:
        return True
    if high and low.isdecimal() and (high.isdecimal() or high == "$"):
        return int(low) <= number and (high == "$" or number <= int(high))
    return hit(low)


def sed(call: Call) -> int:
    """``sed [-nEi] [-e] script [file …]`` with s, d, p and q."""
    words, scripts, flags, names = list(call.argv[1:]), [], "", []
    while words:
        word = words.pop(0)
        if word in ("-e", "--expression") and words:
            scripts.append(words.pop(0))
        elif word.startswith("-") and len(word) > 1:
            flags += word.lstrip("-")
        elif not scripts:
            scripts.append(word)
        else:
            names.append(word)
    extended = "E" in flags or "r" in flags
    commands = _commands(call, "\n".join(scripts), extended=extended)
    status = 0
    for name in names or ["-"]:
        try:
            text = _edited(call.read(name), commands, quiet="n" in flags, extended=extended)
        except FileProblem as problem:
            status = call.fail(f"{name}: {problem}")
            continue
        except (regex.BadPattern, re.error, IndexError):
            return call.fail("bad regular expression or replacement")
        if "i" in flags:
            call.kernel.fs.write(call.path(name), text)
        else:
            call.out(text)
    return status


def _edited(text: str, commands: list[tuple[str, str, str, str, str, str]], *, quiet: bool, extended: bool) -> str:
    lines = text.splitlines()
    result: list[str] = []
    for number, original in enumerate(lines, 1):
        line, shown, stop = original, not quiet, False
        for low, high, command, old, new, flags in commands:
            if not _applies(low, high, number, line, len(lines), extended=extended):
                continue
            if command == "d":
                shown = False
                break
            if command == "p":
                result.append(line)
            elif command == "q":
                stop = True
            else:
                insensitive = re.I if "i" in flags.lower() else 0
                line, hits = regex.compile_extended(old, insensitive).subn(new, line, count=0 if "g" in flags else 1)
                if hits and "p" in flags:
                    result.append(line)
        if shown:
            result.append(line)
        if stop:
            break
    return "".join(line + "\n" for line in result)


def awk(call: Call) -> int:
    """``awk [-F sep] '[/pattern/] {print $1, "text", $NF}' [file …]``."""
    words, separator = list(call.argv[1:]), None
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word.startswith("-F"):
            separator = word[2:] or (words.pop(0) if words else " ")
    script = words.pop(0).strip() if words else ""
    match = re.fullmatch(r"(?:/((?:\\.|[^/])*)/|(NR\s*==\s*\d+))?\s*(?:\{\s*print\s*([^{}]*?)\s*;?\s*\})?", script)
    if match is None or not script:
        raise Unsupported(f"the awk program “{script[:40]}” is not supported")
    try:
        condition = regex.compile_extended(match.group(1)) if match.group(1) is not None else None
    except regex.BadPattern:
        return call.fail("bad regular expression", 2)
    text = "".join(call.read(name) for name in words or ["-"])
    for number, line in enumerate(text.splitlines(), 1):
        if condition is not None and not condition.search(line):
            continue
        if match.group(2) and int(match.group(2).partition("==")[2]) != number:
            continue
        fields = line.split(separator) if separator else line.split()
        call.out(_printed(match.group(3) or "$0", line, fields, number) + "\n")
    return 0


def _printed(expression: str, line: str, fields: list[str], number: int) -> str:
    groups = []
    for group in re.findall(r"(?:\"[^\"]*\"|[^,\"])+", expression):
        pieces = []
        for token in re.findall(r"\"[^\"]*\"|\$\w+|\w+", group):
            if token.startswith('"'):
                pieces.append(token[1:-1])
            elif token in ("NF", "NR"):
                pieces.append(str(len(fields) if token == "NF" else number))
            elif token.startswith("$"):
                index = len(fields) if token == "$NF" else int(token[1:]) if token[1:].isdecimal() else 0
                pieces.append(line if index == 0 else fields[index - 1] if index <= len(fields) else "")
            else:
                pieces.append(token if token.isdecimal() else "")
        groups.append("".join(pieces))
    return " ".join(groups)
