"""Acts on a controller's pod by click: stored by role, shown by name, and the same with another seed."""

import html
import json
import re

import pytest
from django.urls import reverse
from msgspec.structs import replace as with_fields

from simulator.engine import replay
from simulator.engine.acts.all_acts import Stamped
from simulator.manifests.check.check import check_text
from simulator.models import Run
from simulator.runs.log import timemachine
from simulator.scenarios.build import build_content
from tests.factories import make_run
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db
SCRIPTED = {"HX-Request": "true"}
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: app, image: nginx:1.27}]
"""


@pytest.fixture
def run() -> Run:
    content = build_content(check_text(WEB, kubernetes="1.33"), WEB, kubernetes="1.33", seed=42, jitter=True)
    return play(make_run(content=content), 20_000)


@pytest.fixture
def owner(client):
    sign_in_as_owner(client)
    return client


def second_pod(run: Run) -> str:
    """The name of the second pod created."""
    made = [
        record.subject for record in timemachine.log(run, after=0, limit=500) if record.machine == "object" and record.target == "present"
    ]
    return [subject for subject in made if subject.startswith("pod/")][1].rpartition("/")[2]


def form_of(page: str, act: str) -> dict[str, str]:
    """The hidden fields of an act's form on a page."""
    form = next(part for part in re.findall(r'<form class="act".*?</form>', page, re.DOTALL) if f'name="do" value="{act}"' in part)
    return {name: html.unescape(value) for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)}


def clicked(owner, run: Run) -> tuple[str, str]:
    """Press Delete pod on the second pod; returns its name, and the page's text about the act."""
    name = second_pod(run)
    url = reverse("sim:run", args=[run.id])
    fields = form_of(text_of(owner.get(url, {"sel": f"pod/default/{name}"})), "delete_pod")
    answer = owner.post(reverse("sim:run-commands", args=[run.id]), fields | {"client_key": "a-click-on-it"}, headers=SCRIPTED)
    return name, json.loads(answer.headers["HX-Trigger"])["command:accepted"]["text"]


def test_clicked_act_is_stored_by_role_and_shown_by_name(owner, run):
    name, said = clicked(owner, run)
    assert run.commands.get().command().target == f"deployment/default/web[2]={name}"
    assert said == f"Delete default/{name}"


def test_act_that_is_clicked_reaches_the_pod_in_its_place_at_another_seed(owner, run):
    name, _said = clicked(owner, run)
    command = run.commands.get().command()
    for seed in (1, 42, 77):
        records: list = []
        replay(with_fields(run.header(), seed=seed), [Stamped(20_000, 1, command)], until_ms=20_000, into=records)
        made = [record.subject for record in records if record.machine == "object" and record.subject.startswith("pod/")]
        (own,) = [record for record in records if record.kind == "command"]
        assert (own.target, own.subject) == ("accepted", made[1]) and (own.subject.endswith(name)) is (seed == 42)


def test_inspector_names_the_role_of_a_controllers_pod(owner, run):
    page = text_of(owner.get(reverse("sim:run", args=[run.id]), {"sel": f"pod/default/{second_pod(run)}"}))
    assert "pod 2 of Deployment web (oldest first) <code>deployment/default/web[2]</code>" in page


def test_pod_without_an_owner_keeps_its_name(owner):
    alone = play(make_run(), 5_000)
    page = text_of(owner.get(reverse("sim:run", args=[alone.id]), {"sel": "pod/default/web"}))
    assert form_of(page, "delete_pod")["target"] == "default/web" and "<dt>Role</dt>" not in page


def test_form_takes_a_role_that_is_written_by_hand(owner, run):
    fields = {"do": "delete_pod", "target": "deployment/default/web[youngest]", "client_key": "by-hand-1"}
    assert owner.post(reverse("sim:run-commands", args=[run.id]), fields, headers=SCRIPTED).status_code == 204
    assert run.commands.get().command().target == "deployment/default/web[youngest]"


def test_line_of_kubectl_is_stored_by_role(owner, run):
    fields = {"k": "delete pod deployment/web[2]", "client_key": "a-line-of-it"}
    owner.post(reverse("sim:run-kubectl", args=[run.id]), fields, headers=SCRIPTED)
    assert run.commands.get().command().target == f"deployment/default/web[2]={second_pod(run)}"
