"""The page of reasons."""

import re
from html import unescape

import pytest
from django.test import Client

from simulator.models import Run
from simulator.remedies.catalogue import FURTHER, REMEDIES
from simulator.scenarios.reasons import read_reasons
from simulator.web.pages.reasons import anchor_of

pytestmark = pytest.mark.usefixtures("stories")


def words(client: Client, query: str = "", **headers: str) -> list[str]:
    text = client.get("/reasons/", {"q": query}, headers=headers).content.decode()
    return re.findall(r'<li class="word" id="([^"]+)"', text)


def test_page_lists_every_word_once(client: Client) -> None:
    listed = words(client)
    assert {anchor_of(reason) for reason in read_reasons()} <= set(listed)
    assert {f"{kind}-{word}" for kind, further in FURTHER.items() for word in further} <= {
        anchor.replace("-Warning", "") for anchor in listed
    }
    assert len(listed) == len(set(listed))


def test_every_remedy_stands_on_the_page_once(client: Client) -> None:
    found = re.findall(r'<div class="remedy" id="([^"]+)"', client.get("/reasons/").content.decode())
    assert sorted(found) == sorted(remedy.anchor for remedy in REMEDIES)


def test_every_link_within_the_page_has_its_target(client: Client) -> None:
    text = client.get("/reasons/").content.decode()
    links = set(re.findall(r'href="#(help-[^"]+)"', text))
    assert len(links) > 20
    assert links <= set(re.findall(r'id="([^"]+)"', text))


def test_a_remedy_names_causes_lines_and_the_act_of_a_run(client: Client) -> None:
    text = unescape(client.get("/reasons/", {"q": "InvalidImageName"}).content.decode())
    assert '<details class="word__help" open>' in text
    assert "an upper-case letter" in text
    assert "kubectl set image pod/<pod> <container>=<image>" in text
    assert "In a run: Change image" in text


def test_remedies_are_found_by_their_texts(client: Client) -> None:
    assert "waiting-CreateContainerConfigError" in words(client, "configmap environment variable")


def test_ordinary_words_say_that_nothing_is_wrong(client: Client) -> None:
    text = client.get("/reasons/", {"q": "Pulling"}).content.decode()
    assert "An ordinary step in the life of a pod" in text


def test_search_finds_words_meanings_and_messages(client: Client) -> None:
    assert {"status-CrashLoopBackOff", "waiting-CrashLoopBackOff", "event-BackOff-Warning"} <= set(words(client, "crashloop"))
    assert "status-OOMKilled" in words(client, "memory limit")
    assert words(client, "no such word") == []


def test_words_are_in_the_readers_language(client: Client) -> None:
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
def test_a_moment_that_is_none_is_refused_with_a_message(client: Client, field: str) -> None:
    answer = client.post("/scenarios/hello-pod/run/", {field: "soon"})
    assert answer.status_code == 422
    assert not Run.objects.exists()
