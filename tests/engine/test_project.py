"""The overview of a run, its images and Events."""

import msgspec

from simulator.engine.acts.containers.image import SetImage
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.projection.project import events_view, images, node_view, objects, project
from simulator.kubectl.pods import object_yaml
from tests.engine.worlds import container, header, pod, run

DEAF = "trap '' TERM; while true; do sleep 1; done"
KEY = "default/p"


def test_overview_counts_pods_and_nodes() -> None:
    world, _ = run(header(pod(container()), pod(container("exit 1"), name="q")), 5)
    counts = project(world).counts
    assert (counts.pods, counts.present, counts.ready, counts.ghosts, counts.nodes) == (2, 2, 1, 0, 1)


def test_overview_keeps_a_gone_pod_with_its_ghost() -> None:
    world, _ = run(header(pod(container(DEAF))), 6, (5, DeletePod(target=KEY, force=True)))
    row = objects(world)[0]
    assert (row.is_present, row.has_ghost, row.status_word, row.gone_ms) == (False, True, "", 5_000)
    assert project(world).counts.ghosts == 1


def test_pod_created_again_has_a_row_of_its_own() -> None:
    again = header(pod(container())).manifests
    world, _ = run(header(pod(container())), 65, (5, DeletePod(target=KEY)), (60, ApplyManifest(documents=again)))
    assert [(row.key, row.name) for row in objects(world)] == [(KEY, "p"), ("default/p#2", "p")]


def test_row_is_as_old_as_the_playhead_says() -> None:
    world, _ = run(header(pod(container())), 5)
    assert (objects(world, now_ms=95_000)[0].age_ms, objects(world, now_ms=95_000)[0].age) == (95_000, "95s")


def test_node_lists_its_pods_and_images() -> None:
    world, _ = run(header(pod(container())), 5)
    node = project(world).nodes[0]
    assert (node.name, node.pods, node.used_pods) == ("node1", (KEY,), 1)
    assert "docker.io/library/busybox:1.28" in node.images


def test_node_forgets_a_pod_of_which_nothing_is_left() -> None:
    world, _ = run(header(pod(container())), 60, (5, DeletePod(target=KEY)))
    assert project(world).nodes[0].pods == ()


def test_images_tell_what_the_registry_has() -> None:
    world, _ = run(header(pod(container(image="missing:1"))), 5, (1, SetImage(image="nginx", available=True)))
    found = dict(images(world))
    assert (found["missing:1"], found["nginx"], found["busybox:1.28"]) == (False, True, True)


def test_images_follow_what_the_user_decides() -> None:
    world, _ = run(header(pod(container(image="docker.io/library/busybox:1.28"))), 5, (1, SetImage(image="busybox:1.28", available=False)))
    assert dict(images(world))["docker.io/library/busybox:1.28"] is False


def test_events_come_with_the_newest_last_and_their_subject() -> None:
    world, _ = run(header(pod(container())), 5)
    rows = events_view(world, KEY)
    assert [row.reason for row in rows] == ["Scheduled", "Pulled", "Created", "Started"]
    assert (rows[0].subject, rows[-1].subject, rows[-1].object) == ("pod/default/p", "container/default/p/app", "pod/p")


def test_events_of_every_pod_are_listed_when_none_is_named() -> None:
    world, _ = run(header(pod(container()), pod(container(), name="q")), 5)
    assert len(events_view(world, None)) == 2 * len(events_view(world, KEY))


def test_yaml_is_empty_when_the_pod_is_gone() -> None:
    world, _ = run(header(pod(container())), 60, (5, DeletePod(target=KEY)))
    assert object_yaml(world, KEY) == object_yaml(world, "default/other") == ""


def test_overview_is_ready_for_json() -> None:
    world, _ = run(header(pod(container())), 5)
    assert msgspec.json.decode(msgspec.json.encode(project(world)))["now_ms"] == 5_000


def test_node_shows_its_conditions_and_what_is_wrong_with_it() -> None:
    world, _ = run(header(pod(container())), 120, (5, NodeControl(node="node1", kubelet="stop")), (6, CordonNode(node="node1")))
    node = node_view(world, "node1")
    assert node is not None
    assert (node.kubelet, node.status_word, node.tone) == ("stopped", "NotReady,SchedulingDisabled", "unknown")
    assert "node.kubernetes.io/unreachable:NoSchedule" in node.taints
