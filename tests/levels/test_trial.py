"""What is wrong with a level's text although it can be played."""

import re
from pathlib import Path

import pytest

from simulator.engine.kernel.records import RecordKind
from simulator.levels.pattern_words import STATES, WITHOUT_TABLE, PlayedWords, unknown_words, words_of
from simulator.levels.playing import play_level
from simulator.levels.reading import read_level
from simulator.levels.trial import tried
from simulator.scenarios.grading.patterns import OnePattern

DOCS = Path(__file__).parents[2] / "docs"
LEVEL = """
title = "t"
story = "hello-pod"
horizon = 30
seeds = [42, 7]

[[check]]
id = "gone"
eventually = { machine = "object", subject = "pod/default/*", target = "gone" }

[[solution]]
name = "delete"
expect = "pass"
acts = [{ at = 5, do = "delete_pod", target = "default/hello", grace_s = 1 }]
"""
ASK = """
[[ask]]
id = "q"
at = {at}
question = "?"
within = {within}
choices = [{ text = "a", comes = {comes} }, { text = "b", comes = { machine = "phase", target = "Failed" } }]
"""


def asked(comes, *, at="1", within="20"):
    return LEVEL + ASK.replace("{at}", at).replace("{within}", within).replace("{comes}", comes)


def problems(text):
    return tried(read_level(text)).problems


def test_level_that_keeps_its_promise_has_none():
    assert problems(LEVEL) == ()


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"machine": "objekt"}, "a.machine: "),
        ({"machine": "object", "target": "deleted"}, "a.target: "),
        ({"machine": "stop", "target": ("terminate", "kill")}, "a.target: "),
        ({"machine": "object", "source": "there"}, "a.source: "),
        ({"kind": "comand"}, "a.kind: "),
        ({"target": ()}, "a.target: "),
        ({"data": {"exit_code": ()}}, "a.data.exit_code: "),
        ({"kind": "command", "target": "acepted"}, "a.target: "),
        ({"machine": "command", "data": {"do": ("remove_pod", "create")}}, "a.data.do: "),
        ({"rule": "NO-SUCH-RULE"}, "a.rule: "),
        ({"subject": "pods/default/shop"}, "a.subject: "),
        ({"subject": "container/default/shop"}, "a.subject: "),
        ({"owner": "deploy/default/shop"}, "a.owner: "),
    ],
)
def test_word_that_no_record_has_is_named_with_its_place(fields, place):
    (problem,) = unknown_words("a", OnePattern(**fields), PlayedWords())
    assert problem.startswith(place)


@pytest.mark.parametrize(
    "fields",
    [
        {"machine": "status_word", "target": "Init:CrashLoopBackOff"},
        {"machine": "command", "target": "refused", "data": {"do": "delete_pod"}},
        {"kind": "command", "data": {"message": "no"}},
        {"kind": "command", "data": {"do": ("apply", "create")}},
        {"machine": "stop", "target": ("term", "kill")},
        {"machine": "k8s_event", "target": "MyOwnReason"},
        {"machine": "condition", "subject": "condition/default/a/example.com/ready", "target": ("True", "")},
        {"subject": "container/default/*"},
        {"subject": "*"},
        {"subject": "ingress/default/shop"},
        {"owner": "*/default/shop"},
    ],
)
def test_word_that_a_record_may_have_is_none(fields):
    assert [*unknown_words("a", OnePattern(**fields), PlayedWords())] == []


def test_kind_of_custom_objects_is_known_where_it_was_played():
    pattern = OnePattern(subject="widget/default/a")
    assert len([*unknown_words("a", pattern, PlayedWords())]) == 1
    assert [*unknown_words("a", pattern, PlayedWords(sorts=frozenset({"widget"})))] == []


def test_words_of_a_play_are_known():
    level = read_level(LEVEL)
    words = words_of([play_level(level, level.solutions[0].steps(), seed=42).records])
    assert words.machines <= STATES.keys() | WITHOUT_TABLE | {"status_word"}


def test_every_documented_machine_is_known():
    rows = re.findall(r"^\| ([a-z0-9_, ]+) \|", (DOCS / "records.md").read_text(encoding="utf-8"), re.MULTILINE)
    kinds = {kind.value for kind in RecordKind} | {"kind", "machine"}
    known = [name for row in rows for name in row.split(", ") if name not in kinds - {"command", "note"}]
    assert [name for name in known if [*unknown_words("a", OnePattern(machine=name), PlayedWords())]] == []


def test_word_in_the_text_of_a_level_is_a_problem():
    assert [problem for problem in problems(LEVEL.replace('"object"', '"objekt"')) if problem.startswith("check[0].eventually.machine: ")]


def test_act_that_is_refused_is_told_with_the_reason():
    (one, _two) = problems(LEVEL.replace('"default/hello"', '"default/helo"'))
    assert one.endswith('Refused: delete_pod (COMMAND-NO-POD: pods "helo" not found, 5.0 s).')


@pytest.mark.parametrize(
    ("act", "is_told"),
    [
        ('do = "delete_pod", target = "hello"', True),
        ('do = "delete_pod", target = "deployment/default/hello[oldest]"', True),
        ('do = "cordon", node = "node-9"', True),
        ('do = "scale", kind = "Deployment", namespace = "default", name = "hello", replicas = 2', True),
        (
            'do = "patch_pod", target = "default/hello", patch = \'{"spec":{"nodeName":"node-2"}}\'',
            False,
        ),  # forbidden, which may be its point
        ('do = "cordon", node = "node-1"', False),
    ],
)
def test_wrong_solution_that_misses_what_it_names_is_told(act, is_told):
    wrong = f'\n[[solution]]\nname = "wrong"\nexpect = "fail"\nacts = [{{ at = 5, {act} }}]\n'
    told = [text for text in tried(read_level(LEVEL + wrong)).advice if "names something that is not there" in text]
    assert len(told) == is_told


def test_event_that_is_refused_is_told_with_the_reason():
    event = '\n[[happens]]\nat = "1s"\ndo = "delete_pod"\ntarget = "default/helo"\n'
    found = problems(LEVEL + event)
    assert len(found) == 2 and all('is refused (COMMAND-NO-POD: pods "helo" not found) in' in problem for problem in found)


def test_level_may_allow_only_to_create():
    name = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}'
    create = "allow = ['create']\n" + LEVEL.replace('"pod/default/*", target = "gone"', '"configmap/default/a", target = "present"')
    create = create.replace('"object"', '"api_object"')
    act = f"{{ at = 5, do = 'apply', documents = ['{name}'], create = true }}"
    found = tried(read_level(create[: create.index("acts = ")] + f"acts = [{act}]\n"))
    assert (found.problems, [text for text in found.advice if "create" in text]) == ((), [])
    (one, _two) = tried(read_level(create[: create.index("acts = ")] + f"acts = [{act.replace(', create = true', '')}]\n")).problems
    assert "does not allow apply" in one


def test_level_without_a_right_solution_is_one():
    assert problems(LEVEL.replace('"pass"', '"fail"'))[0].startswith("The level has no correct solution")


def test_right_solution_lists_nothing_to_break():
    assert problems(LEVEL + 'fails = ["gone"]\n') == ("solution[0].fails: a correct solution passes every check, so leave this out.",)


def test_names_of_solutions_differ():
    assert problems(LEVEL + LEVEL[LEVEL.index("\n[[solution]]") :]) == ("solution[1].name: delete is there twice.",)


def test_prediction_behind_the_horizon_is_never_asked():
    assert problems(asked('{ machine = "object" }', at="31")) == ("ask[0].at: is past the horizon.",)


@pytest.mark.parametrize(
    ("comes", "at", "within", "is_answerable"),
    [
        ('{ machine = "phase", target = "Running" }', "1", "20", True),
        ('{ machine = "phase", target = "Running" }', "1", "0.1", False),
        ('{ machine = "phase", target = "Succeeded" }', "1", "20", False),
        # The learner's act at 5 s is not known when the question is asked.
        ('{ machine = "object", target = "gone" }', "4", "20", False),
        ('{ machine = "object", target = "gone" }', "5", "20", True),
    ],
)
def test_prediction_needs_a_choice_that_is_right_in_some_attempt(comes, at, within, is_answerable):
    found = problems(asked(comes, at=at, within=within))
    assert [problem.partition(":")[0] for problem in found] == ([] if is_answerable else ["ask[0].choices"])
