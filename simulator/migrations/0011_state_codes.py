"""Why a run, a job or a question stands as it does becomes a code with its numbers. Until now it was an English sentence.

The sentences are those of the releases before, word by word; what stands here is history and is not kept up with the code.
"""

import re

from django.db import migrations, models

SENTENCES = {
    "limit_hours": "This run has reached its limit of {hours} simulated hours. Branch it from an earlier moment to go on.",
    "limit_records": "This run has reached its limit of {records} records. Branch it from an earlier moment to go on.",
    "limit_pods": "This run has reached its limit of {pods} pods. Branch it from an earlier moment to go on.",
    "failed": "The simulation of this run failed. Its past can still be read and branched.",
    "out_of_memory": "This run needed more memory than this site may use, and was ended. Its past can still be read and branched.",
    "quarantined": "This run was taken up {times} times in a row without getting on, and is left alone now. "
    "Its past can still be read and branched.",
    "recorded": "Another revision of the engine recorded this run, and it stays readable as it was. "
    "Playing on or acting makes a branch of it.",
    "diverged": "This run cannot be repeated by the present engine. Its recorded past can still be read.",
    "stopped": "This run was stopped by the operator of the site. Its past can still be read and branched.",
    "sweep_stopped": "It was stopped by whoever asked for it. What is there is shown.",
    "sweep_too_long": "It took longer than a sweep may. What is there is shown; ask for fewer values or seeds, or less time.",
    "sweep_lost": "Three processes were lost over it, so it is left alone. Ask for fewer values or seeds, or less time.",
    "sweep_unplayable": "This sweep cannot be worked out by the present engine.",
    "replay_lost": "Three processes were lost over it, so it is left alone.",
    "replay_unplayable": "This replay was asked for by another release.",
}
OTHER = "other"
NOTES = (("Run", "state_note"), ("StoredSweep", "state_note"), ("StoredReplay", "state_note"), ("SweepAsk", "note"))


def code_of_sentence(sentence):
    """The code of a stored sentence with its numbers; the sentence itself under ``other`` where no release is known to have said it."""
    for code, template in SENTENCES.items():
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[0-9]{1,18})", re.escape(template))
        found = re.fullmatch(pattern, sentence)
        if found:
            return {"code": code} | {name: int(number) for name, number in found.groupdict().items()}
    return {"code": OTHER, "text": sentence}


def sentence_of_code(note):
    """The way back; empty for a code that the release before did not know."""
    if note.get("code") == OTHER:
        return note["text"]
    return SENTENCES.get(note.get("code"), "").format_map(note)[:300]


def to_codes(apps, _schema_editor):
    """Each sentence that is stored, once, whatever the number of rows that have it."""
    for model, column in NOTES:
        rows = apps.get_model("simulator", model).objects.order_by()
        for sentence in rows.exclude(sentence="").values_list("sentence", flat=True).distinct():
            rows.filter(sentence=sentence).update(**{column: code_of_sentence(sentence)})


def to_sentences(apps, _schema_editor):
    """Row by row: what has ended, and only where there is something to say."""
    for model, column in NOTES:
        rows = apps.get_model("simulator", model).objects.order_by()
        for key, note in rows.exclude(**{column: {}}).values_list("pk", column).iterator():
            rows.filter(pk=key).update(sentence=sentence_of_code(note))


def renamed(model, column):
    """The old column makes room for the new one, and is there until its sentences are codes."""
    name = model.lower()
    return [
        migrations.RenameField(name, column, "sentence"),
        migrations.AddField(name, column, models.JSONField(blank=True, default=dict)),
    ]


class Migration(migrations.Migration):
    """Notes of states are codes."""

    dependencies = [
        ("simulator", "0010_sweep_asks"),
    ]

    operations = [
        *(operation for model, column in NOTES for operation in renamed(model, column)),
        migrations.RunPython(to_codes, to_sentences),
        *(migrations.RemoveField(model.lower(), "sentence") for model, _column in NOTES),
    ]
