"""Why a run, a job or a question for one stands as it does.

What is stored and sent is a code with its numbers, ``{"code": "limit_hours", "hours": 24}``; the text is looked up by the code where it is
shown, in the reader's language. No code ever reads the text. ``clock.js`` finds those of runs in ``messages.js`` under ``ended.<code>``;
``tests/web/state-notes.json`` holds the two together.
"""

from collections.abc import Mapping

from django.utils.translation import gettext, gettext_noop

from simulator.engine.projection.text import fill

StateNote = dict[str, str | int]
"""A code and its numbers; empty where there is nothing to say."""

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
"""Why a run has ended. Each state in which a run does not go on is also a code, for when no more is known."""

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
"""Why a job has ended without all of its results. Replays are for operators, in English."""

TEXTS = RUN_TEXTS | JOB_TEXTS
OTHER = "other"
"""The code of a text that an earlier release stored and nobody knows any more; it stands under ``text`` and is shown as it is."""


def state_note(code: str, **numbers: int) -> StateNote:
    """What is stored for a code of TEXTS. Raises KeyError where there is no such code, or its text asks for another number."""
    TEXTS[code].format_map(numbers)
    return {"code": code, **numbers}


def code_of(note: StateNote) -> str:
    """The code; empty where there is nothing to say."""
    return str(note.get("code", ""))


def numbers_of(note: StateNote) -> StateNote:
    """What the text of its code asks for."""
    return {name: value for name, value in note.items() if name != "code"}


def note_text(note: Mapping[str, str | int]) -> str:
    """The text in the reader's language; empty where there is nothing to say, or a later release stored a code that this one lacks."""
    code = note.get("code", "")
    if code == OTHER:
        return str(note["text"])
    sentence = TEXTS.get(str(code))
    return fill(gettext(sentence), note) if sentence else ""
