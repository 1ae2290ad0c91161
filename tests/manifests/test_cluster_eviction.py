"""The eviction section of a cluster file."""

import pytest

from simulator.manifests.script.cluster import read_cluster


def test_eviction_section_sets_the_thresholds_of_a_node() -> None:
    text = """
nodes:
- name: node1
  eviction:
    hard: {memory.available: 200Mi, nodefs.available: 5%}
    soft: {memory.available: 500Mi}
    soft-grace: {memory.available: 1m30s}
    max-pod-grace: 30s
"""
    node = read_cluster(text).spec.nodes[0]
    assert node.eviction_hard == {"memory.available": "200Mi", "nodefs.available": "5%"}
    assert node.eviction_soft == {"memory.available": "500Mi"}
    assert (node.eviction_soft_grace_s, node.eviction_max_pod_grace_s) == ({"memory.available": 90}, 30)


@pytest.mark.parametrize(
    "section", ["[]", "{hot: {}}", "{hard: {memory: 1Gi}}", "{hard: {memory.available: x}}", "{hard: 5}", "{max-pod-grace: soon}"]
)
def test_bad_eviction_section_is_a_problem(section: str) -> None:
    assert not read_cluster(f"nodes:\n- name: node1\n  eviction: {section}\n").ok
