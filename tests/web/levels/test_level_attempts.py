"""The requests of a level attempt's page."""

import json
import re

import pytest
from django.urls import reverse

from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.delete import DeletePod
from simulator.levels.shared_plays import SHARED_PLAYS
from simulator.models import LevelAttempt, Run
from simulator.runs.log import timemachine
from simulator.runs.services.commands import command_submit
from simulator.runs.services.levels import level_share
from simulator.web.levels import level_attempts
from simulator.web.run.level_card import act_body, level_card
from tests.factories import OWNER, make_run
from tests.web.helpers import play, sign_in_as_owner

pytestmark = pytest.mark.django_db(transaction=True)

LEVEL = """
title = "Let it finish"
story = "sixty-fifty-five-ten"
horizon = "120s"
seeds = [42, 7]
brief = ["The shop needs ten seconds."]
debrief = "The hook draws on the same budget."

[[check]]
id = "gone"
text = "The pod is gone."
eventually = { machine = "object", subject = "pod/default/shop", target = "gone" }

[[check]]
id = "not-cut"
text = "Nobody sends KILL."
reason = "Secret reason."
never = { machine = "stop", subject = "container/default/shop/*", target = "killed" }

[[ask]]
id = "first"
at = "12s"
question = "What comes first?"
within = "90s"
choices = [
  { text = "TERM", comes = { machine = "stop", target = "term" } },
  { text = "Something else", comes = { machine = "stop", target = "killed" }, why = "Secret why." },
  { text = "Neither" },
]

[[ask]]
id = "when"
at = "12s"
question = "When is TERM sent?"
within = "90s"
place = { machine = "stop", target = "term" }
tolerance = "2s"

[[hint]]
text = "Look at the ledger."
check = "gone"

[[hint]]
text = "Secret hint: give it seventy seconds."

[[solution]]
name = "grace seventy"
expect = "pass"
why = "Secret explanation."
acts = [{ at = "10s", do = "delete_pod", target = "default/shop", grace_s = 70 }]

[[solution]]
name = "secret wrong way"
expect = "fail"
fails = ["not-cut"]
acts = [{ at = "10s", do = "delete_pod", target = "default/shop" }]
"""


@pytest.fixture
def begun(client):
    """A run of the level, paused at its beginning, and its owner's browser."""
    return begin(client, LEVEL)


@pytest.fixture
def waiting(client):
    """A run of the same level, whose last hint waits until the pod is being stopped."""
    text = LEVEL.replace('give it seventy seconds."', 'give it seventy seconds."\nwhen = { machine = "stop" }')
    return begin(client, text)


def begin(client, text):
    level = level_share(text=text, title="Let it finish")
    sign_in_as_owner(client)
    answer = client.post(reverse("sim:own-level-run", args=[level.id]))
    return Run.objects.get(id=answer["location"].split("/")[2])


def asked(client, run, what, *more, **fields):
    answer = client.post(reverse(f"sim:level-{what}", args=[run.id, *more]), fields, headers={"HX-Request": "true"})
    return json.loads(answer.content)


def delete(run, grace_s):
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/shop", grace_s=grace_s), client_key="k")
    return play(run, 15_000)


def test_level_begins_paused_at_its_first_seed(begun):
    assert (begun.is_paused, begun.head_ms, begun.header().seed) == (True, 0, 42)


def test_right_attempt_passes_at_every_seed_and_gets_the_debrief(client, begun):
    told = asked(client, delete(play(begun, 10_000), 70), "check")
    assert (told["passed"], [seed["seed"] for seed in told["seeds"]], told["debrief"]) == (
        True,
        [42, 7],
        ["The hook draws on the same budget."],
    )
    assert (told["next"], told["more"]) == (None, "/levels/")  # it is a user's own level


def test_wrong_attempt_names_the_record_and_the_instant(client, begun):
    told = asked(client, delete(play(begun, 10_000), None), "check")
    check = next(check for check in told["checks"] if check["id"] == "not-cut")
    assert (told["passed"], check["verdict"], check["at_ms"], "KILL" in check["reason"]) == (False, "broken", 70_010, True)
    assert "debrief" not in told


def test_attempt_is_kept_with_what_failed_first(client, begun):
    asked(client, delete(play(begun, 10_000), None), "check", hints="1")
    kept = LevelAttempt.objects.get()
    assert (kept.passed, kept.failed, kept.acts, kept.hints, kept.points, kept.points_max) == (False, "not-cut", 1, 1, 1, 2)
    assert {name for check in json.loads(kept.results_body)["checks"] for name in check} == {"id", "verdict", "subject"}


@pytest.mark.parametrize("grace_s", [70, None])
def test_check_that_goes_on_from_the_run_says_what_one_says_that_plays_it(client, begun, monkeypatch, grace_s):
    run = delete(play(begun, 10_000), grace_s)
    gone_on, course_from = [], timemachine.course_from
    monkeypatch.setattr(timemachine, "course_from", lambda *args, **more: gone_on.append(args) or course_from(*args, **more))
    SHARED_PLAYS.clear()
    told = asked(client, run, "check")
    SHARED_PLAYS.clear()
    monkeypatch.setattr(level_attempts, "_lived", lambda run, level: None)
    assert (asked(client, run, "check"), len(gone_on)) == (told, 1)


def test_act_that_was_not_needed_is_named(client, begun):
    run = play(begun, 5_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/nobody"), client_key="j")
    told = asked(client, delete(play(run, 10_000), 70), "check")
    assert (told["acts"], told["best"], told["unneeded"]) == (2, 1, ["Delete default/nobody"])


def test_hints_come_one_at_a_time_and_end(client, begun):
    one = asked(client, begun, "hint", given="")
    other = asked(client, begun, "hint", given="0")
    assert (one["text"], other["n"], "nothing" in asked(client, begun, "hint", given="0,1")) == ("Look at the ledger.", 1, True)


def test_hint_that_is_asked_for_too_early_says_so(client, waiting):
    told = asked(client, waiting, "hint", given="0")["nothing"]
    assert told == "No hint applies to what has happened so far. Let the run continue, then ask again."


def test_hint_about_a_check_that_holds_is_not_given(client, begun):
    run = play(delete(play(begun, 10_000), 70), 120_000)
    assert asked(client, run, "hint", given="")["n"] == 1


def test_another_attempt_is_a_branch_without_the_acts_of_this_one(client, begun):
    command_submit(run=begun, owner_key=OWNER, command=DeletePod(target="default/shop"), client_key="k")
    play(begun, 2_000)
    url = asked(client, begun, "again")["url"]
    branch = Run.objects.get(id=url.split("/")[2])
    assert (branch.parent, branch.commands.count(), branch.level, branch.is_paused) == (begun, 0, begun.level, True)


def test_solution_is_a_branch_that_explains_its_acts(client, begun):
    url = asked(client, begun, "solution")["url"]
    page = client.get(url).content.decode()
    assert "Secret explanation." in page and "0:10.0" in page


@pytest.mark.parametrize(
    ("command", "body"),
    [
        (ExecInContainer(target="default/shop", command=("touch", "/srv/it is open")), "touch '/srv/it is open'"),
        (PatchObject(kind="Pod", name="shop", patch='{"spec":{"activeDeadlineSeconds":5}}'), "spec:\n  activeDeadlineSeconds: 5"),
        (ApplyManifest(documents=('{"kind":"Pod"}', '{"kind":"Service"}')), "kind: Pod\n---\nkind: Service"),
        (PatchObject(kind="Pod", name="shop", patch="no json"), ""),
        (PatchObject(kind="Pod", name="shop", patch='{"a":' * 200 + "1" + "}" * 200), ""),
        (DeletePod(target="default/shop"), ""),
    ],
)
def test_act_of_a_solution_shows_what_its_words_leave_out(command, body):
    assert act_body(command) == body


def test_attempt_after_a_solution_that_was_shown_is_called_after_the_level(client, begun):
    shown = Run.objects.get(id=asked(client, begun, "solution")["url"].split("/")[2])
    again = Run.objects.get(id=asked(client, shown, "again")["url"].split("/")[2])
    assert (shown.title, again.title) == ("Solution: grace seventy", "Let it finish")


def test_another_attempt_can_be_compared_with_the_one_before(client, begun):
    again = asked(client, begun, "again")["url"]
    pages = [client.get(url).content.decode() for url in (reverse("sim:run", args=[begun.id]), again)]
    compared = f"/r/{begun.id}/compare/"
    assert [compared in page.split('data-level="')[1].split('"')[0] for page in pages] == [False, True]


def compared(client, one, other):
    """The names of both sides, and where the page links back to."""
    page = client.get(reverse("sim:run-compare", args=[one.id, other.id])).content.decode()
    back = re.search(r'href="([^"]+)">Back to the level<', page)
    return re.findall(r'<a href="/r/[^"]+" title="([^"]+)">', page), back and back[1]


def test_attempts_side_by_side_are_called_by_their_numbers_and_lead_back_to_the_later_one(client, begun):
    solution = Run.objects.get(id=asked(client, begun, "solution")["url"].split("/")[2])
    again = Run.objects.get(id=asked(client, begun, "again")["url"].split("/")[2])
    assert compared(client, begun, again) == (["Attempt 1", "Attempt 2"], f"/r/{again.id}/")
    assert compared(client, again, begun) == (["Attempt 2", "Attempt 1"], f"/r/{again.id}/")
    assert compared(client, solution, again)[0] == ["Solution: grace seventy", "Attempt 2"]


def test_branches_of_a_level_are_called_by_the_numbers_of_their_attempts(client, begun):
    solution = Run.objects.get(id=asked(client, begun, "solution")["url"].split("/")[2])
    asked(client, begun, "again")
    page = client.get(reverse("sim:run", args=[solution.id])).content.decode()
    names = re.findall(r'<li data-depth="\d"><a href="/r/[^>]+>([^<]+)</a>', page)
    assert sorted(names) == ["Attempt 1", "Attempt 2", "Solution: grace seventy"]


def test_solution_that_was_shown_in_another_language_is_not_an_attempt(client, begun):
    asked(client, begun, "solution")
    Run.objects.filter(parent=begun).update(title="解法：grace seventy")
    again = Run.objects.get(id=asked(client, begun, "again")["url"].split("/")[2])
    assert compared(client, begun, again)[0] == ["Attempt 1", "Attempt 2"]


def test_attempts_of_two_trees_are_not_called_by_their_numbers(client, begun):
    answer = client.post(reverse("sim:own-level-run", args=[begun.level.removeprefix("~")]))
    other = Run.objects.get(id=answer["location"].split("/")[2])
    names, back = compared(client, begun, other)
    assert (all("Attempt" in name for name in names), back) == (False, None)


def test_page_of_an_attempt_leads_back_to_the_levels(client, begun):
    page = client.get(reverse("sim:run", args=[begun.id])).content.decode()
    nav = re.search(r'<nav aria-label="Main">(.*?)</nav>', page, re.DOTALL)[1]
    assert 'href="/levels/"' in nav


@pytest.mark.parametrize(("given", "right"), [({"choice": "0"}, True), ({"choice": "1"}, False), ({"choice": "2"}, False)])
def test_prediction_is_judged_by_what_the_engine_does(client, begun, given, right):
    told = asked(client, delete(play(begun, 10_000), None), "ask", "first", **given)
    assert (told["right"], told["truth"], told["at_ms"]) == (right, 0, 65_010)


@pytest.mark.parametrize(("given", "right"), [({"at_ms": "66500"}, True), ({"at_ms": "60000"}, False), ({"nothing": "1"}, False)])
def test_flag_is_right_near_enough(client, begun, given, right):
    assert asked(client, delete(play(begun, 10_000), None), "ask", "when", **given)["right"] is right


def test_prediction_of_a_run_in_which_nothing_of_it_happens(client, begun):
    told = asked(client, play(begun, 15_000), "ask", "first", choice="2")
    assert (told["right"], told["seq"]) == (True, 0)


def test_exam_asks_no_predictions(client, begun):
    assert json.loads(level_card(begun, is_owner=True).facts_json)["asks"]
    Run.objects.filter(id=begun.id).update(level="exam:" + begun.level)
    begun.refresh_from_db()
    assert json.loads(level_card(begun, is_owner=True).facts_json)["asks"] == []
    assert "truth" not in asked(client, begun, "ask", "first", choice="0")


def test_acts_are_counted_while_the_attempt_goes_on(client, begun):
    def counted():
        return client.get(reverse("sim:level-used", args=[begun.id])).json()["acts"]

    assert counted() == 0
    run = delete(play(begun, 10_000), 70)
    assert (counted(), json.loads(level_card(run, is_owner=True).facts_json)["acts"]) == (1, 1)


def test_run_that_is_not_an_attempt_has_no_acts_to_count(client):
    assert client.get(reverse("sim:level-used", args=[make_run().id])).status_code == 404


def test_only_the_owner_is_answered(client, begun):
    client.cookies.clear()
    assert "error" in asked(client, begun, "check")


def test_nothing_that_the_page_sends_holds_solutions_or_answers(client, begun):
    run = delete(play(begun, 10_000), None)
    level_id = run.level[1:]
    texts = [
        client.get(reverse("sim:own-level", args=[level_id])).content.decode(),
        client.get(reverse("sim:run", args=[run.id])).content.decode(),
        client.get(reverse("sim:run-records", args=[run.id])).content.decode(),
        client.get(reverse("sim:run-file", args=[run.id])).content.decode(),
        json.dumps(asked(client, run, "check")),
        json.dumps(asked(client, run, "hint", given="")),
    ]
    found = [
        secret
        for text in texts
        for secret in re.findall("Secret (?!reason)[a-z]+|secret wrong|grace seventy|comes&quot;|The hook draws", text)
    ]
    assert found == []


def test_run_that_is_not_an_attempt_has_nothing_to_check(client):
    sign_in_as_owner(client)
    assert "error" in asked(client, make_run(), "check")


VACUOUS = """
title = "After a delete"
story = "sixty-fifty-five-ten"
horizon = "20s"

[[check]]
id = "calm"
text = "Nothing is killed after the delete."
never = { machine = "stop", target = "killed" }
after = { kind = "command", data = { do = "delete_pod" } }
"""


def test_check_of_which_nothing_happened_has_no_instant_to_go_to(client):
    level = level_share(text=VACUOUS, title="After a delete")
    sign_in_as_owner(client)
    answer = client.post(reverse("sim:own-level-run", args=[level.id]))
    run = Run.objects.get(id=answer["location"].split("/")[2])
    check = asked(client, run, "check")["checks"][0]
    assert (check["verdict"], check["at_ms"], check["reason"]) == ("vacuous", None, "Nothing that this check is about happened.")


DEPLOYED = """
title = "Two pods"
horizon = "20s"
manifests = '''
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: busybox}]}
'''

[[check]]
id = "calm"
text = "Nothing is killed."
never = { machine = "stop", target = "killed" }
"""


def test_attempt_opens_where_its_first_pods_are_and_so_does_another_one(client):
    level = level_share(text=DEPLOYED, title="Two pods")
    sign_in_as_owner(client)
    answer = client.post(reverse("sim:own-level-run", args=[level.id]))
    run = Run.objects.get(id=answer["location"].split("/")[2])
    again = Run.objects.get(id=asked(client, run, "again")["url"].split("/")[2])
    assert [(each.base_ms, each.is_paused) for each in (run, again)] == [(20, True), (20, True)]
    assert again.parent_ms == 0


@pytest.mark.parametrize(
    ("prefix", "is_owner", "helped"),
    [("", True, (True, True)), ("", False, (True, False)), ("exam:", True, (False, False)), ("alone:", True, (False, False))],
)
def test_solution_is_offered_to_the_owner_of_an_attempt_with_help(prefix, is_owner, helped):
    run = make_run(level=f"{prefix}~{level_share(text=LEVEL, title='Let it finish').id}")
    card = level_card(run, is_owner=is_owner)
    assert (card.has_hints, card.has_solution, card.is_exam) == (*helped, prefix == "exam:")
