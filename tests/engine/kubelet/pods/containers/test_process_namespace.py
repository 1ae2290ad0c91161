"""Containers that share a process namespace see each other's processes and can send them signals."""

from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.pods.debug import DebugPod
from tests.engine.worlds import container, header, pod, run

SERVES = "trap 'echo got HUP' HUP; trap 'exit 7' TERM; while true; do sleep 1 & wait $!; done"


def shared(*containers: dict[str, Any], share: bool = True, seconds: float = 8, **spec: Any) -> tuple[World, list[Record]]:
    return run(header(pod(*containers, shareProcessNamespace=share, restartPolicy="Never", **spec)), seconds)


def printed(world: World, name: str) -> list[str]:
    return [line[3] for line in world.tables.logs.get(("default/p", name), ())]


def exit_code(world: World, name: str) -> int | None:
    (row,) = (item for item in world.tables.instances["default/p"] if item.container == name)
    return None if row.runs else row.exit_code


def test_ps_lists_the_processes_of_all_containers_below_pause() -> None:
    world, _ = shared(container("sleep 100", name="app"), container("sleep 3; ps", name="shell"))
    lines = [line.split() for line in printed(world, "shell")]
    pids = [int(line[0]) for line in lines[1:]]
    assert (lines[1][3:], pids[0], pids) == (["/pause"], 1, sorted(set(pids)))
    assert sorted(" ".join(line[3:]) for line in lines[2:]) == ["ps", "sh -c sleep 100", "sh -c sleep 3; ps", "sleep 100"]


def test_container_sees_only_itself_without_sharing() -> None:
    world, _ = shared(container("sleep 100", name="app"), container("sleep 3; ps", name="shell"), share=False)
    lines = " ".join(printed(world, "shell"))
    assert "/pause" not in lines and "sleep 100" not in lines


def test_signal_reaches_a_process_of_another_container() -> None:
    app, shell = container(SERVES, name="app"), container("sleep 2; kill -HUP $(pgrep -f '[g]ot HUP' | head -n 1)", name="shell")
    world, _ = shared(app, shell)
    assert printed(world, "app") == ["got HUP"] and exit_code(world, "app") is None


@pytest.mark.parametrize(("signal", "code"), [("TERM", 7), ("KILL", 137)])
def test_signal_may_end_another_container(signal: str, code: int) -> None:
    app, shell = container(SERVES, name="app"), container(f"sleep 2; pkill -{signal} -f '[g]ot HUP'", name="shell")
    assert exit_code(shared(app, shell)[0], "app") == code


def test_other_user_may_not_signal() -> None:
    shell = container("sleep 2; kill $(pgrep sleep | head -n 1)", name="shell", securityContext={"runAsUser": 1000})
    world, _ = shared(container("exec sleep 100", name="app"), shell)
    assert exit_code(world, "app") is None
    assert "Operation not permitted" in printed(world, "shell")[-1]


def test_pause_ignores_what_containers_send() -> None:
    world, _ = shared(container("kill 1; echo $?; sleep 100", name="app"))
    assert printed(world, "app") == ["0"] and world.tables.sandboxes["default/p"].state == "ready"


def test_containers_that_answer_each_other_take_time() -> None:
    def ping(name: str, other: str) -> dict[str, Any]:
        answer = f"kill -HUP $(pgrep -f '[:] {other};' | head -n 1)"
        return container(f': {name}; trap "{answer}" HUP; sleep 1; kill -HUP $$; sleep 100', name=name)

    world, _ = shared(ping("one", "two"), ping("two", "one"), seconds=3)
    assert world.now_ms == 3000


def test_debug_container_sees_its_target_and_the_target_sees_it() -> None:
    command = ("sh", "-c", "ps; kill -HUP 1; sleep 100")
    debug = DebugPod(target="default/p", container="dbg", image="busybox:1.28", command=command, target_container="app")
    app = container(SERVES.replace("sleep 1 &", "sleep 4; ps; sleep 1 &"), name="app")
    world, _ = run(header(pod(app, container("sleep 77", name="other"))), 20, (3, debug))
    seen = " ".join(printed(world, "dbg"))
    assert "got HUP" in seen and "sleep 77" not in seen and "/pause" not in seen
    assert "got HUP" in printed(world, "app") and any("kill -HUP 1" in line for line in printed(world, "app"))


def test_nginx_gives_itself_a_title_that_others_see() -> None:
    world, _ = shared({"name": "web", "image": "nginx:1.16.1"}, container("sleep 3; ps; pgrep -x nginx", name="shell"))
    lines = printed(world, "shell")
    assert any(line.endswith("nginx: master process nginx -g daemon off;") for line in lines)
    assert lines[-1].isdecimal()


def test_proc_has_the_processes_of_all_containers() -> None:
    show = "tr '\\0' ' ' < /proc/$pid/cmdline; echo; cat /proc/$pid/comm"
    read = f"sleep 3; for pid in 1 $(pgrep -f '[s]leep 100' | head -n 1) 99; do {show}; done"
    world, _ = shared(container("exec sleep 100", name="app"), container(read, name="shell"))
    out = [line[3].strip() for line in world.tables.logs["default/p", "shell"] if line[2] == "stdout"]
    err = [line[3] for line in world.tables.logs["default/p", "shell"] if line[2] == "stderr"]
    assert out == ["/pause", "pause", "sleep 100", "sleep", ""]
    assert err[-1] == "cat: can't open '/proc/99/comm': No such file or directory"


def test_proc_of_a_container_that_shares_nothing_begins_with_its_own_program() -> None:
    read = container("sleep 3; cat /proc/1/comm; cat /proc/7/comm", name="shell")
    world, _ = shared(container("exec sleep 100", name="app"), read, share=False)
    assert printed(world, "shell") == ["sh", "cat: can't open '/proc/7/comm': No such file or directory"]


def test_proc_of_a_debugged_container_has_its_target_as_first_process() -> None:
    debug = DebugPod(target="default/p", container="look", image="busybox:1.28", target_container="app", command=("cat", "/proc/1/comm"))
    world, _ = run(header(pod(container("exec sleep 100", name="app"))), 10, (5, debug))
    assert printed(world, "look") == ["sleep"]
