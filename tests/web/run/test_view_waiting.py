"""What a visitor whose run has no slot yet is told: on the page, and in answer to every act."""

import json

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from simulator.models import Run, Runner
from simulator.runs.permissions import hash_address
from simulator.web.gallery.scenarios import EXAMPLE
from tests.factories import drive, make_run
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
DELETE = {"do": "delete_pod", "target": "default/web", "client_key": "12345678"}


@pytest.fixture
def run(client):
    """A run of this browser, behind another one that has the only slot."""
    Runner.objects.create(name="host:1:r", beat_at=Now(), places=1)
    drive(make_run(owner_key="somebody else"))
    sign_in_as_owner(client)
    return play(make_run(paused=True), 1000)


def test_page_says_the_place_in_the_queue(client, run):
    assert "number 1 in the queue" in text_of(client.get(reverse("sim:run", args=[run.id])))


@pytest.mark.parametrize(("language", "words"), [("zh-hans", "第 1"), ("zh-hant", "第 1")])
def test_page_says_it_in_the_readers_language(client, run, language, words):
    assert words in text_of(client.get(reverse("sim:run", args=[run.id]), headers={"accept-language": language}))


def test_act_on_a_run_without_a_place_is_accepted_and_says_so(client, run):
    answer = client.post(reverse("sim:run-commands", args=[run.id]), DELETE, headers=HTMX)
    told = json.loads(answer["HX-Trigger"])["command:accepted"]
    assert told["waits"].startswith("Accepted.") and "number 1 in the queue" in told["waits"]
    assert run.commands.count() == 1


def test_act_on_a_run_that_is_driven_says_only_what_was_done(client, run):
    drive(run)
    answer = client.post(reverse("sim:run-commands", args=[run.id]), DELETE, headers=HTMX)
    assert "waits" not in json.loads(answer["HX-Trigger"])["command:accepted"]


def test_clock_moved_on_a_run_without_a_place_says_so(client, run):
    answer = client.post(reverse("sim:run-control", args=[run.id]), {"do": "play"}, headers=HTMX)
    assert "number 1 in the queue" in answer.json()["waits"]


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("unix socket", "", True),
    ],
)
def test_addresses_are_told_apart_as_people_have_them(one, other, are_same):
    assert (hash_address(one) == hash_address(other)) is are_same


def test_run_keeps_a_hash_of_the_address_it_was_opened_from(client):
    client.post(reverse("sim:new"), {"manifest": EXAMPLE, "kubernetes": "1.33"}, REMOTE_ADDR="192.0.2.7")
    assert Run.objects.get().address_hash == hash_address("192.0.2.7") != ""
