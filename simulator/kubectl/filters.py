"""The commands that kubectl is piped into: grep, wc, head, tail, sort, uniq, cut, tr, awk, sed, base64, and pagers, which
pass everything on.

A small pure interpreter modelled on the GNU programs. File handling is left out, and unknown flags and programs are
refused with a message. Patterns are matched by RE2 in time linear in the text; every command costs O(text), sort O(text
log text).

What kubectl writes to stderr does not go through the pipe: it is shown before the rest.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from simulator.engine.containers import regex
from simulator.engine.containers.effort import Exhausted, Meter
from simulator.engine.containers.unsupported import Unsupported
from simulator.kubectl.awk import TEXT_MAX, awk, bounded
from simulator.kubectl.line import BadLine

SEARCHED_MAX = 50_000_000
"""The most characters of one line that ``grep -o`` scans, counted anew for each match."""
_ERRORS = ("Error from server", "error: ", "Error: ", "No resources found", "Warning: ", "Defaulted container ", "Found ")
_OF_KUBECTL = ("Error from server", "Defaulted container ", "command terminated with exit code ", "Found ")
"""Prefixes of kubectl's own messages next to a container's output, which may itself look like an error."""


def through(filters: Sequence[Sequence[str]], text: str, *, from_container: bool = False) -> str:
    """What a terminal shows when a text goes through these commands; lines that bypass the pipe come first."""
    if not filters:
        return text
    beginnings = _OF_KUBECTL if from_container else _ERRORS
    lines = text[:TEXT_MAX].splitlines(keepends=True)
    said = [line for line in lines if line.startswith(beginnings)]
    return "".join(said) + through_all(filters, "".join(line for line in lines if not line.startswith(beginnings)))


def through_all(filters: Sequence[Sequence[str]], text: str) -> str:
    """The text after all commands, one after the other; the error of the first one that fails."""
    try:
        for words in filters:
            text = _filter(list(words), text)
    except BadLine as error:
        return f"{error}\n"
    return text


def _filter(words: list[str], text: str) -> str:
    known = _PROGRAMS.get(words[0])
    if known is None:
        raise BadLine(f"error: behind a pipe this command line knows {', '.join(sorted(_PROGRAMS))}, and not {words[0]}")
    try:
        made = known(words, text)
        if len(made) > TEXT_MAX:
            raise BadLine(f"error: this command line takes no more than {TEXT_MAX} characters through a pipe")
        return made
    except (Unsupported, Exhausted):
        raise BadLine(f"{words[0]}: this pattern is not supported here") from None
    except regex.BadPattern:
        raise BadLine(f"{words[0]}: Invalid regular expression") from None


def lines_of(text: str) -> list[str]:
    """The lines without their line breaks."""
    return text.removesuffix("\n").split("\n") if text else []


def joined(lines: Iterable[str]) -> str:
    """The lines, each with a line break. Raises BadLine if they exceed the limit of a pipe."""
    return bounded(f"{line}\n" for line in lines)


_ONCE = "ek"
"""Flags of which the real programs use each that is given: patterns, scripts and keys. A second one would be left out here."""


class _FilterFlags:
    """The flags of one command: ``valued`` letters take a value, ``plain`` ones do not, ``long`` maps long names to letters."""

    def __init__(self, words: list[str], plain: str, valued: str = "", long: dict[str, str] | None = None) -> None:
        self.name, self.flags, self.values = words[0], "", dict[str, str]()
        self.rest: list[str] = []
        names, queue = long or {}, words[1:]
        while queue:
            word = queue.pop(0)
            if word == "--":
                self.rest += queue
                break
            if word.startswith("--"):
                name, equals, value = word[2:].partition("=")
                self._take(names.get(name, f"--{name}"), plain, valued, value if equals else None, queue)
            elif word.startswith("-") and len(word) > 1:
                self._letters(word[1:], plain, valued, queue)
            else:
                self.rest.append(word)

    def _letters(self, letters: str, plain: str, valued: str, queue: list[str]) -> None:
        for place, letter in enumerate(letters):
            if letter in valued:
                self._take(letter, plain, valued, letters[place + 1 :] or None, queue)
                return
            self._take(letter, plain, valued, None, queue)

    def _take(self, letter: str, plain: str, valued: str, value: str | None, queue: list[str]) -> None:
        if letter in valued:
            if value is None and not queue:
                raise BadLine(f"{self.name}: option requires an argument -- '{letter}'")
            if letter in _ONCE and letter in self.values:
                raise BadLine(f"{self.name}: this command line takes -{letter} once")
            self.values[letter] = value if value is not None else queue.pop(0)
        elif letter in plain:
            self.flags += letter
        else:
            raise BadLine(f"{self.name}: this command line does not know {letter if letter.startswith('--') else '-' + letter}")

    def number(self, letter: str, otherwise: int) -> int:
        """The number given with a flag, or ``otherwise``. Raises BadLine."""
        text = self.values.get(letter)
        if text is None:
            return otherwise
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise BadLine(f"{self.name}: invalid number: '{text}'")
        return int(text)

    def no_files(self) -> None:
        """Raise BadLine if a file is named."""
        if [word for word in self.rest if word != "-"]:
            raise BadLine(f"{self.name}: {self.rest[0]}: No such file or directory")


_GREP_LONG = {
    "invert-match": "v", "ignore-case": "i", "count": "c", "line-number": "n", "only-matching": "o", "extended-regexp": "E",
    "fixed-strings": "F", "word-regexp": "w", "line-regexp": "x", "quiet": "q", "max-count": "m", "after-context": "A",
    "before-context": "B", "context": "C", "regexp": "e",
}  # fmt: skip


def _grep(words: list[str], text: str) -> str:
    """``grep [-ivcnoEFwxq] [-m N] [-A N] [-B N] [-C N] PATTERN``."""
    if "--color" in words or "--color=auto" in words:
        words = [word for word in words if not word.startswith("--color")]
    options = _FilterFlags(words, "ivcnoEFwxqPhs", "mABCe", _GREP_LONG)
    if "P" in options.flags:
        raise BadLine("grep: this command line does not know -P")
    pattern = options.values.get("e")
    if pattern is None:
        if not options.rest:
            raise BadLine("Usage: grep [OPTION]... PATTERNS [FILE]...")
        pattern = options.rest.pop(0)
    options.no_files()
    find = _matcher(
        pattern, options, extended="E" in options.flags or words[0] == "egrep", fixed="F" in options.flags or words[0] == "fgrep"
    )
    lines = lines_of(text)
    picked = [number for number, line in enumerate(lines) if (find(line) is not None) is not ("v" in options.flags)]
    picked = picked[: options.number("m", len(picked))]
    if "q" in options.flags:
        return ""
    if "c" in options.flags:
        return f"{len(picked)}\n"
    if "o" in options.flags:
        return joined(f"{number + 1}:{part}" if "n" in options.flags else part for number in picked for part in _parts(find, lines[number]))
    return joined(list(_with_context(lines, picked, options)))


def _matcher(pattern: str, options: _FilterFlags, *, extended: bool, fixed: bool) -> Callable[[str], regex.Match | None]:
    around = r"\b(?:%s)\b" if "w" in options.flags else "%s"
    around = f"^(?:{around})$" if "x" in options.flags else around
    if fixed:
        compiled = regex.compiled(around.replace("%s", regex.literal(pattern)), ignore_case="i" in options.flags)
    else:
        compiled = regex.posix(Meter(), pattern, extended=extended, ignore_case="i" in options.flags, around=around)
    # A new meter for each line: the total is bounded by the length of the text.
    return lambda line: compiled.search(Meter(), line)


def _parts(find: Callable[[str], regex.Match | None], line: str) -> Iterator[str]:
    """Every matching part of a line. Raises BadLine if that would take too long: each search starts over with the rest of the line."""
    effort = 0
    for _ in range(len(line) + 1):
        effort += len(line)
        if effort > SEARCHED_MAX:
            raise BadLine("grep: a line is too long for -o here")
        found = find(line)
        if found is None or found.end() == 0:
            return
        if found.group():
            yield str(found.group())
        line = line[max(found.end(), found.start() + 1) :]


def _with_context(lines: list[str], picked: list[int], options: _FilterFlags) -> Iterator[str]:
    around = options.number("C", 0)
    before, after = options.number("B", around), options.number("A", around)
    wanted, last, is_hit = set(picked), -1, bool(before or after)
    for number in picked:
        for place in range(max(number - before, last + 1, 0), min(number + after + 1, len(lines))):
            if is_hit and last >= 0 and place > last + 1:
                yield "--"
            mark = ":" if place in wanted else "-"
            yield f"{place + 1}{mark}{lines[place]}" if "n" in options.flags else lines[place]
            last = place


def _wc(words: list[str], text: str) -> str:
    options = _FilterFlags(words, "lwcmL", "", {"lines": "l", "words": "w", "bytes": "c", "chars": "m"})
    options.no_files()
    counts = {"l": text.count("\n"), "w": len(text.split()), "m": len(text), "c": len(text.encode(errors="replace"))}
    counts["L"] = max((len(line) for line in lines_of(text)), default=0)
    asked = [letter for letter in "lwmcL" if letter in (options.flags or "lwc")]
    return f"{counts[asked[0]]}\n" if len(asked) == 1 else "".join(f" {counts[letter]:7}" for letter in asked)[1:].rjust(7) + "\n"


def _count(words: list[str]) -> list[str]:
    """The words with ``-5`` replaced by ``-n5``."""
    pairs = zip(["", *words], words, strict=False)
    return [f"-n{word[1:]}" if re.fullmatch(r"-[0-9]+", word) and before not in ("-n", "-c") else word for before, word in pairs]


def _head(words: list[str], text: str) -> str:
    options = _FilterFlags(_count(words), "q", "nc", {"lines": "n", "bytes": "c"})
    options.no_files()
    if "c" in options.values:
        return text.encode(errors="replace")[: options.number("c", 0)].decode(errors="ignore")
    lines, given = lines_of(text), options.values.get("n", "")
    if given.startswith("-"):
        options.values["n"] = given[1:]
        return joined(lines[: max(len(lines) - options.number("n", 0), 0)])
    return joined(lines[: options.number("n", 10)])


def _tail(words: list[str], text: str) -> str:
    options = _FilterFlags(_count(words), "qf", "nc", {"lines": "n", "bytes": "c"})
    options.no_files()
    if "c" in options.values:
        size = options.number("c", 0)
        return text.encode(errors="replace")[-size:].decode(errors="ignore") if size else ""
    lines, given = lines_of(text), options.values.get("n", "")
    if given.startswith("+"):
        options.values["n"] = given[1:]
        return joined(lines[max(options.number("n", 1) - 1, 0) :])
    options.values["n"] = given.removeprefix("-") or "10"
    size = options.number("n", 10)
    return joined(lines[-size:] if size else [])


_NUMBER = re.compile(r"\s*(-?[0-9]+(?:\.[0-9]+)?)", re.ASCII)
_HUMAN = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def _sort(words: list[str], text: str) -> str:
    """``sort [-rnufhb] [-k N[,M]] [-t C]``."""
    options = _FilterFlags(
        words, "rnufhbsV", "kt", {"reverse": "r", "numeric-sort": "n", "unique": "u", "key": "k", "field-separator": "t"}
    )
    options.no_files()
    field = re.fullmatch(r"([0-9]{1,4})(?:\.[0-9]+)?([a-zA-Z]*)(?:,([0-9]{1,4})(?:\.[0-9]+)?([a-zA-Z]*))?", options.values.get("k", "1"))
    if field is None or "V" in options.flags:
        raise BadLine("sort: this command line does not know that key")
    first, last = int(field[1]), int(field[3]) if field[3] else 0
    flags = options.flags + field[2] + (field[4] or "")

    def key(line: str) -> tuple[float, str]:
        part = _key_of(line, first, last, options.values.get("t")) if "k" in options.values else line
        part = part.lstrip() if "b" in flags else part
        found = _NUMBER.match(part)
        if "n" in flags or "h" in flags:
            unit = part[found.end() : found.end() + 1].upper() if found and "h" in flags else ""
            return (float(found[1]) * 1024 ** _HUMAN.get(unit, 0) if found and len(found[1]) < 30 else 0.0), ""
        return 0.0, part.lower() if "f" in flags else part

    lines = sorted(lines_of(text), key=lambda line: (key(line), "" if "s" in flags else line), reverse="r" in flags)
    if "u" in flags:
        lines = list({key(line): line for line in reversed(lines)}.values())[::-1]
    return joined(lines)


def _key_of(line: str, first: int, last: int, separator: str | None) -> str:
    if separator is not None:
        if len(separator) != 1:
            raise BadLine("sort: empty tab" if not separator else f"sort: multi-character tab '{separator}'")
        return separator.join(line.split(separator)[first - 1 : last or None])
    # A field begins with the blanks before it.
    return "".join(re.findall(r"\s*\S+", line.rstrip())[first - 1 : last or None])


def _uniq(words: list[str], text: str) -> str:
    options = _FilterFlags(words, "cdui", "", {"count": "c", "repeated": "d", "unique": "u"})
    options.no_files()
    groups: list[tuple[str, int]] = []
    for line in lines_of(text):
        same = groups and (groups[-1][0].lower() == line.lower() if "i" in options.flags else groups[-1][0] == line)
        groups[len(groups) - bool(same) :] = [(groups[-1][0], groups[-1][1] + 1) if same else (line, 1)]
    kept = [(line, n) for line, n in groups if not ("d" in options.flags and n == 1) and not ("u" in options.flags and n > 1)]
    return joined([f"{n:7} {line}" if "c" in options.flags else line for line, n in kept])


def _cut(words: list[str], text: str) -> str:
    """``cut -d C -f LIST`` and ``cut -c LIST``."""
    options = _FilterFlags(words, "s", "dfcb", {"delimiter": "d", "fields": "f", "characters": "c", "bytes": "b", "only-delimited": "s"})
    options.no_files()
    asked = options.values.get("f") or options.values.get("c") or options.values.get("b") or ""
    ranges = [re.fullmatch(r"([0-9]{0,6})(-?)([0-9]{0,6})", part) for part in asked.split(",")]
    if not asked or any(found is None or found[0] in ("", "-") for found in ranges):
        raise BadLine("cut: you must specify a list of bytes, characters, or fields")
    limits = [(int(f[1] or 1), int(f[3] or 10**9) if f[2] else int(f[1])) for f in ranges if f is not None]
    spans = _merged(limits)
    by_field, delimiter = "f" in options.values, options.values.get("d", "\t")
    if by_field and len(delimiter) != 1:
        raise BadLine("cut: the delimiter must be a single character")
    found: list[str] = []
    for line in lines_of(text):
        if by_field and delimiter not in line:
            found += [] if "s" in options.flags else [line]
            continue
        parts = line.split(delimiter) if by_field else list(line)
        kept = [part for low, high in spans if low <= len(parts) for part in parts[low - 1 : high]]
        found.append((delimiter if by_field else "").join(kept))
    return joined(found)


def _merged(limits: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges in order, with overlapping ones merged, so that no part of a line is read twice."""
    found: list[tuple[int, int]] = []
    for low, high in sorted((max(low, 1), high) for low, high in limits if low <= high):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], high)
        elif high:
            found.append((low, high))
    return found


def _tr(words: list[str], text: str) -> str:
    """``tr SET1 SET2``, ``tr -d SET``, ``tr -s SET``."""
    options = _FilterFlags(words, "dsc")
    sets = [_set_of(word) for word in options.rest]
    if not sets or len(sets) > 2 or "c" in options.flags:
        raise BadLine("tr: this command line knows tr SET1 SET2, tr -d SET and tr -s SET")
    if "d" in options.flags:
        return "".join(char for char in text if char not in sets[0])
    if len(sets) == 2:
        if not sets[1]:
            raise BadLine("tr: when not truncating set1, string2 must be non-empty")
        into = sets[1] + sets[1][-1] * max(len(sets[0]) - len(sets[1]), 0)
        text = text.translate({ord(char): into[place] for place, char in reversed(list(enumerate(sets[0])))})
    squeezed = sets[-1] if "s" in options.flags else ""
    return "".join(char for place, char in enumerate(text) if char not in squeezed or not place or text[place - 1] != char)


_CLASSES = {"upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "lower": "abcdefghijklmnopqrstuvwxyz", "digit": "0123456789", "space": " \t\n\r\v\f"}


def _set_of(text: str) -> str:
    named = re.sub(r"\[:(\w+):\]", lambda found: _CLASSES.get(found[1], ""), text)
    plain = re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t", "r": "\r"}.get(found[1], found[1]), named)
    span = re.compile(r"([a-zA-Z0-9])-([a-zA-Z0-9])")
    return span.sub(lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1))), plain)


def _sed(words: list[str], text: str) -> str:
    """``sed 's/PATTERN/TEXT/[g]'``, ``sed -n 'N,Mp'``, ``sed 'Nd'``."""
    options = _FilterFlags(words, "nEr", "e")
    script = options.values.get("e") or (options.rest.pop(0) if options.rest else "")
    options.no_files()
    lines = lines_of(text)
    place = re.fullmatch(r"([0-9]{1,9})(?:,([0-9]{1,9}|\$))?([pd])", script)
    if place is not None:
        first, last = int(place[1]), len(lines) if place[2] == "$" else int(place[2] or place[1])
        inside = [line for number, line in enumerate(lines, 1) if first <= number <= last]
        if place[3] == "d":
            return joined([line for number, line in enumerate(lines, 1) if not first <= number <= last])
        return joined(inside if "n" in options.flags else [x for n, x in enumerate(lines, 1) for _ in range(1 + (first <= n <= last))])
    mark = re.escape(script[1:2])
    found = re.fullmatch(rf"s{mark}((?:[^\\]|\\.)*?){mark}((?:[^\\]|\\.)*?){mark}([gi]*)", script) if script[:1] == "s" and mark else None
    if found is None:
        raise BadLine("sed: this command line knows s/PATTERN/TEXT/, N,Mp and N,Md")
    extended = "E" in options.flags or "r" in options.flags
    pattern = regex.posix(Meter(), found[1].replace(f"\\{script[1]}", script[1]), extended=extended, ignore_case="i" in found[3])

    def by(match: regex.Match) -> list[str]:
        return re.sub(r"\\(.)|&", lambda part: str(match.group()) if part[0] == "&" else _back(match, part[1]), found[2]).split("\0")

    only = 0 if "g" in found[3] else 1
    return joined(regex.substitute(pattern, Meter(), line, by, only=only)[0] for line in lines)


def _back(match: regex.Match, char: str) -> str:
    if char.isascii() and char.isdigit():
        number = int(char)
        return str(match.group(number) or "") if number <= len(match.groups()) else ""
    return "\n" if char == "n" else char


def _base64(words: list[str], text: str) -> str:
    options = _FilterFlags(words, "di", "w", {"decode": "d", "wrap": "w"})
    options.no_files()
    if "d" not in options.flags:
        encoded, width = base64.b64encode(text.encode(errors="replace")).decode(), options.number("w", 76)
        return joined(encoded[place : place + width] for place in range(0, len(encoded), width)) if width else encoded
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode(errors="replace")
    except (binascii.Error, ValueError):
        raise BadLine("base64: invalid input") from None


def _pager(words: list[str], text: str) -> str:
    return text


def _cat(words: list[str], text: str) -> str:
    _FilterFlags(words, "u").no_files()
    return text


def _awk(words: list[str], text: str) -> str:
    return awk(words, text)


_PROGRAMS: dict[str, Callable[[list[str], str], str]] = {
    "grep": _grep, "egrep": _grep, "fgrep": _grep, "wc": _wc, "head": _head, "tail": _tail, "sort": _sort, "uniq": _uniq, "cut": _cut,
    "tr": _tr, "sed": _sed, "awk": _awk, "base64": _base64, "less": _pager, "more": _pager, "cat": _cat,
}  # fmt: skip
