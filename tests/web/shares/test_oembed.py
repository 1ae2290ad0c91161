"""Other sites turn a bare link into a frame (https://oembed.com)."""

import re

import pytest
from django.urls import reverse

from simulator.runs.services.shares import share_create
from tests.factories import make_run
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db
SITE = "http://testserver"


@pytest.fixture
def share():
    return share_create(run=play(make_run(title='A "run"'), 5000))


def asked(client, url, **fields):
    return client.get(reverse("sim:oembed"), {"url": url, **fields})


def test_link_leads_to_a_frame_that_is_there(client, share):
    found = asked(client, f"{SITE}/s/{share.id}/").json()
    assert (found["version"], found["type"], found["title"]) == ("1.0", "rich", 'A "run"')
    frame = re.search(r'src="([^"]+)"', found["html"])[1]
    assert client.get(frame.removeprefix(SITE)).status_code == 200
    assert client.get(found["thumbnail_url"].removeprefix(SITE))["Content-Type"] == "image/png"
    assert 'title="A &quot;run&quot;"' in found["html"]


def test_frame_stands_where_the_link_does_and_takes_nothing_else_over(client, share):
    found = asked(client, f"{SITE}/s/{share.id}/?t=3&sel=pod/default/web&lang=zh-hant&other=1").json()
    assert "?t=3&amp;sel=pod%2Fdefault%2Fweb&amp;lang=zh-hant" in found["html"] and "other" not in found["html"]


def test_frame_of_a_link_is_a_link_too(client, share):
    assert asked(client, f"{SITE}/embed/{share.id}/?theme=dark").json()["html"].count("theme=dark") == 1


@pytest.mark.parametrize(
    ("sizes", "size"),
    [
        ({}, (960, 540)),
        ({"maxwidth": "600", "maxheight": "300"}, (600, 300)),
        ({"maxwidth": "5000"}, (960, 540)),
        ({"maxwidth": "1", "maxheight": "0"}, (240, 160)),
        ({"maxwidth": "wide", "maxheight": "-4"}, (960, 540)),
        ({"maxwidth": "9" * 5000}, (960, 540)),
    ],
)
def test_frame_is_no_larger_than_asked(client, share, sizes, size):
    found = asked(client, f"{SITE}/s/{share.id}/", **sizes).json()
    assert (found["width"], found["height"]) == size
    assert f'width="{size[0]}" height="{size[1]}"' in found["html"]


@pytest.mark.parametrize(
    "url", ["", "/s/none/", "http://elsewhere.example/s/{id}/", "http://testserver/new/", "http://testserver/s/none/", "http://["]
)
def test_what_is_not_a_link_of_this_site_is_not_found(client, share, url):
    assert asked(client, url.format(id=share.id)).status_code == 404


def test_other_formats_are_not_spoken(client, share):
    assert asked(client, f"{SITE}/s/{share.id}/", format="xml").status_code == 501


def test_page_of_a_link_says_where_to_ask_and_the_answer_is_its_own(client, share):
    page = text_of(client.get(f"/s/{share.id}/?t=3"))
    href = re.search(r'type="application/json\+oembed" href="([^"]+)"', page)[1].replace("&amp;", "&")
    found = client.get(href.removeprefix(SITE)).json()
    assert f"/embed/{share.id}/?t=3" in found["html"]


def test_page_that_cannot_be_framed_says_nothing(client):
    run = play(make_run(), 5000)
    assert "oembed" not in text_of(client.get(f"/r/{run.id}/"))
