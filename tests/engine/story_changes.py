"""Changes of golden stories in one screen: kinds of change with the stories they occur in, rather than every line."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from difflib import SequenceMatcher

from tests.engine.telling import Pattern, StoryLine, Usuals, usual_text

SCREEN = 24
"""This many kinds of change are listed, and as many usual times; the rest is counted."""
WIDTH = 110


def changes(old: Sequence[StoryLine], new: Sequence[StoryLine]) -> Counter[str]:
    """The kinds of change between two versions of a story, with the number of lines of each."""
    found: Counter[str] = Counter()
    gone: Counter[StoryLine] = Counter()
    come: Counter[StoryLine] = Counter()
    matcher = SequenceMatcher(None, [_what(line) for line in old], [_what(line) for line in new], autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            pairs = zip(old[start:end], new[new_start:new_end], strict=True)
            found.update(kind for before, after in pairs for kind in _between(before, after))
        else:
            gone.update(_timeless(line) for line in old[start:end])
            come.update(_timeless(line) for line in new[new_start:new_end])
    moved = gone & come
    for name, lines in (("moved", moved), ("gone", gone - moved), ("new", come - moved)):
        for line, count in lines.items():
            found[f"{name}: {_named(line.pattern)}"] += count
    return found


def _what(line: StoryLine) -> tuple[str, ...]:
    return (line.name, *line.pattern)


def _timeless(line: StoryLine) -> StoryLine:
    return StoryLine("", line.name, line.machine, line.change, line.rule, line.said)


def _named(pattern: Pattern) -> str:
    return " ".join(pattern)


def _between(old: StoryLine, new: StoryLine) -> Iterable[str]:
    """The differences in a line that exists before and after."""
    if old.time != new.time:
        yield f"{_named(new.pattern)}: {_shift(_time(old), _time(new))}"
    if old.said != new.said:
        yield f"{_named(new.pattern)}: {_said(old.said, new.said)}"


def _said(old: str, new: str) -> str:
    """The difference in data: the first key whose value differs, and the words that do."""
    before, after = ([item for item in said.split(", ") if item] for said in (old, new))
    lost = [item for item in before if item not in after]
    won = [item for item in after if item not in before]
    if len(lost) != len(won):
        return f"{', '.join(lost) or 'nothing'} → {', '.join(won) or 'nothing'}"
    return ", ".join(dict.fromkeys(_words(one, other) for one, other in zip(lost, won, strict=True)))


def _words(old: str, new: str) -> str:
    """The differences between two values of a key."""
    (key, is_, before), (other, _, after) = old.partition("="), new.partition("=")
    if not is_ or key != other:
        return f"{old} → {new}"
    pairs = [*zip(before.split(" "), after.split(" "), strict=False)]
    same_length = len(before.split(" ")) == len(after.split(" "))
    shifts = dict.fromkeys(_shift(one, two) for one, two in pairs if one != two)
    return f"{key} {', '.join(shifts)}" if same_length else f"{key} {before} → {after}"


def _shift(old: str, new: str) -> str:
    """A change of time as its amount, so that equal ones are grouped; other texts as before and after."""
    one, other = (_SECONDS.fullmatch(text) for text in (old, new))
    if one and other and one[1] == other[1]:
        return f"{one[1]} {Decimal(other[2]) - Decimal(one[2]):+f}".lstrip()
    return f"{old} → {new}"


_SECONDS = re.compile(r"(run|before|)([+-]?\d+\.\d+)")


def _time(line: StoryLine) -> str:
    return line.time or "with the line above"


def usual_changes(old: Usuals, new: Usuals, uses: Mapping[Pattern, Counter[str]]) -> list[str]:
    """Which usual times changed. ``uses``: by pattern, how many lines of which story rely on it now."""
    found = []
    for pattern in sorted(old.keys() | new.keys(), key=lambda each: (-uses.get(each, Counter()).total(), each)):
        before, after = old.get(pattern), new.get(pattern)
        if before != after:
            lines, stories = uses.get(pattern, Counter()).total(), len(uses.get(pattern, ()))
            times = " → ".join(usual_text(usual) if usual else "none" for usual in (before, after))
            found.append(f"{_named(pattern)}: {times} ({counted(lines, 'line')} in {counted(stories, 'story', 'stories')})")
    return found


def summary(usual: Sequence[str], stories: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The changes, as lines for a terminal: usual times, then kinds of change by the number of stories they occur in."""
    changed = {story: kinds for story, kinds in stories.items() if kinds}
    if not usual and not changed:
        return ["Golden stories: nothing changed."]
    said = [f"Golden stories: {counted(len(usual), 'usual time')} and {counted(len(changed), 'story', 'stories')} changed."]
    said += _cut([f"  usual: {line}" for line in usual], "usual times")
    stories_of: defaultdict[str, list[str]] = defaultdict(list)
    for story, kinds in sorted(changed.items()):
        for kind in kinds:
            stories_of[kind].append(story)
    ranked = sorted(stories_of.items(), key=lambda each: (-len(each[1]), each[0]))
    return said + _cut([f"  {_who(names)}: {kind}" for kind, names in ranked], "kinds of change")


def _who(names: Sequence[str]) -> str:
    return f"{len(names)} stories" if len(names) > 2 else ", ".join(names)


def _cut(lines: Sequence[str], what: str) -> list[str]:
    shown = [line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in lines[:SCREEN]]
    return [*shown, f"  … and {len(lines) - SCREEN} more {what}"] if len(lines) > SCREEN else shown


def counted(number: int, one: str, many: str = "") -> str:
    """``1 story``, ``2 stories``."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
