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
    "limit": gettext_noop("This run has met a limit. Branch it from an earlier moment to go on."),
    "limit_hours": gettext_noop("This run has reached its limit of {hours} simulated hours. Branch it from an earlier moment to go on."),
    "limit_records": gettext_noop("This run has reached its limit of {records} records. Branch it from an earlier moment to go on."),
    "limit_pods": gettext_noop("This run has reached its limit of {pods} pods. Branch it from an earlier moment to go on."),
    "failed": gettext_noop("The simulation of this run failed. Its past can still be read and branched."),
    "out_of_memory": gettext_noop(
        "This run needed more memory than this site may use, and was ended. Its past can still be read and branched."
    ),
    "quarantined": gettext_noop(
        "This run was taken up {times} times in a row without getting on, and is left alone now. Its past can still be read and branched."
    ),
    "recorded": gettext_noop(
        "Another revision of the engine recorded this run, and it stays readable as it was. Playing on or acting makes a branch of it."
    ),
    "diverged": gettext_noop("This run cannot be repeated by the present engine. Its recorded past can still be read."),
    "stopped": gettext_noop("This run was stopped by the operator of the site. Its past can still be read and branched."),
}
"""Why a run has ended. Each state in which a run does not go on is also a code, for when no more is known."""

JOB_TEXTS = {
    "sweep_stopped": gettext_noop("It was stopped by whoever asked for it. What is there is shown."),
    "sweep_too_long": gettext_noop("It took longer than a sweep may. What is there is shown; ask for fewer values or seeds, or less time."),
    "sweep_lost": gettext_noop("Three processes were lost over it, so it is left alone. Ask for fewer values or seeds, or less time."),
    "sweep_unplayable": gettext_noop("This sweep cannot be worked out by the present engine."),
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
