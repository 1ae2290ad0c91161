"""helm 3 and 4: a chart is installed, upgraded, rolled back and uninstalled, each with --wait.

Releases are Secrets. helm writes them as JSON up to 3.17.1, and as protobuf later.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.door.clients import HELMS, Kubectl, helm_of
from tests.door.cluster import cluster_of

SECONDS = 90
FILES = {
    "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\nappVersion: '1.0'\n",
    "values.yaml": "tag: '1.27'\nreplicas: 2\n",
    "templates/web.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}, labels: {app: {{ .Release.Name }}}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      serviceAccountName: {{ .Release.Name }}
      containers:
      - name: web
        image: "nginx:{{ .Values.tag }}"
        ports: [{name: http, containerPort: 80}]
        readinessProbe: {httpGet: {path: /, port: http}}
        volumeMounts: [{name: conf, mountPath: /conf}]
      volumes: [{name: conf, configMap: {name: {{ .Release.Name }}}}]
""",
    "templates/others.yaml": """\
apiVersion: v1
kind: ServiceAccount
metadata: {name: {{ .Release.Name }}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {tag: "{{ .Values.tag }}"}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{port: 80, targetPort: http}]}
""",
}


class Helm:
    """A helm with its own home directory, for one address, and a chart."""

    def __init__(self, version: str, url: str, home: Path) -> None:
        self._binary, self.url, self.home = helm_of(version), url, home
        self.chart = home / "chart"
        for name, text in FILES.items():
            file = self.chart / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "run",
            "clusters": [{"name": "run", "cluster": {"server": url}}], "users": [{"name": "run", "user": {}}],
            "contexts": [{"name": "run", "context": {"cluster": "run", "user": "run", "namespace": "default"}}],
        }  # fmt: skip
        (home / "config").write_text(json.dumps(config))

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Its output and exit code."""
        return subprocess.run(
            [str(self._binary), *words], env={"HOME": str(self.home), "KUBECONFIG": str(self.home / "config"), "TZ": "UTC"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip

    def done(self, *words: str) -> str:
        """Its output; it must succeed."""
        found = self.run(*words)
        assert found.returncode == 0, (found.stdout, found.stderr)
        return found.stdout

    def release(self) -> tuple[str, int]:
        """Status and revision of the release, from ``helm list``."""
        (found,) = json.loads(self.done("list", "-o", "json"))
        return found["status"], int(found["revision"])


@pytest.fixture(params=list(HELMS))
def helm(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Helm]:
    helm_of(request.param)
    with cluster_of("1.33") as url:
        yield Helm(request.param, url, tmp_path)


def image(helm: Helm) -> str:
    client = Kubectl("1.33", helm.url, helm.home)
    return client.said("get", "deploy", "web", "-o", "jsonpath={.spec.template.spec.containers[0].image} {.status.readyReplicas}")


def test_a_release_lives_from_install_to_uninstall(helm: Helm) -> None:
    chart = str(helm.chart)
    assert "STATUS: deployed" in helm.done("install", "web", chart, "--wait", "--timeout", "60s")
    assert (image(helm), helm.release()) == ("nginx:1.27 2", ("deployed", 1))
    assert "STATUS: deployed" in helm.done("status", "web")
    helm.done("upgrade", "web", chart, "--set", "tag=1.26", "--wait", "--timeout", "60s")
    assert (image(helm), helm.release()) == ("nginx:1.26 2", ("deployed", 2))
    helm.done("rollback", "web", "1", "--wait", "--timeout", "60s")
    assert (image(helm), helm.release()) == ("nginx:1.27 2", ("deployed", 3))
    assert len(helm.done("history", "web").splitlines()) == 4
    helm.done("uninstall", "web", "--wait", "--timeout", "60s")
    assert (helm.done("list", "-q"), "not found" in image(helm)) == ("", True)


def test_an_upgrade_after_scale_is_a_conflict_for_helm_4(helm: Helm, request: pytest.FixtureRequest) -> None:
    helm.done("install", "web", str(helm.chart))
    Kubectl("1.33", helm.url, helm.home).run("scale", "deploy", "web", "--replicas=3")
    found = helm.run("upgrade", "web", str(helm.chart), "--set", "tag=1.26")
    if request.node.callspec.params["helm"].startswith("3."):
        assert found.returncode == 0
    else:
        text = 'conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas'
        assert found.returncode == 1 and text in found.stderr, found.stderr
