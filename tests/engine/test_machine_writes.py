"""The engine's source: only ``become`` writes a state that a machine keeps, and no transition is recorded without a machine."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from simulator.engine.rules.machine_tables import ALL

ENGINE = Path(__file__).parents[2] / "simulator" / "engine"
PLACES = [(place.row.__name__ if not place.inner else "", place.field) for machine in ALL for place in machine.fields.values()]
FIELDS = {field for _, field in PLACES}
HOLDERS = {"Sandbox", "Stop", "Start", "Instance", "Worker", "NodeLife", "NodeCondition", "PodVolumes", "Resize", "Eviction", "StaticPod"}
"""Row types that hold a state: those of the machines' fields, and the types inside them."""

ALLOWED = {
    "kubelet/pods/start/start.py: begin_start: Start(state=state)": "the state in which the container waits goes over to its new start",
    "kubelet/pods/start/start.py: _new_instance: Instance(state=start.state)": "the state of the start goes over to the new instance",
    "kubelet/pods/stop/stop.py: begin_stop: Stop(state=STOP.initial)": "a new stop",
    "kubelet/pods/resize/resize.py: begin: Resize(state=RESIZE.initial if resize is None else resize.state)": "a new resize after the last",
    "kubelet/pods/sandbox/sandbox_steps.py: begin: Sandbox(state=SANDBOX.initial if old is None else old.state)": "a new one after the old",
    "apiserver/nodes/conditions.py: healthy: NodeCondition(status=begin)": "conditions before anybody has written them",
    "kubelet/node/new_node.py: add_machine: NodeLife(kubelet='starting' if handle else 'running')": "a node that joins later",
    "past/stopping.py: _stopping: Stop(state=STOP.initial)": "a new stop",
    "past/facts.py: _instance: Instance(state=state)": "an imported instance, before it becomes what the text says",
    "past/facts.py: _sandbox: Sandbox(state=SANDBOX.initial if old is None else old.state)": "an imported one, likewise",
    "kubelet/pods/containers/execs.py: _after_turn: replace(state=turn.exec)": "an exec: no machine has that",
    "apiserver/publish.py: publish: replace(status=status)": "the status of a pod: an object, no state",
    "apiserver/pod_updates.py: update_pod: replace(status=with_allocation(fx, row, pod.spec) if spec_changed else row.status)": "likewise",
    "apiserver/publish.py: _publish_conditions: replace(status=status_by_rule)": "a pod's condition, by the table",
    "past/facts.py: _date: replace(status=replace(row.status, conditions=dated))": "the status of a pod",
    "controllers/disruption/conditions.py: end_disruption: replace(status=CONDITION.decided('DISRUPTION-STALE').target)": "condition",
    "apiserver/documents/pod.py: _full_container: replace(state=_full_state(seed, runtime, row, item.state))": "a status as it is printed",
}
"""Every other place with the reason why it may, or why it is something else with the same name."""


@cache
def calls() -> tuple[tuple[str, str, ast.Call], ...]:
    """Every call in the engine, with its file and function; shells and programs have states of their own."""
    return tuple(_calls())


def _calls() -> Iterator[tuple[str, str, ast.Call]]:
    for path in sorted(ENGINE.rglob("*.py")):
        name = path.relative_to(ENGINE).as_posix()
        if name.startswith("containers/"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Call):
                        yield name, node.name, inner


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_a_status(value: ast.expr) -> bool:
    """Whether a value is a container's state in the API, which is an object, not a word."""
    return any(isinstance(node, ast.Call) and _called(node) in ("Terminated", "Waiting", "Running", "get") for node in ast.walk(value))


@cache
def writes() -> list[str]:
    """Every place that writes a field in which a machine keeps its state."""
    return [
        f"{name}: {function}: {_called(call)}({keyword.arg}={ast.unparse(keyword.value)})"
        for name, function, call in calls()
        for keyword in call.keywords
        if keyword.arg in FIELDS and _called(call) in {"replace", *HOLDERS} and not _is_a_status(keyword.value)
    ]


def test_only_become_writes_a_state_that_a_machine_keeps() -> None:
    assert sorted(set(writes()) - ALLOWED.keys()) == []


def test_the_list_of_exceptions_has_no_line_too_many() -> None:
    assert sorted(ALLOWED.keys() - set(writes())) == []


def test_rows_that_hold_a_state_are_made_by_names_of_fields() -> None:
    """So that the search above sees the state; the first value, the subject of the row, may be positional."""
    found = [
        f"{name}: {function}: {ast.unparse(call)}" for name, function, call in calls() if _called(call) in HOLDERS and len(call.args) > 1
    ]
    assert [text for text in found if "runtime" not in text] == []


def transitions() -> list[str]:
    """Calls of ``record`` that write a transition with a literal name, bypassing the tables."""
    found = []
    for name, function, call in calls():
        words = {keyword.arg: keyword.value for keyword in call.keywords}
        if _called(call) == "record" and "kind" not in words and isinstance(words.get("machine"), ast.Constant):
            found.append(f"{name}: {function}")
    return found


def test_every_transition_goes_through_a_machine() -> None:
    assert transitions() == []


def test_a_kept_machine_is_not_only_told() -> None:
    """``fire`` writes a record and stores nothing, so that it is only for machines without a stored state."""
    kept = {machine.name.upper() for machine in ALL if machine.fields}
    found = [
        f"{name}: {function}: {ast.unparse(call.args[0])}"
        for name, function, call in calls()
        if _called(call) == "fire" and call.args and ast.unparse(call.args[0]) in kept
    ]
    assert sorted(found) == [
        "kubelet/pods/resize/resize.py: actuate: RESIZE",  # live and restart are about a container, not the resize
        "kubelet/pods/resize/resize.py: marked: RESIZE",
        "past/facts.py: _node: CONTAINER",  # before there is an instance only the record has an imported state
    ]
