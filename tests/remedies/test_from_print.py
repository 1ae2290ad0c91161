"""The clues in what kubectl prints for people: each field of describe, and each column of a table."""

import pytest

from simulator.remedies.clue import CLUES_MAX, Clue
from simulator.remedies.from_print import clues_of_print

POD = "Name:  web\nNamespace:  prod\n"


@pytest.mark.parametrize(
    ("row", "word", "is_ready"),
    [
        ("web  1/1  Running  0  5m", "Running", True),
        ("web  1/2  Running  0  5m", "NotReady", False),
        ("web  0/1  Completed  0  5m", "Completed", False),
        ("web  1/1  Terminating  0  5m", "Terminating", False),
    ],
)
def test_row_of_a_pod_has_its_status_and_whether_it_is_ready(row: str, word: str, is_ready: bool) -> None:
    clues = clues_of_print(row)
    assert clues.found == [Clue(pod="default/web", kind="status", word=word, lines=(1,))]
    assert clues.pods["default/web"].is_ready is is_ready


@pytest.mark.parametrize(("space", "key"), [("", "default/web"), ("shop  ", "shop/web")])
def test_rows_name_the_namespace_where_they_are_of_all(space: str, key: str) -> None:
    rows = f"{space}web  0/1  Pending  0  5m\n{space}5m  Warning  BackOff  pod/web  Back-off\n"
    assert [clue.pod for clue in clues_of_print(rows).found] == [key, key]


@pytest.mark.parametrize(
    ("lines", "clues"),
    [
        ("Status:  Terminating (lasts 5m)\n", [("status", "Terminating", "")]),
        ("Status:  Pending\n", [("status", "Pending", "")]),
        ("Status:  Running\n", []),
        ("Phase:  Pending\n", []),
        ("Reason:  Evicted\n", [("pod", "Evicted", "")]),
        ("  app:\n    State:  Terminated\n      Reason:  Error\n      Exit Code:  3\n", [("terminated", "Error", "exitCode=3")]),
        ("  app:\n    State:  Waiting\n      Reason:  ErrImagePull\n      Message:  denied\n", [("waiting", "ErrImagePull", "denied")]),
        ("  app:\n    State:  Waiting\n      Reason:  ErrImagePull\n      Ready:  False\n", [("waiting", "ErrImagePull", "")]),
        ("  app:\n    State:  Running\n      Reason:  Odd\n", []),
    ],
)
def test_described_pod_has_the_clues_of_its_fields(lines: str, clues: list[tuple[str, str, str]]) -> None:
    assert [(clue.kind, clue.word, clue.said) for clue in clues_of_print(POD + lines).found] == clues


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Controlled By:  ReplicaSet/web-7c5ddbdf54", {"replicaset": "web-7c5ddbdf54", "deployment": "web"}),
        ("Controlled By:  StatefulSet/web", {"statefulset": "web", "owner": "statefulset/web"}),
        ("Controlled By:  nothing", {}),
        ("Node:  node-2/10.0.0.2", {"node": "node-2"}),
        ("Node:  <none>", {}),
        ("    ClaimName:  data", {"claim": "data"}),
        ("    Medium:  Memory", {}),
    ],
)
def test_described_pod_names_the_objects_around_it(line: str, names: dict[str, str]) -> None:
    assert clues_of_print(f"{POD}{line}\n").pods["prod/web"].names == {"pod": "web", **names}


@pytest.mark.parametrize(("rows", "found"), [(CLUES_MAX, CLUES_MAX), (CLUES_MAX + 1, CLUES_MAX)])
def test_clues_are_bounded(rows: int, found: int) -> None:
    assert len(clues_of_print("web  0/1  Pending  0  5m\n" * rows).found) == found
