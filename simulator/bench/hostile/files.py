"""Scenario files that are small and take long to play, for somebody who wants to make a site compute.

Each ends at 24 hours, further than any request may play. ``FILES`` has their texts by description.
"""

import json
from collections.abc import Sequence
from typing import Any

Document = dict[str, Any]
DAY_MS = 24 * 3_600_000
KUBERNETES = "1.33"
CRASH, LOOP, DOZE = "exit 1", "while :; do :; done", "while true; do echo x; sleep 0.01; done"
EACH_SECOND = {"httpGet": {"port": 80}, "periodSeconds": 1}


def _container(script: str = "", **more: Any) -> Document:
    command = {"command": ["sh", "-c", script]} if script else {}
    return {"name": "c", "image": "busybox:1.36" if script else "nginx:1.27", **command, **more}


def _pod(name: str, script: str) -> Document:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [_container(script)]}}


def _deployment(replicas: int, **container: Any) -> Document:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [_container(**container)]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def _cron_job(name: str) -> Document:
    template = {"spec": {"restartPolicy": "Never", "containers": [_container("exit 0")]}}
    spec = {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name}, "spec": spec}


def scenario_file(documents: Sequence[Document], *, until_ms: int = DAY_MS, **more: Any) -> str:
    """The text of a file with these objects that ends at ``until_ms``; ``more`` are further fields of the format."""
    manifests = "\n---\n".join(json.dumps(document) for document in documents)
    return json.dumps({"podscope": 1, "kubernetes": KUBERNETES, "manifests": manifests, "until_ms": until_ms} | more)


def _scalings(count: int) -> list[Document]:
    """Acts, one each second, that alternately scale the Deployment to 1,900 replicas and to none."""
    return [
        {"do": "scale", "at_ms": 1000 * n, "kind": "Deployment", "namespace": "default", "name": "web", "replicas": 1900 * (n % 2)}
        for n in range(1, count + 1)
    ]


FILES = {
    "1,900 replicas": scenario_file([_deployment(1900)]),
    "three pods that crash": scenario_file([_pod(f"p{n}", CRASH) for n in range(3)]),
    "20 CronJobs every minute": scenario_file([_cron_job(f"c{n}") for n in range(20)]),
    "probes each second": scenario_file([_deployment(50, readinessProbe=EACH_SECOND, livenessProbe=EACH_SECOND)]),
    "1,000 shells that never rest": scenario_file([_deployment(1000, script=LOOP)]),
    "shells that doze": scenario_file([_pod(f"p{n}", DOZE) for n in range(3)]),
    "500 nodes": scenario_file([_deployment(1900)], cluster={"nodes": [{"name": f"n{n}"} for n in range(500)]}),
    "a thousand acts": scenario_file([_deployment(1)], acts=_scalings(1000)),
}
"""By description."""
