"""A panel over a stretch of a run: at every record it says what the panel of that record says."""

import re

import pytest
from django.urls import reverse

from simulator.web.views.tracks import PASSING, TRACKED
from tests.factories import make_content, make_run, pod_json
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db
RESTARTS = ("sh", "-c", "sleep 5; exit 3")


@pytest.fixture
def owner(client):
    sign_in_as_owner(client)
    return client


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr("simulator.web.views.tracks.WALK_S", 600)


@pytest.fixture
def run():
    return play(make_run(content=make_content(pod_json(command=RESTARTS))), 60_000)


def track(client, run, tab, **query):
    asked = {"from_ms": 0, "to_ms": 60_000, "sel": "pod/default/web", **query}
    return client.get(reverse("sim:run-track", args=[run.id, tab]), asked)


def told(html):
    """A panel without what the browser fills in by itself."""
    return re.sub(r"\s+", " ", PASSING.sub(r"\1\2\3", html))


@pytest.mark.parametrize("tab", TRACKED)
def test_every_record_shows_what_its_own_panel_shows(owner, run, tab):
    found = track(owner, run, tab).json()
    assert (found["more"], found["last"]) == (False, run.head_seq)
    seqs = [seq for seq, _ in found["steps"]]
    assert seqs == sorted(set(seqs))
    for seq, body in found["steps"]:
        url = reverse("sim:run-panel", args=[run.id, seq, tab])
        alone = owner.get(url, {"sel": "pod/default/web"}, headers={"HX-Request": "true"})
        assert told(found["bodies"][body]) == told(text_of(alone)), seq


def test_a_version_that_comes_back_is_sent_once(owner, run):
    found = track(owner, run, "inspector").json()
    assert len(found["bodies"]) == len({told(body) for body in found["bodies"]})


def test_a_stretch_covers_the_record_before_it(owner, run):
    whole, part = track(owner, run, "inspector").json(), track(owner, run, "inspector", from_ms=7_000, to_ms=30_000).json()
    assert part["first"] > 1
    held = max(step for step in whole["steps"] if step[0] <= part["first"])
    assert told(whole["bodies"][held[1]]) == told(part["bodies"][part["steps"][0][1]])


def test_a_long_stretch_is_told_in_parts(owner, run, monkeypatch):
    monkeypatch.setattr("simulator.web.views.tracks.INSTANTS_MAX", 4)
    found = track(owner, run, "yaml").json()
    assert found["more"] is True
    following = track(owner, run, "yaml", from_ms=found["last_ms"]).json()
    assert following["first"] == found["last"] < following["last"]


@pytest.mark.parametrize(
    ("tab", "query", "status"),
    [("nothing", {}, 404), ("kubectl", {}, 204), ("diff", {}, 204), ("yaml", {"from_ms": "x"}, 400), ("yaml", {"to_ms": -1}, 400)],
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
def test_causes_of_what_is_no_record_are_refused(owner, run, recs):
    assert owner.get(reverse("sim:run-track", args=[run.id, "why"]), {"recs": recs}).status_code == 400
