"""Statements: SQL that is compiled once gives the same result as a query that is compiled anew."""

import os
import subprocess
import sys
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, transaction
from django.db.models import DateTimeField, DurationField, F, IntegerField, UUIDField
from django.db.models.functions import Now
from django.utils import timezone

from simulator.bench.site import ROOT
from simulator.models import Milestone, Run
from simulator.runs.log.statements import ROWS_AT_ONCE, ChangeStatement, Given, InsertStatement, Statement, among, numbered, places_for
from tests.factories import make_run

pytestmark = pytest.mark.django_db
BY_ID = Statement(lambda: Run.objects.filter(id=Given("run", UUIDField())).select_related("parent").annotate(read_at=Now()))
AGED = Statement(lambda: Run.objects.filter(created_at__gt=Now() - Given("age", DurationField())).order_by("title").values_list("title"))


def test_rows_are_those_of_the_query():
    parent, other = make_run(title="parent"), make_run(title="other")
    Run.objects.filter(id=other.id).update(parent=parent)
    for each in (parent, other):
        plain = Run.objects.select_related("parent").get(id=each.id)
        found = BY_ID.first(run=each.id)
        assert found is not None
        shown = {name: value for name, value in vars(found).items() if name not in {"_state", "read_at"}}
        assert shown == {name: value for name, value in vars(plain).items() if name != "_state"}
        assert found.parent == plain.parent


def test_annotation_is_computed_by_each_asking(django_assert_num_queries):
    run = make_run()
    before = timezone.now()
    with django_assert_num_queries(2):
        first, second = (BY_ID.first(run=run.id) for _ in range(2))
    assert before - timedelta(seconds=2) < first.read_at <= second.read_at


def test_row_that_is_asked_for_is_stored_as_any_other():
    run = BY_ID.first(run=make_run(title="before").id)
    run.title = "after"
    run.save(update_fields=["title"])
    assert Run.objects.get(id=run.id).title == "after"


def test_no_row_is_none():
    assert BY_ID.first(run=uuid4()) is None


def test_values_are_taken_as_their_field_takes_them():
    make_run(title="b")
    make_run(title="a")
    Run.objects.filter(title="b").update(created_at=timezone.now() - timedelta(hours=2))
    assert AGED.rows(age=timedelta(hours=1)) == [("a",)]
    assert AGED.rows(age=timedelta(hours=3)) == [("a",), ("b",)]


def test_value_that_is_missing_is_an_error():
    with pytest.raises(KeyError, match="run"):
        BY_ID.rows()


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_as_many_values_as_there_are(count):
    runs = [make_run(title=str(number)) for number in range(9)]
    places = places_for(count)
    statement = Statement(
        lambda: Run.objects.filter(among("id", "run", UUIDField(), places)).order_by("title").values_list("title", flat=True)
    )
    asked = [run.id for run in runs[:count]]
    assert statement.rows(**numbered("run", asked, places)) == [str(number) for number in range(count)]
    assert count <= places < 2 * count


def test_change_meets_the_rows_it_names_and_no_others():
    run, other = make_run(), make_run()
    when = timezone.now().replace(microsecond=123_000)
    change = ChangeStatement(
        lambda: (
            Run.objects.filter(id=Given("run", UUIDField()), controls=Given("controls", IntegerField())),
            {"controls": F("controls") + Given("more", IntegerField()), "viewers_seen_at": Given("when", DateTimeField())},
        )
    )
    assert change.made(run=run.id, controls=0, more=3, when=when) == 1
    assert change.made(run=run.id, controls=0, more=3, when=when) == 0
    found = {each.id: (each.controls, each.viewers_seen_at == when) for each in Run.objects.all()}
    assert found == {run.id: (3, True), other.id: (0, False)}


def test_change_can_take_a_value_away():
    run = make_run()
    change = ChangeStatement(lambda: (Run.objects.filter(id=Given("run", UUIDField())), {"stands_ms": Given("stands_ms", IntegerField())}))
    assert change.made(run=run.id, stands_ms=None) == 1
    assert Run.objects.get(id=run.id).stands_ms is None


def test_statement_is_made_once():
    built: list[UUID] = []

    def build():
        built.append(uuid4())
        return Run.objects.filter(id=Given("run", UUIDField()))

    statement = Statement(build)
    run = make_run()
    assert [statement.first(run=run.id), statement.first(run=run.id)] == [run, run]
    assert len(built) == 1


@pytest.mark.parametrize("count", [0, 1, 2 * ROWS_AT_ONCE + 1])
def test_new_rows_are_stored_as_any_others_in_few_queries(django_assert_num_queries, count):
    run, place = make_run(), InsertStatement(Milestone)
    rows = [
        Milestone(run_id=run.id, seq=n, at_ms=n, kind="event", machine="m\0", subject="s" * 700, target="t") for n in range(1, count + 1)
    ]
    with django_assert_num_queries(0):
        ready = place.ready(rows)
    with django_assert_num_queries(-(-count // ROWS_AT_ONCE)):
        place.made(ready)
    stored = list(run.milestones.order_by("seq").values_list("seq", "at_ms", "kind", "machine", "subject", "target"))
    assert stored == [(n, n, "event", "m\ufffd", "s" * 600, "t") for n in range(1, count + 1)]


def test_new_row_that_is_there_already_is_refused_and_the_others_with_it():
    run, place = make_run(), InsertStatement(Milestone)
    ready = place.ready([Milestone(run_id=run.id, seq=1, at_ms=1, kind="event", machine="", subject="", target="") for _ in range(2)])
    with pytest.raises(IntegrityError), transaction.atomic():
        place.made(ready)
    assert run.milestones.count() == 0


def test_a_statement_is_made_for_few_numbers_of_values():
    assert [places_for(count) for count in range(10)] == [1, 1, 2, 4, 4, 8, 8, 8, 8, 16]


def test_statements_are_compiled_before_processes_are_forked():
    loads = (
        "import simulator.runs.drive.preload\n"
        "from django.db import connections\n"
        "from simulator.runs.selectors.runs import _WHOLE\n"
        "print(bool(_WHOLE._made), [each.connection for each in connections.all(initialized_only=True)])"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "lifecycle_site.settings"}
    told = subprocess.run([sys.executable, "-c", loads], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    assert told.stdout.split() == ["True", "[None]"]
