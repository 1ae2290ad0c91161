"""The page of reasons."""

import re

import pytest
from django.test import Client

from simulator.models import Run
from simulator.scenarios.reasons import read_reasons
from simulator.web.pages.reasons import anchor_of

pytestmark = pytest.mark.usefixtures("stories")


def words(client: Client, query: str = "", **headers: str) -> list[str]:
    text = client.get("/reasons/", {"q": query}, headers=headers).content.decode()
    return re.findall(r'<li class="word" id="([^"]+)"', text)


def test_page_lists_every_word_once(client: Client) -> None:
    assert sorted(words(client)) == sorted({anchor_of(reason) for reason in read_reasons()})
    assert len(words(client)) == len(read_reasons())


def test_search_finds_words_meanings_and_messages(client: Client) -> None:
    assert {"status-CrashLoopBackOff", "waiting-CrashLoopBackOff", "event-BackOff-Warning"} <= set(words(client, "crashloop"))
    assert "status-OOMKilled" in words(client, "memory limit")
    assert words(client, "no such word") == []


def test_words_are_told_in_the_language_of_the_reader(client: Client) -> None:
    text = client.get("/reasons/", headers={"Accept-Language": "zh-hans"}).content.decode()
    assert "CrashLoopBackOff" in text
    assert "A container keeps exiting" not in text


def test_a_place_opens_the_story_at_that_moment(client: Client) -> None:
    place = next(reason for reason in read_reasons() if (reason.kind, reason.word) == ("status", "OOMKilled")).seen[0]
    fields = {"t": place.at_ms, "sel": "pod/default/memory", "rec": place.seq}
    answer = client.post(f"/scenarios/{place.story}/run/", fields)
    run = Run.objects.get()
    assert answer["Location"] == f"/r/{run.id}/?t={place.at_ms / 1000:g}&sel=pod%2Fdefault%2Fmemory&rec={place.seq}"
    assert (run.base_ms, run.is_paused) == (place.at_ms, True)


@pytest.mark.parametrize("field", ["t", "rec"])
def test_a_moment_that_is_none_is_refused_in_words(client: Client, field: str) -> None:
    answer = client.post("/scenarios/hello-pod/run/", {field: "soon"})
    assert answer.status_code == 422
    assert not Run.objects.exists()
