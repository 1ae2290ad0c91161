"""The contents of /proc about processes, and wget's output about a response."""

import pytest

from tests.engine.containers.containers import run
from tests.engine.worlds import container, header, pod
from tests.engine.worlds import run as play


def test_status_of_the_main_process() -> None:
    lines = run("cat /proc/1/status; exec sleep 600").stdout
    assert lines[0] == "Name:\tsh"
    assert {"Pid:\t1", "PPid:\t0", "Uid:\t0\t0\t0\t0", "Threads:\t1"} <= set(lines)


def test_status_of_a_child_names_its_parent_and_user() -> None:
    lines = run("sleep 600 & cat /proc/$!/status; wait", uid=1000, gid=2000, groups=(3000,)).stdout
    assert {"Name:\tsleep", "PPid:\t1", "Uid:\t1000\t1000\t1000\t1000", "Gid:\t2000\t2000\t2000\t2000", "Groups:\t3000 "} <= set(lines)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("test -d /proc/1 && echo dir", ["dir"]),
        ("test -d /proc/99 || echo none", ["none"]),
        ("test -e /proc/1/status && echo there", ["there"]),
        ("ls -d /proc/[0-9]*", ["/proc/1"]),
        ("cat /proc/1/comm", ["sh"]),
        ("cat /proc/1/uid_map", ["         0          0 4294967295"]),
        ("cat /proc/sys/kernel/overflowuid", ["65534"]),
        ("echo x > /tmp/f; cat /proc/1/root/tmp/f", ["x"]),
        ("cat /proc/1/cgroup", ["0::/"]),
        ("tr '\\0' ' ' < /proc/1/cmdline | cut -c1-5", ["sh -c"]),
    ],
)
def test_files_and_directories_of_processes(script: str, said: list[str]) -> None:
    assert run(f"{script}; exec sleep 600").stdout == said


def test_process_that_has_ended_has_no_directory() -> None:
    box = run("sleep 1 & pid=$!; wait; cat /proc/$pid/status; echo $?; sleep 600").at(2_000)
    assert (box.stdout, box.stderr) == (["1"], ["cat: can't open '/proc/2/status': No such file or directory"])


def test_probe_of_proc_succeeds() -> None:
    assert run("sleep 600").exec("sh", "-c", "cat /proc/1/status").exit_code == 0


def test_root_of_another_container_is_seen_where_processes_are_shared() -> None:
    writer = container("echo secret > /tmp/f; exec sleep 600", name="writer")
    reader = container("sleep 2; cat /proc/$(pgrep -o sleep)/root/tmp/f; sleep 600", name="reader")
    world, _ = play(header(pod(writer, reader, shareProcessNamespace=True)), 6)
    assert [line[3] for line in world.tables.logs["default/p", "reader"]] == ["secret"]


def below_roots(levels: int, pid: str) -> str:
    """The path of /tmp/f through this many roots of a process."""
    return f"/proc/{pid}/root" * levels + "/tmp/f"


@pytest.mark.parametrize("levels", [2, 40])
@pytest.mark.parametrize("pid", ["1", "self"])
def test_root_below_a_root_is_followed(levels: int, pid: str) -> None:
    assert run(f"echo x > /tmp/f; cat {below_roots(levels, pid)}; exec sleep 600").stdout == ["x"]


@pytest.mark.parametrize("levels", [41, 300])
def test_more_roots_than_linux_follows_are_refused(levels: int) -> None:
    path = below_roots(levels, "1")
    box = run(f"echo x > /tmp/f; cat {path}; test -e {path} || echo none; while read -r l; do :; done < {path}; exec sleep 600")
    assert box.stderr[0] == f"cat: can't open '{path}': Too many levels of symbolic links"
    assert box.stdout == ["none"]


def test_no_word_of_a_path_through_roots_is_too_long() -> None:
    box = run("p=/proc/1/root; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do p=$p$p; done; cat $p/tmp/f 2> /dev/null; echo $?; exec sleep 600")
    assert (box.stdout, box.notes) == (["1"], [])


@pytest.mark.parametrize("levels", [2, 300])
def test_roots_lead_from_container_to_container_and_back(levels: int) -> None:
    writer = container("echo theirs > /tmp/f; exec sleep 600", name="writer")
    there, back = "/proc/$(pgrep -o sleep)/root", "/proc/self/root"
    path = (there + back) * (levels // 2)
    reader = container(f"echo mine > /tmp/f; sleep 2; cat {path}/tmp/f; cat {path}/{there}/tmp/f; sleep 600", name="reader")
    world, _ = play(header(pod(writer, reader, shareProcessNamespace=True)), 6)
    lines = [line[3] for line in world.tables.logs["default/p", "reader"]]
    assert lines[-2:] == ["mine", "theirs"] if levels == 2 else all(line.endswith("Too many levels of symbolic links") for line in lines)


SERVED = [
    {"name": "web", "image": "nginx:1.16.1", "ports": [{"containerPort": 80}]},
]


def fetched(script: str, **more: object) -> list[str]:
    world, _ = play(header(pod(*SERVED, container(f"sleep 2; {script}; sleep 600", **more))), 6)
    return [line[3] for line in world.tables.logs.get(("default/p", "app"), ())]


@pytest.mark.parametrize("flag", ["-S", "--server-response"])
def test_wget_shows_the_head_of_the_response(flag: str) -> None:
    lines = fetched(f"wget -q {flag} -O /dev/null http://localhost")
    assert lines == ["  HTTP/1.1 200 OK", "  Content-Length: 245", "  Connection: close", "  "]


def test_status_can_be_picked_from_the_head() -> None:
    script = "S=$(wget --server-response http://localhost 2>&1 | awk '/^  HTTP/{print $2}'); test $S -eq 200 && echo ready"
    assert fetched(script) == ["ready"]
    assert fetched(script, securityContext={"readOnlyRootFilesystem": True}) == ["ready"]


def test_head_of_an_error_is_shown_before_it() -> None:
    lines = fetched("wget -q -S -O - http://localhost/none")
    assert (lines[0], lines[-1]) == ("  HTTP/1.1 404 Not Found", "wget: server returned error: HTTP/1.1 404 Not Found")


def test_file_that_cannot_be_written_is_named() -> None:
    lines = fetched("wget -q http://localhost; echo rc $?", securityContext={"readOnlyRootFilesystem": True})
    assert lines == ["wget: can't open 'index.html': Read-only file system", "rc 1"]
