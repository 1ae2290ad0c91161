"""Why a cell of a sweep could not be worked out becomes a code, where it was not the API server that refused."""

import json

from django.db import migrations

FAILURES = {
    "too_much": "So much happens in this run that its end was not reached. Ask for less time.",
    "too_slow": "This run took longer than a cell may. Ask for less time or fewer pods.",
    "too_large": "This run needed more memory than a cell may have. Ask for less time or fewer pods.",
    "died": "The process that worked on this run died twice.",
    "failed": "The simulation of this run failed.",
}
"""As the releases before said it, word by word. This is history, and is not kept up with the code."""
CODES = {sentence: code for code, sentence in FAILURES.items()}


def with_code(cell):
    """The cell with a code in the place of a sentence; what the API server said stays."""
    code = CODES.get(cell.get("problem"))
    return cell | {"problem": "", "failure": code} if code else cell


def with_sentence(cell):
    """The way back."""
    code = cell.get("failure", "")
    kept = {name: value for name, value in cell.items() if name != "failure"}
    return kept | {"problem": FAILURES.get(code, code)} if code else kept


def changed(rows, change):
    """Rewrite the cells of these sweeps that are changed, one sweep after the other."""
    for key, body in rows.order_by().values_list("pk", "results_body").iterator(chunk_size=20):
        cells = json.loads(body)
        after = [change(cell) if cell is not None else None for cell in cells]
        if after != cells:
            rows.filter(pk=key).update(results_body=json.dumps(after, separators=(",", ":"), ensure_ascii=False))


def to_codes(apps, _schema_editor):
    """Those with a cell that has a problem."""
    rows = apps.get_model("simulator", "StoredSweep").objects.filter(results_body__contains='"problem":"')
    changed(rows, with_code)


def to_sentences(apps, _schema_editor):
    """Those whose cells have room for a code."""
    rows = apps.get_model("simulator", "StoredSweep").objects.filter(results_body__contains='"failure":')
    changed(rows, with_sentence)


class Migration(migrations.Migration):
    """Failures of cells are codes."""

    dependencies = [
        ("simulator", "0011_state_codes"),
    ]

    operations = [migrations.RunPython(to_codes, to_sentences)]
