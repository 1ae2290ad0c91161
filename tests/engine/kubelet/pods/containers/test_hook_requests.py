"""HTTP hooks whose request is never answered: what is waited for, what ends the wait, and what is lost with the kubelet."""

import json
from typing import Any

import pytest

from simulator.engine import Record
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.containers.hang import HangContainer
from simulator.engine.acts.nodes.control import NodeControl
from tests.engine.worlds import container, events, header, moment, pod, run

IP = "10.244.0.3"
WEB = {"name": "web", "image": "nginx:1.16.1"}
SILENT = "10.9.9.9"
"""An address that nobody has."""


def hang(at: float, name: str = "web", *, lifted: bool = False, target: str = "default/p") -> tuple[float, HangContainer]:
    return at, HangContainer(target=target, container=name, hang=not lifted)


def asking(wait: float = 0, *, purpose: str = "postStart", name: str = "app", script: str = "sleep 1000", **action: Any) -> dict[str, Any]:
    """A container whose hook requests a page."""
    return container(script, name=name, lifecycle={purpose: {"httpGet": {"path": "/", "port": 80, **action}}})


def ends(records: list[Record]) -> list[tuple[float, str, object]]:
    """When and how hooks ended, in tenths of a second."""
    found = [item for item in records if item.machine == "hook" and item.target in ("done", "failed")]
    return [(round(item.at_ms / 1000, 1), item.target, item.get("message")) for item in found]


def began(records: list[Record]) -> float:
    return moment(records, machine="hook", target="running")


# --- An address that nobody has


@pytest.mark.parametrize(("version", "wait_s", "error"), [("1.25", 30, "i/o timeout"), ("1.26", 127, "connect: connection timed out")])
def test_hook_to_a_silent_address_fails_when_the_dial_is_given_up(version: str, wait_s: int, error: str) -> None:
    slash = "//" if version == "1.25" else "/"
    _, records = run(header(pod(asking(host=SILENT)), kubernetes=version), 140)
    text = f'Get "http://{SILENT}:80{slash}": dial tcp {SILENT}:80: {error}'
    assert ends(records)[0] == (round(began(records) + wait_s, 1), "failed", text)


def test_container_whose_hook_found_nobody_is_killed_and_started_again() -> None:
    _, records = run(header(pod(asking(host=SILENT))), 200)
    assert "Killing: FailedPostStartHook" in events(records)
    assert "FailedPostStartHook: PostStartHook failed" in events(records)


def test_hook_to_a_silent_address_is_not_answered_by_its_own_container() -> None:
    acts = hang(10, "app"), hang(12, "app", lifted=True)
    _, records = run(header(pod(asking(host=SILENT))), 60, *acts)
    assert ends(records) == []


# --- A server that hangs


def late(*acts: tuple[float, Any], **more: Any) -> list[Record]:
    """A pod whose ``web`` runs and hangs for some seconds before ``app`` starts and sends it a request."""
    web = {**WEB, "lifecycle": {"postStart": {"sleep": {"seconds": 5}}}}
    return run(header(pod(web, asking(**more)), kubernetes="1.32"), 40, hang(3), *acts)[1]


def test_hook_is_answered_when_the_container_that_it_asks_goes_on() -> None:
    records = late(hang(20, lifted=True))
    assert ends(records)[1:] == [(20.0, "done", "")]


def test_hook_is_not_answered_by_a_container_that_it_does_not_ask() -> None:
    records = late(hang(20, "app"), hang(25, "app", lifted=True))
    assert len(ends(records)) == 1


def test_hook_gets_eof_when_the_container_that_it_asks_ends() -> None:
    records = late((20, ExitContainer(target="default/p", container="web", exit_code=1)))
    assert ends(records)[1] == (20.0, "failed", f'Get "http://{IP}:80/": EOF')


def test_hook_that_asks_another_pod_waits_for_that_pod() -> None:
    server = pod(WEB, name="server")
    asker = pod(asking(host=IP), initContainers=[container("sleep 6", name="wait")])
    acts = hang(5, target="default/server"), hang(30, lifted=True, target="default/server")
    _, records = run(header(server, asker), 40, *acts)
    assert ends(records) == [(30.0, "done", "")]


def test_hook_is_refused_at_a_port_where_a_hung_process_does_not_listen() -> None:
    records = late(port=81)
    assert ends(records)[1][1:] == ("failed", f'Get "http://{IP}:81/": dial tcp {IP}:81: connect: connection refused')


MUTE = "nc -lk -p 80 -e sh -c 'while true; do sleep 1; done'; sleep 1000"
"""A server that accepts a request and never answers it."""


def test_hook_that_a_mute_server_took_gets_no_answer_because_the_server_was_hung_in_between() -> None:
    _, records = run(header(pod(asking(script=MUTE))), 30, hang(10, "app"), hang(12, "app", lifted=True))
    assert ends(records) == []


def slow(*acts: tuple[float, Any]) -> list[tuple[float, str, object]]:
    """How the hooks of a pod end when its server takes twenty seconds to answer."""
    document = pod({"name": "app", "image": "busybox:1.28", "lifecycle": {"postStart": {"httpGet": {"port": 80}}}})
    block = {"app": {"listens": [{"port": 80, "paths": {"/": [{"status": 200, "delay": "20s"}]}}]}}
    document["metadata"]["annotations"] = {"podscope.dev/behaviour": json.dumps(block)}
    return ends(run(header(document), 35, *acts)[1])


def test_hook_waits_for_a_slow_answer() -> None:
    assert slow() == [(20.4, "done", "")]


def test_hook_gets_eof_when_the_server_ends_before_its_answer() -> None:
    assert slow((10, ExitContainer(target="default/p", container="app", exit_code=1)))[0] == (10.0, "failed", f'Get "http://{IP}:80/": EOF')


def test_slow_answer_comes_when_the_server_goes_on_that_was_hung_before_it() -> None:
    assert slow(hang(10, "app"), hang(30, "app", lifted=True)) == [(30.0, "done", "")]
    assert slow(hang(10, "app"), hang(15, "app", lifted=True)) == [(20.4, "done", "")]


# --- The kubelet


def kubelet(at: float, what: str) -> tuple[float, NodeControl]:
    return at, NodeControl(node="node1", kubelet=what)


@pytest.mark.parametrize("started", [(), (kubelet(14, "start"),)], ids=["down", "started again"])
def test_wait_for_an_answer_is_lost_with_the_kubelet(started: tuple[Any, ...]) -> None:
    acts = kubelet(12, "kill"), *started, hang(30, "app"), hang(32, "app", lifted=True)
    _, records = run(header(pod(asking(script=MUTE))), 40, *acts)
    assert ends(records) == []


@pytest.mark.parametrize("hook", [{"sleep": {"seconds": 10}}, {"httpGet": {"port": 80, "host": SILENT}}], ids=["sleep", "silent address"])
@pytest.mark.parametrize("started", [(), (kubelet(7, "start"),)], ids=["down", "started again"])
def test_hook_under_way_is_lost_with_the_kubelet(hook: dict[str, Any], started: tuple[Any, ...]) -> None:
    document = pod(container("sleep 1000", lifecycle={"postStart": hook}))
    _, records = run(header(document, kubernetes="1.32"), 160, kubelet(6, "kill"), *started)
    assert ends(records) == []
