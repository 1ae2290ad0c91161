"""Writes of real kubectls: generators, which send protobuf since 1.32, and the permissions of keys."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.engine import RunHeader, advance, new_world
from simulator.engine.world.world import World
from tests.door.clients import VERSIONS, Kubectl
from tests.door.serving import Served, door_of
from tests.factories import pod_json

CREATED = {
    "create deployment web --image=nginx --replicas=0": "deployment.apps/web created",
    "create configmap cm --from-literal=a=b": "configmap/cm created",
    "create secret generic s --from-literal=p=q": "secret/s created",
    "create job j --image=busybox -- date": "job.batch/j created",
    "create cronjob c --image=busybox --schedule='*/5 * * * *' -- date": "cronjob.batch/c created",
    "create quota q --hard=pods=20": "resourcequota/q created",
    "create service clusterip s --tcp=80:8080": "service/s created",
    "create namespace n": "namespace/n created",
    "create serviceaccount robot": "serviceaccount/robot created",
    "create poddisruptionbudget p --selector=app=web --min-available=50%": "poddisruptionbudget.policy/p created",
    "create priorityclass high --value=1000": "priorityclass.scheduling.k8s.io/high created",
    "autoscale deployment web --max=3": "horizontalpodautoscaler.autoscaling/web autoscaled",
    "run one --image=nginx": "pod/one created",
    "expose pod one --port=80": "service/one exposed",
}


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def world(version: str) -> World:
    made = new_world(RunHeader(kubernetes=version, manifests=(pod_json("a"),)))
    advance(made, until_ms=30_000)
    return made


@pytest.fixture(scope="module")
def door(world: World) -> Iterator[Served]:
    with door_of(world, writes=True) as served:
        yield served


@pytest.fixture(scope="module")
def client(version: str, door: Served, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    return Kubectl(version, door.url, tmp_path_factory.mktemp("home"))


def test_every_generator_creates_its_object(client: Kubectl) -> None:
    assert {line: client.said(*shlex.split(line)).strip() for line in CREATED} == CREATED


def test_protobuf_makes_the_object_that_the_client_prints(client: Kubectl, door: Served) -> None:
    line = "create deployment other --image=nginx --replicas=0"
    printed = json.loads(client.run(*shlex.split(line), "--dry-run=client", "-o", "json").stdout)
    client.run(*shlex.split(line))
    found = json.loads(client.run("get", "deployment", "other", "-o", "json").stdout)
    assert found["spec"]["replicas"] == printed["spec"]["replicas"] == 0
    assert found["spec"]["selector"] == printed["spec"]["selector"]


def test_a_key_that_writes_may_delete_and_one_that_reads_may_not(client: Kubectl, version: str, world: World, tmp_path: Path) -> None:
    assert client.run("auth", "can-i", "delete", "pods").stdout == "yes\n"
    with door_of(world) as reading:
        reader = Kubectl(version, reading.url, tmp_path)
        assert (reader.run("auth", "can-i", "get", "pods").stdout, reader.run("auth", "can-i", "delete", "pods").stdout) == (
            "yes\n",
            "no\n",
        )
        assert "[get list watch]" in reader.run("auth", "can-i", "--list").stdout


def test_all_that_a_key_that_writes_may_do_is_reported_as_by_a_server_without_roles(client: Kubectl) -> None:
    told = client.run("auth", "can-i", "--list").stdout
    assert told == (
        "Resources   Non-Resource URLs   Resource Names   Verbs\n"
        "*.*         []                  []               [*]\n"
        "            [*]                 []               [*]\n"
    )


def test_whoami(client: Kubectl, version: str) -> None:
    if int(version[2:]) < 28:
        pytest.skip("kubectl auth whoami and what it asks came with 1.28")
    assert "kubernetes-admin" in client.run("auth", "whoami").stdout


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: two}
spec:
  replicas: 0
  selector: {matchLabels: {app: two}}
  template:
    metadata: {labels: {app: two}}
    spec:
      containers:
      - {name: a, image: 'nginx:1.26'}
      - {name: b, image: 'busybox:1.36'}
"""


def test_apply_merges_by_the_keys_of_the_document(client: Kubectl, door: Served) -> None:
    assert client.run("apply", "-f", "-", stdin=DEPLOYMENT).stdout == "deployment.apps/two created\n"
    client.run("set", "env", "deployment/two", "-c", "b", "KEPT=yes")
    door.sent.clear()
    assert client.run("apply", "-f", "-", stdin=DEPLOYMENT.replace("1.26", "1.27")).stdout == "deployment.apps/two configured\n"
    patch = next(json.loads(asked.body) for asked in door.sent if asked.method == "PATCH")
    inner = patch["spec"]["template"]["spec"]
    assert inner["$setElementOrder/containers"] == [{"name": "a"}, {"name": "b"}] and len(inner["containers"]) == 1
    found = json.loads(client.run("get", "deployment", "two", "-o", "json").stdout)["spec"]["template"]["spec"]["containers"]
    assert (found[0]["image"], found[1]["env"]) == ("nginx:1.27", [{"name": "KEPT", "value": "yes"}])


def test_a_dry_run_on_the_server_stores_nothing(client: Kubectl) -> None:
    made = client.run("create", "-f", "-", "--dry-run=server", stdin=DEPLOYMENT.replace("name: two", "name: dry"))
    assert made.stdout == "deployment.apps/dry created (server dry run)\n"
    assert client.run("get", "deployment", "dry").returncode == 1


def test_replace_puts_the_object(client: Kubectl) -> None:
    client.run("apply", "-f", "-", stdin=DEPLOYMENT)
    assert client.run("replace", "-f", "-", stdin=DEPLOYMENT).stdout == "deployment.apps/two replaced\n"


def test_a_typo_is_refused_by_the_client_before_1_25_and_by_the_server_after(client: Kubectl, version: str) -> None:
    typo = DEPLOYMENT.replace("replicas: 0", "replicas: 0\n  replica: 1").replace("name: two", "name: typo")
    done = client.run("apply", "-f", "-", stdin=typo)
    server = 'cannot be handled as a Deployment: strict decoding error: unknown field "spec.replica"'
    words = server if int(version[2:]) >= 25 else 'unknown field "replica" in io.k8s.api.apps.v1.DeploymentSpec'
    assert done.returncode == 1 and words in done.stderr


def test_warn_makes_the_object_and_prints_what_is_wrong(client: Kubectl, version: str) -> None:
    if int(version[2:]) < 25:
        pytest.skip("servers warn from 1.25 on")
    typo = DEPLOYMENT.replace("replicas: 0", "replicas: 0\n  replica: 1").replace("name: two", "name: warned")
    done = client.run("apply", "--validate=warn", "-f", "-", stdin=typo)
    assert (done.stdout, done.stderr) == ("deployment.apps/warned created\n", 'Warning: unknown field "spec.replica"\n')


def test_diff_shows_what_apply_would_change_and_nothing_else(client: Kubectl, monkeypatch: pytest.MonkeyPatch) -> None:
    # The only program that kubectl itself calls.
    environment = {**client.environment(), "KUBECTL_EXTERNAL_DIFF": "/usr/bin/diff -u -N"}
    monkeypatch.setattr(client, "environment", lambda: environment)
    own = DEPLOYMENT.replace("name: two", "name: differs")
    client.run("apply", "-f", "-", stdin=own)
    done = client.run("diff", "-f", "-", stdin=own.replace("replicas: 0", "replicas: 2"))
    changed = [line for line in done.stdout.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ["-  generation: 1", "+  generation: 2", "-  replicas: 0", "+  replicas: 2"], done.stderr


@pytest.mark.parametrize(("words", "grace_s"), [((), None), (("--grace-period=2",), 2), (("--grace-period=0",), 1)])
def test_a_forced_replacement_waits_for_the_grace_period_and_makes_another_object(
    version: str, tmp_path: Path, words: tuple[str, ...], grace_s: int | None
) -> None:
    world = new_world(RunHeader(kubernetes=version, manifests=(pod_json("a"),)))
    advance(world, until_ms=30_000)
    file = tmp_path / "pod.json"
    file.write_text(pod_json("a"))
    with door_of(world, writes=True, rate=20) as served:
        client = Kubectl(version, served.url, tmp_path)
        before = json.loads(client.run("get", "pod", "a", "-o", "json").stdout)["metadata"]
        done = client.run("replace", "--force", *words, "-f", str(file))
        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "pod/a replaced"), done.stderr
        assert client.run("get", "pod", "a", "-o", "jsonpath={.metadata.uid}").stdout != before["uid"]
        deletions = [json.loads(asked.body) for asked in served.sent if asked.method == "DELETE"]
        assert [body.get("gracePeriodSeconds") for body in deletions] == [grace_s]
        assert client.run("replace", "--grace-period=2", "-f", str(file)).stderr == "error: --grace-period must have --force specified\n"


def test_all_objects_are_deleted_including_those_that_are_recreated(client: Kubectl) -> None:
    client.run("create", "configmap", "mine", "--from-literal=a=b")
    kept = client.run("get", "configmap", "kube-root-ca.crt", "-o", "jsonpath={.metadata.uid}").stdout
    done = client.run("delete", "configmaps", "--all", "--timeout=20s")
    assert (done.returncode, done.stdout.count(" deleted")) == (0, done.stdout.count("configmap ")), done.stderr
    assert client.run("get", "configmaps", "-o", "name").stdout == "configmap/kube-root-ca.crt\n"
    assert client.run("get", "configmap", "kube-root-ca.crt", "-o", "jsonpath={.metadata.uid}").stdout not in ("", kept)


def test_a_drain_that_is_only_tried_evicts_nothing(version: str, tmp_path: Path) -> None:
    world = new_world(RunHeader(kubernetes=version, manifests=(pod_json("a"),)))
    advance(world, until_ms=30_000)
    node = next(iter(world.tables.nodes))
    with door_of(world, writes=True) as served:
        client = Kubectl(version, served.url, tmp_path)
        done = client.run("drain", node, "--force", "--dry-run=server")
        if client.number == 20:  # it asks whether an object without a name can be dry-run, and is told that it cannot
            assert "/, Kind= doesn't support dry-run" in done.stderr
        else:
            assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"node/{node} drained (server dry run)"), done.stderr
        assert client.run("drain", node, "--force", "--dry-run=client").returncode == 0
        assert served.world.digest() == world.digest()
        assert client.run("get", "pod", "a", "-o", "jsonpath={.metadata.deletionTimestamp}").stdout == ""
