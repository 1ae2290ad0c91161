"""Why a run, a job or a request for one is in its state.

What is stored and sent is a code with its numbers, ``{"code": "limit_hours", "hours": 24}``; the text is looked up by code where it is
shown, in the reader's language. No program ever parses the text. ``clock.js`` finds the texts for runs in ``messages.js`` under
``ended.<code>``; ``tests/web/state-notes.json`` keeps the two in step.
"""

from collections.abc import Mapping

from django.utils.translation import gettext, gettext_noop

from simulator.engine.projection.text import fill

StateNote = dict[str, str | int]
"""A code and its numbers; empty if there is nothing to say."""

RUN_TEXTS = {
    "limit": gettext_noop("This run has reached a limit. Branch it from an earlier moment to continue."),
    "limit_hours": gettext_noop("This run has reached its limit of {hours} simulated hours. Branch it from an earlier moment to continue."),
    "limit_records": gettext_noop("This run has reached its limit of {records} records. Branch it from an earlier moment to continue."),
    "limit_pods": gettext_noop("This run has reached its limit of {pods} pods. Branch it from an earlier moment to continue."),
    "failed": gettext_noop("The simulation of this run failed. You can still read and branch its past."),
    "out_of_memory": gettext_noop(
        "This run needed more memory than this site may use and was stopped. You can still read and branch its past."
    ),
    "quarantined": gettext_noop(
        "This run was resumed {times} times in a row without making progress and will not be retried. You "
        "can still read and branch its past."
    ),
    "recorded": gettext_noop(
        "This run was recorded by a different engine revision and can still be read as it was. Playing on or acting creates a branch."
    ),
    "diverged": gettext_noop("The current engine cannot reproduce this run. Its recorded past can still be read."),
    "stopped": gettext_noop("This run was stopped by the site operator. You can still read and branch its past."),
}
"""Why a run has ended. Each state in which a run does not continue is also a code, for when nothing more is known."""

JOB_TEXTS = {
    "sweep_stopped": gettext_noop("This sweep was stopped by the person who started it. The results so far are shown."),
    "sweep_too_long": gettext_noop(
        "This sweep exceeded the time limit. The results so far are shown; try fewer values or seeds, or a shorter time."
    ),
    "sweep_lost": gettext_noop(
        "Three processes were lost while running this sweep, so it will not be retried. Try fewer values or seeds, or a shorter time."
    ),
    "sweep_unplayable": gettext_noop("The current engine cannot compute this sweep."),
    "replay_lost": "Three processes were lost over it, so it is left alone.",
    "replay_unplayable": "This replay was asked for by another release.",
}
"""Why a job has ended without all of its results. The texts for replays are for operators, in English."""

TEXTS = RUN_TEXTS | JOB_TEXTS
OTHER = "other"
"""The code for an unknown text stored by an earlier release, which is kept under ``text`` and shown as it is."""


def state_note(code: str, **numbers: int) -> StateNote:
    """The note for a code in TEXTS. Raises KeyError if there is no such code, or if its text needs another number."""
    TEXTS[code].format_map(numbers)
    return {"code": code, **numbers}


def code_of(note: StateNote) -> str:
    """The code; empty if there is nothing to say."""
    return str(note.get("code", ""))


def numbers_of(note: StateNote) -> StateNote:
    """The numbers for the text of its code."""
    return {name: value for name, value in note.items() if name != "code"}


def note_text(note: Mapping[str, str | int]) -> str:
    """The text in the reader's language; empty if there is nothing to say, or if the code comes from a later release."""
    code = note.get("code", "")
    if code == OTHER:
        return str(note["text"])
    sentence = TEXTS.get(str(code))
    return fill(gettext(sentence), note) if sentence else ""
