"""Three truths about a node and its pods: the API's objects, the node's state, the scheduler's assumptions. Nobody reads another's."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from simulator.engine.world.world import Tables

ENGINE = Path(__file__).parents[2] / "simulator" / "engine"

EVERYWHERE = ("world", "projection", "course")
"""The packages that store every row, show it, or run them all."""

SCHEDULER = (
    "tries", "unscheduled", "unscheduled_by", "nominations",
    "scheduled", "room_scheduled", "save_scheduled", "affinity_of", "pods_with_affinity",
)  # fmt: skip
KUBELET = ("kubelets", "workers", "seen", "admitted", "room_admitted", "save_admitted", "mounts", "measured", "pressures", "resizes")
RUNTIME = ("sandboxes", "instances", "probes", "execs")

READERS = {
    **dict.fromkeys(SCHEDULER, ("scheduler",)),
    **dict.fromkeys(KUBELET, ("kubelet", "past")),  # an imported past takes the place of a kubelet's
    **dict.fromkeys(RUNTIME, ("kubelet", "past", "network", "acts")),  # programs answer requests, and a user may break what runs
}
"""The packages that may name a table, or the effect that writes it."""


@cache
def names() -> tuple[tuple[str, str], ...]:
    """Every attribute that the engine's source reads from tables or effects, with its file."""
    return tuple(_names())


def _names() -> Iterator[tuple[str, str]]:
    for path in sorted(ENGINE.rglob("*.py")):
        place = path.relative_to(ENGINE).as_posix()
        text = path.read_text(encoding="utf-8")
        if "save_" not in text and "tables" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and (node.attr.startswith("save_") or _is_tables(node.value)):
                yield place, node.attr


def _is_tables(value: ast.expr) -> bool:
    return (isinstance(value, ast.Attribute) and value.attr == "tables") or (isinstance(value, ast.Name) and value.id == "tables")


@pytest.mark.parametrize("name", READERS)
def test_truth_is_named_only_by_those_who_know_it(name):
    may = (*READERS[name], *EVERYWHERE)
    assert [place for place, found in names() if found == name and place.split("/")[0] not in may] == []


@pytest.mark.parametrize("name", READERS)
def test_every_truth_is_there_and_used_by_its_owner(name):
    assert name.startswith("save_") or name in Tables.__slots__
    assert [place for place, found in names() if found == name and place.split("/")[0] == READERS[name][0]]


def test_room_of_the_scheduler_is_written_only_by_its_cache():
    assert {place for place, found in names() if found == "save_scheduled"} == {"scheduler/cache.py"}


def test_room_of_a_kubelet_is_written_only_by_its_own_reckoning():
    assert {place for place, found in names() if found == "save_admitted"} == {"kubelet/base/room.py"}
