"""Hints for the steps of stories: derived from what a step waits for and from playing its story, never written by hand."""

import pytest
from django.utils.translation import override

from simulator.engine.kernel.records import Record
from simulator.scenarios.expect import fulfilment
from simulator.scenarios.play import play
from simulator.scenarios.story import acts_of
from simulator.web.base.stories import builtin_stories, named_steps
from simulator.web.gallery.hints import _todo, _where_act, hints_of
from tests.web.helpers import text_of

STEPS = [(story, name) for story in builtin_stories().values() for name in named_steps(story)]


def hints(slug, name):
    return hints_of(builtin_stories()[slug], name)


@pytest.mark.parametrize(("story", "name"), STEPS, ids=lambda value: getattr(value, "slug", value))
def test_every_step_with_a_record_has_all_three_grades(story, name):
    found = hints_of(story, name)
    assert found.where
    assert bool(found.meaning) == bool(found.todo) == (named_steps(story)[name].done is not None)


def test_step_that_waits_for_an_act_names_act_and_line():
    found = hints("hello-pod", "try-2")
    assert found.where == "In the actions of hello: select it, or open its menu (X)."
    assert found.sel == "pod/default/hello"
    assert "A delete request only marks the pod" in " ".join(found.meaning)
    assert [(act.time, act.words, act.line) for act in found.acts] == [("1:00.0", "Delete default/hello", "kubectl delete pod hello")]


def test_step_that_comes_by_itself_needs_nothing_done():
    found = hints("crash-loop-ladder", "watch-1")
    assert (found.where, found.acts) == ("On the lanes, under ladder: STATUS.", ())
    assert found.rule_id == "PRINT-WAITING" and "let it play" in found.todo


def test_step_that_follows_from_an_act_names_the_act_even_where_no_chain_of_causes_does():
    found = hints("image-typo", "watch-2")
    assert [act.words for act in found.acts] == ["Make image nginx:1.14.22 available"]


def test_acts_that_the_step_does_not_need_are_left_out():
    assert [act.words for act in hints("zero-downtime", "watch-1").acts] == ["Delete default/web-r5hnd"]


@pytest.mark.parametrize(("story", "name"), STEPS, ids=lambda value: getattr(value, "slug", value))
def test_story_played_with_the_acts_of_the_hint_alone_ticks_the_step_off(story, name):
    step = named_steps(story)[name]
    if step.done is None or step.done.never:
        return
    offered = acts_of(step.acts) or story.answer_steps()
    told = {(act.time, act.words) for act in hints_of(story, name).acts}
    times = {time for time, _words in told}
    acts = [act for act in offered if _clock(act.at_ms) in times]
    assert fulfilment(step.done, play(story, acts)[0]) is not None


def _clock(at_ms):
    return f"{at_ms // 60_000}:{at_ms % 60_000 // 1000:02d}.{at_ms % 1000 // 100}"


def test_step_of_time_alone_says_so():
    found = hints("crash-loop-ladder", "watch-3")
    assert found.meaning == ("This step completes with time: at 5:00.0, unless phase of ladder shows Failed before then.",)
    assert found.todo == "Let it play until 5:00.0."


def test_step_that_no_record_shows_says_so():
    assert "No record shows this step" in hints("hello-pod", "try-1").where


def test_event_is_looked_for_in_its_tab():
    assert hints("surge-does-not-fit", "watch-1").tab == "events"


def test_what_is_no_event_is_looked_for_on_its_lane():
    assert hints("crash-loop-ladder", "watch-1").tab == ""


@pytest.mark.parametrize("language", ["zh-hans", "zh-hant"])
def test_hints_are_there_in_every_language(language):
    english = hints("hello-pod", "try-2")
    with override(language):
        other = hints("hello-pod", "try-2")
    assert other.where != english.where and other.todo != english.todo and not set(other.meaning) & set(english.meaning)
    assert [act.line for act in other.acts] == [act.line for act in english.acts]


@pytest.mark.django_db
def test_page_of_a_hint_has_its_grades(client, stories):
    page = text_of(client.get("/scenarios/hello-pod/hint/try-2/"))
    assert page.count("data-hint-grade") == 3
    assert "kubectl delete pod hello" in page


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/scenarios/hello-pod/hint/try-99/", "/scenarios/nothing/hint/try-1/"])
def test_step_that_is_not_there_has_no_hints(client, stories, path):
    assert client.get(path).status_code == 404


def record(subject="pod/default/web", kind="transition", target="BackOff"):
    return Record(3, 65_000, kind, subject, "x", "", "", target, 0, "R", ())


@pytest.mark.parametrize(
    ("subject", "words"), [("run", "In the command list"), ("image/nginx:1", "under Images"), ("pod/default/web", "In the actions of web")]
)
def test_place_of_an_act_is_where_it_is_offered(subject, words):
    assert _where_act(record(subject)).startswith(words) or words in _where_act(record(subject))


@pytest.mark.parametrize(
    ("kind", "has_acts", "words"),
    [
        ("transition", False, "let it play. It happens at about 1:05.0"),
        ("command", False, "let it play. It happens at about 1:05.0"),
        ("command", True, "at any moment you like"),
        ("transition", True, "the step completes at 1:05.0"),
    ],
)
def test_what_to_do_depends_on_who_has_to_do_it(kind, has_acts, words):
    assert words in _todo(record(kind=kind), has_acts=has_acts)
