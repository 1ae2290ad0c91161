"""A run with refused acts says so on its page, however it was reached: a branch, a link, a frame, a file."""

import json

import pytest
from django.urls import reverse

from simulator.engine import Course
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.log.history import commands_of
from simulator.runs.services.commands import command_submit, command_submit_at
from simulator.runs.services.shares import share_create, shared_run
from simulator.web.run.refused import NAMED_MAX, refused_facts
from tests.factories import OWNER, make_run
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db
HIDDEN = 'data-refused-acts="0" href="" title="These actions had no effect." hidden>'


def played(run: Run, until_ms: int) -> Run:
    """The run at a moment, its commands with their outcomes."""
    play(run, until_ms)
    for one in Course(run.header(), commands_of(run)).drive(until_ms).applied:
        run.commands.filter(n=one.n).update(outcome=one.outcome, applied_seq=one.seq)
    return run


@pytest.fixture
def refusing() -> Run:
    """A run that was told to delete a nonexistent pod, at 0:05."""
    run = play(make_run(), 5_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web-r5hnd"), client_key="a-refusal")
    return played(run, 8_000)


def test_page_of_a_run_leads_to_the_first_refused_act(client, refusing):
    page = text_of(client.get(reverse("sim:run", args=[refusing.id])))
    seq = refusing.commands.get().applied_seq
    assert f'data-refused-acts="1" href="?t=5.0&amp;rec={seq}"' in page
    assert "0:05.0 Delete default/web-r5hnd" in page and "⊘ Refused actions:" in page


def test_page_of_a_run_whose_acts_were_accepted_says_nothing(client):
    run = play(make_run(), 5_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="an-act")
    assert HIDDEN in text_of(client.get(reverse("sim:run", args=[played(run, 8_000).id])))


def test_page_of_a_branch_says_so(client):
    main = play(make_run(), 10_000)
    there, _given = command_submit_at(run=main, owner_key=OWNER, command=DeletePod(target="default/x"), client_key="a-branch", at_ms=3_000)
    assert 'data-refused-acts="1"' in text_of(client.get(reverse("sim:run", args=[played(there, 9_000).id])))


@pytest.mark.parametrize("name", ["sim:share", "sim:embed"])
def test_page_of_a_link_says_so(client, refusing, name):
    Run.objects.filter(id=refusing.id).update(base_ms=8_000, stands_ms=8_000, is_paused=True)
    refusing.refresh_from_db()
    share = share_create(run=refusing)
    played(shared_run(share=share), 8_000)
    assert 'data-refused-acts="1"' in text_of(client.get(reverse(name, args=[share.id])))


def test_page_of_an_opened_file_says_so(client, refusing):
    Run.objects.filter(id=refusing.id).update(base_ms=8_000, stands_ms=8_000, is_paused=True)
    text = text_of(client.get(reverse("sim:run-file", args=[refusing.id])))
    assert json.loads(text)["acts"]
    answer = client.post(reverse("sim:open"), {"text": text})
    run = played(Run.objects.exclude(id=refusing.id).get(), 8_000)
    assert 'data-refused-acts="1"' in text_of(client.get(answer.headers["Location"]))
    assert run.commands.get().outcome == "refused"


def test_frame_of_a_link_leads_to_the_refused_act_on_its_page(client, refusing):
    Run.objects.filter(id=refusing.id).update(base_ms=8_000, stands_ms=8_000, is_paused=True)
    refusing.refresh_from_db()
    share = share_create(run=refusing)
    seq = played(shared_run(share=share), 8_000).commands.get().applied_seq
    frame = text_of(client.get(reverse("sim:embed", args=[share.id])))
    assert f'data-page="/s/{share.id}/" href="/s/{share.id}/?t=5.0&amp;rec={seq}"' in frame


def test_frame_of_a_link_without_refused_acts_leads_nowhere(client):
    share = share_create(run=play(make_run(paused=True), 5_000))
    assert f'data-refused-acts="0" data-page="/s/{share.id}/" href=""' in text_of(client.get(reverse("sim:embed", args=[share.id])))


@pytest.mark.parametrize(("count", "is_more"), [(1, False), (NAMED_MAX, False), (NAMED_MAX + 1, True), (NAMED_MAX + 3, True)])
def test_first_refused_acts_are_named_and_all_are_counted(count, is_more):
    run = make_run()
    for n in range(1, count + 1):
        command_submit(run=run, owner_key=OWNER, command=DeletePod(target=f"default/no{n}"), client_key=f"key-{n:08d}")
    run.commands.update(outcome="refused", at_ms=5000, applied_seq=7)
    facts = refused_facts(run)
    assert (facts["count"], facts["href"]) == (count, "?t=5.0&rec=7")
    assert (facts["title"].count("0:05.0"), "…" in facts["title"]) == (min(count, NAMED_MAX), is_more)


@pytest.mark.parametrize(("count", "queries"), [(0, 1), (NAMED_MAX, 1), (NAMED_MAX + 1, 2)])
def test_refused_acts_are_counted_by_a_query_of_its_own_only_if_there_are_many(django_assert_num_queries, count, queries):
    run = make_run()
    for n in range(count):
        command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/no"), client_key=f"key-{n:08d}")
    run.commands.update(outcome="refused", at_ms=5000, applied_seq=7)
    with django_assert_num_queries(queries):
        refused_facts(run)
