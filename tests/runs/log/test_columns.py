"""No text fails a write or a look-up: characters that databases reject are stored as U+FFFD, and overlong prose is truncated.

Identifiers are never stored as another text.
"""

import pytest
from django.apps import apps
from django.db import models, transaction

from simulator.models import (
    ClassAsk,
    ClassMember,
    Classroom,
    ClassStart,
    DoorKey,
    KeptProgress,
    LevelAttempt,
    Milestone,
    Run,
    RunCommand,
    Runner,
    Scenario,
    SharedLevel,
    SharedScenario,
    StoredReplay,
    StoredSweep,
    SweepAsk,
)
from simulator.runs.log import columns, storage
from simulator.runs.log.statements import RUN, ChangeStatement, Given
from simulator.runs.log.wall import from_wall_ms
from simulator.runs.services.shares import share_create
from tests.factories import make_record, make_run, own
from tests.runs.services.test_sweeps import ask

pytestmark = pytest.mark.django_db
EVIL = "a\x00b\ud800" + "x" * 5000
KEPT = "a\ufffdb\ufffd" + "x" * 5000
TEXTS = [
    (model, field.name)
    for model in apps.get_app_config("simulator").get_models()
    for field in model._meta.get_fields()
    if isinstance(field, models.CharField | models.TextField)
]

NAMES = {model: [name for other, name in TEXTS if other is model] for model, _name in TEXTS}
"""By model: its text columns. What a test needs is created once for all of them."""


@pytest.mark.parametrize(("model", "name"), TEXTS)
def test_every_column_of_texts_is_one_that_cleans(model, name):
    field = model._meta.get_field(name)
    assert type(field).__module__ == columns.__name__
    assert field.deconstruct()[1] == f"django.db.models.{type(field).__name__.replace('Prose', 'Char')}"


@pytest.fixture
def rows():
    run = make_run()
    storage.append(run.id, epoch=own(run), batch=storage.Addition(records=(make_record(1),), head_seq=1, head_ms=0, digest=b"d"))
    RunCommand.objects.create(run=run, n=1, client_key="12345678", body="{}")
    share_create(run=run)
    Classroom.objects.create(id="abcdef", owner_hash="x")
    SharedLevel.objects.create(id="a", title="a", body="")
    LevelAttempt.objects.create(run=run, level="a")
    KeptProgress.objects.create(id="a")
    DoorKey.objects.create(run=run, token_hash="a")
    Scenario.objects.create(slug="a", title="a", body="{}")
    Runner.objects.create(name="a", beat_at=from_wall_ms(0))
    StoredReplay.objects.create(id="a", size=1, body="[]", revision=1)
    ask()
    known = (
        Run,
        RunCommand,
        SharedScenario,
        SharedLevel,
        LevelAttempt,
        KeptProgress,
        DoorKey,
        Classroom,
        Scenario,
        Runner,
        StoredReplay,
        StoredSweep,
        SweepAsk,
        Milestone,
    )
    return {model: model.objects.first() for model in (*known, *in_class(Classroom.objects.get()))}


def in_class(room):
    """Rows of a class; their models."""
    ClassStart.objects.create(room=room, n=1)
    ClassMember.objects.create(room=room, owner_hash="y", name="a")
    ClassAsk.objects.create(room=room, question="a")
    return ClassStart, ClassMember, ClassAsk


@pytest.mark.parametrize("model", NAMES)
def test_every_column_of_texts_takes_any_text(rows, model):
    for name in NAMES[model]:
        takes_any_text(model, rows[model], name)


def takes_any_text(model, row, name):
    field = model._meta.get_field(name)
    evil = EVIL[: field.max_length] if is_identity(field) else EVIL
    kept = KEPT[: field.max_length] if field.max_length else KEPT
    assert not model.objects.filter(**{name: EVIL}).exists()
    if field.primary_key:
        return
    model.objects.filter(pk=row.pk).update(**{name: evil})
    assert getattr(model.objects.get(pk=row.pk), name) == kept
    assert model.objects.filter(**{name: kept}).exists()
    setattr(row, name, evil)
    row.save()
    assert getattr(model.objects.get(pk=row.pk), name) == kept


def is_identity(field):
    """Whether the column is an identifier, of a limited length."""
    return bool(field.max_length) and not isinstance(field, columns.ProseField)


@pytest.mark.parametrize("model", NAMES)
def test_what_something_is_found_by_is_never_cut(rows, model):
    for name in NAMES[model]:
        field = model._meta.get_field(name)
        if is_identity(field):
            is_never_cut(model, rows[model], field)


def is_never_cut(model, row, field):
    row = model(pk="x" * (field.max_length + 1)) if field.primary_key else model.objects.get(pk=row.pk)
    if not field.primary_key:
        setattr(row, field.name, "x" * (field.max_length + 1))
    holds = f"{model.__name__}.{field.attname} holds {field.max_length} characters"
    with pytest.raises(columns.TooLong, match=holds), transaction.atomic():
        row.save(force_insert=field.primary_key)


def test_keys_hashes_and_states_are_what_something_is_found_by():
    names = {name for model, name in TEXTS if is_identity(model._meta.get_field(name))}
    assert {"client_key", "branch_key", "owner_hash", "address_hash", "owner", "state", "outcome", "id", "name"} <= names
    assert names.isdisjoint({"title", "summary", "subject", "target"})


@pytest.mark.parametrize(("column", "kept"), [("title", KEPT[:120]), ("source_body", KEPT)])
def test_value_of_a_statement_passes_the_same_door(rows, column, kept):
    row = rows[Run]
    changed = ChangeStatement(lambda: (Run.objects.filter(id=RUN), {column: Given("text", models.CharField())}))
    changed.made(run=row.id, text=EVIL)
    assert getattr(Run.objects.get(id=row.id), column) == kept


def test_value_of_a_statement_that_something_is_found_by_is_never_cut(rows):
    changed = ChangeStatement(lambda: (Run.objects.filter(id=RUN), {"owner": Given("text", models.CharField())}))
    with pytest.raises(columns.TooLong):
        changed.made(run=rows[Run].id, text="x" * 81)


def test_record_with_any_text_becomes_a_milestone():
    run = make_run()
    records = tuple(make_record(n, subject=f"pod/default/{'x' * 1000}\x00", target="T\x00" * 200) for n in (1, 2))
    storage.append(run.id, epoch=own(run), batch=storage.Addition(records=records, head_seq=2, head_ms=0, digest=b"d"))
    assert {(len(row.subject), len(row.target)) for row in Milestone.objects.all()} == {(600, 200)}
    assert storage.read(run.id, after=0, limit=5) == list(records)
