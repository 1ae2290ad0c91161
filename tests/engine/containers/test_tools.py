"""Programs that images really have: a script that calls one on its way goes on."""

import pytest

from simulator.engine.containers import Launch
from tests.engine.containers.containers import Box, run
from tests.engine.containers.test_fetching import OneServer

POSTGRES, MYSQL, REDIS, MONGO = "postgres:16", "mysql:8.4", "redis:7", "mongo:7"


@pytest.mark.parametrize(
    ("image", "command"),
    [
        ("busybox:1.36", "tar xzf /tmp/a.tgz -C /tmp"),
        ("busybox:1.36", "ip route add 10.0.0.0/8 via 10.1.0.1"),
        ("busybox:1.36", "adduser -D app"),
        ("debian:12", "apt-get update"),
        ("alpine:3.20", "apk upgrade"),
        ("nginx:1.27", "envsubst < /dev/null"),
    ],
)
def test_tool_whose_work_is_not_simulated_succeeds_with_a_note(image: str, command: str) -> None:
    box = run(f"{command} && echo on", image).at(1000)
    assert (box.stdout, box.notes, box.exit_code) == (["on"], ["command-not-understood"], 0)


def test_tool_of_another_image_is_still_missing() -> None:
    assert run("apk add curl", "debian:12").at(1000).exit_code == 127


def test_sysctl_prints_what_it_sets_and_leaves_no_note() -> None:
    box = run("sysctl -w vm.max_map_count=262144")
    assert (box.stdout, box.notes, box.exit_code) == (["vm.max_map_count = 262144"], [], 0)


def test_daemon_runs_until_it_is_stopped() -> None:
    assert run("exec crond -f", "alpine:3.20").at(5000).exit_code is None


def test_runner_of_another_program_does_not_end_at_once_as_a_tool_does() -> None:
    assert run("exec chroot /host /usr/bin/agent").at(5000).exit_code is None


def test_installed_package_brings_its_programs() -> None:
    script = "apt-get update && apt-get install -y --no-install-recommends curl postgresql-client ca-certificates && curl -s http://web"
    box = Box(Launch("debian:12", command=("bash", "-c", f"curl; {script} && pg_isready -h web")), lookup=OneServer()).at(2000)
    assert (box.stderr, box.stdout) == (["bash: line 1: curl: command not found"], ["page", "web:5432 - accepting connections"])


def test_clone_makes_its_directory() -> None:
    assert run("git clone --depth 1 https://github.com/a/b.git && cd b && pwd", "alpine/git").at(2000).stdout == ["/b"]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo a b | xargs", ["a b"]),
        ("echo a b c | xargs -n 2 echo x", ["x a b", "x c"]),
        ("printf 'a b\\nc\\n' | xargs -I{} echo '<{}>'", ["<a b>", "<c>"]),
        ("printf '' | xargs -r echo x", []),
        ("readlink -f ../etc/hosts; realpath a", ["/etc/hosts", "/a"]),
    ],
)
def test_simple_tools_are_worked_out(command: str, shown: list[str]) -> None:
    assert run(command).stdout == shown


def test_xargs_reports_a_command_that_fails() -> None:
    assert run("echo a | xargs false; exit $?").exit_code == 123


def asked(image: str, command: str, host: str = "web") -> tuple[int | None, list[str]]:
    """Exit code and output of a client in a container without a server, on a network where only web exists."""
    box = Box(Launch(image, command=("sh", "-c", command.replace("SERVER", host))), lookup=OneServer()).at(1000)
    return box.exit_code, [*box.stdout, *box.stderr]


@pytest.mark.parametrize(
    ("image", "command", "failed"),
    [
        (POSTGRES, "pg_isready -h SERVER -p 5432 -U app", (2, ["db:5432 - no response"])),
        (POSTGRES, "psql postgresql://app:pw@SERVER/app -c 'SELECT 1'", (2, None)),
        (POSTGRES, "PGHOST=SERVER pg_dump app", (1, None)),
        (MYSQL, "mysqladmin ping -h SERVER -uroot -ppw", (1, ["ERROR 2005 (HY000): Unknown MySQL server host 'db' (-2)"])),
        (MYSQL, "mysql --host=SERVER -e 'SELECT 1'", (1, ["ERROR 2005 (HY000): Unknown MySQL server host 'db' (-2)"])),
        (REDIS, "redis-cli -h SERVER ping", (1, ["Could not connect to Redis at db:6379: Name or service not known"])),
        (MONGO, "mongosh mongodb://SERVER:27017/?replicaSet=rs0 --eval 'db.hello()'", (1, ["MongoNetworkError: getaddrinfo ENOTFOUND db"])),
    ],
)
def test_client_asks_the_host_that_it_is_given(image: str, command: str, failed: tuple[int, list[str] | None]) -> None:
    code, said = asked(image, command, "db")
    assert (code, said if failed[1] is not None else None) == failed
    assert asked(image, command)[0] == 0


def test_client_without_a_host_asks_its_own_container() -> None:
    assert asked(POSTGRES, "pg_isready") == (2, ["/var/run/postgresql:5432 - no response"])
    box = Box(Launch(REDIS)).at(1000)
    assert box.exec("redis-cli", "-h", "127.0.0.1", "ping").exit_code == 0


def test_option_of_curl_with_a_value_is_no_url() -> None:
    command = "curl --retry 5 --retry-delay 3 --retry-connrefused -fsS http://SERVER"
    assert asked("curlimages/curl", command) == (0, ["page"])


@pytest.mark.parametrize("command", ["dd if=/dev/zero of=/dev/null", "md5sum /dev/zero", "sha256sum /dev/urandom"])
def test_work_on_a_device_without_an_end_lasts_until_it_is_stopped(command: str) -> None:
    assert run(f"exec {command}").at(60_000).exit_code is None


def test_installed_server_runs_until_it_is_stopped() -> None:
    assert run("apk add --no-cache openssh && ssh-keygen -A && exec /usr/sbin/sshd -D -e", "alpine:3.20").at(60_000).exit_code is None


def test_process_substitution_is_reported_as_not_understood() -> None:
    box = Box(Launch("bash:5", command=("bash", "-c", "while read -r line; do echo $line; done < <(echo a)"))).at(5000)
    assert (box.notes, box.stderr) == (["command-not-understood"], [])
