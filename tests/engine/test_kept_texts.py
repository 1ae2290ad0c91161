"""Texts that a run stores about its containers: limited in characters, however long the lines are."""

from collections.abc import Mapping

import pytest

from simulator.engine.apiserver.k8s_events import MESSAGE_CHARS_MAX
from simulator.engine.kubelet.pods.containers.instances import LOG_CHARS_MAX, LOG_LINES_MAX, kept_lines
from tests.engine.worlds import container, events, header, pod, run

GIVEN = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "x" * 200_000 + "end"}}
VOLUMES = [{"name": "v", "configMap": {"name": "c"}}]
MOUNT = {"volumeMounts": [{"name": "v", "mountPath": "/c"}]}


def kept(script: str, seconds: float = 20, **more: object) -> list[str]:
    """The stored lines of a container's log."""
    world, _ = run(header(GIVEN, pod(container(script, **MOUNT), volumes=VOLUMES), **more), seconds)
    return [line[3] for line in world.tables.logs[("default/p", "app")]]


def test_log_keeps_the_newest_lines_that_fit():
    lines = kept("for i in $(seq 1 9); do cut -c 1-10000 /c/k; echo $i; done; sleep 100")
    assert lines[-1] == "9" and lines[-3] == "8"
    assert sum(map(len, lines)) <= LOG_CHARS_MAX
    assert len(lines) < 18


def test_of_a_line_that_is_longer_than_the_log_its_end_is_kept():
    long = (0, 5, "stdout", "x" * LOG_CHARS_MAX + "end")
    assert kept_lines((long, long)) == ((0, 5, "stdout", "x" * (LOG_CHARS_MAX - 3) + "end"),)
    assert kept_lines((long, (0, 6, "stdout", "last"))) == ((0, 5, "stdout", "x" * (LOG_CHARS_MAX - 7) + "end"), (0, 6, "stdout", "last"))


def test_log_of_short_lines_keeps_as_many_as_ever():
    assert kept("seq 1 1000; sleep 100") == [str(n) for n in range(1000 - LOG_LINES_MAX + 1, 1001)]


@pytest.mark.parametrize("handler", [{"readinessProbe": {"exec": {"command": ["sh", "-c", "cat /c/k; exit 1"]}}},
                                     {"lifecycle": {"postStart": {"exec": {"command": ["sh", "-c", "cat /c/k; exit 1"]}}}}],
                         ids=["probe", "hook"])  # fmt: skip
def test_message_of_an_event_is_cut(handler: Mapping[str, object]):
    app = container("sleep 100", **MOUNT, **handler)
    _, records = run(header(GIVEN, pod(app, volumes=VOLUMES), kubernetes="1.24"), 30)
    said = [str(record.get("message")) for record in records if record.machine == "k8s_event"]
    assert max(map(len, said)) == MESSAGE_CHARS_MAX
    assert any(text.startswith(("Unhealthy: Readiness probe failed: xxx", "FailedPostStartHook: ")) for text in events(records))
