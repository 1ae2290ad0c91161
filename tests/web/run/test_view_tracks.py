"""A panel over a stretch of a run: what it covers, and no duplication. test_track_moments.py compares it with the panels."""

import re

import pytest
from django.urls import reverse

from simulator.web.run.tracks import TRACKED
from simulator.web.run.versions import seen_of
from tests.factories import make_content, make_run, pod_json
from tests.web.helpers import play, sign_in_as_owner, text_of, versions_of

pytestmark = pytest.mark.django_db
RESTARTS = ("sh", "-c", "sleep 5; exit 3")


@pytest.fixture
def owner(client):
    sign_in_as_owner(client)
    return client


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr("simulator.web.run.tracks.WALK_S", 600)


@pytest.fixture
def run():
    return play(make_run(content=make_content(pod_json(command=RESTARTS))), 60_000)


def track(client, run, tab, **query):
    asked = {"from_ms": 0, "to_ms": 60_000, "sel": "pod/default/web", **query}
    return client.get(reverse("sim:run-track", args=[run.id, tab]), asked)


def told(html):
    """A panel without what the browser fills in by itself."""
    return re.sub(r"\s+", " ", seen_of(html))


@pytest.mark.parametrize("tab", TRACKED)
def test_steps_ascend_and_cover_the_stretch(owner, run, tab):
    found = track(owner, run, tab).json()
    moments = [(seq, at_ms) for seq, at_ms, _ in found["steps"]]
    assert moments == sorted(set(moments))
    assert (found["more"], found["last"], found["from_ms"], found["until_ms"]) == (False, run.head_seq, 0, 60_000)


def test_a_version_that_comes_back_is_sent_once(owner, run):
    found = track(owner, run, "faults").json()
    told_once = [told(body) for body in versions_of(found)]
    assert len(told_once) == len({*told_once}) < len(found["steps"])


def test_a_line_is_sent_once(owner, run):
    lines = [seen_of(line) for line in track(owner, run, "describe").json()["lines"]]
    assert len(lines) == len({*lines})


def test_a_stretch_begins_with_what_holds_by_then(owner, run):
    whole, part = track(owner, run, "inspector").json(), track(owner, run, "inspector", from_ms=7_000, to_ms=30_000).json()
    assert (part["from_ms"], part["until_ms"]) == (7_000, 30_000)
    held = max(step for step in whole["steps"] if step[1] <= 7_000)
    assert told(versions_of(whole)[held[2]]) == told(versions_of(part)[part["steps"][0][2]])


def test_a_long_stretch_is_sent_in_parts(owner, run, monkeypatch):
    monkeypatch.setattr("simulator.web.run.tracks.INSTANTS_MAX", 4)
    found = track(owner, run, "yaml").json()
    assert found["more"] is True
    following = track(owner, run, "yaml", from_ms=found["until_ms"]).json()
    assert following["from_ms"] == found["until_ms"] < following["until_ms"]


def test_a_stretch_that_takes_long_goes_on(owner, run, monkeypatch):
    monkeypatch.setattr("simulator.web.run.tracks.WALK_S", 0)
    found = track(owner, run, "yaml").json()
    assert found["more"] is True
    assert found["until_ms"] > found["from_ms"]


@pytest.mark.parametrize(
    ("tab", "query", "status"),
    [
        ("nothing", {}, 404),
        ("diff", {}, 204),
        ("yaml", {"from_ms": "x"}, 400),
        ("yaml", {"to_ms": -1}, 400),
        ("machine", {"part": "<"}, 400),
    ],
)
def test_what_has_no_track_is_refused(owner, run, tab, query, status):
    assert track(owner, run, tab, **query).status_code == status


def test_causes_of_records_come_together_and_are_those_of_each(owner, run):
    recs = [3, 20, run.head_seq]
    found = owner.get(reverse("sim:run-track", args=[run.id, "why"]), {"recs": ",".join(map(str, recs))}).json()["causes"]
    for rec in recs:
        alone = owner.get(reverse("sim:run-panel", args=[run.id, run.head_seq, "why"]), {"rec": rec}, headers={"HX-Request": "true"})
        assert told(found[str(rec)]) == told(text_of(alone))


@pytest.mark.parametrize("recs", ["", "0", "1,x", ",".join(["1"] * 41)])
def test_causes_of_what_is_not_a_record_are_refused(owner, run, recs):
    assert owner.get(reverse("sim:run-track", args=[run.id, "why"]), {"recs": recs}).status_code == 400


def test_track_of_a_line_is_in_the_namespace_of_its_context(owner, run):
    bodies = versions_of(track(owner, run, "kubectl", k="get pods --no-headers", ns="team", to_ms=3_000).json())
    assert bodies and all("No resources found in team namespace." in str(body) for body in bodies)
