"""Volumes: their content in containers, who may write, what persists, and what comes later."""

import json
from typing import Any

import pytest

from simulator.engine import World
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from tests.engine.worlds import container, events, header, moment, pod, run

CONFIG = {"kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"mode": "loud", "colour": "red"}, "binaryData": {"raw": "aGk="}}
SECRET = {"kind": "Secret", "metadata": {"name": "key"}, "data": {"pin": "MTIzNA=="}}
CLAIM = {
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


def mounted(
    volume: dict[str, Any], script: str, *, path: str = "/v", name: str = "p", mount: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A pod that mounts one volume and runs a script."""
    mounts = [{"name": "v", "mountPath": path, **(mount or {})}]
    return pod(container(script, volumeMounts=mounts), name=name, volumes=[{"name": "v", **volume}])


def said(world: World, key: str = "default/p") -> list[str]:
    """The output of a pod's container."""
    return [line[3] for line in world.tables.logs.get((key, "app"), ())]


@pytest.mark.parametrize(
    ("volume", "script", "lines"),
    [
        ({"configMap": {"name": "app"}}, "ls /v; echo $(cat /v/mode)", ["colour", "mode", "raw", "loud"]),
        ({"configMap": {"name": "app", "items": [{"key": "mode", "path": "a/b"}]}}, "echo $(cat /v/a/b); ls /v", ["loud", "a"]),
        ({"secret": {"secretName": "key"}}, "echo $(cat /v/pin)", ["1234"]),
        ({"configMap": {"name": "none", "optional": True}}, "ls /v; echo empty", ["empty"]),
        ({"secret": {"secretName": "key", "optional": True, "items": [{"key": "x", "path": "x"}]}}, "ls /v; echo empty", ["empty"]),
        ({"downwardAPI": {"items": [{"path": "n", "fieldRef": {"fieldPath": "metadata.name"}}]}}, "echo $(cat /v/n)", ["p"]),
        (
            {"projected": {"sources": [{"configMap": {"name": "app"}}, {"secret": {"name": "key"}}]}},
            "ls /v",
            ["colour", "mode", "pin", "raw"],
        ),
        ({"projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}, "test -s /v/t && echo token", ["token"]),
        ({"hostPath": {"path": "/etc/hostname"}}, "cat /v", ["node"]),
        ({"hostPath": {"path": "/new", "type": "DirectoryOrCreate"}}, "echo x > /v/f; cat /v/f", ["x"]),
        ({"emptyDir": {}}, "echo x > /v/f; cat /v/f", ["x"]),
    ],
)
def test_container_finds_what_the_source_holds(volume, script, lines):
    world, _ = run(header(CONFIG, SECRET, mounted(volume, f"{script}; sleep 60")), 5)
    assert said(world) == lines


def test_resources_are_files_when_the_downward_api_names_the_container():
    items = [{"path": "cpu", "resourceFieldRef": {"containerName": "app", "resource": "limits.cpu", "divisor": "1m"}}]
    given = mounted({"downwardAPI": {"items": items}}, "echo $(cat /v/cpu); sleep 60")
    given["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "250m"}}
    assert said(run(header(given), 5)[0]) == ["250"]


def test_token_is_mounted_unless_the_pod_does_without():
    script = "cat /var/run/secrets/kubernetes.io/serviceaccount/namespace && echo || echo none; sleep 60"
    one, _ = run(header(pod(container(script))), 5)
    other, _ = run(header(pod(container(script), automountServiceAccountToken=False)), 5)
    assert (said(one)[0], said(other)[-1]) == ("default", "none")


@pytest.mark.parametrize("volume", [{"configMap": {"name": "app"}}, {"secret": {"secretName": "key"}}])
def test_files_of_the_kubelet_are_read_only(volume):
    world, _ = run(header(CONFIG, SECRET, mounted(volume, "echo x > /v/f; sleep 60")), 5)
    assert "Read-only file system" in said(world)[0]


def test_single_file_is_mounted_by_sub_path():
    given = mounted({"configMap": {"name": "app"}}, "echo $(cat /etc/mode); sleep 60", path="/etc/mode", mount={"subPath": "mode"})
    assert said(run(header(CONFIG, given), 5)[0]) == ["loud"]


def test_empty_dir_outlives_its_containers_but_not_its_pod():
    given = mounted({"emptyDir": {}}, "ls /v; touch /v/mark; sleep 60")
    again = ApplyManifest(documents=(json.dumps(given),))
    acts = (
        (5, ExitContainer(target="default/p", container="app", exit_code=1)),
        (20, DeletePod(target="default/p", grace_s=1)),
        (40, again),
    )
    world, _ = run(header(given), 60, *acts)
    assert (said(world), said(world, "default/p#2")) == (["mark"], [])


def test_claim_keeps_its_content_from_pod_to_pod():
    source = {"persistentVolumeClaim": {"claimName": "data"}}
    writer, reader = mounted(source, "echo kept > /v/f; sleep 60"), mounted(source, "sleep 3; cat /v/f; sleep 60", name="q")
    assert said(run(header(CLAIM, writer, reader), 8)[0], "default/q") == ["kept"]


def test_pod_waits_unscheduled_until_its_claim_exists():
    given = mounted({"persistentVolumeClaim": {"claimName": "data"}}, "sleep 60")
    world, records = run(header(given), 30, (10, ApplyManifest(documents=(json.dumps(CLAIM),))))
    assert any('persistentvolumeclaim "data" not found' in line for line in events(records))
    assert world.tables.pods["default/p"].node == "node1"


def test_changed_config_map_reaches_the_files_at_a_later_sync():
    changed = {**CONFIG, "data": {"mode": "quiet"}}
    given = mounted({"configMap": {"name": "app"}}, "while true; do cat /v/mode; echo; sleep 10; done")
    world, records = run(header(CONFIG, given), 200, (30, ApplyManifest(documents=(json.dumps(changed),))))
    assert "loud" in said(world)[0]
    assert "quiet" in "".join(said(world)[-2:])
    moments = [record.at_ms for record in records if record.rule == "VOLUME-REFRESHED"]
    assert len(moments) == 1
    assert 30_000 < moments[0] <= 125_000


def test_sub_path_shows_news_only_to_a_new_instance():
    changed = ApplyManifest(documents=(json.dumps({**CONFIG, "data": {"mode": "quiet"}}),))
    script = "while true; do echo $(cat /etc/mode); sleep 10; done"
    given = mounted({"configMap": {"name": "app"}}, script, path="/etc/mode", mount={"subPath": "mode"})
    world, _ = run(header(CONFIG, given), 170, (30, changed), (150, ExitContainer(target="default/p", container="app", exit_code=1)))
    before = [line[3] for line in world.tables.logs["default/p", "app"] if line[0] == 0]
    assert (set(before), said(world)[-1]) == ({"loud"}, "quiet")


def test_unused_volume_is_not_waited_for():
    given = pod(container(), volumes=[{"name": "v", "configMap": {"name": "none"}}])
    world, _ = run(header(given), 5)
    assert world.tables.pods["default/p"].status.phase == "Running"


@pytest.mark.parametrize(
    ("kind", "words"), [("Directory", "a directory"), ("File", "a file"), ("Socket", "a socket file"), ("CharDevice", "a character device")]
)
def test_host_path_of_another_type_is_refused(kind, words):
    _, records = run(header(mounted({"hostPath": {"path": "/nothing", "type": kind}}, "sleep 60")), 2)
    text = f'FailedMount: MountVolume.SetUp failed for volume "v" : hostPath type check failed: /nothing is not {words}'
    assert text in events(records)


def test_retries_double_up_to_two_minutes():
    _, records = run(header(mounted({"secret": {"secretName": "none"}}, "sleep 60"), kubernetes="1.30"), 400)
    moments = [record.at_ms for record in records if record.machine == "k8s_event" and record.target == "FailedMount"]
    gaps = [after - before for before, after in zip(moments, moments[1:], strict=False)]
    assert gaps == [500, 1000, 2000, 4000, 8000, 16000, 32000, 64000, 122000, 122000]


def test_sync_sees_a_volume_on_the_beat_of_its_own_wait():
    """The second wait begins apart from the mount attempts, so that the tick coincides with none of them."""
    late = (200, ApplyManifest(documents=(json.dumps({"apiVersion": "v1", **CONFIG}),)))
    _, records = run(header(mounted({"configMap": {"name": "app"}}, "sleep 60"), kubernetes="1.30"), 260, late)
    second_wait = moment(records, machine="volumes", target="waiting", nth=1)
    there = moment(records, machine="volumes", target="mounted")
    seen = moment(records, machine="sandbox", target="creating")
    assert (round(seen - there, 3), round((seen - second_wait) / 0.3, 3)) == (0.235, 380)


def test_deleted_pod_does_not_wait_for_its_volumes():
    given = mounted({"secret": {"secretName": "none"}}, "sleep 60")
    world, _ = run(header(given, kubernetes="1.30"), 30, (5, DeletePod(target="default/p")))
    assert world.tables.pods["default/p"].gone_ms is not None
    assert "default/p" not in world.tables.mounts


def test_stopped_kubelet_tries_no_mounts_and_starts_over_when_it_is_back():
    given = mounted({"secret": {"secretName": "key"}}, "sleep 60")
    acts = ((2, NodeControl(node="node1", kubelet="stop")), (20, NodeControl(node="node1", kubelet="start")))
    late = (40, ApplyManifest(documents=(json.dumps(SECRET),)))
    world, records = run(header(given, kubernetes="1.30"), 80, *acts, late)
    tries = [record.at_ms for record in records if record.machine == "k8s_event" and record.target == "FailedMount"]
    assert not [moment for moment in tries if 2_000 < moment < 25_000]
    assert world.tables.pods["default/p"].status.phase == "Running"


def test_processes_have_the_ids_of_the_security_context():
    given = pod(container("id; whoami; sleep 60"), securityContext={"runAsUser": 1000, "runAsGroup": 3000, "supplementalGroups": [4000]})
    assert said(run(header(given), 5)[0]) == ["uid=1000 gid=3000 groups=3000,4000", "whoami: unknown uid 1000"]
