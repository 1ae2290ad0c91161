"""An act that a level does not allow is refused with a message, however it is given."""

import json

import pytest
from django.urls import reverse

from simulator.engine.acts.all_acts import ACTS
from simulator.levels.allowing import act_word, refused_by_level
from simulator.models import Run, RunCommand
from simulator.runs.services.levels import level_share
from tests.web.helpers import play, sign_in_as_owner

pytestmark = pytest.mark.django_db(transaction=True)

LEVEL = """
title = "Only delete"
story = "sixty-fifty-five-ten"
horizon = "120s"
allow = ["delete_pod", "delete"]

[[check]]
id = "gone"
text = "The pod is gone."
eventually = { machine = "object", subject = "pod/default/shop", target = "gone" }
"""
WORDS = "This level does not allow {act}. It allows delete."
KEY = "a-key-of-a-form"


@pytest.fixture
def run(client):
    level = level_share(text=LEVEL, title="Only delete")
    sign_in_as_owner(client)
    answer = client.post(reverse("sim:own-level-run", args=[level.id]))
    return play(Run.objects.get(id=answer["location"].split("/")[2]), 5_000)


def post(client, name, run, **fields):
    """Status and text of the answer to a script that posts a form."""
    answer = client.post(reverse(f"sim:{name}", args=[run.id]), {"client_key": KEY, **fields}, headers={"HX-Request": "true"})
    return answer.status_code, json.loads(answer.content or "{}").get("text", "")


MANIFEST = "apiVersion: v1\nkind: Pod\nmetadata: {name: other}\nspec: {containers: [{name: app, image: busybox}]}"


@pytest.mark.parametrize("moment", [{}, {"at_ms": "2000"}, {"at_seq": "3"}, {"run_to_ms": "9000"}])
@pytest.mark.parametrize(
    ("fields", "act"),
    [
        ({"do": "signal_container", "target": "default/shop", "container": "app", "signal": "15"}, "signal"),
        ({"do": "apply", "manifest": MANIFEST}, "apply"),
    ],
)
def test_act_outside_of_the_level_is_refused_at_every_moment(client, run, fields, act, moment):
    assert post(client, "run-commands", run, **fields, **moment) == (422, WORDS.format(act=act))
    assert (RunCommand.objects.count(), Run.objects.count()) == (0, 1)


def test_line_of_kubectl_outside_of_the_level_is_refused(client, run):
    assert post(client, "run-kubectl", run, k="exec shop -- true") == (422, WORDS.format(act="exec"))
    assert RunCommand.objects.count() == 0


def test_line_of_kubectl_says_so_before_it_is_carried_out(client, run):
    page = client.get(reverse("sim:run", args=[run.id]), {"tab": "kubectl", "k": "exec shop -- true"}).content.decode()
    assert WORDS.format(act="exec") in page
    assert 'id="kubectl-act"' not in page


def test_what_the_level_allows_is_done(client, run):
    assert post(client, "run-commands", run, do="delete_pod", target="default/shop") == (204, "")
    assert post(client, "run-kubectl", run, k="delete pod shop", client_key="another-key")[0] == 200


def test_menu_shows_what_is_refused_and_why(client, run):
    panel = reverse("sim:run-panel", args=[run.id, run.head_seq, "faults"])
    menu = client.get(panel, {"sel": "pod/default/shop"}, headers={"HX-Request": "true"}).content.decode()
    forms = {form.split('name="do" value="')[1].split('"')[0]: form for form in menu.split("<form")[1:]}
    assert WORDS.format(act="exit") in forms["exit_container"] and 'aria-disabled="true"' in forms["exit_container"]
    assert "aria-disabled" not in forms["delete_pod"]


def test_gesture_says_that_its_act_is_refused(client, run):
    asked = {"sel": "container/default/shop/app", "handle": "end", "at_ms": "20000", "until_ms": "30000"}
    assert client.get(reverse("sim:run-outlook", args=[run.id]), asked).json()["why_not"] == WORDS.format(act="exit")


def test_check_names_acts_as_the_refusal_does(client, run):
    RunCommand.objects.create(run=run, n=1, client_key=KEY, body='{"do":"kill_sandbox","target":"default/shop"}', at_ms=6000)
    told = json.loads(client.post(reverse("sim:level-check", args=[run.id]), headers={"HX-Request": "true"}).content)
    assert told["forbidden"] == ["kill sandbox"]


def test_level_without_allow_allows_everything():
    assert refused_by_level((), "kill_sandbox") == ""


def test_every_act_has_a_word():
    assert [act.do for act in ACTS if "_" in act_word(act.do)] == []
