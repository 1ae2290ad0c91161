"""Writes of real kubectls: generators, which send protobuf from 1.32 on, and what a key may do."""

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


def test_whoami(client: Kubectl, version: str) -> None:
    if int(version[2:]) < 28:
        pytest.skip("kubectl auth whoami and what it asks came with 1.28")
    assert "kubernetes-admin" in client.run("auth", "whoami").stdout
