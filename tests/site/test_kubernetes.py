"""The files for a Kubernetes cluster (docs/deployment/kubernetes), run by the product itself: ready, rolled out, drained."""

from pathlib import Path

import pytest
import yaml

from simulator.engine import World, advance, apply, new_world
from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.kernel.records import Record
from simulator.engine.versions import MINORS
from simulator.headless.inputs import Inputs, header_of
from simulator.headless.unready import unready_lines

FILE = Path(__file__).resolve().parents[2] / "docs" / "deployment" / "kubernetes" / "podscope.yaml"
SECRET = {
    "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "podscope"},
    "stringData": {"secret-key": "k", "database-url": "postgresql://db/podscope", "redis-url": "redis://redis/0"},
}  # fmt: skip
LOST = ("error", "refused", "timeout", "reset")


class Site:
    """The site's own files in a cluster with visitors, and everything that has happened."""

    def __init__(self, folder: Path, *, minor: str = MINORS[-1]) -> None:
        documents = [SECRET, *yaml.safe_load_all(FILE.read_text(encoding="utf-8"))]
        service = next(item for item in documents if item["kind"] == "Service")
        service["metadata"]["annotations"] = {"podscope.dev/load": "rate=50 duration=40ms after=40s from=outside"}
        path = folder / "site.yaml"
        path.write_text(yaml.safe_dump_all(documents), encoding="utf-8")
        self.world: World = new_world(header_of(Inputs(files=(str(path),), kubernetes=minor), lambda _name, _problem: None))
        self.records: list[Record] = list(self.world.first_records)

    def play(self, until_s: int) -> None:
        self.records += advance(self.world, until_ms=until_s * 1000).records

    def lost(self) -> list[Record]:
        """Requests that failed."""
        return [record for record in self.records if record.machine == "requests" and record.target in LOST]

    def ready(self, component: str) -> int:
        """How many of its pods receive requests and are not terminating."""
        staying = (row for row in self.pods(component) if row.deletion_ms is None)
        return sum(any(each.type == "Ready" and each.status == "True" for each in row.status.conditions) for row in staying)

    def pods(self, component: str) -> list:
        rows = (row for row in self.world.tables.pods.values() if row.gone_ms is None)
        return [row for row in rows if row.name.startswith(f"podscope-{component}-")]


@pytest.mark.parametrize("minor", ["1.25", "1.30", MINORS[-1]])
def test_every_pod_is_ready(tmp_path, minor):
    site = Site(tmp_path, minor=minor)
    site.play(60)
    assert list(unready_lines(site.world, site.records)) == []
    assert [len(site.pods(name)) for name in ("web", "runner", "worker", "prepare")] == [2, 2, 1, 1]
    assert any(record.machine == "requests" and record.target == "answered" for record in site.records)


def test_a_rollout_loses_no_request(tmp_path):
    site = Site(tmp_path)
    site.play(60)
    before = {row.uid for row in site.pods("web")}
    patch = '{"spec":{"template":{"metadata":{"annotations":{"release":"2"}}}}}'
    site.records += apply(site.world, PatchObject(kind="Deployment", namespace="default", name="podscope-web", patch=patch))
    ready = []
    for at_s in range(61, 181):
        site.play(at_s)
        ready.append(site.ready("web"))
    assert min(ready) == 2
    assert not before & {row.uid for row in site.pods("web")}
    assert site.lost() == []


def test_without_its_pre_stop_hook_a_rollout_would(tmp_path):
    site = Site(tmp_path)
    site.play(60)
    container = '{"name":"web","lifecycle":null}'
    patch = f'{{"spec":{{"template":{{"spec":{{"containers":[{container}]}}}}}}}}'
    for at_s in (60, 180):
        again = patch if at_s == 60 else '{"spec":{"template":{"metadata":{"annotations":{"release":"3"}}}}}'
        site.records += apply(site.world, PatchObject(kind="Deployment", namespace="default", name="podscope-web", patch=again))
        site.play(at_s + 120)
    assert site.lost() != []


def test_a_drain_respects_the_budget(tmp_path):
    site = Site(tmp_path)
    site.play(60)
    node = site.pods("web")[0].node
    for name in [name for name in site.world.tables.nodes if name != node]:
        site.records += apply(site.world, DrainNode(node=name, delete_emptydir_data=True))
    site.play(120)
    assert {row.node for row in site.pods("web")} == {node}
    site.records += apply(site.world, CordonNode(node="node-1" if node != "node-1" else "node-2", unschedulable=False))
    # Now both are on the node that is drained: the budget lets them leave one after the other.
    site.records += apply(site.world, DrainNode(node=node, delete_emptydir_data=True))
    site.play(240)
    assert node not in {row.node for row in site.pods("web")}
    assert any(record.machine == "drain" and record.target == "retry" for record in site.records)
    assert site.lost() == []
