"""The header of a run from a command line's inputs."""

from pathlib import Path

import pytest

from simulator.headless.inputs import BadInput, Inputs, header_of
from simulator.manifests.problems import Problem
from simulator.manifests.script.cluster import NODES_MAX

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: 'busybox:1.36'}]}\n"


@pytest.fixture
def manifest(tmp_path: Path) -> str:
    path = tmp_path / "pod.yaml"
    path.write_text(POD)
    return str(path)


def said(name: str, problem: Problem) -> None:
    """Nobody listens."""


@pytest.mark.parametrize(
    ("seed", "jitter", "found"),
    [(None, None, (1, False)), (0, None, (0, True)), (7, None, (7, True)), (7, "none", (7, False)), (None, "real", (1, True))],
)
def test_a_seed_brings_random_delays_unless_the_line_says_otherwise(
    manifest: str, seed: int | None, jitter: str | None, found: tuple[int, bool]
) -> None:
    header = header_of(Inputs(files=(manifest,), seed=seed, jitter=jitter), said)
    assert (header.seed, header.jitter) == found


@pytest.mark.parametrize(("nodes", "count"), [(None, 3), (1, 1), (NODES_MAX, NODES_MAX)])
def test_nodes_are_counted(manifest: str, nodes: int | None, count: int) -> None:
    assert len(header_of(Inputs(files=(manifest,), nodes=nodes), said).cluster.nodes) == count


@pytest.mark.parametrize("nodes", [0, -1, NODES_MAX + 1])
def test_a_cluster_has_a_node_at_least_and_not_too_many(manifest: str, nodes: int) -> None:
    with pytest.raises(BadInput, match="--nodes: must be a whole number"):
        header_of(Inputs(files=(manifest,), nodes=nodes), said)


def test_a_cluster_file_says_itself_how_many_nodes_there_are(manifest: str, tmp_path: Path) -> None:
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text("nodes: [{name: a}]\n")
    assert [node.name for node in header_of(Inputs(files=(manifest,), cluster=str(cluster)), said).cluster.nodes] == ["a"]
    for more in ({"nodes": 2}, {"node_size": "cpu=1"}):
        with pytest.raises(BadInput, match="can only be used without --cluster"):
            header_of(Inputs(files=(manifest,), cluster=str(cluster), **more), said)
    with pytest.raises(BadInput, match="--node-size: cpu"):
        header_of(Inputs(files=(manifest,), node_size="cpu=lots"), said)


def test_a_script_alone_is_enough_and_nothing_is_not(tmp_path: Path) -> None:
    empty, script = tmp_path / "empty.yaml", tmp_path / "script.yaml"
    empty.write_text("")
    script.write_text("- at: 1s\n  cordon: node-1\n")
    assert len(header_of(Inputs(files=(str(empty),), script=str(script)), said).script) == 1
    with pytest.raises(BadInput):
        header_of(Inputs(files=(str(empty),)), said)
