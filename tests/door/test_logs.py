"""The log of a container by the API: what each option of the query leaves of it, and where a client that follows goes on."""

import json

import pytest

from simulator.door.answering import answer
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.logs import LogCursor, all_statuses, log_since, log_so_far, wanted_of
from simulator.door.scene import DoorScene
from simulator.engine import RunHeader, advance, new_world
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World
from tests.factories import pod_json

LOG = "/api/v1/namespaces/default/pods/a/log"
NOW_MS = 60_500
LINES = ["line 1", "line 2", "line 3"]
SCRIPT = "echo line 1; sleep 10; echo line 2; sleep 10; echo line 3; sleep 1000"


def playing(script: str, until_ms: int, **spec: object) -> World:
    pod = json.loads(pod_json("a", **spec))
    pod["spec"]["containers"] = [{"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", script]}]
    world = new_world(RunHeader(kubernetes="1.30", manifests=(json.dumps(pod),)))
    advance(world, until_ms=until_ms)
    return world


@pytest.fixture(scope="module")
def world() -> World:
    """A pod that has written three lines, ten seconds apart."""
    return playing(SCRIPT, NOW_MS)


def scene(world: World, now_ms: int | None = None) -> DoorScene:
    return DoorScene(world=world, now_ms=world.now_ms if now_ms is None else now_ms, wall_ms=0)


def log(world: World, now_ms: int | None = None, **query: str) -> DoorReply:
    return answer(DoorRequest(path=LOG, query=tuple(query.items())), scene(world, now_ms))


def row_of(world: World) -> PodRow:
    row = world.live_pod("default", "a")
    assert row is not None
    return row


def moments(world: World) -> list[int]:
    return [line[1] for line in world.tables.logs[(row_of(world).key, "app")]]


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ({}, LINES),
        ({"tailLines": "0"}, []),
        ({"tailLines": "1"}, LINES[2:]),
        ({"tailLines": "2"}, LINES[1:]),
        ({"tailLines": "3"}, LINES),
        ({"tailLines": "4"}, LINES),
        ({"limitBytes": "6"}, ["line 1"]),
        ({"sinceSeconds": "1"}, []),
        ({"sinceSeconds": "1000"}, LINES),
        ({"sinceTime": "2026-01-01T00:01:00Z"}, []),
        ({"sinceTime": "2026-01-01T00:00:00Z"}, LINES),
    ],
)
def test_an_option_cuts_the_log(world: World, query: dict[str, str], lines: list[str]) -> None:
    assert log(world, **query).body.decode().splitlines() == lines


def test_a_log_since_a_moment_has_the_line_of_that_moment(world: World) -> None:
    at = DoorRequest(path=LOG, query=(("sinceSeconds", "30"),))
    second_ms = moments(world)[1]
    assert wanted_of(at, scene(world, second_ms + 30_000)).from_ms == second_ms
    assert log(world, second_ms + 30_000, sinceSeconds="30").body.decode().splitlines() == LINES[1:]
    assert log(world, second_ms + 29_999, sinceSeconds="30").body.decode().splitlines() == LINES[1:]
    assert log(world, second_ms + 30_001, sinceSeconds="30").body.decode().splitlines() == LINES[2:]


@pytest.mark.parametrize("query", [{"tailLines": "-1"}, {"sinceSeconds": "x"}, {"limitBytes": str(2**31)}, {"sinceTime": "noon"}])
def test_an_option_that_cannot_be_read_is_refused(world: World, query: dict[str, str]) -> None:
    assert log(world, **query).status == 400


def test_a_moment_has_the_lines_up_to_it(world: World) -> None:
    second_ms = moments(world)[1]
    for now_ms, lines in ((second_ms - 1, LINES[:1]), (second_ms, LINES[:2])):
        text, cursor = log_so_far(row_of(world), "app", wanted_of(DoorRequest(path=LOG), scene(world)), scene(world, now_ms))
        assert text.splitlines() == lines
        assert (cursor.at_ms, cursor.count) == (moments(world)[len(lines) - 1], 1)


def test_a_client_that_follows_gets_each_line_once(world: World) -> None:
    wanted = wanted_of(DoorRequest(path=LOG, query=(("tailLines", "1"),)), scene(world))
    first_ms = moments(world)[0]
    text, cursor = log_so_far(row_of(world), "app", wanted, scene(world, first_ms))
    rest, cursor, is_over = log_since(row_of(world), "app", wanted, scene(world), cursor)
    assert (text.splitlines(), rest.splitlines(), is_over) == (LINES[:1], LINES[1:], False)
    assert log_since(row_of(world), "app", wanted, scene(world), cursor)[::2] == ("", False)


def test_lines_of_one_moment_are_counted() -> None:
    world = playing("echo one; echo two; sleep 1000", NOW_MS)
    cursor = log_so_far(row_of(world), "app", wanted_of(DoorRequest(path=LOG), scene(world)), scene(world))[1]
    assert cursor.count == 2
    one = LogCursor(cursor.attempt, cursor.at_ms, 1)
    assert log_since(row_of(world), "app", wanted_of(DoorRequest(path=LOG), scene(world)), scene(world), one)[0] == "two\n"


def test_the_log_of_a_container_that_has_ended_is_over() -> None:
    world = playing("echo one", NOW_MS, restartPolicy="Never")
    wanted = wanted_of(DoorRequest(path=LOG), scene(world))
    text, cursor = log_so_far(row_of(world), "app", wanted, scene(world))
    assert (text, [item.name for item in all_statuses(row_of(world))]) == ("one\n", ["app"])
    assert log_since(row_of(world), "app", wanted, scene(world), cursor)[2]
    other = LogCursor(cursor.attempt + 1, cursor.at_ms, 0)
    assert log_since(row_of(world), "app", wanted, scene(world), other) == ("", other, True)


def test_a_pod_without_a_node_has_no_log_yet() -> None:
    pending = new_world(RunHeader(kubernetes="1.30", manifests=(pod_json("a", nodeSelector={"no": "such"}),)))
    assert (log(pending).status, log(pending).body) == (204, b"")


def test_a_log_that_the_kubelet_does_not_have_is_refused_with_its_reason() -> None:
    world = playing(SCRIPT, NOW_MS)
    reply = log(world, previous="true")
    assert (reply.status, json.loads(reply.body)["reason"]) == (400, "BadRequest")
    assert json.loads(reply.body)["message"] == 'previous terminated container "app" in pod "a" not found'
