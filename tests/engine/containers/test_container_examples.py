"""Commands from the documentation's examples and from recorded scenarios, executed as written."""

import pytest

from simulator.engine.containers import (
    File,
    HttpAnswer,
    Launch,
    Mount,
    exec_kill,
    exec_resume,
    exec_wake_ms,
    memory_bytes,
    termination_message,
)
from tests.engine.containers.containers import Box, mounted, program, run

MIB = 1 << 20
LIVENESS_HTTP = (
    "cat > /tmp/h <<'X'\n#!/bin/sh\nread line; while read l; do [ \"$l\" = \"$(printf '\\r')\" ] && break; done\n"
    "n=$(( $(date +%s) - $(cat /tmp/s) ))\n"
    "if [ $n -gt 10 ]; then printf 'HTTP/1.1 500 Internal Server Error\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nerror'; "
    "else printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok'; fi\n"
    "X\nchmod +x /tmp/h; date +%s > /tmp/s; exec nc -ll -p 8080 -e /tmp/h"
)


class Dns:
    """A network with the given names, each of which serves one page."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def resolve(self, name: str) -> str | None:
        return self.names.get(name)

    def get(self, host: str, port: int, path: str, meter) -> HttpAnswer:
        return HttpAnswer("answered", 200, "<!DOCTYPE html>\n<html>\n") if host in self.names else HttpAnswer("refused")


@pytest.mark.parametrize(
    ("script", "code", "exit_ms"),
    [
        ("sleep 2; exit 1", 1, 2000),
        ("exit 1", 1, 0),
        ("sleep 3", 0, 3000),
        ("sleep 60 && exit 0", 0, 60_000),
        ('echo "Hello world!" && sleep 5 && exit 42', 42, 5000),
        ("date; echo Hello from the Kubernetes cluster", 0, 0),
        ("trap 'exit 0' TERM; sleep 100 & wait $!", 0, 100_000),
        ("echo bye > /dev/termination-log; sleep 3; exit 1", 1, 3000),
        ("nginx -s quit; while killall -0 nginx; do sleep 1; done", 0, 0),
        ("sleep 1h", 0, 3_600_000),
        ("! test -e /tmp/bad", 0, 0),
        ("i=0; while [ $i -lt 5 ]; do i=$((i+1)); sleep 1; done; exit $i", 5, 5000),
    ],
)
def test_script_ends_when_and_as_a_real_one(script, code, exit_ms):
    box = run(script).at(4_000_000)
    assert (box.exit_code, box.exit_ms) == (code, exit_ms)


def test_exec_liveness_example_fails_after_thirty_seconds():
    box = run("touch /tmp/healthy; sleep 30; rm -rf /tmp/healthy; sleep 600").at(29_000)
    assert box.exec("cat", "/tmp/healthy").exit_code == 0
    turn = box.at(31_000).exec("cat", "/tmp/healthy")
    assert (turn.exit_code, turn.output) == (1, "cat: can't open '/tmp/healthy': No such file or directory\n")


def test_readiness_file_flips_when_a_background_subshell_works():
    box = run("trap 'exit 0' TERM; (sleep 10; touch /tmp/r; sleep 20; rm /tmp/r) & while true; do sleep 1 & wait $!; done")
    seen = [box.at(ms).exec("cat", "/tmp/r").exit_code for ms in (9000, 11_000, 29_000, 31_000)]
    assert seen == [1, 0, 0, 1]
    assert box.at(60_000).turns <= 5


def test_http_liveness_script_answers_500_after_ten_seconds():
    box = run(LIVENESS_HTTP).at(3000)
    assert (box.get(port=8080).status, box.get(port=8080).body) == (200, "ok")
    assert box.at(11_500).get("/healthz", port=8080).status == 500
    assert box.signal().exit_code is None


def test_agnhost_liveness_is_healthy_for_ten_seconds():
    box = Box(Launch("registry.k8s.io/e2e-test-images/agnhost:2.40", args=("liveness",)))
    assert box.at(9000).get("/healthz", port=8080).status == 200
    assert box.at(10_100).get("/healthz", port=8080).status == 500
    assert box.signal().exit_code == 2


def test_counter_writes_a_line_a_second():
    box = run('i=0; while true; do echo "$i: $(date)"; echo "$i: err" >&2 ; i=$((i+1)); sleep 1; done').at(2500)
    assert box.stdout == [f"{i}: Thu Jan  1 00:00:0{i} UTC 2026" for i in range(3)]
    assert box.stderr == ["0: err", "1: err", "2: err"]


def test_environment_example_prints_variables():
    env = (("SERVICE_ADDRESS", "https://172.17.0.1:80"),)
    script = "while true; do echo -en '\\n'; printf A=$SERVICE_ADDRESS'\\n'; printenv SERVICE_ADDRESS MISSING; sleep 30; done;"
    assert run(script, env=env).at(10).stdout == ["", "A=https://172.17.0.1:80", "https://172.17.0.1:80"]


def test_downward_volume_example_prints_mounted_files():
    script = "while true; do if [[ -e /v/info/labels ]]; then echo -en '\\n\\n'; cat /v/info/labels; fi; sleep 5; done"
    box = mounted(script, {"info": {"labels": File('zone="us"')}}, read_only=True)
    assert box.at(6000).stdout == ["", "", 'zone="us"', "", 'zone="us"'][:4]


def test_tail_follows_a_file_that_comes_later():
    box = mounted("tail -n+1 -F /v/data/logs.txt", {"data": {}})
    assert box.stderr == ["tail: can't open '/v/data/logs.txt': No such file or directory"]
    assert box.waits_for_files
    box.volumes["data"] = {"logs.txt": File("a\nb\n")}
    assert box.resume().stdout == ["a", "b"]


def test_pipe_passes_lines_on_while_the_writer_lives():
    box = mounted('tail -F /v/data/l | while read line; do echo "got $line"; done', {"data": {"l": File("one\n")}})
    box.volumes["data"] = {"l": File("one\ntwo\n")}
    assert box.resume().stdout == ["got one", "got two"]


def test_init_example_waits_until_the_service_has_a_name():
    token = {"namespace": File("default")}
    script = "until nslookup myservice.$(cat /v/sa/namespace).svc.cluster.local; do echo waiting; sleep 2; done"
    box = mounted(script, {"sa": token}).at(5000)
    assert box.stdout.count("waiting") == 3
    box.lookup = Dns({"myservice.default.svc.cluster.local": "10.0.0.7"})
    assert box.at(7000).exit_code == 0


def test_wget_prints_the_page_of_a_server_in_the_pod():
    script = "while true; do wget -qO- http://web:80 | head -n 4; sleep 5; done"
    box = Box(Launch("busybox", command=("sh", "-c", script)), lookup=Dns({"web": "10.0.0.8"})).at(100)
    assert box.stdout == ["<!DOCTYPE html>", "<html>"]


def test_indexed_job_example_hands_a_word_over():
    box = Box(
        Launch("bash", command=("bash", "-c", "items=(foo bar baz qux xyz)\necho ${items[$I]} > /tmp/d\nrev /tmp/d"), env=(("I", "3"),))
    )
    assert box.stdout == ["xuq"]


def test_perl_prints_pi_after_a_while():
    box = program("perl", "-Mbignum=bpi", "-wle", "print bpi(2000)", image="perl").at(20_000)
    assert 1000 < box.exit_ms < 10_000
    assert box.stdout[0].startswith("3.14159265358979323846")
    assert len(box.stdout[0]) == 2001


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (("/bin/nosuchcmd", "x"), 'exec: "/bin/nosuchcmd": stat /bin/nosuchcmd: no such file or directory: unknown'),
        (("badcommand",), 'exec: "badcommand": executable file not found in $PATH: unknown'),
    ],
)
def test_missing_main_program_is_a_start_error(argv, reason):
    box = program(*argv)
    assert box.exit_code == 128
    assert box.start_error == (
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
        f"unable to start container process: {reason}"
    )


def test_missing_exec_program_is_an_error_of_the_runtime():
    turn = run("sleep 60").exec("badcommand")
    assert turn.not_found
    assert turn.error.startswith('rpc error: code = Unknown desc = failed to exec in container: failed to start exec "')
    assert turn.error.endswith('unable to start container process: exec: "badcommand": executable file not found in $PATH: unknown')


def test_oom_kills_pid1_within_a_moment():
    box = program("tail", "/dev/zero", memory_limit_bytes=32 * MIB).at(1000)
    assert (box.exit_code, box.oom) == (137, True)
    assert box.exit_ms < 100


def test_oom_of_a_child_leaves_the_shell_running():
    script = "trap 'exit 0' TERM; while true; do tail /dev/zero; sleep 5 & wait $!; done"
    box = run(script, memory_limit_bytes=32 * MIB).at(12_000)
    assert (box.exit_code, box.oom, box.notes) == (None, True, ["oom-kill"] * 3)
    assert box.signal().exit_code == 0


def test_stress_is_killed_only_over_its_limit():
    argv = ("stress", "--vm", "1", "--vm-bytes", "150M", "--vm-hang", "1")
    assert program(*argv, image="polinux/stress", memory_limit_bytes=100 * MIB).at(2000).exit_code == 137
    box = program(*argv, image="polinux/stress", memory_limit_bytes=200 * MIB).at(2000)
    assert (box.exit_code, memory_bytes(box.process, 2000)) == (None, 150 * MIB)


def test_dd_fills_a_volume_without_storing_its_bytes():
    box = mounted("dd if=/dev/zero of=/v/d/x bs=1M count=5; sleep 60", {"d": {}})
    entry = box.volumes["d"]["x"]
    assert (entry.size_bytes, entry.text) == (5 * MIB, "")


def test_termination_message_is_the_file_content():
    assert termination_message(run("echo bye > /dev/termination-log; exit 1").process, "/dev/termination-log") == "bye\n"


def test_read_only_volume_refuses_a_write():
    box = mounted("echo x > /v/c/key", {"c": {"key": File("old")}}, read_only=True)
    assert box.stderr == ["sh: can't create /v/c/key: Read-only file system"]
    assert box.volumes["c"]["key"].text == "old"


def test_hook_that_sleeps_runs_next_to_the_main_process():
    box = run("sleep 3600")
    turn = box.exec("sh", "-c", "sleep 5; echo done; exit 3")
    assert (turn.exec is not None, turn.wake_ms) == (True, 5000)


def test_session_is_killed_when_its_probe_times_out():
    box = run("sleep 3600")
    turn = box.exec("sh", "-c", "sleep 5; touch /tmp/late")
    killed = box.at(1000).took(exec_kill(box.process, turn.exec, box.host()))
    assert (killed.exit_code, killed.exec, killed.main_exit) == (137, None, None)
    assert box.at(9000).file("/tmp/late") is None


def test_session_gives_its_output_when_it_ends():
    box = run("sleep 3600")
    turn = box.exec("sh", "-c", "sleep 5; echo done; exit 3")
    assert exec_wake_ms(box.process, turn.exec) == 5000
    ended = box.at(5000).took(exec_resume(box.process, turn.exec, box.host()))
    assert (ended.exit_code, ended.output) == (3, "done\n")


def test_nginx_quit_hook_ends_before_nginx_does():
    box = Box(Launch("nginx"))
    turn = box.exec("/bin/sh", "-c", "nginx -s quit; while killall -0 nginx; do sleep 1; done")
    assert (turn.exit_code, turn.main_exit) == (0, None)
    assert box.at(1000).exit_code == 0


def test_node_hello_serves_without_a_note_and_ignores_term():
    box = Box(Launch("gcr.io/google-samples/node-hello:1.0")).signal()
    assert (box.exit_code, box.notes, box.get(port=8080).status) == (None, [], 200)


def test_nginx_serves_files_of_a_volume():
    box = Box(Launch("nginx:1.29", mounts=(Mount("/usr/share/nginx/html", "html"),)), {"html": {}})
    assert box.get().status == 403
    box.volumes["html"] = {"index.html": File("Hello\n")}
    assert (box.get().status, box.get().body, box.get("/nope").status) == (200, "Hello\n", 404)


def test_nginx_serves_its_own_page_without_a_volume():
    box = Box(Launch("nginx"))
    assert (box.get().status, box.get().body[:15]) == (200, "<!DOCTYPE html>")
    assert box.get(port=8080).outcome == "refused"


def test_session_tells_its_errors_apart():
    turn = run("sleep 60").exec("sh", "-c", "echo out; echo bad >&2; exit 1")
    assert (turn.output, turn.errors) == ("out\nbad\n", "bad\n")


def test_netcat_in_a_loop_answers_with_what_it_is_fed():
    box = run("while true; do echo -e 'HTTP/1.1 200 OK\\r\\n\\r\\nhi' | nc -l -p 8080; done")
    assert (box.get(port=8080).status, box.get(port=8080).body) == (200, "hi\n")
