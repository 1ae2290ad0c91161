"""The Why tab: a chain as sentences and as a sequence diagram."""

import re
from html import unescape

import pytest
from django.urls import reverse

from simulator.web.run.drawing.sequence import HEAD, ROW, sequence_of
from tests.factories import make_content, make_run, pod_json
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return play(make_run(content=make_content(pod_json(command=("sh", "-c", "sleep 2; exit 1")))), 6_000)


def shown(client, run, **query):
    seq = next(row[0] for row in client.get(reverse("sim:run-records", args=[run.id])).json()["records"] if row[7] == "exited")
    url = reverse("sim:run-panel", args=[run.id, run.head_seq, "why"])
    asked = {"sel": "container/default/web/app", "rec": seq, "t": run.head_ms, **query}
    return seq, unescape(text_of(client.get(url, asked, headers={"HX-Request": "true"})))


def test_chain_is_shown_as_sentences_by_default(client, run):
    for part in ({}, {"part": "nonsense"}):
        seq, page = shown(client, run, **part)
        assert f'id="why-{seq}"' in page and "why-sequence" not in page
        assert re.search(r'id="why-way-sentences"[^>]*aria-current="true"', page)


def test_sequence_has_a_message_and_words_for_every_sentence(client, run):
    seq, sentences = shown(client, run)
    _, page = shown(client, run, part="sequence")
    told = re.findall(r'id="why-(\d+)"', sentences)
    assert re.findall(r'id="message-(\d+)"', page) == told[::-1] == re.findall(r'id="words-(\d+)"', page)
    assert re.search(rf'id="message-{seq}"[^>]*aria-current="true"', page)
    assert page.count('class="sequence__lifeline"') == 5  # nobody asked for anything: no client


def test_arrow_points_from_the_sender_to_the_receiver():
    drawn = sequence_of([("api", "kubelet"), ("runtime", "kubelet"), ("api", "api")], ("api", "kubelet", "runtime"))
    at = {line.actor: line.x for line in drawn.lifelines}
    there, back, loop = drawn.arrows
    assert there.path.startswith(f"M{at['api']} ") and there.head.startswith(f"M{at['kubelet']} ")
    assert back.path.startswith(f"M{at['runtime']} ") and back.head.startswith(f"M{at['kubelet']} ")
    assert loop.path.startswith(f"M{at['api']} ") and loop.head.startswith(f"M{at['api']} ")
    assert [arrow.y for arrow in drawn.arrows] == [HEAD + ROW * index + ROW // 2 for index in range(3)]
