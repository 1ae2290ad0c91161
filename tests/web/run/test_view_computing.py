"""Pages of runs that are far from computed: each request plays a limited amount, reports progress, and the next one continues."""

import json
import pickle
import re
from functools import cache

import pytest
from django.test import RequestFactory
from django.urls import reverse

from simulator.bench.hostile.files import DAY_MS, FILES
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course import replay
from simulator.models import Run
from simulator.runs.log import timemachine
from simulator.runs.log.outlook import LookingAhead, Standpoint
from simulator.runs.services.runs import run_create
from simulator.runs.services.shares import share_content, shared_run
from simulator.runs.state_notes import state_note
from simulator.runs.turns.allowance import granted
from simulator.runs.turns.constants import ASK_AGAIN_S
from simulator.scenarios import portable
from simulator.scenarios.portable import Limits, read_file
from simulator.web.base import guards
from tests.counted import counted
from tests.factories import OWNER, make_content, make_run, own, pod_json
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db

WORK_MAX, RESERVE, PIECE_WORK = 2_000, 2_000, 1_000
"""What a request may play here, less than on a site, to keep the tests fast."""
MOST = WORK_MAX + RESERVE + 2 * PIECE_WORK
"""Plus a piece within which a record is sought again, and the initial records."""
FAR = f"t={DAY_MS // 1000}"
MANY, CHATTY = "1,900 replicas", ("sh", "-c", "while true; do echo x; sleep 0.01; done")


@pytest.fixture(autouse=True)
def _cold_and_quick(monkeypatch):
    timemachine._lines.clear()
    monkeypatch.setattr(guards, "WORK_MAX", WORK_MAX)
    monkeypatch.setattr(timemachine, "RESERVE", RESERVE)
    for module in (replay, timemachine):
        monkeypatch.setattr(module, "PIECE_WORK", PIECE_WORK)
    monkeypatch.setattr(portable, "TRY_WORK", 100)


@pytest.fixture
def contents():
    return Read(FILES)


class Read(dict):
    """The content of the files, read when needed."""

    def __getitem__(self, name):
        return content_of(super().__getitem__(name))


@cache
def content_of(text):
    """The content of a file, read once for all tests: reading a thousand acts takes longer than the checks."""
    return read_file(text, Limits(commands_max=2000, until_ms_max=DAY_MS))[0]


def opened(content, until_ms=0):
    """A run of a file, of which a runner has written the first seconds."""
    run = run_create(content=content, title="x", owner_key=OWNER)
    return play(run, until_ms) if until_ms else run


def addresses(run):
    """Every way to look at a run at its far end or at its head."""
    panels = [reverse("sim:run-panel", args=[run.id, run.head_seq, tab]) + f"?t={DAY_MS}" for tab in ("inspector", "why", "map", "diff")]
    return [
        reverse("sim:run", args=[run.id]),
        reverse("sim:run", args=[run.id]) + f"?{FAR}",
        reverse("sim:run", args=[run.id]) + f"?{FAR}&tab=diff&pin=80000",
        *panels,
        reverse("sim:run-track", args=[run.id, "inspector"]) + f"?from_ms={DAY_MS - 60_000}&to_ms={DAY_MS}",
        reverse("sim:run-printed", args=[run.id]) + f"?pod=default/web&from_ms={DAY_MS - 60_000}&to_ms={DAY_MS}",
        reverse("sim:run-outlook", args=[run.id]) + f"?sel=pod/default/p0&handle=x&at_ms={DAY_MS}&until_ms={DAY_MS}",
        reverse("sim:run-predict", args=[run.id]) + f"?sel=pod/default/p0&at_ms={DAY_MS}",
        reverse("sim:run-card", args=[run.id]) + f"?{FAR}",
        reverse("sim:run-compare", args=[run.id, run.id]),
        reverse("sim:run-file", args=[run.id]),
        reverse("sim:run-records", args=[run.id]),
    ]


@pytest.mark.parametrize("name", FILES)
def test_no_look_at_a_far_moment_plays_more_than_a_request_may(client, monkeypatch, contents, name):
    run = opened(contents[name], until_ms=300)
    for address in addresses(run):
        timemachine._lines.clear()
        with counted(monkeypatch) as count:
            answer = client.get(address)
        assert count.done < MOST, (address, count.done)
        assert answer.status_code in (200, 204, 400, 422, 503), (address, answer.status_code)


def test_page_of_a_far_moment_shows_what_the_log_has_and_how_far_that_is(client, contents):
    run = opened(contents[MANY], until_ms=3000)
    page = client.get(f"/r/{run.id}/?{FAR}")
    assert page.status_code == 200
    assert "Computing the past: 0:03 of 24:00:00" in text_of(page)
    assert page.context["page"].shown_seq == run.head_seq
    assert 'http-equiv="refresh"' in text_of(page) and f'data-computing="{DAY_MS}"' in text_of(page)


@pytest.mark.parametrize(("language", "words"), [("zh-hans", "正在计算过去"), ("zh-hant", "正在計算過去")])
def test_progress_is_told_in_the_readers_language(client, contents, language, words):
    run = opened(contents[MANY], until_ms=3000)
    assert words in text_of(client.get(f"/r/{run.id}/?{FAR}", headers={"Accept-Language": language}))


def test_page_of_a_run_that_is_sent_far_ahead_says_how_far_it_has_come(client, contents):
    run = opened(contents["three pods that crash"], until_ms=192_000)
    own(run)  # a runner is working on it
    assert "Computing the past: 3:12 of 24:00:00" in text_of(client.get(f"/r/{run.id}/"))


def test_page_of_a_run_that_stands_where_its_log_ends_says_nothing_of_it(client):
    run = play(make_run(paused=True, at_ms=5000), 5000)
    page = client.get(f"/r/{run.id}/")
    assert "Computing the past" not in re.sub(r'<script id="i18n".*?</script>', "", text_of(page), flags=re.DOTALL)
    assert "data-computing" not in text_of(page)


def test_page_whose_log_has_nothing_yet_says_so_and_asks_again_by_itself(client, contents):
    run = opened(contents["shells that doze"])
    answer = client.get(f"/r/{run.id}/?{FAR}")
    assert (answer.status_code, answer["Refresh"], answer["Retry-After"]) == (503, "3", "3")
    assert re.search(r"Computing the past: \d+:\d\d of 24:00:00", text_of(answer))


@pytest.mark.parametrize("page", ["r", "embed"])
def test_page_on_its_way_asks_again_as_seldom_as_one_that_has_nothing_yet(client, contents, page):
    share = share_content(content=contents[MANY], title="far")
    run = play(shared_run(share=share), 3000)
    text = text_of(client.get(f"/r/{run.id}/?{FAR}" if page == "r" else f"/embed/{share.id}/"))
    assert f'<meta http-equiv="refresh" content="{ASK_AGAIN_S}">' in text


def test_answer_of_a_request_that_has_played_all_it_may_is_marked(client, contents):
    far, near = opened(contents["shells that doze"]), play(make_run(), 5_000)
    answers = [client.get(address) for address in (f"/r/{far.id}/?{FAR}", f"/r/{near.id}/")]
    assert [getattr(answer, "is_under_way", False) for answer in answers] == [True, False]


def test_panel_fetched_by_a_script_reports_its_progress(client, contents):
    run = play(make_run(content=make_content(pod_json(command=CHATTY))), 60_000)
    answer = client.get(f"/r/{run.id}/at/{run.head_seq}/panel/why/?t=60000", headers={"HX-Request": "true"})
    assert answer.status_code == 503
    assert re.fullmatch(r"Computing the past: \d+:\d\d of 1:00", json.loads(answer.content)["text"])


def test_each_request_goes_on_where_the_one_before_stopped(client):
    """In the end all of it is shown, the same as one unlimited request would have shown."""
    run = play(make_run(content=make_content(pod_json(command=CHATTY))), 60_000)
    address, answers = f"/r/{run.id}/at/{run.head_seq}/panel/logs/?t=60000", []
    while not answers or answers[-1].status_code == 503:
        answers.append(client.get(address))
        assert len(answers) < 20
    assert len(answers) > 2
    timemachine._lines.clear()
    assert timemachine.seek(run, ms=60_000).digest() == bytes(run.head_digest)


@pytest.mark.parametrize("page", ["s", "embed"])
def test_link_to_a_far_moment_is_shown_as_far_as_its_log_goes(client, monkeypatch, contents, page):
    share = share_content(content=contents[MANY], title="far")
    play(shared_run(share=share), 3000)
    with counted(monkeypatch) as count:
        answer = client.get(f"/{page}/{share.id}/")
    assert count.done < MOST
    assert "Computing the past: 0:03 of 24:00:00" in text_of(answer)


def test_run_at_its_limit_computes_nothing_more(client, contents):
    run = opened(contents[MANY], until_ms=300)
    Run.objects.filter(id=run.id).update(state=Run.State.LIMIT, state_note=state_note("limit_records", records=200_000))
    page = client.get(f"/r/{run.id}/?{FAR}")
    assert page.context["page"].computing is None and page.context["page"].shown_seq == run.head_seq


def test_share_of_a_run_on_its_way_plays_nothing(client, monkeypatch, contents):
    sign_in_as_owner(client)
    run = opened(contents[MANY], until_ms=3000)
    with counted(monkeypatch) as count:
        answer = client.post(reverse("sim:run-share", args=[run.id]))
    assert answer.status_code in (200, 302) and count.done == 0


def test_branch_at_a_far_moment_plays_nothing(client, monkeypatch, contents):
    sign_in_as_owner(client)
    run = opened(contents[MANY], until_ms=3000)
    with counted(monkeypatch) as count:
        client.post(reverse("sim:run-branch", args=[run.id]), {"at_ms": DAY_MS, "client_key": "k"})
    assert count.done == 0 and Run.objects.filter(parent=run).count() == 1


def test_act_that_was_not_given_says_so(client, contents):
    sign_in_as_owner(client)
    run = opened(contents["shells that doze"], until_ms=300)
    answer = client.post(reverse("sim:run-kubectl", args=[run.id]), {"k": "delete pod web", "at_ms": DAY_MS, "client_key": "key-of-page"})
    assert (answer.status_code, run.commands.filter(client_key="key-of-page").exists()) == (503, False)
    assert re.search(r"Nothing was done yet\. Try again in a moment\. Computing the past: \d+:\d\d of 24:00:00", text_of(answer))


def test_look_ahead_that_is_too_far_does_not_speak_of_the_past():
    here = Standpoint(make_run(), at_ms=0)
    with granted(0), pytest.raises(LookingAhead) as met:
        here.after_command(DeletePod(target="default/web"), until_ms=10_000)
    answer = guards.still_computing(RequestFactory().get("/"), met.value)
    assert "Looking ahead: 0:00 of 0:00" in text_of(answer) and "Computing the past" not in text_of(answer)


def test_look_ahead_is_told_as_such_across_processes():
    assert isinstance(pickle.loads(pickle.dumps(LookingAhead(1, 2))), LookingAhead)
