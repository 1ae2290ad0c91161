"""A whole site with real kubectls: a key from the page, reads, a watch that ends, a followed log, a write, a past moment."""

import http.cookiejar
import json
import re
import time
import urllib.parse
import urllib.request
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from tests.door.clients import Kubectl
from tests.door.test_helm import Helm
from tests.e2e.site import Server
from tests.prepared import prepared_site

pytestmark = pytest.mark.servers
TALKING = """\
apiVersion: v1
kind: Pod
metadata: {name: talk}
spec:
  restartPolicy: Never
  containers:
  - {name: app, image: 'busybox:1.36', command: [sh, -c, 'echo one; sleep 2; echo two']}
"""


class Visitor:
    """A browser without a window."""

    def __init__(self, url: str) -> None:
        self._url, self._jar = url, http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))

    def get(self, path: str) -> None:
        """Load a page."""
        self._opener.open(self._url + path).close()

    def post(self, path: str, **fields: str) -> tuple[str, str]:
        """Submit a form; returns its target, and the page."""
        token = next(cookie.value or "" for cookie in self._jar if cookie.name == "csrftoken")
        body = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": token}).encode()
        with self._opener.open(urllib.request.Request(self._url + path, data=body, headers={"Referer": self._url + path})) as answer:
            return answer.geturl(), answer.read().decode()


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a run's API with a key that can write."""
    site = Server(prepared_site(tmp_path_factory, tmp_path_factory.mktemp("site")))
    site.start()
    try:
        visitor = Visitor(site.url)
        visitor.get("/scenarios/hello-pod/")
        run = visitor.post("/scenarios/hello-pod/run/")[0].split("/r/")[1].split("/")[0]
        page = visitor.post(f"/r/{run}/door/", do="write")[1]
        found = re.search(r"--server=(\S+)", page)
        assert found is not None
        yield found[1]
        assert found[1].rpartition("/")[2] not in (site.folder / "server.log").read_text()
    finally:
        site.stop()


@pytest.fixture(params=["1.20", "1.27", "1.33", "1.37"])
def client(request: pytest.FixtureRequest, door: str, tmp_path: Path) -> Kubectl:
    return Kubectl(request.param, door, tmp_path)


def test_a_command_that_blocks_comes_back_when_it_is_so(client: Kubectl) -> None:
    assert client.run("wait", "--for=condition=Ready", "pod/hello", "--timeout=50s").stdout == "pod/hello condition met\n"


def test_a_pod_is_made_talks_and_goes(client: Kubectl, tmp_path: Path) -> None:
    file = tmp_path / "talk.yaml"
    file.write_text(TALKING)
    assert client.run("apply", "-f", str(file)).stdout == "pod/talk created\n"
    deadline = time.monotonic() + 40
    while "talk" not in client.run("get", "pods", "--field-selector=status.phase!=Pending").stdout:
        assert time.monotonic() < deadline
    assert client.run("logs", "-f", "talk").stdout == "one\ntwo\n"
    assert 'pod "talk" deleted' in client.run("delete", "pod", "talk").stdout
    assert client.run("get", "pod", "talk").returncode == 1


def test_a_moment_of_the_past_reads_and_does_not_write(client: Kubectl, door: str) -> None:
    past = door.replace("/k8s/", "@0/k8s/")
    assert "Pending" in client.run("get", "pod", "hello", server=past).stdout
    assert "make a branch" in client.run("delete", "pod", "hello", server=past).stderr


def test_the_branch_that_a_write_in_the_past_is_led_to_takes_it(client: Kubectl, door: str) -> None:
    said = client.run("delete", "pod", "hello", server=door.replace("/k8s/", f"@{client.number}/k8s/")).stderr
    found = re.search(r"its server is (\S+)\.\.\.\)", said)
    assert found is not None, said
    branch = door[: door.index("/r/")] + found[1] + door.rpartition("/")[2]
    assert client.run("delete", "pod", "hello", server=branch).returncode == 0
    assert client.run("get", "pod", "hello", server=branch).returncode == 1
    assert client.run("get", "pod", "hello").returncode == 0


ROLLING = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: roll}
spec:
  replicas: 3
  minReadySeconds: 60
  selector: {matchLabels: {app: roll}}
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  template:
    metadata: {labels: {app: roll}}
    spec:
      containers:
      - name: app
        image: 'nginx:1.27'
        readinessProbe: {tcpSocket: {port: 80}, initialDelaySeconds: 130, periodSeconds: 10}
"""


def test_a_rollout_of_ten_minutes_comes_back_in_seconds_where_time_is_skipped(client: Kubectl, door: str, tmp_path: Path) -> None:
    skip = door.replace("/k8s/", "@skip/k8s/")
    file = tmp_path / "roll.yaml"
    file.write_text(ROLLING)
    assert client.run("apply", "-f", str(file)).returncode == 0
    assert client.run("rollout", "status", "deployment/roll", server=skip).returncode == 0
    assert client.run("set", "image", "deployment/roll", f"app=nginx:1.{client.number}").returncode == 0
    done = client.run("rollout", "status", "deployment/roll", server=skip)
    assert done.stdout.splitlines()[-1] == 'deployment "roll" successfully rolled out'
    assert client.run("delete", "deployment", "roll", server=skip).returncode == 0


def test_a_command_that_skips_in_vain_is_told_how_far(client: Kubectl, door: str) -> None:
    skip = door.replace("/k8s/", "@skip-2/k8s/")
    done = client.run("wait", "--for=condition=Never", "pod/hello", "--timeout=3s", server=skip)
    assert done.returncode == 1
    assert done.stderr.count("within 2 simulated minutes") == 1, done.stderr


def test_helm_installs_a_chart_waits_for_it_and_takes_it_away(door: str, tmp_path: Path) -> None:
    helm = Helm("4.3.1", door, tmp_path)
    helm.done("install", "web", str(helm.chart), "--wait", "--timeout", "80s")
    assert helm.release() == ("deployed", 1)
    helm.done("uninstall", "web", "--wait", "--timeout", "80s")


def test_a_generator_a_question_and_a_typo_go_over_the_wire(client: Kubectl, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    name = f"made-{request.node.callspec.params['client'].replace('.', '-')}"
    assert client.run("create", "configmap", name, "--from-literal=a=b").stdout == f"configmap/{name} created\n"
    assert client.run("get", "configmap", name, "-o", "jsonpath={.data.a}").stdout == "b"
    assert client.run("auth", "can-i", "delete", "pods").stdout == "yes\n"
    assert "Pod is a collection of containers" in client.run("explain", "pod").stdout
    assert "hello" in client.run("top", "pods").stdout or "metrics not available yet" in client.run("top", "pods").stderr
    file = tmp_path / "typo.yaml"
    file.write_text(TALKING.replace("spec:", "spce: {}\nspec:").replace("name: talk", "name: typo"))
    assert 'unknown field "spce"' in client.run("apply", "-f", str(file)).stderr


TO_DRAIN = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}, labels: {{to: drain}}}}
spec:
  nodeName: {node}
  terminationGracePeriodSeconds: 1
  containers:
  - {{name: app, image: 'nginx:1.27'}}
---
"""


def test_a_drain_is_one_mark_with_who_gave_it(client: Kubectl, door: str, tmp_path: Path) -> None:
    file, run = tmp_path / "two.yaml", door.partition("/k8s/")[0]
    node = client.run("get", "pod", "hello", "-o", "jsonpath={.spec.nodeName}").stdout
    file.write_text("".join(TO_DRAIN.format(name=name, node=node) for name in ("one", "two")))
    assert client.run("apply", "-f", str(file)).returncode == 0
    assert client.run("wait", "--for=condition=Ready", "pod", "-l", "to=drain", "--timeout=50s").returncode == 0
    before = _typed(run)
    done = client.run("drain", node, "--force", "--pod-selector=to=drain")
    assert (done.returncode, client.run("uncordon", node).returncode) == (0, 0), done.stderr
    drained = {seq: said for seq, said in _typed(run).items() if seq not in before and said[0] == f"kubectl drain {node}"}
    assert {by.split(" · ")[-1].split("/")[0] for _, by, _ in drained.values()} == {"kubectl"}
    if client.number >= 22:  # older ones do not send the name of the command: the cordon appears on its own
        assert (len(drained), {first for _, _, first in drained.values()}) == (3, {int(min(drained, key=int))})
    else:
        assert len(drained) == 2


def _typed(run: str) -> dict[str, tuple[str, str, int]]:
    """The text shown next to the acts of a run."""
    site, _, name = run.rpartition("/")
    with urllib.request.urlopen(f"{site}/{UUID(name)}/typed/") as answer:
        return json.loads(answer.read())  # type: ignore[no-any-return]


def test_a_token_is_made_for_a_service_account(client: Kubectl) -> None:
    done = client.run("create", "token", "default", "--duration=1h")
    if client.number < 24:
        assert done.returncode == 1  # it lacks the command
        return
    head, claims, sign = done.stdout.strip().split(".")
    assert done.returncode == 0 and head and sign
    told = json.loads(urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    assert (told["sub"], told["exp"] - told["iat"]) == ("system:serviceaccount:default:default", 3600)
    assert client.run("create", "token", "nobody").stderr == 'error: failed to create token: serviceaccounts "nobody" not found\n'
