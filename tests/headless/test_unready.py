"""One line for each pod that is not ready at the end of a run: the reason."""

from typing import Any

import pytest
from django.utils.translation import override

from simulator.engine.acts.pods.delete import DeletePod
from simulator.headless.unready import unready_lines
from tests.engine.worlds import container, header, pod, run

NGINX = {"name": "app", "image": "nginx:1.16.1"}
READY = {"readinessProbe": {"exec": {"command": ["false"]}}}


def lines(document: dict[str, Any], seconds: float = 60, *commands: Any) -> list[str]:
    return list(unready_lines(*run(header(document), seconds, *commands)))


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (pod(NGINX, nodeSelector={"disk": "ssd"}), "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector"),
        (pod(NGINX | {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}, volumes=[{"name": "v", "secret": {"secretName": "key"}}]),
         'secret "key" not found'),
        (pod(NGINX | {"image": "nosuch/app:1"}), "container app: ErrImagePull: "),
        (pod(container("echo broken; exit 3")), "container app: CrashLoopBackOff, Error, exit code 3, log: broken"),
        (pod(NGINX | {"securityContext": {"readOnlyRootFilesystem": True}}), 'log: nginx: [emerg] mkdir() "/var/cache/nginx'),
        (pod(container("sleep 600", name="main"), initContainers=[container("exit 1", name="init")]), "container init: "),
        (pod(container("sleep 600", **READY)), "container app: Readiness probe failed"),
        (pod(NGINX, hostname="h" * 60, subdomain="web", setHostnameAsFQDN=True), "Failed to create pod sandbox: "),
        (pod(NGINX, readinessGates=[{"conditionType": "example.com/ok"}]), 'pod readiness gate "example.com/ok"'),
    ],
)  # fmt: skip
def test_line_says_what_keeps_a_pod(document: dict[str, Any], why: str) -> None:
    (line,) = lines(document)
    assert line.startswith("pod default/p is not ready: ")
    assert why in line


@pytest.mark.parametrize("command", ["echo broken; exit 3", "exit 3"])
def test_line_is_in_one_language(command: str) -> None:
    with override("zh-hans"):
        (line,) = lines(pod(container(command)))
    assert "退出码 3" in line and "exit code" not in line and "log:" not in line


@pytest.mark.parametrize(
    "document", [pod(NGINX), pod(container("exit 0"), restartPolicy="Never"), pod(container("exit 2"), restartPolicy="Never")]
)
def test_pod_that_is_ready_or_done_has_no_line(document: dict[str, Any]) -> None:
    assert lines(document) == []


def test_pod_that_is_being_deleted_has_no_line() -> None:
    assert lines(pod(container("sleep 600", **READY)), 12, (10, DeletePod(target="default/p"))) == []
