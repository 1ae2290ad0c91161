"""The output of a pod's containers over a stretch, as fetched by their lanes."""

import pytest
from django.urls import reverse

from simulator.models import Run
from tests.factories import make_content, make_run, pod_json
from tests.web.helpers import play

pytestmark = pytest.mark.django_db
COUNTS = ("sh", "-c", "i=0; while true; do i=$((i+1)); echo line $i; sleep 1; done")
DIES = ("sh", "-c", "echo begin; sleep 2; echo oh no >&2; echo more >&2; exit 3")


def run_of(command, until_ms=20_000, **spec):
    return play(make_run(content=make_content(pod_json(command=command, **spec))), until_ms)


def asked(client, run, **fields):
    return client.get(reverse("sim:run-printed", args=[run.id]), {"pod": "default/web", "from_ms": 0, "to_ms": run.head_ms, **fields})


def test_lines_of_one_instant_are_one_entry_with_their_number(client):
    (first, died, *_) = asked(client, run_of(DIES, 25_000)).json()["containers"]["app"]
    at_ms, *told = died
    assert told == [0, 2, 2, "oh no"] and first[2:] == [1, 0, "begin"]
    assert at_ms - first[0] == 2000


def test_stretches_that_meet_tell_each_line_once(client):
    run = run_of(COUNTS)
    whole = asked(client, run).json()["containers"]["app"]
    parts = [asked(client, run, from_ms=low, to_ms=high).json()["containers"]["app"] for low, high in ((0, 8_999), (9_000, run.head_ms))]
    assert [entry for part in parts for entry in part] == whole and len(whole) > 10


def test_stretch_of_one_instant_has_what_was_printed_then(client):
    run = run_of(COUNTS)
    entry = asked(client, run).json()["containers"]["app"][3]
    assert asked(client, run, from_ms=entry[0], to_ms=entry[0]).json()["containers"] == {"app": [entry]}


def test_long_stretch_is_sent_in_pieces_and_a_past_one_may_be_cached(client):
    run = run_of(COUNTS, 400_000)
    first = asked(client, run)
    rest = asked(client, run, from_ms=first.json()["until_ms"] + 1)
    assert (first.json()["more"], rest.json()["more"]) == (True, False)
    assert first["Cache-Control"].startswith("private, max-age") and rest["Cache-Control"] == "private, no-cache"
    texts = [entry[4] for answer in (first, rest) for entry in answer.json()["containers"]["app"]]
    assert texts == [f"line {n}" for n in range(1, len(texts) + 1)]


def test_answer_is_bounded_whatever_is_printed(client):
    run = run_of(("sh", "-c", f"while true; do echo {'x' * 3000}; sleep 0.1; done"), 300_000)
    entries = asked(client, run).json()["containers"]["app"]
    assert len(entries) <= 400 and all(len(entry[4]) == 160 for entry in entries)


def test_stretch_that_has_not_come_and_pod_that_never_was_have_nothing(client):
    run = run_of(COUNTS)
    nothing = asked(client, run, from_ms=90_000, to_ms=99_000).json()
    assert (nothing["containers"], nothing["more"]) == ({}, False)
    assert asked(client, run, pod="default/nobody").json()["containers"] == {}


def test_run_of_another_revision_has_none_and_nonsense_is_refused(client):
    run = run_of(COUNTS)
    assert asked(client, run, from_ms=-1).status_code == 400
    Run.objects.filter(id=run.id).update(revision=1)
    assert asked(client, run).status_code == 204
