"""Why a run has ended, with numbers: sentences that are stored in English, so that everybody can read them in their own language."""

import re
from functools import cache

from django.utils.translation import gettext, gettext_noop

TIME_MET = gettext_noop("This run has reached its limit of %(hours)d simulated hours. Branch it from an earlier moment to go on.")
RECORDS_MET = gettext_noop("This run has reached its limit of %(records)d records. Branch it from an earlier moment to go on.")
PODS_MET = gettext_noop("This run has reached its limit of %(pods)d pods. Branch it from an earlier moment to go on.")
QUARANTINED = gettext_noop(
    "This run was taken up %(times)d times in a row without getting on, and is left alone now. Its past can still be read and branched."
)


def note_text(note: str) -> str:
    """A run's ``state_note`` in the reader's language; as it is where no translation is known. ``clock.js`` does the same on pages."""
    for sentence, pattern in _patterns():
        found = pattern.fullmatch(note)
        if found:
            return gettext(sentence) % {name: int(number) for name, number in found.groupdict().items()}
    return gettext(note) if note else ""


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((sentence, _pattern(sentence)) for sentence in (TIME_MET, RECORDS_MET, PODS_MET, QUARANTINED))


def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"%\\\((\w+)\\\)d", r"(?P<\1>[0-9]{1,9})", re.escape(sentence)))
