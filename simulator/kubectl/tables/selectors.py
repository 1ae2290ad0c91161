"""Selectors as kubectl writes them, and the label selectors that ``-l`` takes.

Parsing of ``-l`` is lenient about whitespace and strict about the rest. A set in parentheses may contain commas, so the
terms cannot be split at commas: each match takes a whole term with the comma after it.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from simulator.engine.model.selectors import BadSelector, Labels
from simulator.kubectl.tables.model import NONE

Test = Callable[[Labels], bool]
_TERM = re.compile(r"\s*(?:(?P<key>[^\s!=<>(),]+)\s+(?P<op>in|notin)\s*\((?P<values>[^()]*)\)|(?P<plain>[^,]*))\s*(?:,|$)")
_EQUALS = re.compile(r"(?P<key>[^=!\s]+)\s*(?P<op>==|!=|=)\s*(?P<value>[^=!\s]*)")
_WRITTEN = {"In": "in", "NotIn": "notin"}


def selector_text(selector: Mapping[str, Any] | None) -> str:
    """A LabelSelector as text: ``app=web,tier in (a,b),!old``; ``<none>`` if it is empty."""
    if not selector:
        return NONE
    parts = [f"{key}={value}" for key, value in sorted((selector.get("matchLabels") or {}).items())]
    for item in selector.get("matchExpressions") or ():
        key, operator = item.get("key"), item.get("operator")
        if operator in _WRITTEN:
            parts.append(f"{key} {_WRITTEN[operator]} ({','.join(sorted(item.get('values') or ()))})")
        else:
            parts.append(f"!{key}" if operator == "DoesNotExist" else str(key))
    return ",".join(parts) or NONE


def parse_selector(text: str) -> Test:
    """The test that a selector of ``-l`` stands for: ``a=b``, ``a!=b``, ``a in (b,c)``, ``a notin (b)``, ``a`` or ``!a``.

    Raises BadSelector.
    """
    tests: list[Test] = []
    place = 0
    while place < len(text):
        found = _TERM.match(text, place)
        if found is None:
            raise BadSelector(f'unable to parse requirement: found "{text[place:]}"')
        place = found.end()
        tests.append(_term(found))
    return lambda labels: all(test(labels) for test in tests)


def _term(found: re.Match[str]) -> Test:
    if found["key"]:
        key, values = found["key"], {value.strip() for value in found["values"].split(",")}
        if found["op"] == "in":
            return lambda labels: labels.get(key) in values
        # A missing label is in no set, and it also satisfies ``!=``.
        return lambda labels: labels.get(key) not in values
    term = (found["plain"] or "").strip()
    pair = _EQUALS.fullmatch(term)
    if pair is not None:
        key, value = pair["key"], pair["value"]
        return (lambda labels: labels.get(key) != value) if pair["op"] == "!=" else (lambda labels: labels.get(key) == value)
    name = term.removeprefix("!").strip()
    if not name or any(char in name for char in "=!<>() "):
        raise BadSelector(f"unable to parse requirement: found '{term}', expected: identifier")
    return (lambda labels: name not in labels) if term.startswith("!") else (lambda labels: name in labels)
