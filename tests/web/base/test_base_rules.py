"""Small decisions that several pages share: bodies that are refused, texts of levels, and buttons of remedies."""

from threading import Lock
from types import SimpleNamespace

import pytest
from django.http import HttpResponse
from django.utils import translation

from lifecycle_site.bodies import BODY_TOO_LARGE, BODY_UNREADABLE
from simulator.remedies.remedy import NextStep
from simulator.runs.turns.slots import Slots
from simulator.web.base import guards, page_workers
from simulator.web.base.guards import BodyLimitMiddleware
from simulator.web.base.levels import builtin_levels, level_text, next_level
from simulator.web.base.page_workers import Lost, TookTooLong
from simulator.web.base.remedy_rows import step_row
from simulator.web.base.stories import builtin_stories, builtin_story, place_in_track, story_text


@pytest.mark.parametrize(
    ("scope", "kind", "status"),
    [
        ({}, "text/plain", 200),
        ({}, "text/plain; charset=utf-8", 200),
        ({}, "text/plain; charset=latin-1", 400),
        ({BODY_UNREADABLE: True}, "", 400),
        ({BODY_TOO_LARGE: True}, "text/plain", 413),
        (None, "text/plain", 200),
    ],
)
def test_body_that_cannot_be_read_is_refused(rf, scope, kind, status):
    request = rf.generic("POST", "/", b"a", content_type=kind)
    if scope is not None:
        request.scope = scope
    assert BodyLimitMiddleware(lambda request: HttpResponse())(request).status_code == status


@pytest.mark.parametrize(
    ("slug", "text", "shown"), [("x", "Scenarios", "场景"), ("", "Scenarios", "Scenarios"), ("x", "", ""), ("", "", "")]
)
def test_texts_of_the_sites_own_levels_are_translated_and_no_others(slug, text, shown):
    with translation.override("zh-hans"):
        assert level_text(SimpleNamespace(slug=slug), text) == shown


def test_next_level_is_the_one_behind_it():
    levels = [*builtin_levels().values()]
    assert [next_level(level) for level in levels] == [*levels[1:], None]
    assert next_level(SimpleNamespace(slug="")) is next_level(SimpleNamespace(slug="unknown")) is None


@pytest.mark.parametrize(
    ("act", "line", "name"),
    [
        ("cordon", "kubectl uncordon node1", "Uncordon"),
        ("cordon", "kubectl cordon node1", "Cordon"),
        ("drain", "kubectl uncordon node1", "Drain"),
        ("", "kubectl get pods", ""),
    ],
)
def test_button_of_a_step_is_called_like_its_command(act, line, name):
    assert step_row(NextStep(text="Do it.", line=line, act=act))["act"] == name


class Workers:
    def __init__(self):
        self.asked = []

    def answer(self, request, *, key, is_aside):
        self.asked.append((key, is_aside))
        return HttpResponse()


@pytest.mark.parametrize(
    ("kwargs", "key"),
    [
        (None, ""),
        ({}, ""),
        ({"run_id": 7, "other_id": 8}, "7"),
        ({"share_id": "abc"}, "abc"),
        ({"slug": "hello"}, "hello"),
        ({"run_id": 7, "share_id": "abc", "slug": "hello"}, "7"),
        ({"tab": "why"}, ""),
    ],
)
def test_requests_about_one_object_prefer_one_worker(rf, monkeypatch, kwargs, key):
    workers, request = Workers(), rf.get("/")
    request.resolver_match = None if kwargs is None else SimpleNamespace(kwargs=kwargs)
    monkeypatch.setattr(guards, "forget_new_key", lambda request: None)
    monkeypatch.setattr(guards, "COMPUTING", Slots(size=1, waiting_max=0, each_max=0))  # nobody has had much of these
    guards._in_worker(request, workers)
    assert workers.asked == [(key, False)]


@pytest.mark.parametrize(("error", "words"), [(TookTooLong("x"), "took longer than"), (Lost("x"), "was lost")])
def test_page_says_what_happened_to_its_worker(rf, error, words):
    page = guards._unanswered(rf.get("/"), error)
    assert (page.status_code, words in page.content.decode()) == (503, True)


def scenario(slug, *, is_builtin):
    return SimpleNamespace(
        slug=slug, is_builtin=is_builtin, story="One.\n\n \n\nTwo.", what_to_try="- Act.\n\n- Wait.", what_to_watch="", docs_url="/docs"
    )


def test_texts_of_somebodys_scenario_are_its_own():
    text = story_text(scenario("hello-pod", is_builtin=False))
    assert (text.about, [(step.name, step.text) for step in text.tries], text.watch) == (
        ["One.", "Two."], [("try-1", "Act."), ("try-2", "Wait.")], [],
    )  # fmt: skip
    assert (text.docs_title, text.credit, text.track, text.next) == ("/docs", "", None, None)


def test_texts_of_a_story_come_with_its_steps_and_the_next_story():
    stories = [*builtin_stories().values()]
    text = story_text(scenario(stories[0].slug, is_builtin=True))
    assert (text.next, text.docs_title, text.credit) == (stories[1], stories[0].docs_title, stories[0].credit)
    assert [step.name for step in text.tries] == [f"try-{n}" for n in range(1, len(stories[0].tries) + 1)]
    assert story_text(scenario(stories[-1].slug, is_builtin=True)).next is None
    assert builtin_story(scenario("no-such", is_builtin=True)) is None


def test_stories_of_a_track_are_numbered_from_one():
    stories = builtin_stories().values()
    for track in {story.track for story in stories}:
        numbers = [place_in_track(story) for story in stories if story.track == track]
        assert numbers == [*range(1, len(numbers) + 1)]


@pytest.mark.parametrize(
    ("is_there", "idle_s", "is_busy", "is_ended"),
    [(True, 60, False, False), (True, 60.1, False, True), (True, 99, True, False), (False, 99, False, False)],
)
def test_worker_without_a_request_for_long_is_ended_unless_it_works(monkeypatch, is_there, idle_s, is_busy, is_ended):
    monkeypatch.setattr(page_workers, "monotonic", lambda: 1000.0)
    lock, ended = Lock(), []
    if is_busy:
        lock.acquire()
    worker = SimpleNamespace(is_there=is_there, _used_s=1000.0 - idle_s, _lock=lock, end=lambda: ended.append(1))
    page_workers.PageWorker.end_idle(worker, 60)
    assert (bool(ended), lock.locked()) == (is_ended, is_busy)
