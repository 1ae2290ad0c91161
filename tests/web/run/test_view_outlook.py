"""What a gesture stands for and would lead to: the forecast equals the act's effect, and changes nothing."""

import pytest
from django.urls import reverse

from simulator.engine.course.replay import replay
from simulator.models import Run, RunCommand
from simulator.runs.log.history import commands_of
from simulator.runs.services.commands import command_submit_at
from simulator.web.run import outlook
from simulator.web.run.command_forms import CommandForm
from tests.factories import OWNER, make_content, make_record, make_run, pod_json
from tests.web.helpers import play, sign_in_as_owner

pytestmark = pytest.mark.django_db
KEY = "12345678"
PROBED = {
    "name": "app",
    "image": "nginx:1.16.1",
    "readinessProbe": {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 5},
}
CONTAINER, PROBE, POD = "container/default/web/app", "probe/default/web/app/readiness", "pod/default/web"


@pytest.fixture
def run():
    return play(make_run(content=make_content(pod_json())), 60_000)


@pytest.fixture
def probed():
    return play(make_run(content=make_content(pod_json(containers=[PROBED]))), 60_000)


def look(client, run, handle, sel, at_ms, **more):
    asked = {"handle": handle, "sel": sel, "at_ms": at_ms, "until_ms": at_ms + 60_000, **more}
    return client.get(reverse("sim:run-outlook", args=[run.id]), asked)


def rows(found, machine):
    """Moment, subject and target of the records of a machine."""
    return [(row[1], row[3], row[7]) for row in found["records"] if row[4] == machine]


def given(run, found, at_ms=None, at_seq=None):
    """The records that follow if the fields of an answer are submitted as the act's form."""
    command = _command(**found["fields"])
    there, _given = command_submit_at(run=run, owner_key=OWNER, command=command, client_key=KEY, at_ms=at_ms, at_seq=at_seq)
    RunCommand.objects.filter(run=there, at_ms=None).update(at_ms=there.base_ms)
    records = []
    replay(there.header(), commands_of(there), until_ms=found["until_ms"], into=records)
    return [[record.seq, record.at_ms, record.target] for record in records if record.seq > found["after"]]


def outlined(found):
    return [[row[0], row[1], row[7]] for row in found["records"]]


def test_end_of_a_bar_is_an_exit_at_that_moment(client, run):
    found = look(client, run, "end", CONTAINER, 20_000, value="3").json()
    assert found["fields"] == {"do": "exit_container", "target": "default/web", "container": "app", "exit_code": "3"}
    assert (found["words"], found["line"], found["why_not"]) == ("Exit app with code 3", "", "")
    assert (20_000, CONTAINER, "exited") in rows(found, "container")
    assert found["number"] == {"label": "Exit code", "unit": "", "minimum": 0, "maximum": 255}


@pytest.mark.parametrize("at_ms", [20_000, 75_000])
def test_what_is_foretold_is_what_happens(client, run, at_ms):
    found = look(client, run, "end", CONTAINER, at_ms, value="1").json()
    if at_ms > run.head_ms:
        Run.objects.filter(id=run.id).update(base_ms=at_ms, stands_ms=at_ms)
        run.refresh_from_db()
    assert outlined(found) == given(run, found, at_ms=at_ms)


def test_without_a_value_the_code_is_that_of_the_button(client, run):
    assert look(client, run, "end", CONTAINER, 20_000).json()["words"] == "Exit app with code 1"


def test_end_where_nothing_runs_says_why_not(client, run):
    found = look(client, run, "end", CONTAINER, 1).json()
    assert found["why_not"] and "records" not in found


def test_deadline_takes_the_place_of_the_deletion(client, run):
    there, _given = command_submit_at(
        run=run, owner_key=OWNER, command=_command("delete_pod", target="default/web", grace_s=40), client_key=KEY
    )
    play(there, 62_000)
    own = next(row for row in client.get(reverse("sim:run-records", args=[run.id])).json()["records"] if row[2] == "command")
    RunCommand.objects.filter(run=run).update(applied_seq=own[0])
    found = look(client, run, "deadline", POD, own[1], at_seq=own[0] - 1, value="7").json()
    assert found["line"] == "kubectl delete pod web --grace-period=7"
    commands = [row for row in found["records"] if row[2] == "command"]
    assert len(commands) == 1
    assert (60_000, POD, "terminating") in rows(found, "object")
    gone_ms = next(at_ms for at_ms, _subject, target in rows(found, "object") if target == "gone")
    assert 67_000 <= gone_ms < 72_000


def _command(do, **fields):
    form = CommandForm({"do": do, "client_key": KEY, **fields})
    assert form.is_valid(), form.errors
    return form.command()


def test_tick_of_a_probe_is_an_outcome_from_there_on(client, probed):
    found = look(client, probed, "tick", PROBE, 30_000, value="failure").json()
    assert found["words"] == "Make the readiness probe of app fail"
    assert [choice["value"] for choice in found["choices"]] == ["failure", "timeout", "error", "success"]
    assert {row[7] for row in found["records"] if row[4] == "probe_attempt"} == {"failure"}
    assert any(subject == "condition/default/web/Ready" and target == "False" for _at, subject, target in rows(found, "condition"))


def test_looking_changes_nothing(client, run):
    sign_in_as_owner(client)
    before = (Run.objects.count(), RunCommand.objects.count())
    look(client, run, "end", CONTAINER, 20_000)
    look(client, run, "end", CONTAINER, 90_000)
    assert (Run.objects.count(), RunCommand.objects.count()) == before


@pytest.mark.parametrize(
    ("fields", "name"),
    [({"handle": "tail"}, "handle"), ({"at_ms": -1}, "at_ms"), ({"until_ms": "soon"}, "until_ms"), ({"sel": ""}, "sel")],
)
def test_invalid_gesture_is_refused_with_the_name_of_its_field(client, run, fields, name):
    asked = {"handle": "end", "sel": CONTAINER, "at_ms": 20_000, "until_ms": 30_000, **fields}
    answer = client.get(reverse("sim:run-outlook", args=[run.id]), asked)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(f"{name}:")


def test_subject_of_another_kind_has_no_such_handle(client, run):
    assert look(client, run, "end", POD, 20_000).json()["why_not"]
    assert look(client, run, "tick", "node/node-1", 20_000).json()["why_not"]


def test_value_out_of_bounds_gives_nothing(client, run):
    assert look(client, run, "end", CONTAINER, 20_000, value="300").json()["why_not"]


@pytest.mark.parametrize(
    ("target", "data", "refusal"),
    [
        ("accepted", (("message", "no"),), ""),
        ("refused", (("message", "no"),), "no"),
        ("refused", (("message", ""),), "NO-SUCH-RULE"),
        ("refused", (), "NO-SUCH-RULE"),
    ],
)
def test_refusal_is_told_in_the_words_of_the_api_or_else_of_its_rule(target, data, refusal):
    assert outlook._refusal(make_record(1, target=target, rule="NO-SUCH-RULE", data=data)) == refusal
