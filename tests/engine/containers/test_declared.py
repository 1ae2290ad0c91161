"""Behaviour blocks: their effect on a container, and the errors in a bad one."""

import json

import pytest

from simulator.engine.containers import BadBehaviour, Launch, cpu_milli, grpc_check, memory_bytes, parse_block, tcp_connect
from simulator.engine.containers.turns import requests
from tests.engine.containers.containers import Box, run

MIB = 1 << 20
HEALTH = {
    "listens": [{"port": 8080, "paths": {"/healthz": [{"from": "0s", "status": 200}, {"from": "10s", "status": 500}]}, "delay": "50ms"}]
}


def declared(block: object, **fields: object) -> Box:
    return Box(Launch("example.com/app:1", behaviour=json.dumps(block), **fields))


def test_block_answers_http_by_time():
    box = declared(HEALTH).at(9999)
    assert (box.get("/healthz", 8080).status, box.get("/healthz", 8080).delay_ms) == (200, 50)
    assert box.at(10_000).get("/healthz", 8080).status == 500
    assert box.get("/other", 8080).status == 404


def test_ports_are_closed_until_the_startup_delay_is_over():
    box = declared({"startupDelay": "5s", "listens": [9090]}).at(4999)
    assert tcp_connect(box.process, port=9090, host=box.host()) == "refused"
    box.at(5000)
    assert tcp_connect(box.process, port=9090, host=box.host()) == "accepted"


@pytest.mark.parametrize("grpc", [False, True], ids=["http", "grpc"])
def test_what_a_block_answers_is_read_without_a_turn_of_its_container(grpc: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    box = declared({"listens": [{"port": 80, "grpc": {"": "SERVING"}} if grpc else {"port": 80, "paths": {"/": 200}}]})
    made: list[object] = []
    monkeypatch.setattr(requests, "kernel_of", lambda *_: made.append(None))
    for _ in range(100):
        if grpc:
            assert grpc_check(box.process, port=80, host=box.host()).outcome == "serving"
        else:
            assert box.get("/", 80).status == 200
    assert not made


@pytest.mark.parametrize(("instance", "code", "exit_ms"), [(0, 1, 5000), (1, 2, 9000), (2, None, None), (7, None, None)])
def test_exit_list_goes_by_instance(instance, code, exit_ms):
    block = {"exit": [{"after": "5s", "code": 1}, {"after": 9, "code": 2}, "never"]}
    box = declared(block, instance=instance).at(60_000)
    assert (box.exit_code, box.exit_ms) == (code, exit_ms)


@pytest.mark.parametrize(("term", "code", "exit_ms"), [("ignore", None, None), ("exit", 0, 1000), ({"exit": 3, "after": "4s"}, 3, 5000)])
def test_term_is_taken_as_declared(term, code, exit_ms):
    box = declared({"onTerm": term}).at(1000).signal().at(60_000)
    assert (box.exit_code, box.exit_ms) == (code, exit_ms)


def test_cpu_curve_is_linear_and_none_where_nothing_is_declared():
    box = declared({"cpu": [{"at": "10s", "amount": "100m"}, {"at": "20s", "amount": "1.1"}]})
    assert [cpu_milli(box.process, at) for at in (0, 10_000, 15_000, 20_000, 90_000)] == [100, 100, 600, 1100, 1100]
    assert cpu_milli(declared({"listens": [80]}).process, 5_000) == 0


def test_memory_curve_is_linear_and_kills_at_the_crossing():
    points = [{"at": "0s", "bytes": "64Mi"}, {"at": "30s", "bytes": "124Mi"}]
    box = declared({"memory": points}, memory_limit_bytes=104 * MIB)
    assert memory_bytes(box.process, 15_000) == 94 * MIB
    box.at(60_000)
    assert (box.exit_code, box.oom, box.exit_ms) == (137, True, 20_001)


def test_log_lines_come_when_declared():
    box = declared({"log": [{"at": "1s", "text": "ready"}, {"at": "2s", "text": "bad", "stream": "stderr"}]}).at(1500)
    assert (box.stdout, box.stderr) == (["ready"], [])
    assert box.at(2000).stderr == ["bad"]


def test_exec_answers_are_declared_by_command():
    box = declared({"exec": {"check.sh now": [{"status": 0}, {"from": "20s", "status": 1, "output": "broken"}]}})
    assert box.at(1000).exec("check.sh", "now").exit_code == 0
    turn = box.at(20_000).exec("check.sh", "now")
    assert (turn.exit_code, turn.output) == (1, "broken")


def test_grpc_health_is_declared_by_service():
    box = declared({"listens": [{"port": 9000, "grpc": {"": "SERVING", "db": "NOT_SERVING"}}]})
    outcomes = [grpc_check(box.process, port=9000, service=name, host=box.host()).outcome for name in ("", "db", "x")]
    assert outcomes == ["serving", "not_serving", "unknown_service"]


def test_stand_in_replaces_an_image_only_where_no_command_is_given():
    stand_in = '{"listens":[{"port":80,"paths":{"/":200},"otherwise":404}],"on-term":"ignore"}'
    box = Box(Launch("nginx:1.14.2", stand_in=stand_in)).signal()
    assert (box.exit_code, box.get("/").status, box.get("/x").status) == (None, 200, 404)
    assert run("exit 3", image="nginx:1.14.2", stand_in=stand_in).exit_code == 3


def test_kept_program_runs_next_to_the_declared_ports():
    box = run("sleep 5; exit 2", behaviour=json.dumps({"program": "keep", "listens": [8080]}))
    assert box.get(port=8080).status == 200
    assert box.at(6000).exit_code == 2


def test_bad_block_is_ignored_with_a_note_at_start():
    box = declared({"exit": {"code": 999}})
    assert "bad-behaviour" in box.notes


@pytest.mark.parametrize(
    ("block", "path"),
    [
        ({"exits": 1}, "exits"),
        ({"exit": {"after": "soon"}}, "exit.after"),
        ({"exit": [{"code": 0}, {"code": 300}]}, "exit[1].code"),
        ({"listens": [{"port": 0}]}, "listens[0].port"),
        ({"listens": [{"port": 80, "paths": {"/": [{"from": "1s"}]}}]}, "listens[0].paths[/][0].status"),
        ({"onTerm": "later"}, "onTerm"),
        ({"memory": [{"at": 0, "bytes": "64Mi"}, {"at": 0, "bytes": 1}]}, "memory[1].at"),
        ({"memory": [{"bytes": "much"}]}, "memory[0].bytes"),
        ({"cpu": "much"}, "cpu"),
        ({"cpu": [{"amount": "1"}, {"at": 0, "amount": "2"}]}, "cpu[1].at"),
        ({"log": [{"stream": "both"}]}, "log[0].stream"),
        ([], ""),
    ],
)
def test_bad_block_names_its_field(block, path):
    with pytest.raises(BadBehaviour) as caught:
        parse_block(json.dumps(block))
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("grpc", "problem"),
    [
        ("SERVING", "must map each service to a status"),
        ({"": {"status": "SERVING"}}, "must be SERVING or NOT_SERVING"),
    ],
)
def test_grpc_that_is_not_a_map_of_statuses_is_answered_with_what_is_wanted(grpc, problem):
    with pytest.raises(BadBehaviour) as caught:
        parse_block(json.dumps({"listens": [{"port": 9000, "grpc": grpc}]}))
    assert problem in str(caught.value)


def test_tls_that_is_not_a_switch_is_answered_with_what_is_wanted():
    with pytest.raises(BadBehaviour, match=r"listens\[0\].tls: must be true or false"):
        parse_block(json.dumps({"listens": [{"port": 443, "tls": "yes"}]}))
