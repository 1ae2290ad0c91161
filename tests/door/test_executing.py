"""exec and attach without a client: the command of a request, refusals, output; keys at a terminal."""

import json

import pytest

from simulator.door.answering import answer
from simulator.door.channels import error_status, exit_status
from simulator.door.exchange import DoorRequest
from simulator.door.executing import (
    WORDS_CHARS_MAX,
    WORDS_MAX,
    attach_command,
    exec_command,
    exec_output,
    refusal_text,
    stream_refused,
    streamed,
)
from simulator.door.scene import DoorScene
from simulator.door.terminal import Keyed, Terminal, on_screen
from simulator.engine import RunHeader, advance, apply, new_world
from simulator.engine.acts.containers.exec import ExecInContainer, WriteToExec
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.world.world import World
from tests.factories import pod_json

POD = "/api/v1/namespaces/default/pods/a"
ENDED = json.loads(pod_json("a", restartPolicy="Never"))
ENDED["spec"]["containers"] = [{"name": "app", "image": "busybox:1.36", "command": ["true"]}]


@pytest.fixture
def world() -> World:
    pod = json.loads(pod_json("a"))
    pod["spec"]["containers"] = [{"name": "app", "image": "busybox:1.36", "command": ["sleep", "1000"]}]
    world = new_world(RunHeader(kubernetes="1.30", manifests=(json.dumps(pod),)))
    advance(world, until_ms=30_000)
    return world


def scene(world: World, *, may_write: bool = True, is_past: bool = False) -> DoorScene:
    return DoorScene(world=world, now_ms=world.now_ms, wall_ms=1_800_000_000_000, may_write=may_write, is_past=is_past)


def asking(*words: str, path: str = f"{POD}/exec", **flags: str) -> DoorRequest:
    query = (*(("command", word) for word in words), *({"stdout": "true", "stderr": "true"} | flags).items())
    return DoorRequest(method="POST", path=path, query=query, headers={})


def command(world: World, asked: DoorRequest, **how: bool) -> ExecInContainer:
    place = streamed(asked)
    assert place is not None
    return exec_command(asked, place, scene(world, **how))


def refusal(world: World, asked: DoorRequest, **how: bool) -> tuple[int, str]:
    with pytest.raises(ApiError) as caught:
        command(world, asked, **how)
    return caught.value.answer.code, caught.value.answer.message


def test_a_request_is_the_command_of_the_kubectl_tab(world):
    assert command(world, asking("ls", "-l")) == ExecInContainer(
        target="default/a", container="app", command=("ls", "-l"), apart=True
    )  # fmt: skip
    found = command(world, asking("sh", stdin="true", tty="true", stderr="false"))
    assert (found.stdin, found.tty, found.apart) == (True, True, False)


def test_what_is_refused_before_anything_is_done(world):
    assert refusal(world, asking("ls"), may_write=False)[0] == 403
    assert refusal(world, asking("ls"), is_past=True)[0] == 409
    assert refusal(world, asking())[0] == 400
    assert refusal(world, asking("ls", stdout="false", stderr="false"))[0] == 400
    assert refusal(world, asking("ls", container="no")) == (400, "container no is not valid for pod a")
    assert refusal(world, asking("ls", path=f"{POD[:-1]}b/exec")) == (404, 'pods "b" not found')
    assert refusal(world, asking(*["x"] * 501))[0] == 400


def test_a_client_of_plain_http_is_told_what_is_wrong_or_what_to_use(world):
    for asked, code in ((asking("ls"), 405), (asking("ls", container="no"), 400), (asking(path=f"{POD}/attach"), 405)):
        place = streamed(asked)
        assert place is not None
        assert stream_refused(asked, place, scene(world)).answer.code == code
    assert b"WebSocket" in answer(asking("ls"), scene(world)).body


def test_what_a_command_says_is_heard_once_and_its_end_with_the_code(world):
    record = apply(world, command(world, asking("sh", "-c", "echo one; echo bad >&2; sleep 2; echo two; exit 3")))[0]
    first = exec_output(world, record.seq, (0, 0))
    assert (first.printed, first.errors, first.is_over) == ("one\n", "bad\n", False)
    advance(world, until_ms=33_000)
    rest = exec_output(world, record.seq, (4, 4))
    assert (rest.printed, rest.errors, rest.is_over, rest.code) == ("two\n", "", True, 3)


def test_input_reaches_the_command_and_only_while_it_runs(world):
    record = apply(world, command(world, asking("cat", stdin="true")))[0]
    typed = WriteToExec(target="default/a", container="app", exec=record.seq, text="hello\n")
    apply(world, typed)
    assert exec_output(world, record.seq, (0, 0)).printed == "hello\n"
    apply(world, WriteToExec(target="default/a", container="app", exec=record.seq, raw="/w==", is_end=True))
    assert exec_output(world, record.seq, (6, 0)).printed.encode("utf-8", "surrogateescape") == b"\xff"
    assert [each.rule for each in apply(world, typed)] == ["EXEC-OVER"]


def test_an_unknown_command_and_a_stopped_container_are_reported_with_the_kubelets_message(world):
    record = apply(world, command(world, asking("nosuch")))[0]
    assert "executable file not found in $PATH" in exec_output(world, record.seq, (0, 0)).error
    asked = command(world, asking("ls"))
    apply(world, ExitContainer(target="default/a", container="app", exit_code=1))
    refused = apply(world, asked)[0]
    assert refusal_text(asked, refused) == 'Internal error occurred: unable to upgrade connection: container not found ("app")'


def test_a_container_that_ends_takes_the_command_with_it(world):
    record = apply(world, command(world, asking("sleep", "100")))[0]
    apply(world, ExitContainer(target="default/a", container="app", exit_code=1))
    advance(world, until_ms=world.now_ms + 10)
    assert (exec_output(world, record.seq, (0, 0)).is_over, exec_output(world, record.seq, (0, 0)).code) == (True, 137)


def test_the_last_frame_is_a_status():
    assert json.loads(exit_status(0))["status"] == "Success"
    assert json.loads(exit_status(3))["details"]["causes"] == [{"reason": "ExitCode", "message": "3"}]
    assert json.loads(error_status("no"))["message"] == "no"


def test_a_terminal_shows_keys_and_hands_on_whole_lines():
    terminal = Terminal()
    assert terminal.typed(b"lx\x7fs") == []
    assert (terminal.typed(b"\r"), terminal.shown()) == ([Keyed("ls\n")], "lx\b \bs\r\n")
    assert terminal.typed(b"echo two\x17three\r\n") == [Keyed("echo three\n")]
    assert terminal.typed("é\x15\r".encode()) == [Keyed("\n")]


def test_a_terminal_goes_back_through_its_lines():
    terminal = Terminal()
    terminal.typed(b"one\rtwo\r")
    assert terminal.typed(b"\x1b[A\x1b[A\x1b[B\r") == [Keyed("two\n")]
    assert terminal.typed(b"\x1b[C\x1b[3~\r") == [Keyed("\n")]


def test_the_keys_of_a_terminal_that_end_and_interrupt():
    terminal = Terminal()
    assert terminal.typed(b"ab\x03") == [Keyed(interrupts=True)]
    assert terminal.typed(b"ab\x04") == [Keyed("ab")]
    assert terminal.typed(b"\x04") == [Keyed(is_end=True)]
    assert len(terminal.typed(b"x" * 9000 + b"\r")[0].text) == 4097


def test_lines_of_a_program_begin_at_the_left():
    assert on_screen("a\nb\r\n") == "a\r\nb\r\n"


@pytest.mark.parametrize(
    ("words", "is_taken"),
    [
        (["x"] * WORDS_MAX, True),
        (["x"] * (WORDS_MAX + 1), False),
        (["x" * (WORDS_CHARS_MAX - 2), "yz"], True),
        (["x" * (WORDS_CHARS_MAX - 2), "xyz"], False),
    ],
)
def test_a_command_may_be_as_long_as_the_limits_and_no_longer(world, words, is_taken):
    if is_taken:
        assert command(world, asking(*words)).command == tuple(words)
    else:
        assert refusal(world, asking(*words)) == (400, "the command is too long")


def test_a_pod_without_a_node_or_without_processes_has_nothing_to_execute_in(world):
    advance(world, until_ms=40_000)
    assert refusal(world, asking("ls", path=f"{POD}/attach"))[0] == 404
    pending = new_world(RunHeader(kubernetes="1.30", manifests=(pod_json("a", nodeSelector={"no": "such"}),)))
    advance(pending, until_ms=5_000)
    assert refusal(pending, asking("ls")) == (400, "pod a does not have a host assigned")
    over = new_world(RunHeader(kubernetes="1.30", manifests=(json.dumps(ENDED),)))
    advance(over, until_ms=60_000)
    assert refusal(over, asking("ls")) == (400, "cannot exec into a container in a completed pod; current phase is Succeeded")


def test_a_main_process_is_typed_into_only_where_it_reads_and_the_key_may_write(world):
    def attached(world: World, *, container: str = "debugger", stdin: str = "true", **how: bool) -> ExecInContainer | None:
        asked = asking(path=f"{POD}/attach", stdin=stdin, container=container)
        place = streamed(asked)
        assert place is not None
        return attach_command(asked, place, scene(world, **how))

    debugger = {"name": "debugger", "image": "busybox:1.36", "command": ["cat"], "stdin": True}
    patch = json.dumps({"spec": {"ephemeralContainers": [debugger]}})
    apply(world, PatchPod(target="default/a", patch=patch, kind="strategic", subresource="ephemeralcontainers"))
    advance(world, until_ms=60_000)
    found = attached(world)
    assert found is not None and (found.target, found.container, found.stdin) == ("default/a", "debugger", True)
    assert attached(world, container="app") is None
    assert attached(world, stdin="false") is None
    assert attached(world, may_write=False) is None
    assert attached(world, is_past=True) is None


def test_a_terminal_passes_over_long_keys_and_takes_what_follows():
    assert Terminal().typed(b"\x1b[" + b"1" * 10 + b"\r") == [Keyed("1\n")]
    assert Terminal().typed(b"\x1b[" + b"1" * 8 + b"~\r") == [Keyed("\n")]


def test_a_terminal_comes_down_from_its_lines_to_an_empty_one():
    terminal = Terminal()
    terminal.typed(b"one\r")
    assert terminal.typed(b"\x1b[A\x1b[B\r") == [Keyed("\n")]
    assert terminal.typed(b"\x1b[A\x1b[A\r") == [Keyed("one\n")]


def test_a_terminal_has_nothing_to_erase_on_an_empty_line():
    terminal = Terminal()
    assert (terminal.typed(b"\x7f\x15\x17"), terminal.shown()) == ([], "")
