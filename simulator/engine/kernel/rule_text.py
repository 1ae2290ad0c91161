"""The sentence that explains a rule to a reader. The registry collects the ``RULES`` tuples of the modules that decide."""

from msgspec import Struct


def gettext_noop(sentence: str) -> str:
    """Return ``sentence`` unchanged; the name marks it for translation tools."""
    return sentence


class RuleText(Struct, frozen=True, gc=False):
    """A rule for learners.

    ``sentence`` is plain English and may hold ``{placeholders}`` filled from a record's data. ``source`` names the
    upstream rule. ``since`` and ``until`` are Kubernetes minors; an empty ``until`` means "still so". ``sure`` says how
    well the rule is known: ``code`` (read in the source) or ``belief`` (not verified in the source).
    """

    id: str
    sentence: str
    source: str
    since: str = "1.0"
    until: str = ""
    sure: str = "code"
