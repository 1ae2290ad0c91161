"""kubectl's messages about a line before it runs: with a capital until 1.23, and a hint where to read on."""

import pytest

from simulator.engine import RunHeader, new_world
from simulator.kubectl.acting.verbs import action_of
from simulator.kubectl.kubectl import kubectl
from simulator.kubectl.line import BadLine


def world_of(kubernetes):
    return new_world(RunHeader(kubernetes=kubernetes))


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("get pods --nope", "rror: unknown flag: --nope\nSee 'kubectl get --help' for usage.\n"),
        ("get pods -o", "rror: flag needs an argument: 'o' in -o\nSee 'kubectl get --help' for usage.\n"),
        ("create deployment x --dry-run=client --nope", "rror: unknown flag: --nope\nSee 'kubectl create deployment --help' for usage.\n"),
    ],
)
def test_flags_that_cannot_be_read(line, text):
    assert (kubectl(world_of("1.23"), line), kubectl(world_of("1.24"), line)) == (f"E{text}", f"e{text}")


def test_a_command_that_is_not_there():
    assert kubectl(world_of("1.20"), "nosuch") == 'Error: unknown command "nosuch" for "kubectl"\nRun \'kubectl --help\' for usage.\n'
    assert kubectl(world_of("1.30"), "nosuch") == 'error: unknown command "nosuch" for "kubectl"\n'


def test_what_a_verb_says_itself_is_as_it_was():
    for kubernetes in ("1.20", "1.30"):
        assert kubectl(world_of(kubernetes), "get nosuch") == 'error: the server doesn\'t have a resource type "nosuch"\n'


def test_a_line_that_acts_is_refused_in_the_same_words():
    for kubernetes, text in (("1.20", "Error"), ("1.30", "error")):
        with pytest.raises(BadLine, match=rf'^{text}: required flag\(s\) "max" not set$'):
            action_of(world_of(kubernetes), "autoscale deployment web")
