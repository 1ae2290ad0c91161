"""Exporting and importing scenarios as files and links; the page with the options for a link."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.html import escape

from simulator.engine.acts.pods.delete import DeletePod
from simulator.imports.build import import_text
from simulator.models import Run
from simulator.runs.log.content import Content
from simulator.runs.services.commands import command_submit
from simulator.runs.services.shares import share_create
from simulator.scenarios.links import packed
from simulator.scenarios.portable import TEXT_MAX, file_text
from simulator.web.base.qr import LENGTH_MAX, qr_svg
from simulator.web.gallery.imports import example
from simulator.web.shares.portable import OpenForm
from tests.factories import OWNER, make_run
from tests.web.helpers import POD, play, text_of

pytestmark = pytest.mark.django_db
FILE = json.dumps({"podscope": 1, "title": "Mine", "kubernetes": "1.33", "seed": 9, "manifests": POD, "until_ms": 5000})


def opened(client, text: str = "", **fields: object):
    return client.post("/x/", {"text": text} | fields)


@pytest.mark.parametrize("text", [FILE, packed(FILE), f"https://elsewhere.example/x/#{packed(FILE)}"])
def test_file_or_link_opens_as_a_run(client, text):
    answer = opened(client, text)
    run = Run.objects.get()
    assert answer.url == f"/r/{run.id}/" and (run.title, run.header().seed, run.base_ms) == ("Mine", 9, 5000)


def test_uploaded_file_counts_before_the_text(client):
    opened(client, "nonsense", upload=SimpleUploadedFile("a.podscope.json", FILE.encode()))
    assert Run.objects.get().title == "Mine"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Choose a file or paste a link"),
        ("hello", "v1d:"),
        (json.dumps({"podscope": 1}), "kubernetes"),
        (FILE.replace("image:", "imagePullpolicy: Always\\n    image:"), "manifests, line"),
        (FILE.replace('"podscope": 1', '"podscope": 7'), "reads format version 1"),
        ("{<script>alert(1)</script>", "not JSON"),
    ],
)
def test_what_cannot_be_opened_is_reported_with_its_place_and_nothing_is_lost(client, text, why):
    answer = opened(client, text)
    page = text_of(answer)
    assert answer.status_code == 422 and why in page and not Run.objects.exists() and "<script>alert" not in page
    assert escape(text[:5]) in page


def unplayable() -> dict[str, Any]:
    """A file whose engine fails half a minute after the moment at which it ends: a fact of its past is of no kind."""
    imported = import_text(example())
    assert imported.header is not None
    file = json.loads(file_text(Content(header=imported.header, until_ms=0), title=""))
    facts = file["past"]["pods"][0]["facts"]
    facts[-1] |= {"do": "nonsense"}
    for n, fact in enumerate(facts):
        fact["at_ms"] = n and 30_000
    return file | {"past": file["past"] | {"resume_ms": 60_000}}


def test_run_that_the_engine_fails_over_later_is_told_in_words_wherever_it_is_played(client):
    client.raise_request_exception = False
    run_url = opened(client, json.dumps(unplayable())).url
    answer = client.get(f"{run_url}lens/")
    assert answer.status_code == 422 and "The engine failed on this run" in text_of(answer)
    assert client.get(run_url).status_code == 200


@pytest.mark.parametrize("document", ["[]", "null", "{", '{"spec": {"containers": [{"livenessProbe": {"periodSeconds": -5}}]}}'])
def test_file_with_a_past_that_no_cluster_can_have_had_is_refused_by_its_place(client, document):
    file = unplayable()
    file["past"]["pods"][0]["document"] = document
    answer = opened(client, json.dumps(file))
    said = text_of(answer)
    assert answer.status_code == 422 and "past.pods[0].document: " in said and "document: : " not in said


@pytest.mark.parametrize("object_text", ["[]", "null", "", "{", "kind: Pod"])
def test_file_with_an_object_that_is_not_a_map_is_refused_by_its_place(client, object_text):
    answer = opened(client, json.dumps(json.loads(FILE) | {"objects": [object_text]}))
    said = text_of(answer)
    assert answer.status_code == 422 and "objects[0]: " in said and "objects[0]: :" not in said and "Error:" not in said


def test_file_of_a_run_opens_as_the_same_run(client):
    run = play(make_run(), 20_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="k")
    play(run, 30_000)
    answer = client.get(f"/r/{run.id}/file/")
    assert answer["Content-Disposition"].startswith('attachment; filename="a-run.podscope.json"')
    opened(client, answer.content.decode())
    twin = Run.objects.exclude(id=run.id).get()
    assert play(twin, 30_000).head_digest == play(run, 30_000).head_digest


def test_file_of_a_link_is_what_was_shared(client):
    share = share_create(run=play(make_run(), 20_000))
    text, line = (client.get(f"/s/{share.id}/file/{query}").content.decode() for query in ("", "?line"))
    assert json.loads(text) == json.loads(line) and "\n" not in line and "\n" in text


def test_story_that_is_opened_from_a_file_keeps_its_steps(client, stories):
    run = Run.objects.get(id=client.post("/scenarios/pid-1-is-deaf/run/").url.split("/")[2])
    answer = opened(client, client.get(f"/r/{run.id}/file/").content.decode())
    assert Run.objects.exclude(id=run.id).get().scenario == run.scenario
    assert "data-check=" in text_of(client.get(answer.url))


def test_page_of_ways_names_link_frame_code_and_file(client):
    share = share_create(run=play(make_run(), 20_000))
    page = text_of(client.get(f"/s/{share.id}/ways/?t=10"))
    for part in (f"http://testserver/s/{share.id}/?t=10.0", f"http://testserver/embed/{share.id}/?t=10.0", f"/s/{share.id}/qr.svg?t=10.0"):
        assert part in page
    assert f"/s/{share.id}/file/" in page and "<html" in page
    assert "<html" not in text_of(client.get(f"/s/{share.id}/ways/?t=10", headers={"HX-Request": "true"}))


LOOK = "v=0_20000&range=1000_9000&notes=5000_look+here&lang=zh-hant"


def test_ways_carry_how_the_lanes_were_looked_at(client):
    share = share_create(run=play(make_run(), 20_000))
    page = text_of(client.get(f"/s/{share.id}/ways/?t=10&{LOOK}", follow=True))
    link = f"http://testserver/s/{share.id}/?t=10.0&{LOOK}"
    assert escape(link) in page
    assert escape(f"/embed/{share.id}/?t=10.0&{LOOK}") in page
    assert client.get(f"/s/{share.id}/qr.svg?t=10&{LOOK}").content == qr_svg(link)


def test_ways_leave_out_what_is_wrong_in_an_address(client):
    share = share_create(run=play(make_run(), 20_000))
    page = text_of(client.get(f"/s/{share.id}/ways/?t=10&v=nonsense&lang=xx&clock=wall"))
    assert escape(f"http://testserver/s/{share.id}/?t=10.0&clock=wall&lang=en") in page


def test_code_has_no_view_that_has_no_room_in_it(client):
    share = share_create(run=play(make_run(), 20_000))
    answer = client.get(f"/s/{share.id}/qr.svg", {"t": "10", "notes": "5000_" + "☃" * 400})
    assert answer.content == qr_svg(f"http://testserver/s/{share.id}/?t=10.0")


def test_code_is_a_picture_of_the_link(client):
    share = share_create(run=play(make_run(), 20_000))
    answer = client.get(f"/s/{share.id}/qr.svg?t=10")
    assert answer["Content-Type"] == "image/svg+xml" and answer.content == qr_svg(f"http://testserver/s/{share.id}/?t=10.0")


def test_code_has_room_up_to_its_limit():
    assert qr_svg("x" * LENGTH_MAX).startswith(b"<?xml")
    with pytest.raises(ValueError, match="too long"):
        qr_svg("x" * (LENGTH_MAX + 1))


def test_link_too_long_for_a_code_is_not_a_failure(client):
    share = share_create(run=play(make_run(), 20_000))
    sel = "pod/" + "x" * 690
    assert client.get(f"/s/{share.id}/qr.svg", {"sel": sel}).status_code == 200
    assert client.get(f"/s/{share.id}/ways/", {"sel": sel}).status_code == 200


@pytest.mark.parametrize("path", ["/s/nothing/ways/", "/s/nothing/file/", "/s/nothing/qr.svg", "/s/nothing/card.png"])
def test_what_is_not_there_is_404(client, path):
    assert client.get(path).status_code == 404


def test_code_of_a_moment_that_has_no_room_in_it_leads_to_its_time(client):
    share = share_create(run=play(make_run(), 20_000))
    answer = client.get(f"/s/{share.id}/qr.svg", {"t": "10", "sel": "☃" * 700, "tab": "kubectl", "k": "☃" * 400})
    assert answer.content == qr_svg(f"http://testserver/s/{share.id}/?t=10.0")


@pytest.mark.parametrize(("more", "is_taken"), [(0, True), (1, False)])
def test_file_may_be_as_large_as_a_scenario_may(more, is_taken):
    file = SimpleUploadedFile("scenario.json", b"x" * (TEXT_MAX + more))
    form = OpenForm({}, {"upload": file})
    assert (form.is_valid(), form.non_field_errors()) == ((True, []) if is_taken else (False, ["The file is too large: at most 2 MB."]))
