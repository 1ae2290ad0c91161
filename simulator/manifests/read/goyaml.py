r"""Differences between kubectl's YAML library and libyaml, its ancestor.

kubectl accepts ``\'`` in double quotes, and a colon before a comma or bracket inside brackets, which libyaml refuses;
it refuses a question mark there, which libyaml accepts. Source: scannerc.go of sigs.k8s.io/yaml/goyaml.v2
(yaml_parser_scan_flow_scalar, …_scan_plain_scalar).
"""

import re
from collections import deque
from typing import Any

import yaml
from msgspec import Struct

from simulator.engine.kernel.json_text import TooDeep
from simulator.kubectl.yaml import shallow_events

_COLON = re.compile(r":[,?\[\]{}]")
_ESCAPES = {"a": "\x07", "b": "\x08", "e": "\x1b", "v": "\x0b", "f": "\x0c", "0": "\x00"}
"""Characters that a text can only contain as an escape, by the letter of the escape."""
_PRIVATE = range(0xE000, 0xE010)
_COST_MAX = 3_000_000
"""The most characters that are read again, over all attempts."""


class Mended(Struct, frozen=True, kw_only=True):
    """A text of the same length that libyaml accepts.

    ``apostrophe`` and ``colon`` are the characters that stand in for these, "" if nothing had to be changed.
    """

    text: str
    apostrophe: str = ""
    colon: str = ""

    def value(self, scalar: str, *, style: str | None) -> str:
        """The actual value of a scalar in the text."""
        if self.apostrophe and style == '"':
            return scalar.replace(self.apostrophe, "'")
        return scalar.replace(self.colon, ":") if self.colon and style in (None, "") else scalar


def mended(text: str, loader: Any) -> Mended:
    """The text in a form that ``loader`` accepts, if kubectl would accept it.

    Cost: two searches, and if they find something, one more reading of the text, plus one of its beginning for each
    quoted text that had to be changed.
    """
    if "\\'" not in text and not _COLON.search(text):
        return Mended(text=text)
    letter = next((item for item in _ESCAPES if not _has_escape(text, item)), "")
    colon = next((char for code in _PRIVATE if (char := chr(code)) not in text), "")
    changed, cost = text, 0
    while cost <= _COST_MAX and (found := _first_problem(changed, loader)) is not None:
        problem, index = found
        if letter and "unknown escape" in problem and changed[index : index + 2] == "\\'":
            changed = _without_apostrophes(changed, index, letter)
        elif colon and "unexpected ':'" in problem and changed[index : index + 1] == ":":
            changed = f"{changed[:index]}{colon}{changed[index + 1 :]}"
        else:
            break
        # Each attempt reads the text again from the beginning up to the next problem.
        cost += index
    if changed == text:
        return Mended(text=text)
    return Mended(text=changed, apostrophe=_ESCAPES.get(letter, ""), colon=colon)


def _has_escape(text: str, letter: str) -> bool:
    code = f"{ord(_ESCAPES[letter]):02x}"
    return f"\\{letter}" in text or re.search(rf"\\(?:x|u00|U000000){code}", text, re.IGNORECASE) is not None


def _first_problem(text: str, loader: Any) -> tuple[str, int] | None:
    """The first problem of the text; None if it nests so deeply before that point that it is refused anyway."""
    try:
        deque(shallow_events(text, loader), maxlen=0)
    except TooDeep:
        return None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return (error.problem or "", mark.index) if mark is not None else None
    except (yaml.YAMLError, ValueError):
        return None
    return None


def _without_apostrophes(text: str, start: int, letter: str) -> str:
    """The text with a different escape for each apostrophe from ``start`` to the end of the surrounding quotes."""
    parts, at = [text[:start]], start
    while at < len(text) and text[at] != '"':
        if text[at] == "\\":
            parts.append(f"\\{letter}" if text[at + 1 : at + 2] == "'" else text[at : at + 2])
            at += 2
        else:
            parts.append(text[at])
            at += 1
    return "".join((*parts, text[at:]))


def refused_question(event: yaml.ScalarEvent, *, in_map: bool) -> yaml.MarkedYAMLError | None:
    """kubectl's error about a plain text with a question mark inside brackets; None if it has none."""
    start = event.start_mark
    if start is None or "?" not in event.value:
        return None
    offset = event.value.index("?")
    mark = yaml.Mark("", start.index + offset, start.line, start.column + offset, None, 0)
    context, closing = ("while parsing a flow mapping", "}") if in_map else ("while parsing a flow sequence", "]")
    return yaml.MarkedYAMLError(context=context, problem=f"did not find expected ',' or '{closing}'", problem_mark=mark)
