"""What must not appear in a sentence: paths, internal words, placeholders, and a plural after the number one."""

import re
from collections.abc import Mapping

from django.utils.translation import get_language, gettext

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Scalar
from simulator.engine.projection.text import fill

LANGUAGES = ("en", "zh-hans", "zh-hant")
NAMES = frozenset(
    """pod pods container node nodes name image service volume volumes budget job kind about owner namespace static old new revision
    current_revision update_revision over storage_class component ip taint label labels key value role address new_name group objects
    load selector remove target_container to_revision""".split()  # noqa: SIM905 - a list of words reads best as one
)
"""Placeholders for names; users and controllers choose the words."""
QUOTES = frozenset({"message", "text", "output", "why", "words", "command", "origin"})
"""Placeholders for quotations from a program or the API."""
API_WORDS = frozenset({"liveness", "readiness", "startup", "memory", "cpu", "ephemeral-storage"})
_RAW_WORD = re.compile(r"[a-z]+(?:[_-][a-z]+)*")
_PATH = re.compile(r"\b[a-z]+/[\w.#-]+/[\w./#-]+")
_IN_CODE = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_PLACEHOLDER = re.compile(r"[{}]|…|\b(?:None|null|undefined|NaN)\b")
ONE = re.compile(r"(?<![\w.:/-])1 (?!is\b|has\b|was\b|counts\b|goes\b)[a-z]+[^s\W]s\b")
_EITHER = re.compile(r"\bor not\b|\b(\w+) or un\1\b|^You \w+ or \w+ |\bpaused or resumed\b")
_OF = re.compile(r"(?<![\w.:/-])(\d+) of (\d+)\b")
_COUNTED = re.compile(r"\{(\w+)(?::[^{}]*)?\} ?[a-z]+s\b")
_WORDS = frozenset({"source", "target", "type", "reason", "probe", "hook_name", "phase", "condition", "signal", "measured", "aim"})


def raw_parts(msgid: str, values: Mapping[str, Scalar], names: frozenset[str]) -> list[str]:
    """The raw parts of a sentence with these values in the active language."""
    if not msgid:
        return []
    template = gettext(msgid)
    found = [f"{name}={value}" for name, value in values.items() if f"{{{name}}}" in template and _is_raw(name, value, names)]
    found += in_sentence(fill(template, {name: _mask(name, value, names) for name, value in values.items()}))
    if get_language() != "en" and template == msgid and re.search(r"[a-z]{3}", re.sub(r"\{[^}]*\}", "", msgid)):
        found.append("no translation")
    return found


def in_sentence(sentence: str) -> list[str]:
    """What is raw in a sentence with names and quotes hidden, including counts that exceed their total."""
    found = [part for pattern in (_PATH, _IN_CODE, _PLACEHOLDER, ONE) for part in pattern.findall(sentence)]
    return found + [part[0] for part in _OF.finditer(sentence) if int(part[1]) > int(part[2])]


def of_act(record: Record, sentence: str) -> list[str]:
    """Internal words in the sentence of a command: fields listed by name, its tag; and ambiguity between two acts."""
    if record.machine != "command":
        return []
    listed = " ".join(re.findall(r"\(([^()]*)\)", sentence))
    found = [f"{name} {value}" for name, value in record.data if re.search(rf"\b{name} {re.escape(str(value))}(?!\w)", listed)]
    tag = str(record.get("do") or "").replace("_", " ")
    is_told = " " in tag and record.target == "accepted"  # the reason for a refusal may mention static pods
    found += [tag] if is_told and re.search(rf"\b{tag}\b", sentence) else []
    return found + [part[0] for part in _EITHER.finditer(sentence)]


def in_page(*words: str) -> list[str]:
    """Those words of a table that are internal; in Chinese any lower-case word is."""
    pattern = re.compile(r"[a-z]+(?:[_-][a-z]+)+") if get_language() == "en" else _RAW_WORD
    return [word for word in words if pattern.fullmatch(word)]


def counts(sentence: str) -> set[str]:
    """The placeholders of a sentence that are followed by a plural."""
    return {match[1] for match in _COUNTED.finditer(sentence)} - NAMES - QUOTES - _WORDS


def _mask(name: str, value: Scalar, names: frozenset[str]) -> Scalar:
    """The value, or a stand-in if its words are not the product's."""
    if value is None:
        return None
    return "X" if name in QUOTES or name in NAMES or str(value) in names else value


def _is_raw(name: str, value: Scalar, names: frozenset[str]) -> bool:
    """Whether a value is a path, or an internal word in place of a word of the reader's language or of the API."""
    if name in QUOTES or name == "role" or not isinstance(value, str) or value in names:
        return False
    if _PATH.fullmatch(value) is not None:
        return True
    return name not in NAMES and value not in API_WORDS and _RAW_WORD.fullmatch(value) is not None
