"""Outside texts that would hide, turn, break or outgrow something: in files, links, classes and the forms of pages."""

import json
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.urls import reverse

from simulator.models import Classroom, Run
from simulator.runs.services.class_code import code_of
from simulator.runs.services.classrooms import classroom_lead, classroom_open
from simulator.scenarios.links import packed
from tests.factories import OWNER, make_run
from tests.web.helpers import play, sign_in_as_owner

pytestmark = pytest.mark.django_db
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: 'busybox:1.36'}]}\n"
ODD = ("a\x00b", "\u202egnp.exe\u2066", "a\u200bb\ufeff", "line\none", "x" * 100_000, "\x00", "\ud800")
NODE = {"name": "n1", "capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"}, "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
ACT = {"at_ms": 5, "do": "delete_pod", "target": "default/web"}


def file(**fields: object) -> str:
    return json.dumps({"podscope": 1, "kubernetes": "1.33", "manifests": POD} | fields)


def opened(client, text: str):
    return client.post("/x/", {"text": text})


@pytest.mark.parametrize("title", ODD[:-1])
@pytest.mark.parametrize("made", [str, lambda text: "/x/#" + packed(text)])
def test_title_of_a_file_is_shown_as_one_line_everywhere(client, title, made):
    answer = opened(client, made(file(title=title)))
    run = Run.objects.get()
    assert answer.status_code == 302 and len(run.title) <= 120 and run.title.isprintable() and run.title
    for name in ("run", "run-card", "run-file"):
        assert client.get(reverse(f"sim:{name}", args=[run.id])).status_code == 200
    assert client.post(reverse("sim:run-share", args=[run.id])).status_code in (200, 302)


REFUSED = {
    "scenario with NUL": (file(scenario="hello\x00pod"), "scenario: "),
    "scenario without an end": (file(scenario="x" * 100_000), "scenario: "),
    "namespace with NUL": (file(namespace="a\x00"), "namespace: "),
    "namespace without an end": (file(namespace="x" * 100_000), "namespace: "),
    "node without an end": (file(cluster={"nodes": [NODE | {"name": "n" * 100_000}]}), "cluster.nodes[0].name: "),
    "node with NUL": (file(cluster={"nodes": [NODE | {"name": "n\x00"}]}), "cluster.nodes[0].name: "),
    "node in capitals": (file(cluster={"nodes": [NODE | {"name": "Node"}]}), "cluster.nodes[0].name: "),
    "label with NUL": (file(cluster={"nodes": [NODE | {"labels": {"a": "\x00"}}]}), "cluster.nodes[0].labels.a: "),
    "taint without an end": (file(cluster={"nodes": [NODE | {"taints": ["k" * 1000 + "=v:NoSchedule"]}]}), "cluster.nodes[0].taints[0]: "),
    "act with NUL": (file(acts=[ACT | {"target": "default/web\x00"}], until_ms=9), "acts[0].target: "),
    "act without an end": (file(acts=[ACT | {"target": "x" * 100_000}], until_ms=9), "acts[0].target: "),
    "half a character": ('{"podscope": 1, "title": "\\ud800"}', "not JSON"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_odd_text_in_a_file_is_refused_by_the_name_of_its_place(client, case):
    text, place = REFUSED[case]
    answer = opened(client, text)
    assert (answer.status_code, Run.objects.count()) == (422, 0)
    assert any(place in problem for problem in answer.context["problems"]) and len(str(answer.context["problems"])) < 5000


@pytest.mark.parametrize(
    "typed", ["abc-def", "ABC DEF", "ａｂｃｄｅｆ", "a\u200bb\u200cc\u2060def", "\u202eabc\u2013def\ufeff", " abc\tdef\n"]
)
def test_code_is_read_as_people_type_and_paste_it(typed):
    assert code_of(typed) == "abcdef"


@pytest.mark.parametrize("typed", ["", "abcde", "abcdef7", "abc0ef", "abcdéf", "\x00" * 6, "x" * 100_000, "ﬁﬁﬁ"])
def test_what_is_no_code_is_none(typed):
    assert code_of(typed) == ""


@pytest.mark.parametrize("odd", [odd for odd in ODD if len(odd) < 100])
def test_class_keeps_of_an_address_what_can_be_shown(client, odd):
    run = play(make_run(), 5000)
    room = classroom_open(owner_key=OWNER, address="", path=f"/r/{run.id}/")
    query = urlencode({"t": odd.encode("utf-8", "surrogatepass"), "sel": odd.encode("utf-8", "surrogatepass")}) + "&tab=events"
    classroom_lead(code=room.id, owner_key=OWNER, path=f"/r/{run.id}/", query=query)
    kept = Classroom.objects.get().query
    assert kept.endswith("tab=events") and "t=" not in kept.split("&")[0][:2]
    assert "%00" not in kept and QueryDict(kept).get("sel", "").isprintable()
    assert client.get(f"/class/{room.id}/", follow=True).status_code == 200


@pytest.mark.parametrize("moment", ["1e999999", "-1", "NaN", "9" * 300])
def test_class_is_never_at_a_moment_that_is_none(moment):
    run = make_run()
    room = classroom_open(owner_key=OWNER, address="", path=f"/r/{run.id}/")
    assert classroom_lead(code=room.id, owner_key=OWNER, path=f"/r/{run.id}/", query=f"t={moment}").query == ""


@pytest.mark.parametrize("place", ["seq", "namespace", "name", "kind"])
@pytest.mark.parametrize("odd", ["9" * 4000, "9" * 5000, "a%00b", "%ED%A0%80", "x" * 5000, "%E2%80%AE"])
def test_odd_part_of_an_address_is_not_found(client, place, odd):
    run = play(make_run(), 5000)
    sign_in_as_owner(client)
    parts = {"seq": "1", "kind": "Pod", "namespace": "default", "name": "web"} | {place: odd}
    for path in ("at/{seq}/object/{kind}/{namespace}/{name}/", "at/{seq}/panel/{kind}/", "at/{seq}/pods/"):
        assert client.get(f"/r/{run.id}/" + path.format(**parts)).status_code in (200, 204, 400, 404)


def test_search_with_odd_letters_is_answered(stories, client):
    for path in ("/scenarios/?q=", "/reasons/?q=", "/fidelity/?q=", "/scenarios/?tag=", "/scenarios/?level="):
        for odd in ("a%00b", "%ED%A0%80", "%E2%80%AE", "x" * 20_000):
            assert client.get(path + odd).status_code in (200, 404)
