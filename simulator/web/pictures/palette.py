"""The colours for pictures outside of pages, read from the site's design tokens so that they match."""

import re
from functools import cache
from pathlib import Path

_TOKENS = Path(__file__).resolve().parents[3] / "static" / "css" / "tokens.css"
_SHEET = Path(__file__).resolve().parents[3] / "static" / "css" / "components" / "gallery.css"
_TOKEN = re.compile(r"--([a-z0-9-]+):\s*(#[0-9a-f]{6})\s*;")
_RULE = re.compile(r"^((?:\.(?:ln|mk)-[a-z]+,?\s*)+)\{([^}]*)\}", re.MULTILINE)
_VAR = re.compile(r"var\(--([a-z0-9-]+)\)")


@cache
def colours(theme: str) -> dict[str, str]:
    """The tokens of the ``light`` or ``dark`` theme that are plain colours, by name."""
    light, _, dark = _TOKENS.read_text(encoding="utf-8").partition("@media (prefers-color-scheme: dark)")
    found = dict(_TOKEN.findall(light))
    # The dark block only lists what differs from light.
    return found | dict(_TOKEN.findall(dark.split("}", 1)[0])) if theme == "dark" else found


@cache
def lane_sheet(theme: str) -> str:
    """The pages' style rules for lanes and marks, with colours in place of tokens."""
    known = colours(theme)
    rules = _RULE.findall(_SHEET.read_text(encoding="utf-8"))
    return "\n".join(f"{names.strip()} {{{_VAR.sub(lambda token: known[token[1]], body)}}}" for names, body in rules)
