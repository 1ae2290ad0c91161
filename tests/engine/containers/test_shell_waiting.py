"""What scripts of bash wait with: connections by a redirection, and a count of seconds."""

from simulator.engine.containers import Launch
from tests.engine.containers.containers import Box, run
from tests.engine.containers.test_fetching import OneServer

BASH = "bash:5"


def asked(image: str, command: str, host: str = "web") -> tuple[int | None, list[str]]:
    """Exit code and output of a script on a network where only web exists."""
    box = Box(Launch(image, command=("sh", "-c", command.replace("SERVER", host))), lookup=OneServer()).at(1000)
    return box.exit_code, [*box.stdout, *box.stderr]


def test_bash_connects_by_a_redirection() -> None:
    script = "(echo > /dev/tcp/SERVER/80) 2> /dev/null && echo open || echo closed"
    assert asked(BASH, f"bash -c '{script}'") == (0, ["open"])
    assert asked(BASH, f"bash -c '{script}'", "none") == (0, ["closed"])
    assert asked("busybox:1.36", script) == (0, ["closed"])


def test_seconds_count_from_what_was_assigned() -> None:
    box = Box(Launch(BASH, command=("bash", "-c", "sleep 5; SECONDS=0; while ((SECONDS < 3)); do sleep 1; done; echo $SECONDS"))).at(20_000)
    assert (box.stdout, box.exit_ms) == (["3"], 8000)


def test_allexport_exports_what_is_assigned() -> None:
    assert run("set -a; A=1; set +a; B=2; env | grep -E '^[AB]='").stdout == ["A=1"]
