"""Predictions: a question is sent without its answer, and what is graded as right is what the run then does."""

import pytest
from django.urls import reverse
from django.utils import timezone

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.replay import replay
from simulator.models import Run
from simulator.runs.log.history import commands_of
from simulator.runs.services.commands import command_submit
from simulator.web.run import predict
from tests.factories import OWNER, STRANGER, make_content, make_run, pod_json
from tests.web.helpers import play, sign_in_as_owner

pytestmark = pytest.mark.django_db
CRASHING = ("sh", "-c", "sleep 20; exit 3")
QUIET = ("sleep", "infinity")
POD = "pod/default/web"


def paused(until_ms, *manifests):
    """A run of the owner paused at a moment."""
    run = play(make_run(content=make_content(*(manifests or (pod_json(command=CRASHING),)))), until_ms)
    Run.objects.filter(id=run.id).update(is_paused=True, base_ms=until_ms, base_at=timezone.now())
    run.refresh_from_db()
    return run


@pytest.fixture
def run():
    return paused(15_000)


@pytest.fixture
def owner(client):
    sign_in_as_owner(client)
    return client


def address(run):
    return reverse("sim:run-predict", args=[run.id])


def asked(client, run, turn=0, **more):
    return client.get(address(run), {"turn": turn, **more}).json()


def answered(client, run, question, choice):
    fields = {name: question[name] for name in ("kind", "sel", "at_ms", "given")}
    return client.post(address(run), {**fields, "choice": choice})


def happened(run, until_ms):
    """The records of the run as it goes on by itself."""
    records = []
    replay(run.header(), commands_of(run), until_ms=until_ms, into=records)
    return records


@pytest.mark.parametrize(
    ("turn", "kind", "truth"),
    [(0, "word", "Error"), (1, "when", "1"), (2, "exit", "3"), (3, "restarts", "2")],
)
def test_each_question_has_its_answer_among_several(owner, run, turn, kind, truth):
    question = asked(owner, run, turn)
    values = [choice["value"] for choice in question["choices"]]
    assert (question["kind"], question["sel"]) == (kind, POD)
    assert truth in values and len(set(values)) == len(values) == 4


def test_questions_take_turns(owner, run):
    assert [asked(owner, run, turn)["kind"] for turn in range(5)] == ["word", "when", "exit", "restarts", "word"]


@pytest.mark.parametrize("turn", range(4))
def test_exactly_one_answer_is_right_and_it_is_what_the_run_records(owner, run, turn):
    question = asked(owner, run, turn)
    graded = {choice["value"]: answered(owner, run, question, choice["value"]).json() for choice in question["choices"]}
    (right,) = (value for value, found in graded.items() if found["right"])
    found = graded[right]
    record = happened(run, found["at_ms"])[found["seq"] - 1]
    assert found["truth"] == right
    assert record.at_ms <= found["at_ms"]
    shown = {"word": record.target, "when": "1", "exit": str(record.get("exit_code")), "restarts": "2"}
    assert right == shown[question["kind"]]


def test_question_does_not_tell_its_answer(owner, run):
    known = set(asked(owner, run))
    assert known == {"kind", "sel", "at_ms", "after", "given", "question", "choices"}


def test_same_moment_gives_the_same_question(owner, run):
    assert asked(owner, run) == asked(owner, run)


def test_asking_and_answering_changes_nothing(owner, run):
    answered(owner, run, asked(owner, run), "Error")
    after = Run.objects.get(id=run.id)
    assert (after.head_seq, after.base_ms, after.commands.count(), Run.objects.count()) == (run.head_seq, run.base_ms, 0, 1)


def test_prediction_is_void_where_somebody_has_acted(owner, run):
    question = asked(owner, run)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="12345678")
    assert "acted" in answered(owner, run, question, "Error").json()["void"]


def test_prediction_is_void_where_the_run_has_gone_on(owner, run):
    question = asked(owner, run)
    Run.objects.filter(id=run.id).update(base_ms=15_001)
    assert "moved on" in answered(owner, run, question, "Error").json()["void"]


def test_prediction_about_a_pod_that_nothing_happens_to_is_void(owner, run):
    question = {**asked(owner, run), "sel": "pod/default/other"}
    assert "could not be computed" in answered(owner, run, question, "Error").json()["void"]


def test_selected_pod_is_asked_about(owner):
    run = paused(15_000, pod_json(command=CRASHING), pod_json("late", command=("sh", "-c", "sleep 25; exit 0")))
    assert asked(owner, run)["sel"] == POD
    assert asked(owner, run, sel="container/default/late/app")["sel"] == "pod/default/late"


def test_pod_that_changes_first_is_asked_about_where_the_selected_one_does_not(owner):
    run = paused(15_000, pod_json(command=CRASHING), pod_json("quiet", command=QUIET))
    assert asked(owner, run, sel="pod/default/quiet")["sel"] == POD


def test_pod_that_is_deleted_may_be_gone_next(owner):
    run = paused(15_000, pod_json(command=QUIET))
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web", grace_s=1), client_key="12345678")
    play(run, 15_500)
    Run.objects.filter(id=run.id).update(base_ms=15_500)
    question = asked(owner, run)
    assert "It is now Terminating." in question["question"]
    assert {"value": "-", "label": "nothing: the pod is gone"} in question["choices"]


def test_nothing_to_come_is_said(owner):
    found = asked(owner, paused(15_000, pod_json(command=QUIET)))
    assert set(found) == {"nothing"} and "next hour" in found["nothing"]


def test_act_on_its_way_is_waited_for(owner, run):
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="12345678")
    assert "in progress" in asked(owner, run)["nothing"]


def test_run_that_has_ended_asks_nothing(owner, run):
    Run.objects.filter(id=run.id).update(state=Run.State.LIMIT)
    assert "ended" in asked(owner, run)["nothing"]


def test_run_of_another_revision_asks_nothing(owner, run):
    Run.objects.filter(id=run.id).update(revision=run.revision - 1)
    assert "revision" in asked(owner, run)["nothing"]


@pytest.mark.parametrize(("changed", "word"), [({"revision": 1}, "revision"), ({"state": Run.State.LIMIT}, "ended")])
def test_prediction_is_void_where_none_would_be_asked_for(owner, run, changed, word):
    question = asked(owner, run)
    Run.objects.filter(id=run.id).update(**changed)
    assert word in answered(owner, run, question, question["choices"][0]["value"]).json()["void"]


def test_who_does_not_own_the_run_is_told_so(client, owner, run):
    question = asked(owner, run)
    sign_in_as_owner(client, STRANGER)
    refused = client.get(address(run), headers={"Accept": "application/json"})
    assert refused.status_code == 422 and "owner" in refused.json()["text"]
    assert answered(client, run, question, "Error").status_code == 422


@pytest.mark.parametrize("wrong", [{"kind": "colour"}, {"at_ms": -1}, {"given": "many"}, {"choice": ""}])
def test_invalid_answer_is_refused(owner, run, wrong):
    question = asked(owner, run)
    fields = {name: question[name] for name in ("kind", "sel", "at_ms", "given")} | {"choice": "Error"} | wrong
    assert owner.post(address(run), fields).status_code == 400


def test_answer_that_was_not_offered_is_refused(owner, run):
    assert answered(owner, run, asked(owner, run), "Dancing").status_code == 400


def test_word_that_a_pod_cannot_print_is_not_offered(owner):
    run = paused(15_000, pod_json(command=CRASHING, restartPolicy="Never"))
    assert "CrashLoopBackOff" not in [choice["value"] for choice in asked(owner, run)["choices"]]
    assert "restarts" not in [asked(owner, run, turn)["kind"] for turn in range(3)]


def _acts_at_the_look(monkeypatch, run):
    """Somebody acts while the view looks ahead."""
    looked = predict._looked

    def later(*args):
        found = looked(*args)
        command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="meanwhile")
        return found

    monkeypatch.setattr(predict, "_looked", later)


def test_prediction_is_void_when_somebody_acts_while_the_question_is_made(owner, run, monkeypatch):
    with monkeypatch.context() as patch:
        _acts_at_the_look(patch, run)
        question = asked(owner, run)
    play(run, 15_000)
    assert "acted" in answered(owner, run, question, "Error").json()["void"]


def test_prediction_is_void_when_somebody_acts_while_the_answer_is_graded(owner, run, monkeypatch):
    question = asked(owner, run)
    _acts_at_the_look(monkeypatch, run)
    assert "acted" in answered(owner, run, question, "Error").json()["void"]
