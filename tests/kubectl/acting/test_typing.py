"""Sessions of the command line: a shell that is started, typed into and left, and text that is piped in."""

import json

import pytest

from simulator.engine import RunHeader, advance, apply, new_world
from simulator.engine.world.world import World
from simulator.kubectl.acting.outcome import answer_of, is_over
from simulator.kubectl.acting.verbs import action_of, is_acting
from simulator.kubectl.line import BadLine
from tests.factories import pod_json


class Lines:
    """A run and the lines carried out in it."""

    def __init__(self) -> None:
        pod = json.loads(pod_json("a"))
        pod["spec"]["containers"] = [{"name": "app", "image": "busybox:1.36", "command": ["sleep", "1000"]}]
        self.world: World = new_world(RunHeader(kubernetes="1.30", manifests=(json.dumps(pod),)))
        self.past = [*self.world.first_records, *advance(self.world, until_ms=30_000).records]

    def do(self, text: str) -> str:
        """The answer to a line just after it."""
        action, seqs = action_of(self.world, text), []
        for step in action.steps:
            records = apply(self.world, step.command)
            seqs.append(records[0].seq)
            self.past += records
        self.over = is_over(action, seqs, self.past, self.world)
        return answer_of(action, seqs, self.past, self.world)

    @property
    def session(self) -> int:
        return next(iter(self.world.tables.execs.values())).seq


@pytest.fixture
def lines() -> Lines:
    return Lines()


def test_a_shell_is_begun_typed_into_and_left_with_its_code(lines):
    assert lines.do("exec -it a -- sh") == "/ # \n"
    assert lines.do(f"type {lines.session} -- 'cd /tmp; echo hi'") == "/ # cd /tmp; echo hi\nhi\n/tmp # \n"
    assert lines.do(f"type {lines.session} -- 'exit 3'").endswith("/tmp # exit 3\ncommand terminated with exit code 3\n")
    assert not lines.world.tables.execs


def test_keys_end_and_interrupt_a_session(lines):
    lines.do("k exec -it a -- sh")
    lines.do(f"type {lines.session} -- 'sleep 500'")
    assert lines.do(f"type {lines.session} --interrupt").endswith("sleep 500\n\n/ # \n")
    lines.do(f"type {lines.session} --end")
    assert not lines.world.tables.execs


def test_text_through_a_pipe_is_the_input_of_a_command(lines):
    assert lines.do("echo 'echo got it' | kubectl exec -i a -- sh") == "got it\n"
    assert lines.do("kubectl exec -i a -- sh <<EOF\nx=5\necho $x\nexit 4\nEOF") == "5\ncommand terminated with exit code 4\n"
    assert lines.over


def test_a_session_that_is_not_there_is_refused(lines):
    assert is_acting("type 5 -- ls")
    for line in ("type 5 -- ls", "type -- ls", "type x"):
        with pytest.raises(BadLine, match="no such session"):
            action_of(lines.world, line)
