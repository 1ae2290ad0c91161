"""The check of a learner's attempt: which acts it calls unneeded."""

import pytest

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.levels.checking import check_commands
from simulator.levels.level import Level
from simulator.levels.reading import read_level

LEVEL = """
title = "A pod is deleted"
story = "sixty-fifty-five-ten"
horizon = "20s"
[[check]]
id = "acted"
eventually = { kind = "command", own = true }
[[check]]
id = "calm"
never = { kind = "command", subject = "node/*" }
[[solution]]
name = "delete"
expect = "pass"
acts = [{ at = "9s", do = "delete_pod", target = "default/shop" }]
"""
DELETE, CORDON = DeletePod(target="default/shop"), CordonNode(node="node1")


@pytest.fixture(scope="module")
def level() -> Level:
    return read_level(LEVEL)


@pytest.mark.parametrize(
    ("acts", "passed", "unneeded"),
    [
        ((DELETE,), True, ()),
        ((DELETE, DELETE), True, (2,)),
        ((DELETE, DELETE, DELETE), True, (2, 3)),
        ((DELETE, CORDON), False, ()),
        ((CORDON,), False, ()),
    ],
)
def test_acts_are_unneeded_only_in_an_attempt_that_passes(
    level: Level, acts: tuple[DeletePod | CordonNode, ...], passed: bool, unneeded: tuple[int, ...]
) -> None:
    commands = [Stamped(at_ms=9_000 + n, n=n, command=act) for n, act in enumerate(acts, start=1)]
    checked = check_commands(level, commands, seed=level.seeds[0])
    assert (checked.passed, checked.unneeded) == (passed, unneeded)


UNSOLVED = LEVEL.partition("[[solution]]")[0]
CALM = UNSOLVED.replace('[[check]]\nid = "acted"\neventually = { kind = "command", own = true }\n', "")
IN_TWO = LEVEL.rstrip().removesuffix("]") + ', { at = "10s", do = "delete_pod", target = "default/shop" }]'


@pytest.mark.parametrize(
    ("text", "count", "unneeded"),
    [
        (UNSOLVED, 1, ()),
        (CALM, 1, ()),
        (UNSOLVED, 2, (2,)),
        (UNSOLVED, 8, (2, 3, 4, 5, 6, 7, 8)),
        (UNSOLVED, 9, ()),
        (LEVEL, 2, (2,)),
        (IN_TWO, 2, ()),
        (IN_TWO, 3, (2, 3)),
    ],
    ids=[
        "one act",
        "one act where none is asked for",
        "two acts",
        "eight acts",
        "nine acts",
        "one more than the best",
        "as few as the best",
        "more than the best of two",
    ],
)
def test_acts_are_left_out_one_by_one_if_there_are_few_but_more_than_are_known_to_do(
    text: str, count: int, unneeded: tuple[int, ...]
) -> None:
    level = read_level(text)
    commands = [Stamped(at_ms=9_000 + n, n=n, command=DELETE) for n in range(1, count + 1)]
    assert check_commands(level, commands, seed=level.seeds[0]).unneeded == unneeded
