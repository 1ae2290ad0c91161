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
