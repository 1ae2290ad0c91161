"""The output of kubectl drain, compared with recordings of a 1.20.2 cluster and the source of later versions."""

import re
from typing import Any

import pytest

from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.headless.session import Session
from simulator.kubectl.drain import drain_output
from tests.engine.worlds import container, header, pod, run

STUBBORN = "trap '' TERM; while true; do sleep 1; done"
OLD_WARNING = "WARNING: deleting Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet: "
NEW_WARNING = "Warning: deleting Pods that declare no controller: "
REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."


def web(name: str) -> dict[str, Any]:
    document = pod(container("exec sleep 600"), name=name, nodeName="node1", terminationGracePeriodSeconds=2)
    document["metadata"]["labels"] = {"app": "web"}
    return document


def budget(kubernetes: str, least: int) -> dict[str, Any]:
    version = "policy/v1" if kubernetes != "1.20" else "policy/v1beta1"
    selector = {"matchLabels": {"app": "web"}}
    return {
        "apiVersion": version,
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "w"},
        "spec": {"minAvailable": least, "selector": selector},
    }


def printed(kubernetes: str, *documents: dict[str, Any], seconds: float = 60, commands: tuple[tuple[float, AnyCommand], ...]) -> list[str]:
    """The lines, each with its second."""
    world, records = run(header(*documents, kubernetes=kubernetes, nodes=2), seconds, *commands)
    return [f"{at_ms / 1000:g} {part}" for at_ms, text in drain_output(records, world.release.facts) for part in text.split("\n")]


def held(name: str, *, again: bool = True) -> str:
    wait = "(will retry after 5s): " + REFUSED if again else "global timeout reached: 8s"
    return f'error when evicting pods/"{name}" -n "default"' + (" " if again else ": ") + wait


def test_old_drain_that_runs_out_of_time_reports_it_at_the_end() -> None:
    drain = DrainNode(node="node1", force=True, timeout_s=8)
    a, b = held("a", again=False), held("b", again=False)
    assert printed("1.20", web("a"), web("b"), budget("1.20", 2), commands=((10, drain),)) == [
        "10 node/node1 cordoned",
        f"10 {OLD_WARNING}default/a, default/b",
        "10 evicting pod default/a",
        f"10 {held('a')}",
        "10 evicting pod default/b",
        f"10 {held('b')}",
        "15 evicting pod default/a",
        f"15 {held('a')}",
        "15 evicting pod default/b",
        f"15 {held('b')}",
        "20 evicting pod default/a",
        "20 evicting pod default/b",
        f'20 There are pending pods in node "node1" when an error occurred: [{a}, {b}]',
        "20 pod/a",
        "20 pod/b",
        '20 error: unable to drain node "node1", aborting command...',
        "20 ",
        "20 There are pending nodes to be drained:",
        "20  node1",
        f"20 {a}",
        f"20 {b}",
    ]


@pytest.mark.parametrize(("kubernetes", "line"), [("1.22", "due to error:[{0}, {1}]"), ("1.33", "due to error: [{0}, {1}]")])
def test_later_drain_goes_on_with_other_nodes(kubernetes: str, line: str) -> None:
    a, b = held("a", again=False), held("b", again=False)
    drain = DrainNode(node="node1", force=True, timeout_s=8)
    lines = printed(kubernetes, web("a"), web("b"), budget(kubernetes, 2), commands=((10, drain),))
    assert lines[-5:] == [
        f'20 error: unable to drain node "node1" {line.format(a, b)}, continuing command...',
        "20 There are pending nodes to be drained:",
        "20  node1",
        f"20 {a}",
        f"20 {b}",
    ]


def test_one_error_of_an_old_drain_is_called_so() -> None:
    bare = "cannot delete Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet (use --force to override)"
    local = "cannot delete Pods with local storage (use --delete-emptydir-data to override)"
    other = pod(container(), name="e", nodeName="node1", volumes=[{"name": "v", "emptyDir": {}}])
    both = (10, DrainNode(node="node1")), (20, DrainNode(node="node1", force=True))
    lines = printed("1.20", web("a"), other, commands=both)
    assert lines[-1] == f"20 error: {local}: default/e"
    assert lines[5:7] == [f"10 {bare}: default/a", f"10 {local}: default/e"]


def test_pod_that_does_not_go_in_time_is_pending() -> None:
    slow = pod(container(STUBBORN), name="s", nodeName="node1", terminationGracePeriodSeconds=30)
    text = 'error when waiting for pod "s" in namespace "default" to terminate: global timeout reached: 8s'
    lines = printed("1.30", slow, commands=((10, DrainNode(node="node1", force=True, timeout_s=8)),))
    assert lines[1:5] == [
        f"10 {NEW_WARNING}default/s",
        "10 evicting pod default/s",
        f'18 There are pending pods in node "node1" when an error occurred: {text}',
        "18 pod/s",
    ]
    assert lines[-1] == f"18 {text}"


@pytest.mark.parametrize(
    ("kubernetes", "disable", "word"), [("1.20", False, "evicted"), ("1.20", True, "deleted"), ("1.22", False, "drained")]
)
def test_old_drain_ends_with_the_word_of_its_last_pod(kubernetes: str, disable: bool, word: str) -> None:
    lines = printed(kubernetes, web("a"), commands=((10, DrainNode(node="node1", force=True, disable_eviction=disable)),))
    asked = [] if disable else ["evicting pod default/a"]
    gone = "deleted" if disable else "evicted"
    told = [line.partition(" ")[2] for line in lines if "warning" not in line.lower()]
    assert told == ["node/node1 cordoned", *asked, f"pod/a {gone}", f"node/node1 {word}"]


def test_drains_of_two_nodes_tell_of_their_own_pods() -> None:
    other = pod(container("exec sleep 600"), name="b", nodeName="node2", terminationGracePeriodSeconds=2)
    both = tuple((10, DrainNode(node=node, force=True)) for node in ("node1", "node2"))
    lines = printed("1.30", web("a"), other, commands=both)
    assert sorted(line.partition(" ")[2] for line in lines if " pod" in line) == [
        "evicting pod default/a", "evicting pod default/b", "pod/a evicted", "pod/b evicted",
    ]  # fmt: skip


def test_drain_of_a_cordoned_node_says_so() -> None:
    lines = printed("1.30", commands=((5, CordonNode(node="node1")), (10, DrainNode(node="node1"))))
    assert lines == ["10 node/node1 already cordoned", "10 node/node1 drained"]


def test_drain_of_a_node_that_was_uncordoned_again_cordons_it() -> None:
    cordons = ((5, CordonNode(node="node1")), (6, CordonNode(node="node1", unschedulable=False)))
    assert printed("1.30", commands=(*cordons, (10, DrainNode(node="node1"))))[0] == "10 node/node1 cordoned"


def test_pods_that_are_pending_come_by_name() -> None:
    names = ("z", "a", "m")
    slow = [pod(container(STUBBORN), name=name, nodeName="node1", terminationGracePeriodSeconds=30) for name in names]
    lines = printed("1.30", *slow, commands=((10, DrainNode(node="node1", force=True, timeout_s=8)),))
    assert [line for line in lines if line.startswith("18 pod/")] == ["18 pod/a", "18 pod/m", "18 pod/z"]


def daemon(name: str = "ds") -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container(STUBBORN)], "terminationGracePeriodSeconds": 30}}
    spec = {"selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": name}, "spec": spec}


def warned(lines: list[str]) -> list[str]:
    """The warnings of drain, with the names of a DaemonSet's pods shortened."""
    found = [line for line in lines if line.partition(" ")[2].lower().startswith("warning")]
    return [re.sub(r"ds-\w{5}", "ds-x", line) for line in found]


@pytest.mark.parametrize(
    ("kubernetes", "warning"),
    [
        ("1.20", OLD_WARNING),
        ("1.36", NEW_WARNING),
    ],
)
def test_drain_of_a_script_warns_before_it_evicts(kubernetes: str, warning: str) -> None:
    drain = DrainNode(node="node1", force=True, ignore_daemonsets=True)
    lines = printed(kubernetes, web("a"), daemon(), commands=((10, drain),))
    assert warned(lines) == [f"10 {warning}default/a; ignoring DaemonSet-managed Pods: default/ds-x"]
    assert [line.partition(" ")[2].partition(" ")[0] for line in lines[:3]] == ["node/node1", warning.split()[0], "evicting"]


def test_drain_that_is_refused_does_not_warn() -> None:
    local = pod(container(), name="e", nodeName="node1", volumes=[{"name": "v", "emptyDir": {}}])
    lines = printed("1.36", web("a"), local, commands=((10, DrainNode(node="node1", force=True)),))
    assert warned(lines) == [] and any("local storage" in line for line in lines)


def test_warning_of_local_storage_is_dropped_by_the_filter_behind_it() -> None:
    local = pod(container("exec sleep 600"), name="e", nodeName="node1", volumes=[{"name": "v", "emptyDir": {}}])
    lines = printed("1.36", local, commands=((10, DrainNode(node="node1", force=True, delete_emptydir_data=True)),))
    assert warned(lines) == [f"10 {NEW_WARNING}default/e"]


def test_drain_warns_of_no_pod_that_its_selector_leaves_out() -> None:
    lines = printed("1.36", web("a"), commands=((10, DrainNode(node="node1", force=True, pod_selector="app=other")),))
    assert lines == ["10 node/node1 cordoned", "10 node/node1 drained"]


GONE = (8, DeleteObject(kind="DaemonSet", namespace="default", name="ds", propagation="Background"))
"""Its pods have half a minute to terminate, and name an owner that no longer exists."""


def test_pod_of_a_daemon_set_that_is_gone_forbids_the_drain() -> None:
    lines = printed("1.36", daemon(), commands=(GONE, (10, DrainNode(node="node1", ignore_daemonsets=True))))
    assert re.sub(r"ds-\w{5}", "ds-x", lines[-1]) == '10 cannot delete daemonsets.apps "ds" not found: default/ds-x'


def test_daemon_set_that_the_run_never_had_is_thought_there() -> None:
    owned = web("a")
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "elsewhere", "uid": "u", "controller": True}
    owned["metadata"]["ownerReferences"] = [owner]
    lines = printed("1.36", owned, commands=((10, DrainNode(node="node1", ignore_daemonsets=True, force=True)),))
    assert warned(lines) == ["10 Warning: ignoring DaemonSet-managed Pods: default/a"]


def test_pod_of_a_daemon_set_that_is_gone_is_evicted_with_force() -> None:
    lines = printed("1.36", daemon(), commands=(GONE, (10, DrainNode(node="node1", ignore_daemonsets=True, force=True))))
    assert warned(lines) == []
    assert [line.rpartition(" ")[2] for line in lines[-2:]] == ["evicted", "drained"]


@pytest.mark.parametrize(("how", "word"), [("client", "dry run"), ("server", "server dry run")])
def test_only_what_a_trial_would_do_is_said_to_be_tried(how: str, word: str) -> None:
    asked = Session(*run(header(web("a"), daemon(), kubernetes="1.36"), 5), now_ms=5_000)
    said = asked.ask(f"drain node1 --force --ignore-daemonsets --dry-run={how}")
    assert re.sub(r"ds-\w{5}", "ds-x", said).splitlines() == [
        f"node/node1 cordoned ({word})",
        f"{NEW_WARNING}default/a; ignoring DaemonSet-managed Pods: default/ds-x",
        f"evicting pod default/a ({word})",
        f"node/node1 drained ({word})",
    ]
