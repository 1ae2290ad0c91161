"""Variables that describe a container's own pod: read when it is created, and kept."""

import pytest

from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.kernel.records import Record
from tests.engine.worlds import container, header, pod, run

TEAM = {"name": "TEAM", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['team']"}}}
ASK = ExecInContainer(target="default/p", command=("printenv", "TEAM"))
MOVE = PatchPod(target="default/p", patch='{"metadata": {"labels": {"team": "new"}}}')
END = ExitContainer(target="default/p", container="app", exit_code=1)


def answers(records: list[Record]) -> list[str]:
    return [str(record.get("text")).strip() for record in records if record.target == "exec"]


@pytest.mark.parametrize(("restarts", "expected"), [(False, "old"), (True, "new")], ids=["DOWNWARD-ENV kept", "DOWNWARD-ENV read anew"])
def test_variable_from_a_label_stays_as_it_was_when_the_container_was_created(restarts: bool, expected: str) -> None:
    document = pod(container(env=[TEAM]))
    document["metadata"]["labels"] = {"team": "old"}
    steps = [(5.0, ASK), (6.0, MOVE), *([(7.0, END)] if restarts else []), (12.0, ASK)]
    _, records = run(header(document), 15, *steps)
    assert answers(records) == ["old", expected]


@pytest.mark.parametrize(
    ("resources", "expected"),
    [({"limits": {"cpu": "1500m"}}, "1500"), ({"requests": {"cpu": "500m"}}, "4000")],
    ids=["the limit", "DOWNWARD-ALLOCATABLE without a limit"],
)
def test_variable_from_a_limit_shows_what_the_node_offers_where_there_is_no_limit(resources: dict[str, object], expected: str) -> None:
    field = {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}}
    document = pod(container(env=[{"name": "TEAM", "valueFrom": field}], resources=resources))
    _, records = run(header(document), 6, (5, ASK))
    assert answers(records) == [expected]
