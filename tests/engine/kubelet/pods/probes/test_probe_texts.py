"""The results of network probes and hooks, in the words of Go's clients, and how exec probes see variables."""

import json
from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.containers.hang import HangContainer
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.containers.programs import ipc
from tests.engine.worlds import container, events, header, moment, pod, run, words

IP = "10.244.0.3"
NGINX = {"name": "app", "image": "nginx:1.16.1"}
DEAF = "trap '' TERM; while true; do sleep 1; done"


def declared(*listens: Any, onto: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A pod whose container behaves as a block declares."""
    document = pod({"name": "app", "image": "busybox:1.28", **(onto or {})}, **spec)
    document["metadata"]["annotations"] = {"podscope.dev/behaviour": json.dumps({"app": {"listens": listens}})}
    return document


def attempts(document: dict[str, Any], seconds: float = 8, version: str = "1.30", *commands: Any) -> list[tuple[str, object]]:
    """Outcome and text of each attempt of the pod's probe, without repetitions."""
    _, records = run(header(document, kubernetes=version), seconds, *commands)
    told = [(item.target, item.get("output")) for item in records if item.machine == "probe_attempt" and item.target != "suppressed"]
    return list(dict.fromkeys(told))


def http(port: int, **action: Any) -> dict[str, Any]:
    return {"readinessProbe": {"httpGet": {"port": port, **action}, "periodSeconds": 2}}


def test_tls_client_is_told_that_the_server_speaks_plain_http() -> None:
    text = f'Get "https://{IP}:80/": http: server gave HTTP response to HTTPS client'
    assert attempts(pod({**NGINX, **http(80, scheme="HTTPS")})) == [("failure", text)]


def test_declared_port_is_plain_unless_it_says_that_it_speaks_tls() -> None:
    plain, tls = ({"port": 8443, "paths": {"/": 200}, **more} for more in ({}, {"tls": True}))
    probe = http(8443, scheme="HTTPS")
    text = f'Get "https://{IP}:8443/": http: server gave HTTP response to HTTPS client'
    assert attempts(declared(plain, onto=probe)) == [("failure", text)]
    assert attempts(declared(tls, onto=probe)) == [("success", "")]


def test_plain_client_gets_400_from_a_server_that_speaks_tls() -> None:
    document = declared({"port": 8443, "paths": {"/": 200}, "tls": True}, onto=http(8443))
    assert attempts(document) == [("failure", "HTTP probe failed with statuscode: 400")]


def test_program_that_is_not_known_is_taken_to_speak_what_its_probe_asks_for() -> None:
    document = pod({"name": "app", "image": "example/app:1", "ports": [{"containerPort": 8443}], **http(8443, scheme="HTTPS")})
    _, records = run(header(document, images=("example/app:1",)), 6)
    assert [item.target for item in records if item.machine == "probe_attempt"][0] == "success"


def test_redirects_that_lead_nowhere_are_followed_ten_times() -> None:
    document = declared({"port": 8080, "paths": {"/": [{"status": 302, "location": "/"}]}}, onto=http(8080))
    assert attempts(document) == [("failure", 'Get "/": stopped after 10 redirects')]


def chain(length: int) -> dict[str, Any]:
    """A server that redirects this many times and then answers 200."""
    steps = {f"/{n}": [{"status": 307, "location": f"/{n + 1}"}] for n in range(length)}
    return {"port": 8080, "paths": {**steps, f"/{length}": 200}}


@pytest.mark.parametrize(("length", "outcome"), [(9, "success"), (10, "failure")])
def test_tenth_redirect_is_one_too_many(length: int, outcome: str) -> None:
    assert attempts(declared(chain(length), onto=http(8080, path="/0")))[0][0] == outcome


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (f"http://{IP}:8080/ok", ("success", "")),
        (f"http://{IP}:9999/ok", ("failure", f'Get "http://{IP}:9999/ok": dial tcp {IP}:9999: connect: connection refused')),
        (f"https://{IP}:8080/ok", ("failure", f'Get "https://{IP}:8080/ok": http: server gave HTTP response to HTTPS client')),
        ("ok", ("success", "")),
        ("http://elsewhere.example/", ("success", "Probe terminated redirects, Response body: gone")),
    ],
)
def test_redirect_is_followed_on_the_same_host_whatever_its_form(location: str, expected: tuple[str, str]) -> None:
    listen = {"port": 8080, "paths": {"/": [{"status": 302, "location": location, "body": "gone"}], "/ok": 200}}
    assert attempts(declared(listen, onto=http(8080))) == [expected]


def test_time_of_all_redirects_together_counts() -> None:
    listen = {**chain(3), "delay": "400ms"}
    assert attempts(declared(listen, onto=http(8080, path="/0")))[0][0] == "timeout"


def test_tcp_probe_of_an_unknown_host_says_so() -> None:
    probe = {"readinessProbe": {"tcpSocket": {"port": 80, "host": "no.such.host"}, "periodSeconds": 2}}
    assert attempts(pod({**NGINX, **probe})) == [("failure", "dial tcp: lookup no.such.host: no such host")]


UNREADABLE = ("[x", "a]b", "1.2.3.4]", "[::1", "a b", "ａ／ｂ")
"""Hosts that are invalid in a URL; the API server does not check this."""


@pytest.mark.parametrize("host", UNREADABLE)
def test_http_probe_of_a_host_that_cannot_be_read_fails(host: str) -> None:
    text = f'Get "http://{host}:80/": dial tcp: lookup {host}: no such host'
    assert attempts(pod({**NGINX, **http(80, host=host)})) == [("failure", text)]


@pytest.mark.parametrize("host", UNREADABLE)
def test_redirect_to_a_host_that_cannot_be_read_is_not_followed(host: str) -> None:
    listen = {"port": 8080, "paths": {"/": [{"status": 302, "location": f"http://{host}/", "body": "gone"}]}}
    assert attempts(declared(listen, onto=http(8080))) == [("success", "Probe terminated redirects, Response body: gone")]


GRPC = {"readinessProbe": {"grpc": {"port": 9000}, "periodSeconds": 3}}
NO_CONNECTION = f'timeout: failed to connect service "{IP}:9000" within 1s: context deadline exceeded'


@pytest.mark.parametrize(
    "listens",
    [(), ({"port": 9000, "paths": {"/": 200}},), (9000,)],
    ids=["nobody listens", "a web server", "some other server"],
)
def test_grpc_probe_cannot_connect_to_what_speaks_no_grpc(listens: tuple[Any, ...]) -> None:
    assert attempts(declared(*listens, onto=GRPC)) == [("timeout", NO_CONNECTION)]


def test_grpc_server_without_the_health_service_says_so() -> None:
    (told,) = attempts(declared({"port": 9000, "grpc": {}}, onto=GRPC))
    assert str(told[1]).startswith("error: this server does not implement the grpc health protocol")


def test_grpc_probe_of_a_hung_server_does_not_get_a_connection() -> None:
    act = (2, HangContainer(target="default/p", container="app"))
    told = attempts(declared({"port": 9000, "grpc": {"": "SERVING"}}, onto=GRPC), 9, "1.30", act)
    assert told == [("success", ""), ("timeout", NO_CONNECTION)]


def test_grpc_answer_that_is_late_is_no_matter_of_the_connection() -> None:
    listen = {"port": 9000, "delay": "3s", "grpc": {"": "SERVING"}}
    assert attempts(declared(listen, onto=GRPC)) == [("timeout", "timeout: health rpc did not complete within 1s")]


def test_grpc_probe_of_a_process_that_has_ended_waits_for_its_timeout() -> None:
    """Readiness continues while another container of the pod is being stopped."""
    probe = {"grpc": {"port": 9000}, "periodSeconds": 1, "failureThreshold": 1}
    document = declared({"port": 9000, "grpc": {"": "SERVING"}}, onto={"readinessProbe": probe}, terminationGracePeriodSeconds=10)
    document["spec"]["containers"].append(container(DEAF, name="b"))
    _, records = run(header(document), 16, (5, DeletePod(target="default/p")))
    failed = [item for item in records if item.machine == "probe_attempt" and item.target != "success"]
    told = [(item.target, item.get("output"), item.get("took_ms")) for item in failed if item.at_ms > 6_000]
    assert told[:2] == [("timeout", NO_CONNECTION, 1000)] * 2


def test_grpc_probe_reaches_another_container_of_the_pod() -> None:
    document = declared({"port": 9000, "grpc": {"": "SERVING"}})
    document["spec"]["containers"].append(container("sleep 3600", name="b", **GRPC))
    assert attempts(document) == [("success", "")]


def test_timeout_of_a_grpc_probe_is_written_as_go_writes_it() -> None:
    probe = {"readinessProbe": {"grpc": {"port": 9000}, "periodSeconds": 100, "timeoutSeconds": 90}}
    assert "within 1m30s" in str(attempts(declared(onto=probe), 100)[0][1])


# --- Exec


def exec_probe(*command: str, env: list[dict[str, Any]]) -> dict[str, Any]:
    return pod(container("touch /tmp/x; sleep 1000", env=env, readinessProbe={"exec": {"command": list(command)}, "periodSeconds": 2}))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("$(F)", "/tmp/x"),
        ("$$(F)", "$(F)"),
        ("$(UNKNOWN)", "$(UNKNOWN)"),
        ("$(REFERS)", "$(F)"),
        ("[$(FROM)]", "[]"),
    ],
)
def test_exec_probe_sees_the_literal_values_of_the_spec_alone(word: str, expected: str) -> None:
    env = [
        {"name": "F", "value": "/tmp/x"},
        {"name": "REFERS", "value": "$(F)"},
        {"name": "FROM", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ]
    told = attempts(exec_probe("sh", "-c", f"echo '{word}'; false", env=env))
    assert told == [("failure", expected + "\n")]


def test_timeout_of_an_exec_probe_names_the_command_that_was_run() -> None:
    told = attempts(exec_probe("sleep", "$(N)", env=[{"name": "N", "value": "60"}]))
    assert told == [("timeout", 'command "sleep 60" timed out')]


def test_hook_gets_its_command_as_it_stands() -> None:
    """pkg/kubelet/lifecycle/handlers.go passes handler.Exec.Command on unchanged; only the prober expands it."""
    hook = {"postStart": {"exec": {"command": ["touch", "/tmp/$(F)"]}}}
    document = pod(container("sleep 1; ls /tmp; sleep 1000", env=[{"name": "F", "value": "x"}], lifecycle=hook))
    world, _ = run(header(document), 4)
    assert [line[3] for line in world.tables.logs[("default/p", "app")]] == ["$(F)"]


# --- A server whose script makes the interpreter fail

SERVES = "nc -lk -p 80 -e ipcs & sleep 1000"


def fail_at(monkeypatch: pytest.MonkeyPatch, problem: type[Exception]) -> None:
    def rows(*_: object) -> list[tuple[str, ...]]:
        raise problem("boom")

    monkeypatch.setattr(ipc, "_rows", rows)


def failures_told(records: list[Record]) -> list[tuple[str, object]]:
    return [(item.subject, item.get("text")) for item in records if item.machine == "note"]


FAILED = "The interpreter failed (ValueError: boom) at what answers a request, so the connection was closed."


def test_probe_of_a_server_that_the_interpreter_fails_at_gets_eof_and_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_at(monkeypatch, ValueError)
    _, records = run(header(pod(container(SERVES, **http(80)))), 8)
    assert {item.get("output") for item in records if item.machine == "probe_attempt"} == {f'Get "http://{IP}:80/": EOF'}
    assert failures_told(records) == [("container/default/p/app", FAILED)]


def test_hook_that_asks_a_server_that_the_interpreter_fails_at_gets_eof_and_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_at(monkeypatch, ValueError)
    hook = {"lifecycle": {"postStart": {"httpGet": {"path": "/", "port": 80}}}}
    _, records = run(header(pod(container(SERVES, **hook))), 8)
    assert failures_told(records)[0] == ("container/default/p/app", FAILED)


def test_program_that_asks_a_server_that_the_interpreter_fails_at_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_at(monkeypatch, ValueError)
    asks = container("sleep 2; wget -qO- http://127.0.0.1 || echo none; sleep 1000", name="asks")
    world, _ = run(header(pod(container(SERVES), asks)), 8)
    assert [line[3] for line in world.tables.logs["default/p", "asks"]] == ["wget: error getting response", "none"]


def test_failure_of_this_machine_is_never_made_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_at(monkeypatch, MemoryError)
    with pytest.raises(MemoryError):
        run(header(pod(container(SERVES, **http(80)))), 8)


# --- HTTP hooks


def hooked(purpose: str, onto: dict[str, Any] | None = None, **action: Any) -> dict[str, Any]:
    hook = {purpose: {"httpGet": {"path": "/quit", "port": 80, **action}}}
    return pod({**(onto or NGINX), "lifecycle": hook}, terminationGracePeriodSeconds=8)


def deleted(document: dict[str, Any], version: str = "1.30", *commands: Any, seconds: float = 30) -> tuple[World, list[Record]]:
    return run(header(document, kubernetes=version), seconds, *commands, (10, DeletePod(target="default/p")))


@pytest.mark.parametrize("purpose", ["postStart", "preStop"])
@pytest.mark.parametrize(("version", "told"), [("1.25", False), ("1.26", True)])
def test_hook_falls_back_to_http_and_says_so_from_1_26(version: str, told: bool, purpose: str) -> None:
    _, records = deleted(hooked(purpose, scheme="HTTPS"), version)
    event = f"LifecycleHTTPFallback: request to HTTPS lifecycle hook {IP}:80 got HTTP response, retry with HTTP succeeded"
    assert (event in events(records)) == told
    assert words(records, machine="hook", subject="container/default/p/app") == ["running", "done"]


def test_fallback_that_fails_is_reported_with_the_first_error() -> None:
    document = declared({"port": 80, "paths": {"/quit": [{"status": 302, "location": "/quit"}]}})
    document["spec"]["containers"][0]["lifecycle"] = {"postStart": {"httpGet": {"path": "/quit", "port": 80, "scheme": "HTTPS"}}}
    _, records = run(header(document), 4)
    (failed,) = [item for item in records if item.machine == "hook" and item.target == "failed"][:1]
    assert failed.get("message") == f'Get "https://{IP}:80/quit": http: server gave HTTP response to HTTPS client'


def test_pre_stop_hook_waits_for_a_hung_server_until_the_grace_is_over() -> None:
    _, records = deleted(hooked("preStop"), "1.30", (5, HangContainer(target="default/p", container="app")))
    asked, killed = (moment(records, machine="stop", target=target) for target in ("term", "killed"))
    assert (round(asked - 10), round(killed - 10)) == (8, 10)
    (failed,) = [item for item in records if item.machine == "hook" and item.target == "failed"]
    assert (failed.get("message"), failed.at_ms) == (f'Get "http://{IP}:80/quit": EOF', round(killed * 1000))


def test_pre_stop_hook_is_answered_when_the_server_goes_on() -> None:
    wakes = (5, HangContainer(target="default/p", container="app")), (13, HangContainer(target="default/p", container="app", hang=False))
    _, records = deleted(hooked("preStop"), "1.30", *wakes)
    assert moment(records, machine="hook", target="done") == pytest.approx(13, abs=0.1)
    assert moment(records, machine="stop", target="term") == pytest.approx(13, abs=0.1)


def test_pre_stop_hook_is_over_when_a_slow_server_has_answered() -> None:
    document = declared({"port": 80, "paths": {"/quit": [{"status": 500, "delay": "6s"}]}}, terminationGracePeriodSeconds=8)
    document["spec"]["containers"][0]["lifecycle"] = {"preStop": {"httpGet": {"path": "/quit", "port": 80}}}
    _, records = deleted(document)
    assert round(moment(records, machine="stop", target="term") - 10) == 6


@pytest.mark.parametrize(("version", "url"), [("1.25", "http://no.such.host:80//quit"), ("1.26", "http://no.such.host:80/quit")])
def test_hook_to_an_unknown_host_says_so(version: str, url: str) -> None:
    _, records = deleted(hooked("preStop", host="no.such.host"), version)
    (failed,) = [item for item in records if item.machine == "hook" and item.target == "failed"]
    assert failed.get("message") == f'Get "{url}": dial tcp: lookup no.such.host: no such host'


@pytest.mark.parametrize("host", UNREADABLE)
@pytest.mark.parametrize("purpose", ["postStart", "preStop"])
def test_hook_to_a_host_that_cannot_be_read_fails(host: str, purpose: str) -> None:
    _, records = deleted(hooked(purpose, host=host))
    failed = next(item for item in records if item.machine == "hook" and item.target == "failed")
    assert failed.get("message") == f'Get "http://{host}:80/quit": dial tcp: lookup {host}: no such host'


def test_hook_fails_at_a_loop_of_redirects() -> None:
    document = declared({"port": 80, "paths": {"/quit": [{"status": 302, "location": "/quit"}]}}, terminationGracePeriodSeconds=8)
    document["spec"]["containers"][0]["lifecycle"] = {"preStop": {"httpGet": {"path": "/quit", "port": 80}}}
    _, records = deleted(document)
    (failed,) = [item for item in records if item.machine == "hook" and item.target == "failed"]
    assert failed.get("message") == 'Get "/quit": stopped after 10 redirects'
