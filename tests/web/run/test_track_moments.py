"""A track equals the panel at any moment, character by character: at records, where ages change, and in between."""

from bisect import bisect_right
from random import Random

import pytest
from django.urls import reverse
from msgspec.structs import replace

from simulator.runs.log import timemachine
from simulator.scenarios.build import story_content
from simulator.scenarios.story import HERE, read_story
from simulator.web.run.tracks import TRACKED
from simulator.web.run.versions import seen_of
from tests.factories import make_run
from tests.web.helpers import play, sign_in_as_owner, text_of, versions_of

pytestmark = pytest.mark.django_db
UNTIL_MS = 150_000
ACTED_MS = 65_000
ROUNDS = 2
STORIES = ("crash-loop-ladder", "liveness-death-spiral")
LINES = (
    "get pods -o wide",
    "get all -A",
    "get events",
    "describe pods",
    "describe nodes",
    "get nodes -o yaml",
    "top pods",
    "logs -l app --since=3s --all-containers",
    "delete pod web",
)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr("simulator.web.run.tracks.WALK_S", 600)
    monkeypatch.setattr("simulator.web.run.tracks.INSTANTS_MAX", 100_000)


@pytest.fixture
def owner(client):
    sign_in_as_owner(client)
    return client


def played(slug, until_ms=UNTIL_MS):
    """A story with the acts of a reader who follows it."""
    story = read_story(HERE / slug)
    content = story_content(story)
    return play(make_run(content=replace(content, header=replace(content.header, script=story.answer_steps()))), until_ms)


def some_moments(told, rng, until_ms):
    """Moments of records and adjacent ones, whole seconds and adjacent ones, and any other."""
    near = [rng.choice(told), rng.randrange(until_ms // 1000) * 1000]
    found = [moment + beside for moment in near for beside in (-1, 0, 1)] + [rng.randrange(until_ms)]
    return [min(max(1, moment), until_ms) for moment in found]


def differences(owner, run, tab, asked, *, rounds=ROUNDS, until_ms=UNTIL_MS):
    """The moments at which the track differs from the requested panel."""
    told = [record.at_ms for record in timemachine.past(run, seq=run.head_seq)]
    found = owner.get(reverse("sim:run-track", args=[run.id, tab]), {"from_ms": 0, "to_ms": until_ms, **asked}).json()
    texts, steps = versions_of(found), found["steps"]
    rng = Random(f"{run.title} {tab} {asked}")
    for t in sorted({each for _ in range(rounds) for each in some_moments(told, rng, until_ms)}):
        held = steps[bisect_right(steps, t, key=lambda step: step[1]) - 1]
        url = reverse("sim:run-panel", args=[run.id, bisect_right(told, t), tab])
        alone = owner.get(url, {"t": t, **asked}, headers={"HX-Request": "true"})
        if seen_of(texts[held[2]]) != seen_of(text_of(alone)):
            yield t, held


def pod_of(run):
    """The first pod."""
    return min(record.subject for record in timemachine.past(run, seq=run.head_seq) if record.subject.startswith("pod/"))


@pytest.mark.parametrize("slug", STORIES)
def test_every_moment_shows_what_its_own_panel_shows(owner, slug):
    run = played(slug)
    assert {tab: [*differences(owner, run, tab, {"sel": pod_of(run)})] for tab in TRACKED} == dict.fromkeys(TRACKED, [])


def test_every_moment_of_a_node_shows_what_its_own_panel_shows(owner):
    run, tabs = played("drain-and-a-budget"), ("inspector", "yaml", "describe")
    assert {tab: [*differences(owner, run, tab, {"sel": "node/node-1"})] for tab in tabs} == dict.fromkeys(tabs, [])


def test_every_moment_has_its_own_answer_of_kubectl(owner):
    """Up to some seconds after the second act of the story: an answer with ages changes every second."""
    run = played("drain-and-a-budget", ACTED_MS)
    found = {line: [*differences(owner, run, "kubectl", {"sel": pod_of(run), "k": line}, until_ms=ACTED_MS)] for line in LINES}
    assert found == dict.fromkeys(LINES, [])


@pytest.mark.parametrize("slug", ["a-noisy-neighbour", "one-node-less", "out-of-service"])
def test_instants_at_which_a_panel_is_not_made_leave_it_as_it_is(owner, slug, monkeypatch):
    """For many pods, each of which does something: the track equals one whose panel was rendered at every instant."""
    run = played(slug, 50_000)
    named = sorted({record.subject for record in timemachine.past(run, seq=run.head_seq) if record.subject.startswith("pod/")})

    def tracks_of(sel):
        asked = {"from_ms": 15_000, "to_ms": 50_000, "sel": sel}  # the act of each story and its effects
        found = [owner.get(reverse("sim:run-track", args=[run.id, tab]), asked) for tab in TRACKED]
        return [{**track.json(), "lines": [seen_of(line) for line in track.json()["lines"]]} for track in found]

    left_out = {sel: tracks_of(sel) for sel in (named[0], named[-1])}
    monkeypatch.setattr("simulator.web.run.tracks.is_about", lambda *_asked: True)
    monkeypatch.setattr("simulator.web.run.tracks.is_same", lambda *_asked: False)
    assert {sel: tracks_of(sel) for sel in left_out} == left_out
