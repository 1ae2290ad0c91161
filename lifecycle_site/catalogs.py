"""Compile .po translation catalogs into the .mo files that gettext reads, without GNU gettext being installed."""

import ast
import struct
from collections.abc import Iterator
from pathlib import Path

MAGIC = 0x950412DE
CONTEXT_END = "\x04"
PLURAL_END = "\0"


def compile_catalog(source: Path) -> bytes:
    """The .mo form of a .po file. Fuzzy and untranslated entries are left out. Raises SyntaxError with file and line."""
    texts = {key: value for key, value in _entries(source) if value.replace(PLURAL_END, "")}
    return _pack({key.encode(): value.encode() for key, value in texts.items()})


def _entries(source: Path) -> Iterator[tuple[str, str]]:
    """Yield the key (context, singular and plural joined as gettext joins them) and translation of every finished entry."""
    fields: dict[str, str] = {}
    field, is_fuzzy = "", False
    for number, line in enumerate([*source.read_text(encoding="utf-8").splitlines(), ""], start=1):
        text = line.strip()
        if text.startswith("#"):
            if "msgstr" in "".join(name[:6] for name in fields):
                yield from _finished(fields, is_fuzzy=is_fuzzy)
                fields, is_fuzzy = {}, False
            is_fuzzy = is_fuzzy or (text.startswith("#,") and "fuzzy" in text)
        elif not text:
            yield from _finished(fields, is_fuzzy=is_fuzzy)
            fields, is_fuzzy = {}, False
        elif text.startswith('"'):
            fields[field] += _unquote(text, source, number)
        else:
            field, _, quoted = text.partition(" ")
            if field in ("msgid", "msgctxt") and any(name.startswith("msgstr") for name in fields):  # no empty line before it
                yield from _finished(fields, is_fuzzy=is_fuzzy)
                fields, is_fuzzy = {}, False
            fields[field] = _unquote(quoted.strip(), source, number)


def _finished(fields: dict[str, str], *, is_fuzzy: bool) -> Iterator[tuple[str, str]]:
    if "msgid" not in fields or (is_fuzzy and fields["msgid"]):
        return
    key = fields["msgid"]
    if "msgctxt" in fields:
        key = fields["msgctxt"] + CONTEXT_END + key
    if "msgid_plural" in fields:
        key += PLURAL_END + fields["msgid_plural"]
        forms = sorted((name, text) for name, text in fields.items() if name.startswith("msgstr["))
        yield key, PLURAL_END.join(text for _, text in forms)
    else:
        yield key, fields.get("msgstr", "")


def _unquote(text: str, source: Path, number: int) -> str:
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        value = None
    if not isinstance(value, str):
        raise SyntaxError(f"{source}, line {number}: expected a quoted text, found {text[:40]!r}")
    return value


def _pack(texts: dict[bytes, bytes]) -> bytes:
    """Build the binary layout: header, table of keys, table of translations, then the texts, each terminated by a zero byte."""
    keys = sorted(texts)
    start = 28 + 16 * len(keys)
    tables, body = [], b""
    for column in (keys, [texts[key] for key in keys]):
        for text in column:
            tables.append(struct.pack("<II", len(text), start + len(body)))
            body += text + b"\0"
    head = struct.pack("<7I", MAGIC, 0, len(keys), 28, 28 + 8 * len(keys), 0, start)
    return head + b"".join(tables) + body
