import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from simulator.models import Run
from simulator.runs.log.content import content_id
from simulator.runs.selectors.places import places_plan
from simulator.runs.services.runs import run_create
from simulator.runs.services.shares import share_create, shared_run
from tests.factories import OWNER, STRANGER, make_run
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db
WEB = Path(__file__).resolve().parents[3] / "simulator" / "web"


@pytest.fixture
def address() -> str:
    return f"/s/{share_create(run=make_run()).id}/run/"


@pytest.mark.parametrize("t", ["soon", "-1"])
def test_run_of_a_link_at_no_moment_is_refused_in_plain_words(client, address, t):
    answer = client.post(address, {"t": t}, headers={"HX-Request": "true"})
    assert answer.status_code == 422
    assert answer.json()["text"].startswith("t: ")
    assert not re.search(r"[<>]", answer.json()["text"])


def test_run_of_a_link_at_no_moment_is_refused_on_a_page_without_scripts(client, address):
    page = client.post(address, {"t": "soon"}).content.decode()
    assert "errorlist" not in page
    assert "t: Enter a whole number." in page


def test_no_view_answers_with_the_markup_of_a_forms_errors():
    markup = re.compile(r"str\([\w.]*errors\)|errors\.as_")
    assert [path.name for path in WEB.rglob("*.py") if markup.search(path.read_text(encoding="utf-8"))] == []


def test_log_behind_a_link_that_no_runner_came_to_write_is_wanted_again_by_who_asks_for_it(client):
    run = shared_run(share=share_create(run=make_run()))
    Run.objects.filter(id=run.id).update(viewers_seen_at=timezone.now() - timedelta(days=1))
    assert not places_plan(places=5).knows(run.id)
    assert client.get(f"/r/{run.id}/records/").json()["is_coming"] is True
    assert places_plan(places=5).knows(run.id)


def test_question_for_records_that_is_refused_has_no_log_written(client):
    run = shared_run(share=share_create(run=make_run()))
    Run.objects.filter(id=run.id).update(viewers_seen_at=timezone.now() - timedelta(days=1))
    assert client.get(f"/r/{run.id}/records/?after=soon").status_code == 400
    assert not places_plan(places=5).knows(run.id)


def test_whole_log_behind_a_link_is_nothing_to_wait_for(client):
    run = shared_run(share=share_create(run=make_run()))
    Run.objects.filter(id=run.id).update(head_seq=1, head_ms=run.base_ms)
    assert "is_coming" not in client.get(f"/r/{run.id}/records/?after=1").json()


def test_second_sharer_of_a_content_is_not_shown_the_title_of_the_first(client):
    private, own = (play(make_run(title=title, paused=True), 1_000) for title in ("payroll-of-acme", "homework"))
    first, second = share_create(run=private), share_create(run=own)
    page = text_of(client.get(f"/s/{second.id}/"))
    assert first.body == second.body and first.id != second.id
    assert "homework" in page and "payroll-of-acme" not in page and first.id not in page


def test_second_sharer_of_a_content_is_not_led_to_the_link_that_the_first_came_from(client):
    private = share_create(run=play(make_run(title="payroll-of-acme", paused=True, at_ms=5_000), 5_000))
    fork = run_create(content=private.content(), title="A run", owner_key=OWNER, share=private, at_ms=0)
    own = make_run(owner_key=STRANGER, paused=True, at_ms=0)
    first, second = share_create(run=fork), share_create(run=own)
    page = text_of(client.get(f"/s/{second.id}/"))
    assert first.body == second.body
    assert private.id not in page and "payroll-of-acme" not in page
    assert private.id in text_of(client.get(f"/s/{first.id}/"))


def test_same_sharer_gets_the_same_link_again():
    run = play(make_run(paused=True), 1_000)
    assert share_create(run=run) == share_create(run=run)


def test_title_that_is_not_known_gives_no_address(client):
    """Knowing only the content is not enough to find its links."""
    share = share_create(run=play(make_run(title="payroll-of-acme", paused=True), 1_000))
    assert share.id != content_id(share.content())
