"""kubectl wait: conditions that hold at a moment, and a session in which time passes meanwhile."""

from typing import Any

import pytest

from simulator.headless.session import Session
from simulator.kubectl.kubectl import kubectl
from simulator.kubectl.wait import waiting
from tests.engine.worlds import container, header, pod, run


def session(*documents: dict[str, Any], kubernetes: str = "1.33", at_s: int = 5) -> Session:
    world, records = run(header(*(documents or (pod(container()),)), kubernetes=kubernetes), at_s)
    return Session(world, records, now_ms=at_s * 1000)


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("wait --for=condition=Ready pod/p", "pod/p condition met\n"),
        ("wait --for=condition=ready=true pod p", "pod/p condition met\n"),
        ("wait --for=jsonpath='{.status.phase}'=Running pod/p", "pod/p condition met\n"),
        ("wait --for=jsonpath='{.status.podIP}' pod/p", "pod/p condition met\n"),
        (
            "wait --for=jsonpath=\"{.metadata['name','namespace']}\"=p pod/p",
            "error: given jsonpath expression matches more than one value\n",
        ),
        ("wait --for=create pod/p", "pod/p condition met\n"),
        ("wait --for=delete pod/x", ""),
        ("wait --for=condition=Ready pod/x", 'Error from server (NotFound): pods "x" not found\n'),
        ("wait --for=condition=Ready pod -l app=none", "error: no matching resources found\n"),
        ("wait --for=foo pod/p", 'error: unrecognized condition: "foo"\n'),
        ("wait --for=condition=Ready pods", "error: resource(s) were provided, but no name was specified\n"),
        ("wait --for=condition=Foo pod/p --timeout=2s", "error: timed out waiting for the condition on pods/p\n"),
        ("wait --for=delete pod/p --timeout=0s", "error: timed out waiting for the condition on pods/p\n"),
        (
            "wait --for=condition=Ready pod/p --timeout=x",
            'error: invalid argument "x" for "--timeout" flag: time: invalid duration "x"\nSee \'kubectl wait --help\' for usage.\n',
        ),
    ],
)  # fmt: skip
def test_line_waits(line, printed):
    assert session().ask(line) == printed


def test_old_client_finds_nothing_to_wait_for():
    assert session(kubernetes="1.20").ask("wait --for=delete pod/x") == "error: no matching resources found\n"
    assert session(kubernetes="1.20").ask("wait --for=jsonpath='{.a}'=b pod/p").startswith("error: unrecognized condition")


def test_time_passes_while_it_waits():
    asked = session(at_s=0)
    assert "Running" not in asked.ask("get pods")
    assert asked.ask("wait --for=condition=Ready pod/p | cut -d' ' -f2-") == "condition met\n"
    assert 0 < asked.now_ms < 30_000


def test_time_that_is_over_is_as_long_as_was_asked():
    asked = session()
    asked.ask("wait --for=condition=Foo pod/p --timeout=7s")
    assert asked.now_ms == 12_000


def test_moment_that_has_not_come_yet_is_said():
    world, _ = run(header(pod(container())), 0)
    assert kubectl(world, "wait --for=condition=Ready pod/p") == "(still waiting for the condition on pods/p at this moment)\n"


@pytest.mark.parametrize(
    ("timeout", "length_ms"),
    [("", 30_000), ("--timeout=0", 0), ("--timeout=1m5s", 65_000), ("--timeout=-1s", 604_800_000), ("--timeout=-0s", 0)],
)
def test_time_is_half_a_minute_unless_it_is_told_and_a_week_where_it_is_negative(timeout, length_ms):
    world, _ = run(header(pod(container())), 5)
    assert waiting(world, f"wait --for=condition=Foo pod/p {timeout}", now_ms=5_000) == (
        length_ms,
        "error: timed out waiting for the condition on pods/p\n",
    )
