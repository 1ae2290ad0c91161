"""Writing a level on the page."""

import re
from html import unescape

import pytest
from django.urls import reverse

from simulator.engine.acts.pods.delete import DeletePod
from simulator.levels.reading import read_level, toml_of
from simulator.levels.writing import inline_toml
from simulator.models import Run, SharedLevel
from simulator.runs.log import timemachine
from simulator.runs.services.commands import command_submit
from simulator.runs.services.runs import run_branch
from simulator.runs.services.shares import share_create
from tests.factories import OWNER, STRANGER, make_run
from tests.scenarios.level_texts import FULL_LEVEL
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db(transaction=True)

LEVEL = """
# A comment that stays.
title = "Let it finish"
story = "sixty-fifty-five-ten"
horizon = "120s"
seeds = [42, 7]

[[check]]
id = "gone"
eventually = { machine = "object", subject = "pod/default/shop", target = "gone" }

[[check]]
id = "not-cut"
never = { machine = "stop", subject = "container/default/shop/*", target = "killed" }

[[solution]]
name = "grace seventy"
expect = "pass"
acts = [{ at = "10s", do = "delete_pod", target = "default/shop", grace_s = 70 }]
"""

NEVER = '[[check]]\nid = "idle"\nnever = { machine = "nonsense" }\n'


def send(client, do, *, url=None, **fields):
    return client.post(url or reverse("sim:level-new"), {"do": do, **fields})


def send_text(client, do, text=LEVEL, **fields):
    return send(client, do, mode="text", text=text, **fields)


def fields_of(page):
    """The form's fields, as a browser would submit them."""
    html = text_of(page)
    found = {
        name: unescape(value)
        for name, value in re.findall(r'<input class="[^"]*" id="[^"]*" name="([^"]+)"(?: [a-z]+="[^"]*")*? value="([^"]*)"', html)
    }
    found |= {
        name: unescape(value)
        for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', html)
        if name != "csrfmiddlewaretoken"
    }
    found |= {name: unescape(value) for name, value in re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>\n([^<]*)</textarea>', html)}
    for name, inner in re.findall(r'<select[^>]* name="([^"]+)">(.*?)</select>', html):
        chosen = re.search(r'value="([^"]*)" selected', inner) or re.search(r'value="([^"]*)"', inner)
        found[name] = chosen[1]
    return found


@pytest.fixture
def run(client):
    """A run of a pod that was deleted by its owner, with a branch in which it was deleted with no grace period."""
    sign_in_as_owner(client)
    run = play(make_run(), 5_000)
    branch = run_branch(parent=run, owner_key=OWNER, at_ms=5_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="a")
    command_submit(run=branch, owner_key=OWNER, command=DeletePod(target="default/web", grace_s=1), client_key="b")
    play(branch, 60_000)
    return play(run, 60_000)


def test_empty_form_is_shown(client):
    assert client.get(reverse("sim:level-new")).status_code == 200


def test_trial_shows_every_play_and_what_is_wrong_with_the_level(client):
    page = text_of(send_text(client, "try"))
    assert page.count('<th scope="row">') == 4 and "The level has fewer than two wrong solutions: add" in page and "Doing nothing" in page


def test_check_that_nobody_can_fail_is_reported(client):
    page = text_of(send_text(client, "try", LEVEL + '[[check]]\nid = "idle"\nnever = { machine = "nonsense" }\n'))
    assert "Every attempt passes the check idle: " in page


def test_advice_names_the_checks_that_every_attempt_keeps_and_no_other(client):
    page = text_of(send_text(client, "try", LEVEL + '[[check]]\nid = "idle"\nnever = { machine = "nonsense" }\n'))
    assert re.findall(r"Every attempt passes the check ([\w-]+)", page) == ["not-cut", "idle"]


def test_solution_that_fails_is_a_problem(client):
    page = text_of(send_text(client, "try", LEVEL.replace("grace_s = 70", "grace_s = 1")))
    assert "The correct solution “grace seventy” fails not-cut (seed 42): fix" in page


def test_level_that_doing_nothing_passes_says_what_to_do(client):
    page = text_of(send_text(client, "try", LEVEL[: LEVEL.index("[[check]]")] + NEVER))
    assert "Doing nothing passes (seed 42): add a check that fails without an action." in page


def test_level_that_asks_for_too_much_is_stopped(client, monkeypatch):
    monkeypatch.setattr("simulator.web.levels.level_editor.TRIAL_WORK", 50)
    assert "takes too long" in text_of(send_text(client, "try"))


def test_shared_level_can_be_begun_by_somebody_else_who_never_sees_its_file(client):
    sign_in_as_owner(client)
    answer = send_text(client, "share")
    level = SharedLevel.objects.get()
    assert (answer["location"], level.body) == (f"/l/{level.id}/", LEVEL)
    sign_in_as_owner(client, STRANGER)
    begun = client.post(reverse("sim:own-level-run", args=[level.id]))
    assert Run.objects.get(id=begun["location"].split("/")[2]).level == f"~{level.id}"
    for name in ("own-level-file", "own-level-edit"):
        refused = client.get(reverse(f"sim:{name}", args=[level.id]))
        assert (refused.status_code, "grace" in text_of(refused)) == (403, False)


def test_own_level_comes_back_as_it_was_typed(client):
    sign_in_as_owner(client)
    send_text(client, "share")
    level = SharedLevel.objects.get()
    assert client.get(reverse("sim:own-level-file", args=[level.id])).content.decode() == LEVEL
    assert "grace seventy" in text_of(client.get(reverse("sim:own-level-edit", args=[level.id])))


def test_level_in_the_form_is_the_one_of_the_text(client):
    form = send_text(client, "form", FULL_LEVEL)
    text = send(client, "text", **fields_of(form))
    back = read_level(fields_of(text)["text"])
    assert (back.checks, back.solutions, back.asks) == (lambda level: (level.checks, level.solutions, level.asks))(read_level(FULL_LEVEL))


@pytest.mark.parametrize("do", ["try", "share", "file"])
def test_problem_names_its_place_and_nothing_typed_is_lost(client, do):
    answer = send_text(client, do, LEVEL.replace('id = "gone"', 'id = "Gone!"'))
    page = text_of(answer)
    assert answer.status_code == 422 and "check[0].id" in page and "# A comment that stays." in page and "Gone!" in page


def test_fields_that_are_not_toml_stay_as_they_were_typed(client):
    answer = send(client, "try", mode="form", title="t", **{"check-0-id": "a", "check-0-word": "never", "check-0-what": "<b>nonsense"})
    page = text_of(answer)
    assert answer.status_code == 422 and "check[0].what" in page and "&lt;b&gt;nonsense" in page


def test_rows_are_added_and_removed(client):
    added = fields_of(send(client, "add:check", mode="form", title="t"))
    assert added["check-0-word"] == "eventually"
    assert "check-0-word" not in fields_of(send(client, "drop:check-0", **added))


def test_level_of_a_run_begins_as_it_did_and_has_its_acts_as_solutions(client, run):
    fields = fields_of(client.get(reverse("sim:run-level-new", args=[run.id])))
    assert "delete_pod" in fields["solution-0-acts"] and fields["solution-0-expect"] == "pass"
    assert "grace_s = 1" in fields["solution-1-acts"] and fields["solution-1-expect"] == "fail"
    assert '"until_ms"' not in fields["scenario"]


def test_level_of_a_run_without_acts_has_no_empty_list_of_solutions(client):
    sign_in_as_owner(client)
    idle = play(make_run(), 5_000)
    assert "solution = []" not in text_of(client.get(reverse("sim:run-level-new", args=[idle.id])))


def test_level_of_a_moment_begins_there_with_what_came_after(client, run):
    fields = fields_of(client.get(reverse("sim:run-level-new", args=[run.id]) + "?t=20"))
    assert '"until_ms":20000' in fields["scenario"] and '"delete_pod"' in fields["scenario"]
    assert "solution-0-acts" not in fields


def test_level_begins_at_the_moment_of_the_page_that_led_to_it(client, run):
    came_from = f"http://testserver/r/{run.id}/?t=20&sel=pod"
    page = client.get(reverse("sim:run-level-new", args=[run.id]), headers={"Referer": came_from})
    assert fields_of(page)["t"] == "20.0"


@pytest.mark.parametrize("came_from", ["http://testserver/levels/?t=20", "http://[", "x" * 9000, "http://testserver/r/x/?t=nonsense"])
def test_level_begins_at_the_beginning_where_no_page_names_a_moment(client, run, came_from):
    page = client.get(reverse("sim:run-level-new", args=[run.id]), headers={"Referer": came_from})
    assert (page.status_code, fields_of(page)["t"]) == (200, "0.0")


def test_start_is_moved_and_checks_stay(client, run):
    url = reverse("sim:run-level-new", args=[run.id])
    added = send(client, "add:check", url=url, **fields_of(client.get(url)))
    fields = fields_of(send(client, "start", url=url, **{**fields_of(added), "t": "3"}))
    assert '"until_ms":3000' in fields["scenario"] and fields["check-0-id"] == "check-1" and "delete_pod" in fields["solution-0-acts"]


def test_records_of_the_run_become_checks_and_the_level_keeps_its_promise(client, run):
    url = reverse("sim:run-level-new", args=[run.id])
    page = client.get(url)
    seqs = {text: seq for seq, text in re.findall(r'id="record-(\d+)"[^>]*>([^<]+)<', text_of(page))}
    gone = next(seq for text, seq in seqs.items() if "removed pod" in text)
    term = next(seq for text, seq in seqs.items() if "TERM" in text)
    killed = next(seq for text, seq in seqs.items() if "KILL" in text)
    for do in (f"must:{gone}", f"never:{killed}", f"first:{term}", f"within:{gone}", f"first:{term}", f"before:{gone}"):
        page = send(client, do, url=url, **{**fields_of(page), "seconds": "35"})
        assert page.status_code == 200
    fields = fields_of(page)
    assert [fields[f"check-{n}-word"] for n in range(4)] == ["eventually", "never", "eventually", "order"]
    assert 'subject = "pod/default/web#*"' in fields["check-0-what"] and fields["check-2-within"] == "35s"


def test_scripts_in_texts_stay_texts(client):
    sign_in_as_owner(client)
    bad = LEVEL.replace("Let it finish", "<script>alert(1)</script>").replace(
        'id = "gone"', 'id = "gone"\ntext = "<img src=x onerror=alert(1)>"'
    )
    level_id = send_text(client, "share", bad)["location"].split("/")[2]
    pages = text_of(client.get(f"/l/{level_id}/")) + text_of(send_text(client, "try", bad))
    assert "<script>alert" not in pages and "<img src=x" not in pages


def test_address_that_shares_too_much_is_refused_and_nothing_typed_is_lost(client, monkeypatch):
    monkeypatch.setattr("simulator.runs.services.levels.PER_ADDRESS_MAX", 1)
    send_text(client, "share")
    assert send_text(client, "share").status_code == 302  # the same text makes no other level
    answer = send_text(client, "share", LEVEL.replace("120s", "121s"))
    assert (answer.status_code, SharedLevel.objects.count()) == (422, 1) and "121s" in text_of(answer)


def seq_of(run, machine, target):
    return next(
        record.seq for record in timemachine.log(run, after=0, limit=run.head_seq) if (record.machine, record.target) == (machine, target)
    )


def pick(client, run, **query):
    return client.get(reverse("sim:level-pick", args=[run.id]), query)


def test_pick_of_the_lanes_is_the_check_that_the_form_makes(client, run):
    gone, url = seq_of(run, "object", "gone"), reverse("sim:run-level-new", args=[run.id])
    fields = fields_of(send(client, f"must:{gone}", url=url, **fields_of(client.get(url))))
    facts = pick(client, run, do="must", seq=gone).json()
    (row,) = toml_of(facts["toml"])["check"]
    assert (row["id"], row["text"], inline_toml(row["eventually"])) == (
        fields["check-0-id"],
        fields["check-0-text"],
        fields["check-0-what"],
    )


def test_record_that_is_pointed_at_is_told_in_words(client, run):
    facts = pick(client, run, seq=seq_of(run, "container", "running")).json()
    assert facts["is_state"] and "started" in facts["text"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"do": "holds", "from_ms": 9000, "until_ms": 2000}, 422),
        ({"do": "within", "then": 1}, 422),
        ({"do": "nonsense"}, 404),
        ({"do": "before"}, 404),
    ],
)
def test_pick_that_makes_no_check_is_refused_with_a_message(client, run, query, status):
    answer = pick(client, run, seq=seq_of(run, "container", "running"), **query)
    assert answer.status_code == status and answer.json()["error"]


def test_instant_cannot_last(client, run):
    event = next(record.seq for record in timemachine.log(run, after=0, limit=run.head_seq) if record.kind == "event")
    assert pick(client, run, do="holds", seq=event, from_ms=1, until_ms=2).status_code == 422


def test_picks_of_the_lanes_come_into_a_level_of_the_run_that_keeps_its_promise(client, run):
    gone, term, running = seq_of(run, "object", "gone"), seq_of(run, "stop", "term"), seq_of(run, "container", "running")
    picked = [
        pick(client, run, do="must", seq=gone),
        pick(client, run, do="within", seq=term, then=gone, within_ms=35_500),
        pick(client, run, do="holds", seq=running, from_ms=3_000, until_ms=5_000),
        pick(client, run, do="must", seq=gone),
        pick(client, run, do="ask", seq=gone),
    ]
    url = reverse("sim:run-level-new", args=[run.id])
    page = client.post(url, {"do": "picks", "t": "0", "picks": "\n".join(answer.json()["toml"] for answer in picked)})
    fields = fields_of(page)
    assert [fields[f"check-{n}-id"] for n in range(4)] == ["object-gone", "object-gone-2", "container-running", "object-gone-3"]
    assert fields["check-1-within"] == "35.5s" and "delete_pod" in fields["solution-0-acts"] and fields["ask-0-question"]
    tried = text_of(send(client, "try", url=url, **fields))
    assert "As in the run" in tried and "container-running" in tried


def test_picks_come_behind_what_was_written_in_the_form_and_begin_with_the_level(client, run):
    url = reverse("sim:run-level-new", args=[run.id])
    fields = fields_of(client.get(url + "?t=3")) | {"brief": "Typed before."}
    toml = pick(client, run, do="must", seq=seq_of(run, "object", "gone")).json()["toml"]
    fields = fields_of(send(client, "picks", url=url, picks=toml, **fields))
    assert (fields["brief"], fields["t"]) == ("Typed before.", "3.0") and 'from = "3s"' in fields["check-0-more"]


def test_picks_come_behind_a_text_with_its_comments(client, run):
    toml = pick(client, run, do="never", seq=seq_of(run, "stop", "term")).json()["toml"]
    page = send_text(client, "picks", picks=toml, url=reverse("sim:run-level-new", args=[run.id]))
    text = fields_of(page)["text"]
    assert "# A comment that stays." in text and read_level(text).checks[-1].id == "stop-term"


@pytest.mark.parametrize("picks", ["check = 3", "[[check", "check = [1]", 'check = [{ id = "' + "x" * 500 + '" }]'])
def test_picks_that_are_none_leave_the_level_as_it_was(client, run, picks):
    page = client.post(reverse("sim:run-level-new", args=[run.id]), {"do": "picks", "picks": picks})
    assert page.status_code in (200, 422) and "delete_pod" in fields_of(page)["solution-0-acts"]


def test_level_of_a_shared_moment_begins_there(client, run):
    share = share_create(run=run)
    page = text_of(client.get(f"/s/{share.id}/?t=20"))
    url = unescape(re.search(r'href="([^"]+/level/new/[^"]*)"', page)[1])
    fields = fields_of(client.get(url))
    assert fields["t"] == "20.0" and '"until_ms":20000' in fields["scenario"]


def test_problem_of_a_text_leads_to_its_line(client):
    page = text_of(send_text(client, "try", LEVEL.replace('id = "gone"', 'id = "Gone!"')))
    assert 'data-line="9"' in page and "line 9" in page


@pytest.mark.parametrize(("brief", "shown"), [("", False), ("Shop is deleted.", True)])
def test_run_of_a_level_shows_a_brief_only_where_there_is_one(client, brief, shown):
    sign_in_as_owner(client)
    send_text(client, "share", LEVEL.replace("horizon =", f'brief = "{brief}"\nhorizon =') if brief else LEVEL)
    begun = client.post(reverse("sim:own-level-run", args=[SharedLevel.objects.get().id]))
    assert ("data-level-brief" in text_of(client.get(begun["Location"]))) is shown


IDLE = LEVEL[: LEVEL.index("[[check]]")] + NEVER


@pytest.mark.parametrize("text", [IDLE, LEVEL.replace("grace_s = 70", "grace_s = 1")], ids=["nothing passes", "solution fails"])
def test_level_with_problems_is_saved_only_by_a_second_press(client, text):
    sign_in_as_owner(client)
    asked = send_text(client, "share", text)
    page = text_of(asked)
    assert (asked.status_code, SharedLevel.objects.count()) == (200, 0)
    assert "Not saved yet" in page and 'value="share:anyway"' in page
    saved = send_text(client, "share:anyway", text, stamp=fields_of(asked)["stamp"])
    assert (saved.status_code, SharedLevel.objects.count()) == (302, 1)
    assert "This level has problems" in text_of(client.get(saved["Location"]))
    sign_in_as_owner(client, STRANGER)
    assert "This level has problems" not in text_of(client.get(saved["Location"]))


@pytest.mark.parametrize("stamp", ["", "nonsense", None], ids=["none", "forged", "of another text"])
def test_second_press_that_saw_no_trial_of_this_text_saves_nothing(client, stamp):
    known = fields_of(send_text(client, "try"))["stamp"] if stamp is None else stamp
    assert "Save it anyway" in text_of(send_text(client, "share:anyway", IDLE, stamp=known))
    assert not SharedLevel.objects.exists()


def test_level_that_was_tried_is_not_played_again_to_be_saved(client, monkeypatch):
    stamp = fields_of(send_text(client, "try"))["stamp"]
    monkeypatch.setattr("simulator.web.levels.level_editor.tried", lambda *_args, **_work: pytest.fail("played again"))
    assert send_text(client, "share", stamp=stamp).status_code == 302


def test_saved_level_has_its_link_to_copy(client):
    place = send_text(client, "share")["Location"]
    assert f'data-copy="http://testserver{place}"' in text_of(client.get(place))


def test_picked_check_says_what_its_pattern_says(client, run):
    published = seq_of(run, "container_status", "running")
    (row,) = toml_of(pick(client, run, do="must", seq=published).json()["toml"])["check"]
    assert row["text"] == "Container app is running."


def test_comments_survive_the_form(client):
    text = LEVEL + "# The last word.\n"
    form = fields_of(send_text(client, "form", text))
    assert fields_of(send(client, "text", **form))["text"] == text
    changed = fields_of(send(client, "text", **{**form, "title": "Let it go"}))["text"]
    assert changed == text.replace('title = "Let it finish"', 'title = "Let it go"')


def test_comments_of_a_shared_level_survive_its_form(client):
    sign_in_as_owner(client)
    url = send_text(client, "share:anyway").headers["Location"]
    assert "# A comment that stays." in fields_of(client.get(f"{url}edit/"))["text"]
