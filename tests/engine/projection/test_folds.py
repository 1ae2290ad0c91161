"""The phase as a fold over the containers, and the questions behind STATUS."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.projection.folds import Fold, phase_view, status_questions
from simulator.engine.projection.pod import pod_view
from tests.engine.stories import all_stories
from tests.engine.worlds import container, header, pod, run

KEY = "default/p"


def taken(fold: Fold) -> tuple[str, str]:
    rule = next(item for item in fold.rules if item.is_taken)
    return rule.rule, rule.phase


def test_first_rule_that_holds_gives_the_phase() -> None:
    world, records = run(header(pod(container("sleep 600"), container("exit 0", name="b"), restartPolicy="Never")), 5)
    view = phase_view(world, KEY, records)
    assert view is not None and taken(view.folds[0]) == ("PHASE-RUNNING", "Running") == (view.rule, view.phase)
    assert view.folds[0].sums == (("running", 1), ("stopped", 1), ("succeeded", 1))
    assert [item.counts for item in view.folds[0].containers] == [("running",), ("stopped", "succeeded")]


def test_rules_of_1_3_run_a_pod_whose_init_container_is_still_at_work() -> None:
    spec = {"initContainers": [container("sleep 60", name="prepare")]}
    world, records = run(header(pod(container("sleep 600"), **spec)), 5)
    view = phase_view(world, KEY, records)
    assert view is not None and taken(view.folds[0])[0] == "PHASE-INIT-PENDING"
    assert [item.algorithm for item in view.folds] == ["newest", "1.3"] and "PHASE-INIT-PENDING" not in [
        item.rule for item in view.folds[1].rules
    ]


def test_a_pod_that_never_was_has_no_phase() -> None:
    assert phase_view(run(header(pod(container("sleep 600"))), 1)[0], "default/other", []) is None


def test_questions_also_tell_what_left_the_word() -> None:
    world, _ = run(header(pod(container("sleep 600"))), 5)
    steps = status_questions(world, KEY)
    assert [(step.field.rpartition(".")[2], step.holds) for step in steps] == [
        ("phase", True),
        ("reason", False),
        ("reason", False),
        ("ready", True),
        ("deletionTimestamp", False),
    ]
    assert {step.word for step in steps} == {"Running"}


def test_deletion_has_the_last_word() -> None:
    world, _ = run(header(pod(container("trap '' TERM; sleep 600"))), 8, (5, DeletePod(target=KEY)))
    assert (status_questions(world, KEY)[-1].word, status_questions(world, KEY)[-1].holds) == ("Terminating", True)


@pytest.mark.parametrize("every", [5])
def test_questions_end_with_the_word_that_is_printed(every: int) -> None:
    for story in all_stories()[::every]:
        world, records = story.played()
        for key in world.tables.pods:
            view, steps = pod_view(world, key), status_questions(world, key)
            assert view is not None and phase_view(world, key, records) is not None
            assert not steps or steps[-1].word == view.status_word
