"""Texts that come from outside: what is kept of those that are not manifests (``manifests/read`` judges those, line by line).

Databases cannot hold NUL, UTF-8 cannot encode lone surrogates, and characters that reverse or hide letters make a title read as another.
"""

import re

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_HALVES = re.compile(r"[\ud800-\udfff]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_HIDDEN = re.compile(
    "["
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"  # soft hyphen, invisible fillers and joiners
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"  # zero width, direction marks and overrides
    "\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff"  # surrogates, tags
    "]"
)
_JOINERS = re.compile(r"(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])")
REPLACEMENT = "\ufffd"


def storable(text: str, *, keeps_nul: bool = False) -> str:
    """The text with U+FFFD for what no database accepts: NUL (unless kept) and lone surrogates. O(text)."""
    return (_HALVES if keeps_nul else _UNSTORABLE).sub(REPLACEMENT, text)


def one_line(text: str, *, most: int) -> str:
    """The text as a title: one line of at most ``most`` characters, without control characters or those that hide or reverse others.

    Zero-width joiners stay between characters of scripts and emoji that need them. O(``most``): what is far beyond it is not read.
    """
    near = text[: 4 * most + 100]
    visible = _JOINERS.sub("", _HIDDEN.sub("", _CONTROLS.sub(" ", near)))
    return " ".join(visible.split())[:most].rstrip()
