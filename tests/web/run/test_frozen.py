import re

import pytest
from django.test import Client

from simulator.models import Run
from simulator.runs.services.shares import share_create
from simulator.web.base.caches import KEPT_PANELS
from simulator.web.run import frozen
from tests.factories import make_run
from tests.web.helpers import play

pytestmark = pytest.mark.django_db
KEY = re.compile(r'name="client_key" value="([^"]+)"')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@pytest.fixture
def link() -> str:
    run = make_run()
    KEPT_PANELS._found.clear()
    return f"/s/{share_create(run=play(run, 30_000)).id}/"


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """The panels that were rendered, in order."""
    panels: list[str] = []
    make = frozen._made
    monkeypatch.setattr(frozen, "_made", lambda tab, scene: panels.append(tab) or make(tab, scene))
    return panels


def page(path, client=None, **headers):
    """What a visitor sees behind a link."""
    answer = (client or Client()).get(path, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def inspector(text):
    """The inspector of a page, without its visitor's token."""
    return TOKEN.sub("", re.search(r'<aside id="inspector".*?</aside>', text, re.DOTALL)[0])


def test_panels_behind_a_link_are_made_once_for_all_visitors(link, made):
    first, second = page(link), page(link)
    assert sorted(made) == ["inspector", "why"]
    assert inspector(first) == inspector(second)


def test_no_visitor_gets_the_token_of_another(link, made):
    texts = [page(link) for _ in range(3)]
    tokens = [TOKEN.findall(text) for text in texts]
    assert all(tokens)
    assert len(set().union(*tokens)) == sum(len(set(own)) for own in tokens), "no two pages have one"
    kept = "".join(KEPT_PANELS._found.values())
    assert not any(token in kept for token in set().union(*tokens))


def test_a_form_of_a_panel_has_a_token_that_is_taken(link, made):
    visitor = Client(enforce_csrf_checks=True)
    page(link)
    text = re.search(r'id="insp-fork".*?</form>', page(link, visitor), re.DOTALL)[0]
    answer = visitor.post(f"{link}run/", {"csrfmiddlewaretoken": TOKEN.search(text)[1], "t": "1000"})
    assert answer.status_code == 302


def test_each_moment_selection_and_language_has_panels_of_its_own(link, made):
    texts = [page(link), page(f"{link}?t=0"), page(f"{link}?sel=node/node-1"), page(link, **{"Accept-Language": "zh-hans"})]
    assert len({inspector(text) for text in texts}) == len(texts)
    assert len(made) == 2 * len(texts)


def test_panels_are_those_that_a_run_s_page_makes_itself(link, monkeypatch):
    """The same moment without the cache."""
    kept = page(link)
    assert "Fork" in inspector(kept)
    monkeypatch.setattr("simulator.web.run.page.kept_panel", lambda *_: None)
    assert inspector(page(link)) == inspector(kept)


LEVEL = "/levels/two-versions-never-meet/run/"


def test_no_panel_of_a_run_that_has_gone_on_is_kept(client, made):
    url = client.post(LEVEL)["Location"]
    play(Run.objects.get(), 30_000)
    page(url, client)
    assert made == []


def test_attempts_that_stand_where_they_begin_show_panels_that_are_made_once(made):
    KEPT_PANELS._found.clear()
    people = [Client(), Client()]
    urls = [client.post(LEVEL)["Location"] for client in people]
    first, second = (page(url, client) for url, client in zip(urls, people, strict=True))
    assert sorted(made) == ["inspector", "why"]
    ids = [url.split("/")[2] for url in urls]
    assert not (ids[0] in second or ids[1] in first or frozen.RUN_PLACE in second)
    assert KEY.sub("", inspector(first)).replace(ids[0], ids[1]) == KEY.sub("", inspector(second))


def test_kept_panels_are_those_that_the_page_of_an_attempt_makes_itself(client, monkeypatch):
    url = client.post(LEVEL)["Location"]
    page(url, client)
    kept = inspector(page(url, client))
    monkeypatch.setattr("simulator.web.run.page.kept_panel", lambda *_: None)
    assert KEY.sub("", inspector(page(url, client))) == KEY.sub("", kept)


def test_forms_of_kept_panels_have_keys_of_their_own_each_time(client):
    url = client.post(LEVEL)["Location"]
    keys = [set(KEY.findall(page(url, client))) for _ in range(2)]
    assert keys[0] and not keys[0] & keys[1]


def test_who_only_watches_an_attempt_gets_no_panel_of_its_owner(client, made):
    url = client.post(LEVEL)["Location"]
    own = inspector(page(url, client))
    assert ("data-act" in own, "data-act" in inspector(page(url, Client()))) == (True, False)
