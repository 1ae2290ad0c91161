"""Signals, grace and exit codes, as recorded on a real node."""

import pytest

from simulator.engine.containers import Launch, force_exit, hang, oom_kill, process_tree, resume
from tests.engine.containers.containers import Box, program, run

POLITE = "trap 'exit 0' TERM; while true; do sleep 1 & wait $!; done"


@pytest.mark.parametrize("script", ["sleep 3600", "while true; do sleep 5; done", "tail -f /dev/null", "trap '' TERM; sleep 3600"])
def test_pid1_ignores_term_when_it_has_no_handler(script):
    box = run(script).at(12_345).signal()
    assert box.exit_code is None
    assert box.signal(9).exit_code == 137


def test_process_dies_of_term_when_it_is_not_pid1():
    assert program("sleep", "3600", is_pid1=False).at(100).signal().exit_code == 143


def test_trap_runs_at_once_when_the_shell_waits():
    box = run(POLITE).at(12_345).signal()
    assert (box.exit_code, box.exit_ms) == (0, 12_345)


@pytest.mark.parametrize(("period", "at_ms", "exit_ms"), [(5, 12_345, 15_000), (1, 12_345, 13_000), (3600, 10, 3_600_000)])
def test_trap_waits_for_the_end_of_a_foreground_sleep(period, at_ms, exit_ms):
    box = run(f"trap 'exit 0' TERM; while true; do sleep {period}; done").at(at_ms).signal().at(4_000_000)
    assert (box.exit_code, box.exit_ms) == (0, exit_ms)


def test_trap_takes_its_time_when_it_sleeps():
    box = run("trap 'sleep 7; exit 0' TERM; while true; do sleep 1 & wait $!; done").at(2500).signal().at(20_000)
    assert (box.exit_code, box.exit_ms) == (0, 9_500)


@pytest.mark.parametrize("script", [POLITE, "while true; do sleep 3600; done", "until false; do sleep 2; done"])
def test_loop_that_only_sleeps_is_never_resumed(script):
    box = run(script).at(10_000_000)
    assert box.turns == 1


def test_sleep_loop_goes_on_when_its_trap_does_not_exit():
    box = run("trap 'echo hup' HUP; while true; do sleep 10 & wait $!; done").at(3000).signal(1).at(4000).signal(1)
    assert box.stdout == ["hup", "hup"]
    assert box.exit_code is None


@pytest.mark.parametrize(
    ("image", "number", "code"),
    [
        ("nginx", 3, 0),
        ("nginx", 15, 0),
        ("redis", 15, 0),
        ("registry.k8s.io/pause:3.6", 15, 0),
        ("gcr.io/google-samples/hello-app:2.0", 15, 2),
    ],
)
def test_known_server_ends_with_its_own_code(image, number, code):
    assert Box(Launch(image)).signal(number).exit_code == code


def test_unknown_image_runs_until_term_and_says_so():
    box = Box(Launch("example.com/team/app:1", ports=(8080,))).at(1000)
    assert box.get(port=8080).status == 200
    assert box.notes == ["command-not-understood"]
    assert box.signal().exit_code == 0


def test_kill_1_from_inside_reaches_the_trap_of_pid1():
    box = run(POLITE).at(12_050)
    turn = box.exec("kill", "1")
    assert (turn.main_exit, turn.exit_code) == (0, 0)


def test_kill_9_from_inside_does_not_reach_pid1():
    box = run("sleep 3600")
    assert box.exec("kill", "-9", "1").main_exit is None


def test_hung_process_takes_term_only_when_it_goes_on():
    box = run(POLITE)
    box.process = hang(box.process, True, box.host()).process
    assert box.at(5000).signal().exit_code is None
    assert hang(box.process, False, box.host()).exit_code == 0


def test_hung_process_dies_of_kill_and_answers_nothing():
    box = Box(Launch("nginx"))
    box.process = hang(box.process, True, box.host()).process
    assert box.get().outcome == "timeout"
    assert box.signal(9).exit_code == 137


def test_process_ends_as_commanded_when_forced():
    box = run("sleep 10")
    assert force_exit(box.process, 3, box.host()).exit_code == 3
    killed = oom_kill(box.process, box.host())
    assert (killed.exit_code, killed.oom) == (137, True)


def test_ended_process_stays_ended_when_resumed():
    box = run("exit 3")
    assert resume(box.process, box.host()).exit_code == 3


def test_process_tree_lists_shell_and_child():
    rows = process_tree(run("sleep 60; echo x").process)
    assert [(row.pid, row.ppid, row.command) for row in rows] == [(1, 0, "sh -c sleep 60; echo x"), (2, 1, "sleep 60")]
