"""The player that other sites show in a frame, and that nothing else can be framed."""

import pytest

from simulator.runs.services.shares import share_create
from tests.factories import make_run
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def address() -> str:
    return f"/embed/{share_create(run=play(make_run(), 60_000)).id}/"


def policy(answer) -> str:
    return answer["Content-Security-Policy"]


def test_player_may_be_framed_by_anybody(client, address):
    answer = client.get(address)
    assert "frame-ancestors *;" in policy(answer) and "X-Frame-Options" not in answer


@pytest.mark.parametrize("path", ["/", "/scenarios/", "/healthz", "/nothing/", "/embed/nothing/"])
def test_nothing_else_may_be_framed(client, stories, path):
    answer = client.get(path)
    assert "frame-ancestors 'none'" in policy(answer) and answer["X-Frame-Options"] == "DENY"


def test_player_differs_from_other_pages_in_its_ancestors_only(client, stories, address):
    assert policy(client.get(address)).replace("frame-ancestors *", "frame-ancestors 'none'") == policy(client.get("/scenarios/"))


@pytest.mark.parametrize(("asked", "controls"), [("full", "full"), ("min", "min"), ("none", "none"), ("", "full"), ("all<b>", "full")])
def test_controls_are_those_that_were_asked_for(client, address, asked, controls):
    page = text_of(client.get(address, {"controls": asked}))
    assert f'data-controls="{controls}"' in page and ('id="drawer"' in page) == (controls == "full")


@pytest.mark.parametrize(("asked", "theme"), [("dark", "dark"), ("light", "light"), ("", "auto"), ('"x', "auto")])
def test_theme_is_that_which_was_asked_for(client, address, asked, theme):
    assert f'data-theme="{theme}"' in text_of(client.get(address, {"theme": asked}))


def test_language_is_that_of_the_address_without_a_cookie(client, address):
    answer = client.get(address, {"lang": "zh-hant"})
    assert answer.status_code == 200 and 'lang="zh-hant"' in text_of(answer) and "django_language" not in answer.cookies


def test_player_stands_at_its_moment_and_offers_no_acts(client, address):
    page = text_of(client.get(address, {"t": "30", "tab": "kubectl"}))
    assert 'data-t="30000"' in page and 'data-tab="why"' in page and "Delete pod" not in page and 'class="topbar"' not in page


def test_link_that_is_not_there_is_404(client):
    assert client.get("/embed/nothing/").status_code == 404


@pytest.mark.parametrize("query", [{}, {"controls": "full", "tab": "yaml"}, {"lang": "zh-hant"}, {"controls": "min"}])
def test_player_sets_no_cookie_and_carries_no_form(client, address, query):
    answer = client.get(address, query)
    page = text_of(answer)
    assert answer.status_code == 200 and dict(answer.cookies) == {}
    assert "<form" not in page and "csrf" not in page
