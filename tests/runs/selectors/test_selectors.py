import json
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from simulator.models import Run, Scenario
from simulator.runs.log import storage
from simulator.runs.log.content import encode_content
from simulator.runs.log.wall import to_wall_ms
from simulator.runs.selectors import records, runs, scenarios, shares
from simulator.runs.services.runs import run_branch, run_create
from simulator.runs.services.shares import share_create, shared_run
from simulator.runs.state_notes import state_note
from simulator.runs.wire.protocol import FRAME_BYTES_MAX
from tests.factories import OWNER, STRANGER, drive, make_content, make_record, make_run, own

pytestmark = pytest.mark.django_db


def logged(count, **fields):
    run = make_run(paused=True)
    written = tuple(make_record(seq, seq * 10, **fields) for seq in range(1, count + 1))
    storage.append(run.id, epoch=own(run), batch=storage.Addition(records=written, head_seq=count, head_ms=9999, digest=b""))
    run.refresh_from_db()
    return run


def page(run, **fields):
    return json.loads(records.records_page(run, **fields))


def test_page_goes_on_after_the_record_asked_for():
    found = page(logged(5), after=3)
    assert (found["type"], found["from"], found["to"], [record[0] for record in found["records"]]) == ("records", 3, 5, [4, 5])


def test_page_is_empty_at_the_head():
    found = page(logged(5), after=5)
    assert (found["from"], found["to"], found["records"]) == (5, 5, [])


def test_page_shows_how_far_the_run_is_only_when_it_is_complete():
    run = logged(5)
    assert (page(run, after=0)["now_ms"], page(run, after=0, limit=2)["now_ms"]) == (9999, 20)


def test_page_is_no_larger_than_a_frame():
    run = logged(1000, data=(("message", "x" * 300),))
    assert len(records.records_page(run, after=0)) <= FRAME_BYTES_MAX


def test_run_is_none_when_it_does_not_exist():
    assert runs.run_get(UUID(int=0)) is None


def test_branches_are_shown_as_a_tree_from_any_of_them():
    root = make_run(title="root", at_ms=9000)
    first = run_branch(parent=root, owner_key=OWNER, at_ms=1000, title="first")
    second = run_branch(parent=root, owner_key=OWNER, at_ms=2000, title="second")
    run_branch(parent=first, owner_key=OWNER, at_ms=500, title="inner")
    rows = [(row.title, row.depth, row.is_current) for row in runs.run_branches(second)]
    assert rows == [("root", 0, False), ("first", 1, False), ("inner", 2, False), ("second", 1, True)]


def test_runs_of_a_browser_are_its_own():
    mine = make_run()
    make_run(owner_key=STRANGER)
    assert runs.runs_owned(OWNER) == [mine]


def state(run):
    run.refresh_from_db()
    return runs.run_clock(run).state


def test_clock_says_released_when_nobody_computes_the_run():
    run = make_run()
    drive(run)
    Run.objects.filter(id=run.id).update(driven_at=timezone.now() - timedelta(seconds=6))
    assert state(run) == "released"


def shown_after(run, monkeypatch, ms):
    """The run's clock after this much more time."""
    monkeypatch.setattr("simulator.runs.log.clock.wall_ms", lambda: to_wall_ms(run.base_at) + ms)
    run = runs.run_row(run.id)
    return runs.run_clock(run).now_ms


def test_clock_goes_on_while_an_owner_drives_the_run(monkeypatch):
    run = make_run(rate_permille=600_000)
    drive(run, shown_ms=1000)
    assert shown_after(run, monkeypatch, 2000) == 1_200_000


def test_clock_stands_at_the_last_sign_of_life_when_no_owner_is_alive(monkeypatch):
    run = make_run(rate_permille=600_000)
    drive(run, shown_ms=60_000)
    Run.objects.filter(id=run.id).update(driven_at=timezone.now() - timedelta(seconds=6))
    assert shown_after(run, monkeypatch, 150_000) == 60_000


def test_clock_of_a_run_that_nobody_has_taken_up_yet_stands_at_its_start(monkeypatch):
    assert shown_after(make_run(at_ms=7000), monkeypatch, 150_000) == 7000


@pytest.mark.parametrize(("paused", "word"), [(True, "paused"), (False, "live")])
def test_clock_says_how_an_owned_run_stands(paused, word):
    run = make_run(paused=paused)
    drive(run)
    assert state(run) == word


def test_clock_says_released_while_its_owner_still_opens_the_run():
    run = make_run()
    own(run)
    assert state(run) == "released"


def test_clock_of_a_run_that_has_ended_stands_still():
    run = logged(3)
    Run.objects.filter(id=run.id).update(state="limit", state_note=state_note("limit_pods", pods=500), is_paused=False)
    run.refresh_from_db()
    clock = runs.run_clock(run)
    assert (clock.state, clock.paused, clock.now_ms) == ("limit", True, 9999)
    assert (clock.note, clock.numbers) == ("limit_pods", {"pods": 500})


def test_clock_behind_a_link_is_paused():
    assert state(shared_run(share=share_create(run=make_run(paused=True)))) == "paused"


def make_scenario(slug, *, tags, level="basic"):
    return Scenario.objects.create(slug=slug, title=slug, tags=tags, level=level, body=encode_content(make_content()))


def test_gallery_is_narrowed_by_tag_and_level():
    make_scenario("a", tags=["probes"])
    make_scenario("b", tags=["probes", "exit"], level="hard")
    found = [scenarios.scenario_list(tag=tag, level=level).count() for tag, level in (("", ""), ("exit", ""), ("probes", "basic"))]
    assert found == [2, 1, 1]


def test_scenario_knows_its_version():
    assert make_scenario("a", tags=[]).kubernetes == "1.30"


def test_lineage_of_a_link_is_oldest_first():
    first = share_create(run=make_run(paused=True))
    fork = run_create(content=first.content(), title="fork", owner_key=OWNER, share=first, paused=True, at_ms=5)
    second = share_create(run=fork)
    assert shares.share_lineage(shares.share_get(second.id)) == [first, second]


def test_branches_of_a_long_line_are_found_with_a_limited_number_of_queries(django_assert_max_num_queries, monkeypatch):
    monkeypatch.setattr(runs, "BRANCHES_MAX", 6)
    run = make_run(paused=True)
    for _ in range(10):
        run = run_branch(parent=run, owner_key=OWNER, at_ms=0)
    with django_assert_max_num_queries(10):
        rows = runs.run_branches(Run.objects.get(id=run.id))
    assert rows[-1].is_current and len(rows) <= 6


@pytest.mark.parametrize(
    "look", [lambda run: runs.run_row(run.id), lambda run: runs.runs_owned(OWNER)[0], lambda run: runs.run_get(run.id).parent]
)
def test_manifests_are_read_only_where_they_are_shown(look):
    run = run_branch(parent=make_run(paused=True), owner_key=OWNER, at_ms=0)
    assert {"header_body", "source_body"} <= look(run).get_deferred_fields()
