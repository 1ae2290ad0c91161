"""Preview cards and the meta tags that refer to them."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from simulator.engine.kernel.records import Record
from simulator.engine.projection.lanes import DrawnLane, LaneSpan
from simulator.models import Run, Scenario
from simulator.runs.log.content import Content
from simulator.runs.selectors.places import places_plan
from simulator.runs.services.shares import share_content, share_create, shared_run
from simulator.web.base.common import Moment
from simulator.web.pictures import previews, thumbnail
from simulator.web.pictures.bars import Frame
from simulator.web.pictures.card import HEIGHT, WIDTH, PreviewCard, _in_bar, _lines, _ruler, _squeezed, card_png, card_svg
from simulator.web.pictures.palette import colours, lane_sheet
from tests.factories import make_content, make_run
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db
PNG = b"\x89PNG\r\n\x1a\n"


def tag(page: str, name: str) -> str:
    found = re.search(rf'<meta (?:property|name)="{name}" content="([^"]*)"', page)
    assert found, name
    return found[1].replace("&amp;", "&")


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(PNG)
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def card(title: str = "A run", **fields: object) -> PreviewCard:
    lane = DrawnLane("status", "pod/default/web", "pod/default/web", "web", (LaneSpan(0, 60_000, "ready", "Running"),))
    return PreviewCard(title, "Kubernetes 1.33", (lane,), 60_000, **fields)


def test_every_kind_of_page_names_a_card_that_is_there(client, stories):
    run = play(make_run(), 60_000)
    share = share_create(run=run)
    for path in ("/scenarios/hello-pod/", f"/r/{run.id}/?t=30", f"/s/{share.id}/?t=30&sel=pod/default/web"):
        page = text_of(client.get(path))
        image = tag(page, "og:image")
        assert image == tag(page, "twitter:image") and image.startswith("http://testserver/")
        answer = client.get(image.removeprefix("http://testserver"))
        assert answer["Content-Type"] == "image/png" and size(answer.content) == (WIDTH, HEIGHT)
        assert tag(page, "twitter:card") == "summary_large_image"


def test_card_of_a_link_is_that_of_its_moment(client):
    share = share_create(run=play(make_run(), 60_000))
    page = text_of(client.get(f"/s/{share.id}/?t=30"))
    assert tag(page, "og:url").endswith(f"/s/{share.id}/?t=30.0") and "0:30.0" in tag(page, "og:description")
    images = {client.get(f"/s/{share.id}/card.png?t={t}").content for t in (10, 30)}
    assert len(images) == 2


def test_card_of_a_link_may_be_kept_for_long_and_that_of_a_run_may_not(client):
    run = play(make_run(), 60_000)
    share = share_create(run=run)
    assert "max-age=86400" in client.get(f"/s/{share.id}/card.png")["Cache-Control"]
    assert "max-age=60" in client.get(f"/r/{run.id}/card.png")["Cache-Control"]


def test_card_of_a_link_whose_log_is_still_coming_is_kept_by_nobody(client):
    content = make_content()
    share = share_content(content=Content(header=content.header, source=content.source, until_ms=60_000), title="A link")
    address = f"/s/{share.id}/card.png"
    run = play(shared_run(share=share), 20_000)
    assert client.get(address)["Cache-Control"] == "no-store"
    play(run, 60_000)
    assert "max-age=86400" in client.get(address)["Cache-Control"]


def test_who_asks_for_the_card_of_a_link_whose_log_is_still_coming_has_it_written(client):
    share = share_create(run=make_run())
    run = shared_run(share=share)
    Run.objects.filter(id=run.id).update(viewers_seen_at=timezone.now() - timedelta(days=1))
    assert not places_plan(places=5).knows(run.id)
    client.get(f"/s/{share.id}/card.png")
    assert places_plan(places=5).knows(run.id)


def test_card_of_a_run_that_has_not_begun_is_drawn(client):
    assert size(client.get(f"/r/{make_run().id}/card.png").content) == (WIDTH, HEIGHT)


def test_card_of_a_scenario_without_a_story_is_drawn(client, stories):
    Scenario.objects.create(slug="own", title="Own", body=Scenario.objects.get(slug="hello-pod").body)
    assert size(client.get("/scenarios/own/card.png").content) == (WIDTH, HEIGHT)


def test_title_is_text_whatever_it_holds():
    svg = card_svg(card('<script>alert("&")</script>'))
    assert "<script>" not in svg and size(card_png(card('<b>&"'))) == (WIDTH, HEIGHT)


@pytest.mark.parametrize("title", ["word " * 30, "字" * 60, "x" * 200, ""])
def test_title_takes_two_lines_at_most(title):
    lines = re.findall(r'font-size="52"', card_svg(card(title)))
    assert len(lines) <= 2 and size(card_png(card(title))) == (WIDTH, HEIGHT)


def test_card_shows_states_in_the_colours_of_the_site():
    assert colours("dark")["st-ready"] in lane_sheet("dark") and colours("light")["st-ready"] in lane_sheet("light")
    assert colours("dark")["st-ready"] != colours("light")["st-ready"] and "var(" not in lane_sheet("dark")


def test_moment_veils_what_comes_after_it():
    assert "fill-opacity" in card_svg(card(at_ms=30_000)) and "fill-opacity" not in card_svg(card())


@pytest.mark.parametrize(("title", "y"), [("A run", [168]), ("word " * 12, [148, 208])])
def test_title_of_one_line_stands_lower_than_the_first_of_two(title, y):
    assert [int(place) for place in re.findall(r'y="(\d+)" font-size="52"', card_svg(card(title)))] == y


def test_name_of_a_pod_stands_out_from_those_of_its_containers():
    lanes = [DrawnLane(kind, f"{kind}/default/web", "pod/default/web", kind, ()) for kind in ("status", "container")]
    svg = card_svg(PreviewCard("A run", "Kubernetes 1.33", tuple(lanes), 60_000))
    inks = [re.search(rf'font-weight="(\d+)"[^>]*fill="([^"]+)">{kind}<', svg) for kind in ("status", "container")]
    known = colours("dark")
    assert [found and found.groups() for found in inks] == [("600", known["text"]), ("400", known["muted"])]


def ruler(until_ms):
    """The numbers of the ruler, and how the first two are anchored."""
    frame = Frame(left=280, top=236, width=860, height=50, pitch=76, until_ms=until_ms)
    found = [re.search(r'text-anchor="(\w+)"[^>]*>([\d:]+)<', text) for text in _ruler(frame, colours("dark"))]
    return [each[2] for each in found if each], [each[1] for each in found[:2] if each]


@pytest.mark.parametrize(
    ("until_ms", "numbers"),
    [
        (7000, ["0:00", "0:01", "0:02", "0:03", "0:04", "0:05", "0:06", "0:07"]),
        (7001, ["0:00", "0:02", "0:04", "0:06"]),
        (60_000, ["0:00", "0:10", "0:20", "0:30", "0:40", "0:50", "1:00"]),
        (500, ["0:00"]),
        (4 * 28_800_000, ["0:00", "480:00", "960:00", "1440:00", "1920:00"]),
        (8 * 28_800_000, ["0:00", "960:00", "1920:00", "2880:00", "3840:00"]),
    ],
)
def test_ruler_has_at_most_eight_round_moments(until_ms, numbers):
    assert ruler(until_ms)[0] == numbers


def test_first_number_of_the_ruler_begins_where_the_lanes_do():
    assert ruler(60_000)[1] == ["start", "middle"]


@pytest.mark.parametrize(("tone", "parts", "dy"), [("ready", 1, 0), ("waiting", 2, 0), ("backoff", 2, 0), ("notready", 1, 7)])
def test_word_on_a_bar_can_be_read(tone, parts, dy):
    found = _in_bar("Ready", tone, 100, 300, 20, colours("dark"))
    assert len(found) == parts and f'y="{300 + 7.2 + dy:g}"' in found[-1]


@pytest.mark.parametrize(("name", "shown"), [("short", "short"), ("web-7d9c5b8f6d-abcde-with-more", "web-7d9…th-more")])
def test_long_name_keeps_its_beginning_and_its_end(name, shown):
    assert _squeezed(name, size=20, room=200) == shown


def made_record(seq, at_ms, machine="phase", target="Running", **data):
    return Record(seq, at_ms, "transition", "pod/default/web", machine, "", "", target, 0, "R", tuple(data.items()))


def of_run(**fields):
    usual = {"title": "t", "head_seq": 3, "head_ms": 5000, "base_ms": 9000, "is_frozen": False}
    return SimpleNamespace(**usual | {"header": lambda: SimpleNamespace(kubernetes="1.33")} | fields)


@pytest.mark.parametrize(
    ("fields", "t_ms", "at_ms", "end_ms"),
    [
        ({}, None, 5000, 5000),
        ({}, 2000, 2000, 2000),
        ({}, 8000, 5000, 5000),
        ({"is_frozen": True}, None, 9000, 9000),
        ({"head_ms": 100}, None, 100, 1000),
        ({"head_seq": 4}, None, 3000, 3000),
    ],
)
def test_card_of_a_run_ends_where_its_records_do(monkeypatch, fields, t_ms, at_ms, end_ms):
    monkeypatch.setattr(previews, "RECORDS_MAX", 3)
    read = []
    log = lambda run, *, after, limit: read.append(limit) or [made_record(n, n * 1000) for n in range(1, limit + 1)]  # noqa: E731
    monkeypatch.setattr(previews.timemachine, "log", log)
    monkeypatch.setattr(previews, "active_ms", lambda lanes, until_ms: 0)
    found = previews.run_card(of_run(**fields), Moment(t_ms=t_ms))
    assert (found.at_ms, found.until_ms, read) == (at_ms, end_ms, [3])


def test_words_of_a_story_are_those_of_its_lanes_its_events_and_its_reasons():
    lanes = [DrawnLane("status", "pod/default/web", "pod/default/web", "web", (LaneSpan(0, 5, "ready", "Running"),))]
    records = [
        made_record(1, 0, "k8s_event", "BackOff"),
        made_record(2, 0, "phase", "Failed"),
        made_record(3, 0, "condition", "False", reason="Unschedulable"),
        made_record(4, 0, "condition", "True", reason=""),
        made_record(5, 0, "container_status", "waiting", reason="Other"),
    ]
    assert [*thumbnail._words(lanes, records)] == ["Running", "BackOff", "Unschedulable"]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("short", ["short"]),
        ("one two three", ["one two", "three"]),
        ("一二三四五六七", ["一二三四五", "六七"]),
        ("one two three four five six", ["one two", "three f…"]),
    ],
)
def test_long_title_breaks_between_words_or_characters(words, lines):
    assert _lines(words, size=10, room=54) == lines
