"""The class wall, the requests of pupils' pages, and the files of results."""

import csv
import io
import json
import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from django.utils import timezone

from simulator.levels import opening
from simulator.models import ClassAsk, ClassMember, Classroom, ClassStart, LevelAttempt, Run
from simulator.runs.log import storage
from simulator.runs.permissions import hash_address, hash_key
from simulator.runs.services.class_wall import ask_change, ask_put, class_start, member_join, vote_give
from simulator.runs.services.classrooms import classroom_lead, classroom_open
from simulator.runs.services.levels import level_share
from simulator.runs.turns.constants import PUPILS_APART_MS
from simulator.web.classes import members, tiles
from tests.factories import OWNER, make_run
from tests.web.helpers import play, sign_in_as_owner

pytestmark = pytest.mark.django_db(transaction=True)
LEVEL = """
title = "Let it finish"
story = "sixty-fifty-five-ten"
horizon = "120s"
brief = ["Ten seconds."]

[[check]]
id = "gone"
text = "The pod is gone."
eventually = { machine = "object", subject = "pod/default/shop", target = "gone" }

[[check]]
id = "not-cut"
text = "Nobody sends KILL."
never = { machine = "stop", subject = "container/default/shop/*", target = "killed" }

[[solution]]
name = "grace seventy"
expect = "pass"
acts = [{ at = "10s", do = "delete_pod", target = "default/shop", grace_s = 70 }]
"""


@pytest.fixture
def run():
    return play(make_run(), 5_000)


@pytest.fixture
def room(run):
    return classroom_open(owner_key=OWNER, address="school", path=f"/r/{run.id}/")


@pytest.fixture
def teacher(room):
    client = Client()
    sign_in_as_owner(client)
    return client


@pytest.fixture
def level():
    return level_share(text=LEVEL, title="Let it finish")


SCRIPT = {"HX-Request": "true", "Accept": "application/json"}


def pupil(room, name="Bo"):
    client = Client()
    sign_in_as_owner(client, name.lower())
    member_join(room=room, owner_key=name.lower(), name=name)
    return client


def attempt(run, *, failed="not-cut", passed=False):
    checks = [
        {"id": "gone", "verdict": "kept"},
        {"id": "not-cut", "verdict": "kept" if passed else "broken", "subject": "pod/default/shop"},
    ]
    return LevelAttempt.objects.create(
        run=run,
        level=run.level,
        passed=passed,
        failed="" if passed else failed,
        at_ms=None if passed else 4_000,
        points=1,
        points_max=2,
        results_body=json.dumps({"checks": checks}),
    )


def at_level(room, level, name):
    """A pupil in a run of the level."""
    client = pupil(room, name)
    run = play(make_run(owner_key=name.lower(), level=f"~{level.id}"), 5_000)
    ClassMember.objects.filter(owner_hash=hash_key(name.lower())).update(run=run)
    return client, run


def wall(teacher, room):
    return teacher.get(f"/class/{room.id}/wall/").content.decode()


def test_pupil_joins_by_code_and_name(room):
    client = Client()
    answer = client.post("/class/", {"code": room.id.upper(), "name": "Bo <b>"})
    assert (answer.status_code, ClassMember.objects.get().name) == (302, "Bo <b>")


def test_code_alone_joins_without_a_name(room):
    assert Client().post("/class/", {"code": room.id, "name": " "})["Location"] == f"/class/{room.id}/"
    assert not ClassMember.objects.exists()


def test_teacher_sees_who_is_there_and_nobody_else_does(teacher, room):
    pupil(room, "Bo<i>")
    assert "Bo&lt;i&gt;" in teacher.get("/class/", {"class": room.id}).content.decode()
    assert "Bo&lt;" not in Client().get("/class/").content.decode()


TEACHERS = ["wall/", "results.csv", "results.json"]


@pytest.mark.parametrize("path", TEACHERS)
def test_only_the_teacher_sees_the_wall_and_the_results(teacher, room, path):
    other = pupil(room)
    assert teacher.get(f"/class/{room.id}/{path}").status_code == 200
    assert [client.get(f"/class/{room.id}/{path}").status_code for client in (other, Client())] == [404, 404]


@pytest.mark.parametrize("path", ["start/", "back/", "ask/", "show/1/"])
def test_only_the_teacher_does_things_with_everybody(room, path):
    assert pupil(room).post(f"/class/{room.id}/wall/{path}").status_code == 404


def test_everybody_gets_a_run_of_their_own_from_the_teachers_moment(teacher, room, run):
    first, second = pupil(room), pupil(room, "Cy")
    teacher.post(f"/class/{room.id}/wall/start/", {"run": str(run.id), "t": "3000"})
    urls = [client.post(f"/class/{room.id}/mine/", headers=SCRIPT).json()["url"] for client in (first, second, first)]
    assert urls[0] == urls[2] != urls[1]
    mine = Run.objects.get(id=urls[0].split("/")[2])
    assert (mine.base_ms, mine.owner_hash, mine.parent) == (3000, hash_key("bo"), None)
    assert urls[0] not in second.get(urls[1]).content.decode()


def test_everybody_starts_where_the_class_looks(teacher, room, run):
    classroom_lead(code=room.id, owner_key=OWNER, path=f"/r/{run.id}/", query="t=2.5")
    first = pupil(room)
    teacher.post(f"/class/{room.id}/wall/start/")
    url = first.post(f"/class/{room.id}/mine/")["Location"]
    assert Run.objects.get(id=url.split("/")[2]).base_ms == 2500


def test_pupils_begin_one_after_the_other_once_the_class_has_heard(teacher, room, run, monkeypatch):
    pupils = [pupil(room, name) for name in ("Ada", "Bo", "Cy")]
    class_start(room=room, run=run, at_ms=0)
    began = ClassStart.objects.get().created_at
    monkeypatch.setattr(members, "timezone", SimpleNamespace(now=lambda: began))
    assert [client.get(f"/class/{room.id}/me/").json()["wait_ms"] for client in pupils] == [60, 160, 260]


def test_pupils_go_to_runs_that_are_made_in_quick_turns(teacher, room, run, monkeypatch):
    pupils = [pupil(room, name) for name in ("Ada", "Bo", "Cy")]
    teacher.post(f"/class/{room.id}/wall/start/", {"run": str(run.id), "t": "0"})
    began = ClassStart.objects.get().created_at
    monkeypatch.setattr(members, "timezone", SimpleNamespace(now=lambda: began))
    assert [client.get(f"/class/{room.id}/me/").json()["wait_ms"] for client in pupils] == [0, PUPILS_APART_MS, 2 * PUPILS_APART_MS]


def test_pupil_whose_turn_is_over_does_not_wait(teacher, room, run):
    first = pupil(room)
    teacher.post(f"/class/{room.id}/wall/start/", {"run": str(run.id), "t": "0"})
    ClassStart.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert first.get(f"/class/{room.id}/me/").json()["wait_ms"] == 0


def test_start_makes_the_runs_of_all_who_are_here_and_their_pages_only_go_there(teacher, room, level):
    pupils = [pupil(room, name) for name in ("Ada", "Bo", "Cy")]
    ClassMember.objects.filter(name="Cy").update(seen_at=timezone.now() - timedelta(minutes=2))
    teacher.post(f"/class/{room.id}/wall/start/", {"level": f"~{level.id}"})
    states = [client.get(f"/class/{room.id}/me/").json() for client in pupils]
    assert [state["begun"] for state in states] == [True, True, False]
    assert Run.objects.filter(level=f"~{level.id}").count() == 2
    assert pupils[0].get(states[0]["run"]).context["role"] == "owner"


def test_pupil_who_comes_late_gets_a_run_that_begins_like_the_others(teacher, room, level):
    pupil(room, "Ada")
    teacher.post(f"/class/{room.id}/wall/start/", {"level": f"~{level.id}"})
    late = pupil(room, "Bo").post(f"/class/{room.id}/mine/", headers=SCRIPT).json()["url"].split("/")[2]
    names = ("title", "level", "source_body", "base_ms", "head_seq", "head_ms", "head_digest", "is_paused", "rate_permille", "idle_as_of")
    rows = Run.objects.filter(level=f"~{level.id}").values_list(*names)
    assert Run.objects.get(id=late).owner_hash == hash_key("bo")
    assert (len(rows), len({(*row,) for row in rows})) == (2, 1)


def test_runs_of_a_start_are_charged_to_the_addresses_that_pupils_joined_from(teacher, room, level):
    client = Client(REMOTE_ADDR="198.51.100.7")
    client.post("/class/", {"code": room.id, "name": "Ada"})
    teacher.post(f"/class/{room.id}/wall/start/", {"level": f"~{level.id}"})
    assert Run.objects.get(level=f"~{level.id}").address_hash == hash_address("198.51.100.7")


def test_start_asks_the_database_no_more_for_many_pupils_than_for_few(teacher, room, level, django_assert_max_num_queries):
    for n in range(30):
        pupil(room, f"P{n}")
    with django_assert_max_num_queries(30):
        teacher.post(f"/class/{room.id}/wall/start/", {"level": f"~{level.id}"})
    assert Run.objects.filter(level=f"~{level.id}").count() == 30


def test_page_of_a_run_that_a_start_has_made_takes_few_queries(teacher, room, level, django_assert_max_num_queries):
    client = pupil(room)
    teacher.post(f"/class/{room.id}/wall/start/", {"level": f"~{level.id}"})
    url = client.get(f"/class/{room.id}/me/").json()["run"]
    client.get(url)
    with django_assert_max_num_queries(12):
        client.get(url)


def test_start_whose_beginning_takes_long_leaves_the_runs_to_the_pages(teacher, room, level, monkeypatch):
    monkeypatch.setattr(opening, "beginning_of", lambda *_, **__: None)
    monkeypatch.setattr(opening, "_KNOWN", {})
    client = pupil(room)
    teacher.post(f"/class/{room.id}/wall/start/", {"level": f"~{level.id}"})
    assert client.get(f"/class/{room.id}/me/").json()["begun"] is False
    run = Run.objects.get(id=client.post(f"/class/{room.id}/mine/", headers=SCRIPT).json()["url"].split("/")[2])
    assert (run.head_seq, run.idle_as_of) == (0, None)


def test_class_at_a_link_cannot_start_there(teacher, room):
    classroom_lead(code=room.id, owner_key=OWNER, path="/s/abc/")
    answer = teacher.post(f"/class/{room.id}/wall/start/")
    assert (answer.status_code, "Open a run first" in answer.content.decode()) == (422, True)


def test_everybody_starts_a_level_by_its_link(teacher, room, level):
    first = pupil(room)
    teacher.post(f"/class/{room.id}/wall/start/", {"level": f"https://here.example/l/{level.id}/"})
    url = first.post(f"/class/{room.id}/mine/", headers=SCRIPT).json()["url"]
    assert Run.objects.get(id=url.split("/")[2]).level == f"~{level.id}"


@pytest.mark.parametrize("named", ["nowhere", "https://here.example/l/zzzz/", "~", "\x00", "x" * 3000])
def test_level_that_is_none_is_told(teacher, room, named):
    answer = teacher.post(f"/class/{room.id}/wall/start/", {"level": named})
    assert (answer.status_code, "no such level" in answer.content.decode()) == (422, True)


def test_level_that_cannot_be_played_is_told_to_the_teacher_and_sends_nobody_away(teacher, room):
    first = pupil(room)
    broken = level_share(text=LEVEL.replace("sixty-fifty-five-ten", "no-such-story"), title="Broken")
    answer = teacher.post(f"/class/{room.id}/wall/start/", {"level": f"~{broken.id}"})
    assert (answer.status_code, "cannot be played" in answer.content.decode()) == (422, True)
    assert first.get(f"/class/{room.id}/me/", headers=SCRIPT).json()["apart"] is False


def test_coming_back_keeps_the_own_run_one_click_away(teacher, room, run):
    first = pupil(room)
    teacher.post(f"/class/{room.id}/wall/start/", {"run": str(run.id), "t": "0"})
    url = first.post(f"/class/{room.id}/mine/", headers=SCRIPT).json()["url"]
    teacher.post(f"/class/{room.id}/wall/back/")
    state = first.get(f"/class/{room.id}/me/").json()
    assert (state["apart"], state["run"], state["begun"]) == (False, url, True)


def test_page_of_a_pupil_says_which_own_run_it_shows(room, run):
    first, own = pupil(room), make_run(owner_key="bo")
    for shown, found in ((run.id, ""), ("nonsense", ""), (own.id, f"/r/{own.id}/")):
        assert first.get(f"/class/{room.id}/me/", {"run": str(shown)}).json()["run"] == found


def test_raised_hand_stands_on_the_wall(teacher, room):
    first = pupil(room)
    assert first.post(f"/class/{room.id}/me/", {"hand": "1"}, headers=SCRIPT).json()["hand"]
    assert "Hand raised: Bo" in re.sub(r"\s+", " ", wall(teacher, room))


def test_tiles_come_in_the_order_of_failed_attempts(teacher, room, level):
    for name, failures in (("Ada", 0), ("Bo", 2), ("Cy", 1)):
        _client, own = at_level(room, level, name)
        for _n in range(failures):
            attempt(own)
    page = wall(teacher, room)
    assert sorted(("Ada", "Bo", "Cy"), key=lambda name: page.index(f">{name}</a>")) == ["Bo", "Cy", "Ada"]


def test_tile_shows_the_checks_and_links_to_the_failing_instant(teacher, room, level):
    _client, own = at_level(room, level, "Bo")
    attempt(own)
    page = wall(teacher, room)
    assert f'href="/r/{own.id}/?t=4.0&amp;sel=pod%2Fdefault%2Fshop"' in page
    assert "1 of 2 checks passed" in page and "1 failed attempt" in page and "<path" in page
    assert '<br>Nobody sends KILL. <span class="num">' in page


def test_histogram_counts_each_pupil_once(teacher, room, level):
    for name, passed in (("Ada", True), ("Bo", False), ("Cy", False)):
        _client, own = at_level(room, level, name)
        attempt(own)
        attempt(own, passed=passed)
    at_level(room, level, "Di")
    page = wall(teacher, room)
    rows = dict(re.findall(r'wall__bar-text">(.+?)</span>.*?<strong class="num">(\d+)', page))
    assert rows == {"The pod is gone.": "0", "Nobody sends KILL.": "2", "Passed": "1", "Not checked yet": "1"}


def test_run_is_forked_to_be_shown_as_it_was_when_it_failed(teacher, room, level):
    _client, own = at_level(room, level, "Bo")
    attempt(own)
    member = ClassMember.objects.get()
    url = teacher.post(f"/class/{room.id}/wall/show/{member.id}/")["Location"]
    shown = Run.objects.get(id=url.split("/")[2])
    assert (shown.owner_hash, shown.base_ms, shown.parent, url.endswith(f"?class={room.id}")) == (hash_key(OWNER), 4000, None, True)


def test_run_that_has_not_come_to_the_failing_instant_is_looked_at_where_it_stands(teacher, room, level):
    _client, own = at_level(room, level, "Bo")
    attempt(own)
    LevelAttempt.objects.update(at_ms=90_000)  # a check plays ahead
    own.refresh_from_db()
    assert own.head_ms < 90_000
    assert f'href="/r/{own.id}/?t={own.head_ms / 1000}&amp;sel=' in wall(teacher, room)


def test_pupil_of_another_class_is_not_shown(teacher, room, run):
    elsewhere = classroom_open(owner_key="eva", address="school")
    member = member_join(room=elsewhere, owner_key="bo", name="Bo")
    ClassMember.objects.update(run=run)
    assert teacher.post(f"/class/{room.id}/wall/show/{member.id}/").status_code == 422


def test_wall_that_has_not_changed_is_not_sent_again(teacher, room):
    pupil(room)
    as_of = re.search(r"as_of=(\w+)", wall(teacher, room))[1]
    ask = lambda: teacher.get(f"/class/{room.id}/wall/", {"as_of": as_of}, headers={"HX-Request": "true"})  # noqa: E731
    assert ask().status_code == 204
    pupil(room, "Cy")
    assert (ask().status_code, "Cy" in ask().content.decode()) == (200, True)


@pytest.mark.parametrize("path", TEACHERS)
def test_queries_do_not_grow_with_the_pupils(teacher, room, level, path, django_assert_max_num_queries):
    class_start(room=room, level=f"~{level.id}")
    ask_put(room=room, question="What?", choices=["a", "b"])
    for n in range(12):
        _client, own = at_level(room, level, f"P{n}")
        attempt(own)
        attempt(own, passed=True)
    with django_assert_max_num_queries(11):
        teacher.get(f"/class/{room.id}/{path}")


def test_pupils_page_asks_few_queries(room, run, django_assert_max_num_queries):
    first = pupil(room)
    ask_put(room=room, question="What?", choices=["a", "b"])
    ask_change(room=room, do="close")
    for name in "cdefg":
        pupil(room, name)
    with django_assert_max_num_queries(8):
        first.get(f"/class/{room.id}/me/", {"run": str(run.id)})


@pytest.mark.parametrize("bound", ["DRAWN_MAX", "NEW_RECORDS_MAX"])
def test_only_so_many_pictures_are_drawn_at_once_and_the_rest_next_time(teacher, room, level, monkeypatch, bound):
    monkeypatch.setattr(tiles, bound, 1)
    for name in ("Ada", "Bo"):
        at_level(room, level, name)
    assert [wall(teacher, room).count('<svg class="lanes"') for _n in range(2)] == [1, 2]


def test_picture_of_a_run_that_went_on_is_that_of_one_drawn_at_once(room, level, monkeypatch):
    _client, own = at_level(room, level, "Ada")
    read = []
    onward = storage.read_onward
    monkeypatch.setattr(storage, "read_onward", lambda after, **more: read.append(dict(after)) or onward(after, **more))
    for to_ms in (5_500, 20_000, 60_000):
        own = play(own, to_ms)
        along_the_way = tiles.pictures_of([own])[own.id]
    assert [seqs[own.id] for seqs in read] == sorted({seqs[own.id] for seqs in read})
    tiles._drawings.clear()
    assert tiles.pictures_of([own])[own.id] == along_the_way


def test_tile_says_whatever_changes_on_it(teacher, room, level):
    client, own = at_level(room, level, "Ada")
    seen = [wall(teacher, room)]
    for change in (
        lambda: client.post(f"/class/{room.id}/me/", {"hand": "1"}),
        lambda: client.post(f"/class/{room.id}/me/", {"name": "Ada L."}),
        lambda: attempt(own),
        lambda: attempt(own, passed=True),
        lambda: ClassMember.objects.update(seen_at=timezone.now() - timedelta(minutes=5)),
    ):
        change()
        seen.append(re.sub(r"as_of=\w+", "", wall(teacher, room)).partition('<ul class="wall">')[2])
    assert len(set(seen)) == len(seen)


def test_counts_are_the_teachers_alone_until_the_vote_is_closed(teacher, room):
    first = pupil(room)
    teacher.post(f"/class/{room.id}/wall/ask/", {"do": "put", "question": "What?", "choices": "Running\r\nFailed\r\n"})
    ask = first.get(f"/class/{room.id}/me/").json()["ask"]
    state = first.post(f"/class/{room.id}/vote/", {"ask": ask["id"], "choice": "1"}, headers=SCRIPT).json()
    assert (ask["choices"], state["ask"]["mine"], state["ask"]["counts"]) == (["Running", "Failed"], 1, [])
    assert '<strong class="num">1</strong>' in wall(teacher, room)
    teacher.post(f"/class/{room.id}/wall/ask/", {"do": "close"})
    assert first.get(f"/class/{room.id}/me/").json()["ask"]["counts"] == [[0, 1]]


def test_waiting_page_has_the_vote_and_the_level_that_everybody_was_sent_to(teacher, room, level):
    Classroom.objects.update(path="")
    first = pupil(room, "Ada")
    ask = ask_put(room=room, question="What?", choices=["a", "b"])
    class_start(room=room, level=f"~{level.id}")
    page = first.get(f"/class/{room.id}/").content.decode()
    assert (f'action="/class/{room.id}/vote/"' in page, f'action="/class/{room.id}/mine/"' in page) == (True, True)
    assert first.post(f"/class/{room.id}/vote/", {"ask": ask.id, "choice": "1"})["Location"] == f"/class/{room.id}/"
    assert 'value="1" required checked' in first.get(f"/class/{room.id}/").content.decode()
    teacher.post(f"/class/{room.id}/wall/ask/", {"right": "0"})
    assert "✓ correct" not in first.get(f"/class/{room.id}/").content.decode()
    teacher.post(f"/class/{room.id}/wall/ask/", {"do": "close"})
    assert "✓ correct" in first.get(f"/class/{room.id}/").content.decode()
    assert first.post(f"/class/{room.id}/mine/")["Location"].endswith(f"?class={room.id}")


def test_waiting_page_comes_again_only_where_there_is_news(room):
    Classroom.objects.update(path="")
    room.refresh_from_db()
    first = pupil(room, "Ada")

    def asked(news):
        return first.get(f"/class/{room.id}/", {"news": news}, headers={"HX-Request": "true"})

    assert asked(room.news).status_code == 204
    ask_put(room=room, question="What?", choices=["a", "b"])
    assert asked(room.news - 1)["HX-Refresh"] == "true"


def test_right_answer_is_the_teachers_alone_until_the_vote_is_closed(teacher, room):
    first = pupil(room, "Ada")
    ask_put(room=room, question="What?", choices=["a", "b"])

    def told():
        return first.get(f"/class/{room.id}/me/").json()["ask"]["right"]

    teacher.post(f"/class/{room.id}/wall/ask/", {"right": "1"})
    assert (told(), "✓ correct" in wall(teacher, room)) == (None, True)
    teacher.post(f"/class/{room.id}/wall/ask/", {"do": "close"})
    assert told() == 1
    teacher.post(f"/class/{room.id}/wall/ask/", {"do": "again"})
    assert told() is None
    teacher.post(f"/class/{room.id}/wall/ask/", {"right": ""})
    assert "✓ correct" not in wall(teacher, room)


@pytest.mark.parametrize("right", ["2", "99", "x"])
def test_answer_that_there_is_not_cannot_be_right(teacher, room, right):
    ask_put(room=room, question="What?", choices=["a", "b"])
    assert teacher.post(f"/class/{room.id}/wall/ask/", {"right": right}).status_code == 422
    assert ClassAsk.objects.get().right is None


def test_second_vote_begins_without_a_choice_and_hides_the_counts(teacher, room):
    first = pupil(room)
    ask = ask_put(room=room, question="What?", choices=["a", "b"])
    vote_give(member=ClassMember.objects.get(), ask_id=ask.id, choice=0)
    for do in ("close", "again"):
        teacher.post(f"/class/{room.id}/wall/ask/", {"do": do})
    told = first.get(f"/class/{room.id}/me/").json()["ask"]
    assert (told["round"], told["mine"], told["counts"]) == (2, None, [])
    assert "Vote 2" in wall(teacher, room)
    # Only the last vote has room for marks to the right, but the bars of both are as long.
    assert wall(teacher, room).count('<ul class="wall__bars" data-marks>') == 2


def test_who_has_not_joined_by_name_does_not_vote(room):
    ask = ask_put(room=room, question="What?", choices=["a", "b"])
    answer = Client().post(f"/class/{room.id}/vote/", {"ask": ask.id, "choice": "0"}, headers=SCRIPT)
    assert (answer.status_code, answer.json()["text"]) == (422, "Join the class with your name first.")


NO_QUESTIONS = [({"question": "", "choices": "a\nb"}, "Enter a question"), ({"question": "?", "choices": "a"}, "2 to 6")]


@pytest.mark.parametrize(("fields", "said"), NO_QUESTIONS)
def test_question_that_is_none_is_refused_with_words(teacher, room, fields, said):
    answer = teacher.post(f"/class/{room.id}/wall/ask/", {"do": "put", **fields})
    assert (answer.status_code, said in answer.content.decode()) == (422, True)


@pytest.fixture
def results(room, level):
    class_start(room=room, level=f"~{level.id}")
    for name, passed in (("Ada", True), ("=Bo", False)):
        _client, own = at_level(room, level, name)
        attempt(own)
        attempt(own, passed=passed)
    pupil(room, "Cy")


def test_table_has_a_line_for_each_pupil_and_no_formula(teacher, room, results):
    text = teacher.get(f"/class/{room.id}/results.csv").content.decode("utf-8-sig")
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(text))}
    assert {name: (row["passed"], row["attempts"], row["failed_check"]) for name, row in rows.items()} == {
        "'=Bo": ("0", "2", "not-cut"),
        "Ada": ("1", "2", ""),
        "Cy": ("", "0", ""),
    }


def test_results_are_those_of_version_three(teacher, room, results):
    found = json.loads(teacher.get(f"/class/{room.id}/results.json").content)
    told = {test["name"].split(" · ")[0]: (test["status"], test.get("message")) for test in found["tests"]}
    assert (found["version"], found["status"]) == (3, "fail")
    assert told == {"Ada": ("pass", None), "=Bo": ("fail", "not-cut: 0:04.0 Nobody sends KILL."), "Cy": ("error", "not checked")}


def test_results_speak_the_teachers_language_whatever_the_pupil_read(teacher, room):
    key = "closed-for-stocktaking"
    class_start(room=room, level=key)
    pupil(room, "Bo")
    run = play(make_run(owner_key="bo", level=key), 5_000)
    ClassMember.objects.update(run=run)
    attempt(run, failed="answers")
    told = json.loads(teacher.get(f"/class/{room.id}/results.json", headers={"Accept-Language": "zh-hans"}).content)["tests"][0]["message"]
    assert told.startswith("answers: 0:04.0 ") and "requests" not in told


def test_wall_shows_words_in_backticks_as_code(teacher, room):
    class_start(room=room, level="closed-for-stocktaking")
    assert "The pod <code>shop</code> is not deleted." in wall(teacher, room)


def test_ending_a_class_forgets_its_pupils_and_keeps_their_runs(teacher, room, level):
    _client, own = at_level(room, level, "Bo")
    teacher.post(f"/class/{room.id}/end/")
    assert (Classroom.objects.count(), ClassMember.objects.count(), Run.objects.filter(id=own.id).count()) == (0, 0, 1)


@pytest.fixture
def votes(room):
    """Ada voted in the first round of two, Bo in none."""
    pupil(room, "Ada")
    pupil(room, "Bo")
    ask = ask_put(room=room, question="=What?", choices=["Running", "Failed"])
    vote_give(member=ClassMember.objects.get(name="Ada"), ask_id=ask.id, choice=1)
    ask_change(room=room, do="close")
    ask_change(room=room, do="again")
    ask_change(room=room, do="end")


def test_table_has_the_votes_of_every_pupil_round_by_round(teacher, room, votes):
    text = teacher.get(f"/class/{room.id}/results.csv").content.decode("utf-8-sig")
    rows = [(row["name"], row["level"], row["question"], row["round"], row["answer"]) for row in csv.DictReader(io.StringIO(text))]
    assert rows == [
        ("Ada", "", "'=What?", "1", "Failed"),
        ("Bo", "", "'=What?", "1", ""),
        ("Ada", "", "'=What?", "2", ""),
        ("Bo", "", "'=What?", "2", ""),
    ]


def test_votes_are_tests_of_version_three(teacher, room, votes):
    found = json.loads(teacher.get(f"/class/{room.id}/results.json").content)
    told = [(test["name"], test["status"], test.get("output")) for test in found["tests"][:2]]
    assert (found["version"], told) == (3, [("Ada · =What? · 1", "pass", "Failed"), ("Bo · =What? · 1", "error", None)])


def test_results_say_whose_vote_was_right(teacher, room, votes):
    ClassAsk.objects.update(right=0)
    text = teacher.get(f"/class/{room.id}/results.csv").content.decode("utf-8-sig")
    assert [row["answer_right"] for row in csv.DictReader(io.StringIO(text))] == ["0", "", "", ""]
    found = json.loads(teacher.get(f"/class/{room.id}/results.json").content)
    assert [test["status"] for test in found["tests"][:2]] == ["fail", "error"]


def test_wall_offers_results_only_where_there_are_some(teacher, room):
    page = wall(teacher, room)
    assert "There are no results to download yet" in page and "results.csv" not in page
    ask_put(room=room, question="What?", choices=["a", "b"])
    assert "results.csv" in wall(teacher, room)
