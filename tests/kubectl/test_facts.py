"""kubectl output that exists in one version but not in the adjacent one."""

from functools import lru_cache

import pytest

from simulator.engine import World
from simulator.kubectl.kubectl import kubectl
from tests.engine.worlds import container, header, pod, run

TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "busybox"}]}}
JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "j"},
    "spec": {"completionMode": "Indexed", "completions": 1, "template": TEMPLATE},
}
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "binaryData": {"b": "AAA="}}
DAEMONS = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "d"},
    "spec": {
        "selector": {"matchLabels": {"app": "x"}},
        "template": {**TEMPLATE, "spec": {"containers": [{"name": "a", "image": "busybox"}]}},
    },
}


@lru_cache
def cluster(kubernetes: str) -> World:
    return run(header(pod(container("sleep 60"), name="p"), JOB, CONFIG, DAEMONS, kubernetes=kubernetes), 5)[0]


@pytest.mark.parametrize(
    ("line", "text", "without", "with_"),
    [
        ("describe node node1", "Kube-Proxy Version:", "1.36", "1.35"),
        ("describe job j", "Completion Mode:", "1.21", "1.22"),
        ("describe job j", "Backoff Limit:", "1.27", "1.28"),
        ("describe cm c", "BinaryData", "1.20", "1.21"),
        ("describe ds d", "Namespace:", "1.31", "1.32"),
        ("describe pod p", "ConfigMapOptional:", "1.33", "1.32"),
        ("get pods -A -o yaml", "selfLink:", "1.24", "1.23"),
    ],
)
def test_line_is_printed_by_one_version_and_not_by_its_neighbour(line: str, text: str, without: str, with_: str) -> None:
    printed = [kubectl(cluster(version), line, now_ms=5_000) for version in (without, with_)]
    assert [any(row.strip().startswith(text) for row in each.splitlines()) for each in printed] == [False, True]
