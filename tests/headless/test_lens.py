"""The version lens: what is equal, what differs, and how."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.pods.sandbox import KillSandbox
from simulator.engine.kernel.errors import UnknownVersion
from simulator.engine.versions import MINORS, PHASE_GATE, resolve
from simulator.headless import lens
from simulator.headless.lens import Lens, look
from simulator.headless.matching import MatchedRow
from tests.engine.worlds import container, header, pod, stamped

DELETE = stamped((10, DeletePod(target="default/p")))


def seen(*versions: str, script: str = "exec sleep 60", until_s: int = 60, **spec: object) -> Lens:
    return look(header(pod(container(script), **spec)), DELETE, versions, until_ms=until_s * 1000)


def rows(found: Lens, machine: str, target: str) -> list[MatchedRow]:
    return [row for row in found.rows if (row.machine, row.target) == (machine, target)]


def test_lens_of_one_version_finds_no_difference() -> None:
    assert seen("1.30", "1.30").differences == ()


def test_lens_shows_a_phase_that_only_newer_versions_write() -> None:
    (failed,) = rows(seen("1.20", "1.30"), "phase", "Failed")
    assert failed.differs == "missing"
    assert failed.cells[0] is None and failed.cells[1] is not None


def test_lens_gives_the_command_to_every_version() -> None:
    (terminating,) = rows(seen("1.20", "1.27", "1.37"), "object", "terminating")
    assert [cell.at_ms if cell else None for cell in terminating.cells] == [10_000] * 3


def test_lens_counts_repeated_states_apart() -> None:
    found = seen("1.30", script="sleep 1; exit 1", until_s=9)
    assert [row.n for row in rows(found, "container_status", "running")] == [0, 1]


def test_lens_is_in_the_order_of_time() -> None:
    moments = [row.at_ms for row in seen("1.20", "1.37").rows]
    assert moments == sorted(moments)


def test_lens_refuses_an_unknown_version() -> None:
    with pytest.raises(UnknownVersion):
        seen("1.19")


def test_lens_is_cut_where_a_version_takes_too_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lens, "STRETCHES_MAX", 1)
    monkeypatch.setattr(lens, "STRETCH_WORK", 5)
    assert seen("1.30").is_cut


def test_switches_name_what_differs_between_versions_with_a_note() -> None:
    found = {item.field: item for item in lens.switches([resolve(version) for version in ("1.20", "1.27", "1.37")])}
    assert found["terminal_phase_on_delete"].values == ("no", "yes", "yes")
    assert all(item.note for item in found.values())
    assert all(len(set(item.values)) > 1 for item in found.values())


LABELS = {"app": "x"}
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "b"},
    "spec": {"minAvailable": 1, "selector": {"matchLabels": LABELS}},
}


def labelled(**spec: object) -> dict[str, object]:
    found = pod(container("exec sleep 600"), **spec)
    found["metadata"]["labels"] = LABELS
    return found


def compared(*documents: dict[str, object], versions: tuple[str, ...], do: object = None) -> Lens:
    commands = stamped((10, do)) if do is not None else []
    return look(header(*documents), commands, versions, until_ms=20_000)


def test_lens_shows_what_the_api_server_of_a_version_refuses() -> None:
    found = compared(labelled(), BUDGET, versions=("1.20", "1.30"), do=EvictPod(target="default/p"))
    (refused,) = rows(found, lens.ANSWER, "refused")
    assert refused.subject == "poddisruptionbudget/default/b" and refused.differs == "missing"
    assert refused.cells[0] is not None and "no matches for kind" in refused.cells[0].detail
    (present,) = [row for row in found.rows if row.machine == "budget" and row.target == "blocks" and row.cells[1] is not None][:1]
    assert present.cells[0] is None


def test_lens_shows_an_eviction_that_only_one_version_refuses() -> None:
    found = compared(labelled(), BUDGET, versions=("1.20", "1.30"), do=EvictPod(target="default/p"))
    (refused,) = rows(found, "command", "refused")
    assert refused.cells[0] is None and refused.cells[1] is not None and "disruption budget" in refused.cells[1].detail


def test_lens_drops_a_field_where_the_version_does_not_know_it_and_says_so() -> None:
    found = compared(labelled(schedulingGates=[{"name": "example.com/wait"}]), versions=("1.20", "1.30"))
    (warned,) = rows(found, lens.ANSWER, "warned")
    assert warned.cells[1] is None and warned.cells[0] is not None and "spec.schedulingGates" in warned.cells[0].detail
    (running,) = rows(found, "phase", "Running")
    assert running.cells[0] is not None and running.cells[1] is None


def test_lens_tells_each_field_of_an_object_that_the_version_does_not_know() -> None:
    found = compared(labelled(schedulingGates=[{"name": "example.com/wait"}], hostUsers=False), versions=("1.20", "1.30"))
    details = [row.cells[0].detail.partition(":")[0] for row in rows(found, lens.ANSWER, "warned") if row.cells[0] is not None]
    assert sorted(details) == ["spec.hostUsers", "spec.schedulingGates"]


def test_lens_shows_user_namespaces() -> None:
    found = [row for row in compared(labelled(hostUsers=False), versions=("1.20", "1.36")).rows if row.machine == "user_namespace"]
    assert [(row.cells[0] is None, row.cells[1] is None) for row in found] == [(True, False)]


def test_lens_refuses_a_manifest_that_only_a_later_version_accepts() -> None:
    sidecar = {**container("exec sleep 600", name="s"), "restartPolicy": "OnFailure"}
    found = compared(labelled(initContainers=[sidecar]), versions=("1.30", "1.36"))
    (present,) = rows(found, "object", "present")
    assert [cell is None for cell in present.cells] == [True, False]


def test_lens_takes_every_version_at_once() -> None:
    assert all(len(row.cells) == len(MINORS) for row in compared(labelled(), versions=MINORS).rows)


def test_lens_bounds_what_all_versions_take_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lens, "STRETCHES_TOGETHER", 60)
    monkeypatch.setattr(lens, "STRETCH_WORK", 2)
    assert not seen("1.30").is_cut and seen(*MINORS).is_cut


def test_lens_has_the_phase_rules_of_1_3_next_to_those_of_a_version() -> None:
    prepares = container("sleep 5", name="prepare")
    documents = (pod(container(), initContainers=[prepares]),)
    found = look(header(*documents), stamped((20, KillSandbox(target="default/p"))), ("1.30", lens.PHASE_ONLY), until_ms=40_000)
    again = [row for row in rows(found, "phase", "Pending") if row.n == 1]
    assert [(row.cells[0] is None, row.cells[1] is None) for row in again] == [(False, True)]
    assert {item.field for item in found.switches} >= {"phase_algorithm", "containers_ready_condition"}


def test_manifest_that_every_version_refuses_is_reported_with_its_field() -> None:
    sleeps = container("exec sleep 600", lifecycle={"preStop": {"sleep": {"seconds": 1}}})
    found = look(header(pod(sleeps)), [], ("1.20", "1.21"), until_ms=20_000)
    (refused,) = found.differences
    fields = [cell.detail.partition(": ")[0] for cell in refused.cells if cell is not None]
    assert (refused.differs, fields) == ("", ["spec.containers[0].lifecycle.preStop"] * 2)


def test_version_has_its_own_phase_rules_although_the_run_has_those_of_1_3() -> None:
    documents = (pod(container("sleep 600"), initContainers=[container("sleep 1", name="i")]),)
    kill = stamped((20, KillSandbox(target="default/p")))
    plain, old = (
        look(header(*documents, gates=gates), kill, ("1.30", lens.PHASE_ONLY), until_ms=40_000) for gates in ({}, {PHASE_GATE: True})
    )
    assert plain.rows == old.rows and plain.differences


def test_lens_shows_that_the_grace_began_again_after_the_hook_until_1_27() -> None:
    hook = {"preStop": {"exec": {"command": ["sleep", "8"]}}}
    document = pod(container("trap '' TERM; while true; do sleep 1; done", lifecycle=hook), terminationGracePeriodSeconds=10)
    found = look(header(document), DELETE, ("1.27", "1.28"), until_ms=60_000)
    (killed,) = rows(found, "stop", "killed")
    assert [cell.at_ms // 1000 for cell in killed.cells if cell is not None] == [28, 20]
    assert "grace_override_before_hook" in {item.field for item in found.switches}


def test_lens_shows_which_acts_each_version_refused_and_why() -> None:
    evict = stamped((10, DeletePod(target="default/p")), (12, DeletePod(target="default/none")))
    found = look(header(pod(container("exec sleep 60"))), evict, ("1.20", "1.30"), until_ms=30_000)
    told = [[act.words for act in acts] for acts in found.refused]
    assert told == [["12 s, Delete default/none: There is no pod with that name at this moment."]] * 2
    assert [(row.machine, row.target) for row in found.differences if row.machine == "command"] == [("command", "refused")]
