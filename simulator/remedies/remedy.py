"""What the owner of a broken pod needs to know: for each word its usual causes, where to look, and what to do next.

Texts are message ids; they are translated where they are shown. Command lines are the same in every language: ``<pod>``
and the like are placeholders, which ``filled`` replaces with the names that are known.
"""

import re
from collections.abc import Mapping

from msgspec import Struct

_PLACEHOLDER = re.compile(r"<(\w+)>")


class UsualCause(Struct, frozen=True):
    """A usual cause. ``sign`` is a pattern for what the cluster reports in this case; ``step`` is the index of the
    remedy's step that helps."""

    text: str
    sign: str = ""
    step: int = 0


class LookAt(Struct, frozen=True):
    """A command line whose output distinguishes the causes, and what it shows."""

    text: str
    line: str


class NextStep(Struct, frozen=True):
    """What to do next: ``line`` in a cluster, the act with the tag ``act`` in a run. Either may be empty."""

    text: str
    line: str = ""
    act: str = ""


class Remedy(Struct, frozen=True, kw_only=True):
    """One or several words with the same causes, the most frequent cause first.

    A name is a word, or ``kind/word`` or ``kind/word/of`` if the word has different meanings
    (``event/BackOff/Warning``); the first one represents them all. ``meaning`` is a message id, empty if the reasons
    page has one already. ``doc`` is a page of the documentation.
    """

    names: tuple[str, ...]
    causes: tuple[UsualCause, ...]
    look: tuple[LookAt, ...]
    steps: tuple[NextStep, ...]
    meaning: str = ""
    doc: str = ""

    @property
    def word(self) -> str:
        """The word that represents them all."""
        return self.names[0].split("/")[1 if self.names[0].startswith(("status/", "event/", "condition/")) else 0]

    @property
    def anchor(self) -> str:
        """Its anchor on the reasons page."""
        return "help-" + re.sub(r"[^A-Za-z-]+", "-", self.names[0])


def filled(line: str, names: Mapping[str, str]) -> str:
    """A command line with known names in place of their placeholders."""
    return _PLACEHOLDER.sub(lambda found: names.get(found[1]) or found[0], line)
