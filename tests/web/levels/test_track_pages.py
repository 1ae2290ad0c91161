"""The path of a track, and levels that are done alone."""

import json
import re

import pytest
from django.urls import reverse

from simulator.models import Run
from simulator.scenarios.tracks import TRACKS
from simulator.web.base.levels import levels_of_keys
from tests.web.helpers import play, sign_in_as_owner, text_of
from tests.web.levels.test_level_attempts import asked


@pytest.mark.parametrize("track", [track.slug for track in TRACKS])
def test_path_of_a_track_shows_its_four_stages_in_their_order(client, db, track):
    page = text_of(client.get(reverse("sim:level-track", args=[track])))
    at = [page.find(f'data-path-stage="{kind}"') for kind in ("example", "prediction", "guided", "alone")]
    assert (-1 not in at, at) == (True, sorted(at))


def test_track_that_is_none_is_not_found(client, db):
    assert client.get(reverse("sim:level-track", args=["nothing"])).status_code == 404


def test_list_of_levels_leads_to_every_path(client, db):
    page = text_of(client.get("/levels/"))
    assert all(reverse("sim:level-track", args=[track.slug]) in page for track in TRACKS)


@pytest.mark.parametrize("address", ["/levels/", "/levels/track/probes/", "/levels/cold-start/"])
def test_every_way_on_looks_like_a_link_or_a_button(client, db, settings, address):
    settings.SIM_PROGRESS = True
    main = re.search(r"<main.*</main>", client.get(address).content.decode(), re.DOTALL)[0]
    assert 'class="button' in main and "button--quiet" not in main


def test_levels_of_the_last_stage_are_begun_without_hints(client, db):
    page = text_of(client.get(reverse("sim:level-track", args=["probes"])))
    assert "/levels/cold-start/?alone=1" in page and "/levels/patience-at-the-start/?alone=1" not in page
    alone = text_of(client.get("/levels/cold-start/?alone=1"))
    assert alone.index('name="alone" value="1"') < alone.index('name="alone" value=""')


@pytest.fixture
def alone(client, db):
    """An attempt without hints."""
    sign_in_as_owner(client)
    answer = client.post(reverse("sim:level-run", args=["let-it-finish"]), {"alone": "1"})
    return Run.objects.get(id=answer["location"].split("/")[2])


@pytest.mark.django_db(transaction=True)
def test_attempt_alone_offers_neither_hints_nor_a_solution(client, alone):
    page = text_of(client.get(reverse("sim:run", args=[alone.id])))
    assert 'data-level-do="check"' in page and 'data-level-do="hint"' not in page and 'data-level-do="solution"' not in page
    answers = [asked(client, alone, what) for what in ("hint", "solution")]
    assert [list(answer) for answer in answers] == [["nothing"], ["nothing"]]


@pytest.mark.django_db(transaction=True)
def test_attempt_alone_is_judged_at_once(client, alone):
    play(alone, 5_000)
    told = asked(client, alone, "check")
    assert (told["passed"], len(told["checks"]) > 0) == (False, True)


@pytest.mark.django_db(transaction=True)
def test_what_is_passed_alone_is_passed(client, alone):
    page = text_of(client.get(reverse("sim:run", args=[alone.id])))
    facts = json.loads(page.split('data-level="')[1].split('"')[0].replace("&quot;", '"').replace("&#x27;", "'"))
    assert (alone.level, facts["key"]) == ("alone:let-it-finish", "let-it-finish")


def test_wall_of_a_class_knows_a_level_that_is_done_alone(db):
    assert [level.slug for level in levels_of_keys({"alone:let-it-finish"}).values()] == ["let-it-finish"]
