"""Environment files: the value of a key in a file in a volume.

Source: pkg/kubelet/util/env/env_util.go ParseEnv of 1.34; the documentation's "Define Environment Variable Values Using An Init
Container" of 1.34 and of 1.35, where values stand in single quotes.
"""

import re


class BadEnvFile(ValueError):
    """The file is not a valid environment file."""


def value_in(text: str, key: str, *, quoted: bool) -> str:
    """The value of a key, empty if the file has none. ``quoted``: as from 1.35 on. Raises BadEnvFile. O(text up to the key)."""
    return _quoted(text, key) if quoted else _plain(text, key)


def _plain(text: str, key: str) -> str:
    """``NAME=value`` lines; after a backslash at the end the value continues on the next line, joined by one space."""
    parts: list[str] = []
    for line in text.split("\n"):
        stripped = line.strip(" \t\r")
        if not stripped or stripped.startswith("#"):
            if parts:
                raise BadEnvFile
            continue
        if stripped.endswith("\\"):
            parts.append(stripped[:-1].rstrip(" \t"))
            continue
        name, equals, value = " ".join((*parts, stripped)).partition("=")
        parts = []
        if not equals or not name.strip():
            raise BadEnvFile
        if name.strip() == key:
            return value.strip()
    if parts:
        raise BadEnvFile
    return ""


_ENTRY = re.compile(r"[ \t]*(?:(?:#[^\n]*)?(?:\n|$)|(?P<name>[^=\n]*)=[ \t]*'(?P<value>[^']*)'[ \t\r]*(?:#[^\n]*)?(?:\n|$))")


def _quoted(text: str, key: str) -> str:
    """``NAME='value'``: text between the quotes is taken literally, including line breaks."""
    at = 0
    while at < len(text):
        entry = _ENTRY.match(text, at)
        if entry is None or entry.end() == at:
            raise BadEnvFile
        name = entry["name"]
        if name is not None and not name.strip():
            raise BadEnvFile
        if name is not None and name.strip() == key:
            return entry["value"]
        at = entry.end()
    return ""
