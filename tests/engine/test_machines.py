"""The machines' declarations: consistent, reachable, and every rule and effect they name exists."""

from pathlib import Path
from typing import Any

import pytest

from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.kernel.machine import Machine, Row, State
from simulator.engine.kubelet.pods.sandbox.sandbox_machine import SANDBOX
from simulator.engine.kubelet.pods.start import start
from simulator.engine.kubelet.pods.stop import stop
from simulator.engine.rules.machine_tables import ALL, as_markdown, diagram, tables
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.engine.versions import resolve
from tests.engine.worlds import container, header, pod, run

DOCS = Path(__file__).parents[2] / "docs"
EFFECTS: dict[str, dict[str, Any]] = {"container": start.EFFECTS, "stop": stop.EFFECTS}


@pytest.mark.parametrize("machine", ALL, ids=lambda machine: machine.name)
def test_machine_has_no_problems(machine: Machine[Any]) -> None:
    assert machine.problems(effects=EFFECTS.get(machine.name, {}), rules=RULEBOOK) == []


@pytest.mark.parametrize("machine", ALL, ids=lambda machine: machine.name)
def test_every_effect_stands_in_a_row(machine: Machine[Any]) -> None:
    assert set(EFFECTS.get(machine.name, {})) == {row.do for row in machine.rows if row.do}


def test_rows_of_a_machine_have_ids_of_their_own() -> None:
    for machine in ALL:
        ids = [row.id for row in machine.rows]
        assert sorted(set(ids)) == sorted(ids)


def test_no_two_machines_share_a_row() -> None:
    """A change of a row, as made by ``make mutate``, affects only one machine."""
    rows = [row for machine in ALL for row in machine.rows]
    assert len({id(row) for row in rows}) == len(rows)


def test_the_page_of_machines_shows_their_tables(golden) -> None:  # noqa: ANN001 - a fixture of the root conftest
    golden(DOCS / "machines.md", as_markdown())


def test_tables_show_every_row_with_its_place() -> None:
    shown = {table.name: table for table in tables()}
    assert [len(shown[machine.name].rows) for machine in ALL] == [len(machine.rows) for machine in ALL]
    assert shown["container"].kept == ("Worker.start.state", "Instance.state")


def test_a_sandbox_that_was_being_created_counts_as_stopped_when_the_kubelet_dies() -> None:
    world, records = run(header(pod(container())), 1, (0.1, NodeControl(node="node1", kubelet="kill")))
    assert world.tables.sandboxes["default/p"].state == "stopped"
    assert [record.target for record in records if record.machine == "sandbox"] == ["creating"]
    step = SANDBOX.pick("creating", "abandoned", None)
    assert step is not None
    assert step.rule == "SANDBOX-ABANDONED"


def small(*rows: Row) -> Machine[int]:
    states = (State("off", "Off", "absent"), State("on", "On", "ready"), State("broken", "Broken", "failed", terminal=True))
    return Machine("lamp", about="A lamp.", initial="off", states=states, rows=rows)


def is_strong(push: int) -> bool:
    return push > 5


PRESS = (
    Row("off", "press", "broken", "LAMP-BREAKS", when=is_strong),
    Row("off", "press", "on", "LAMP-ON"),
    Row("on", "press", "off", "LAMP-OFF", gate="sidecar_containers"),
)


@pytest.mark.parametrize(("push", "target"), [(9, "broken"), (1, "on")])
def test_pick_takes_the_first_row_whose_guard_holds(push: int, target: str) -> None:
    row = small(*PRESS).pick("off", "press", push, resolve("1.30"))
    assert row is not None
    assert row.target == target


def test_pick_ignores_a_trigger_the_state_does_not_know() -> None:
    assert small(*PRESS).pick("broken", "press", 1, resolve("1.30")) is None


@pytest.mark.parametrize(("version", "found"), [("1.27", False), ("1.30", True)])
def test_pick_leaves_out_rows_whose_gate_is_closed(version: str, found: bool) -> None:
    assert (small(*PRESS).pick("on", "press", 1, resolve(version)) is not None) is found


def test_problems_name_what_is_wrong() -> None:
    rows = (Row("broken", "mend", "on", "NO-RULE"), Row("off", "press", "gone", "X"), Row("off", "press", "on", "X", do="sing"))
    found = "\n".join(small(*rows).problems(effects=(), rules={"X": 1}))
    for expected in (
        "leaves a terminal state",
        "rule NO-RULE",
        "unknown state gone",
        "no effect named sing",
        "never applies",
        "never reached",
    ):
        assert expected in found


def test_diagram_draws_each_edge_once_with_its_triggers() -> None:
    assert diagram(small(*PRESS, Row("off", "kick", "on", "LAMP-ON")).rows) == [
        "    off --> broken: press",
        "    off --> on: press, kick",
        "    on --> off: press",
    ]


def test_table_shows_one_line_a_row() -> None:
    lines = small(*PRESS).table()
    assert lines[0] == ("off", "press", "is_strong", "broken", "", "LAMP-BREAKS", "")
    assert lines[2][-1] == "sidecar_containers"
