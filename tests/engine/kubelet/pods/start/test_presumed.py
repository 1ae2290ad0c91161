"""An unknown program behaves as its manifest expects, and a note says so."""

from typing import Any

import pytest

from simulator.engine import Record
from simulator.engine.acts.pods.delete import DeletePod
from tests.engine.worlds import container, header, pod, run, words

IMAGES = ("example/app:1", "example/other:1", "httpd:2.4", "postgres:16", "nginx:1.25")
EXPECTED = "What the image example/app:1 does is not known; it is taken to run until it is stopped"


def app(**more: Any) -> dict[str, Any]:
    """A container with an unknown image."""
    return {"name": "app", "image": "example/app:1", **more}


def probed(handler: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Such a container with two probes that ask the same."""
    probe = {**handler, "periodSeconds": 5, "failureThreshold": 1}
    return app(readinessProbe=probe, livenessProbe=probe, **more)


def play(*containers: dict[str, Any], seconds: float = 30, **spec: Any) -> list[Record]:
    return run(header(pod(*containers, **spec), images=IMAGES), seconds)[1]


def is_ready(records: list[Record]) -> bool:
    """Whether the pod became ready and no container ended."""
    ended = any(item.machine == "container" and item.target == "exited" for item in records)
    return not ended and any(item.machine == "condition" and item.subject.endswith("/Ready") and item.target == "True" for item in records)


def notes(records: list[Record]) -> list[str]:
    return [str(item.get("text")) for item in records if item.machine == "note" and item.target == "command-not-understood"]


@pytest.mark.parametrize(
    "handler",
    [
        {"grpc": {"port": 7070}},
        {"grpc": {"port": 7070, "service": "cart"}},
        {"httpGet": {"port": 8080, "path": "/healthz"}},
        {"tcpSocket": {"port": 9000}},
        {"exec": {"command": ["/app/health.sh"]}},
        {"exec": {"command": ["bash", "-c", "/ready-probe.sh"]}},
        {"exec": {"command": ["sh", "-c", 'test "$(status | grep UN)" != ""']}},
        {"exec": {"command": ["cat", "/tmp/healthy"]}},
    ],
)
def test_probe_of_a_program_that_is_not_known_succeeds(handler: dict[str, Any]) -> None:
    assert is_ready(play(probed(handler)))


def test_note_says_what_is_presumed() -> None:
    assert notes(play(probed({"httpGet": {"port": 8080}}))) == [f"{EXPECTED}, to listen on 8080 and to pass its probes."]


def test_declared_port_and_no_probe_are_not_worth_a_word() -> None:
    assert notes(play(app(ports=[{"containerPort": 8080}]))) == [f"{EXPECTED}."]


def test_port_that_another_container_declares_is_left_to_it() -> None:
    other = {"name": "other", "image": "example/other:1", "ports": [{"containerPort": 8080}]}
    assert is_ready(play(probed({"httpGet": {"port": 8080}}), other))


def test_port_that_two_containers_ask_for_is_the_first_ones() -> None:
    other = {**probed({"tcpSocket": {"port": 8080}}), "name": "other"}
    records = play(probed({"tcpSocket": {"port": 8080}}), other)
    assert is_ready(records)
    assert notes(records) == [f"{EXPECTED}, to listen on 8080 and to pass its probes.", f"{EXPECTED} and to pass its probes."]


def test_port_that_a_server_beside_it_has_without_declaring_it_stays_the_servers() -> None:
    server = {"name": "web", "image": "nginx:1.25"}
    records = play(server, probed({"httpGet": {"port": 80, "path": "/"}}))
    assert is_ready(records)
    assert notes(records) == [f"{EXPECTED} and to pass its probes."]


def test_port_that_a_hook_asks_for_is_open() -> None:
    records = play(app(lifecycle={"postStart": {"httpGet": {"port": 8080, "path": "/"}}}))
    assert is_ready(records)


@pytest.mark.parametrize(
    "init",
    [
        {"image": "example/other:1"},
        {"image": "example/other:1", "command": ["/usr/lib/proxy-init", "--redirect"]},
        {"image": "example/other:1", "command": ["sh", "-c", "/cockroach-init --pod=$(kubectl get pod) && echo done"]},
    ],
)
def test_init_container_that_is_not_known_ends_after_a_second(init: dict[str, Any]) -> None:
    records = play(container(), initContainers=[{"name": "init", **init}])
    own = [item for item in records if item.machine == "container" and item.subject == "container/default/p/init"]
    begun, ended = ([item.at_ms for item in own if item.target == target] for target in ("running", "exited"))
    assert ended[0] - begun[0] == 1000
    assert words(records)[-1] == "Running"


@pytest.mark.parametrize("command", [["psql", "-c", "select 1"], ["sh", "-c", "psql -c 'select 1'"], ["pg_isready"]])
def test_client_of_a_server_that_its_container_does_not_run_fails(command: list[str]) -> None:
    records = play(container(), initContainers=[{"name": "init", "image": "postgres:16", "command": command}])
    assert {"Init:Error", "Init:CrashLoopBackOff"} <= {*words(records)}


@pytest.mark.parametrize(("policy", "word"), [("Never", "Completed"), ("OnFailure", "Completed"), ("Always", "Running")])
def test_pod_that_is_meant_to_complete_does_where_its_program_is_not_known(policy: str, word: str) -> None:
    records = play(app(), restartPolicy=policy)
    assert words(records)[-1] == word
    assert ("taken to end with 0 after a second" in " ".join(notes(records))) == (word == "Completed")


@pytest.mark.parametrize("more", [{"ports": [{"containerPort": 80}]}, {"readinessProbe": {"tcpSocket": {"port": 80}}}, {"stdin": True}])
def test_program_that_serves_runs_on_in_a_pod_that_is_not_restarted(more: dict[str, Any]) -> None:
    records = play(app(**more), restartPolicy="Never")
    assert not [item for item in records if item.machine == "container" and item.target == "exited"]


def test_sidecar_that_is_not_known_runs_on() -> None:
    records = play(container(), initContainers=[{"name": "proxy", "image": "example/other:1", "restartPolicy": "Always"}])
    assert is_ready(records)


LOST = "select x in a b; do :; done"
"""A construct that static analysis of scripts does not follow."""
SCRIPT_EXPECTED = "“select” is not supported; it is taken to run until it is stopped"


def bash(script: str, *ports: int, **more: Any) -> dict[str, Any]:
    """A container that runs a script, with a probe of a port on which nothing in it listens."""
    probe = {"httpGet": {"port": 8080, "path": "/healthz"}, "periodSeconds": 5, "failureThreshold": 1}
    declared = {"ports": [{"containerPort": port} for port in ports]}
    return {"name": "app", "image": "nginx:1.25", "command": ["bash", "-c", script], "readinessProbe": probe, **declared, **more}


@pytest.mark.parametrize("script", [LOST, f"eval '{LOST}'", f"trap 'exit 3' TERM; eval '{LOST}'", f"echo begun; (eval '{LOST}')"])
def test_script_is_taken_for_the_same_wherever_it_stops_being_understood(script: str) -> None:
    records = play(bash(script))
    assert is_ready(records)
    assert notes(records) == [f"{SCRIPT_EXPECTED}, to listen on 8080 and to pass its probes."]


def test_traps_of_a_script_that_is_no_longer_followed_stay() -> None:
    script = f"trap 'echo bye; exit 3' QUIT; eval '{LOST}'"
    _, records = run(header(pod(bash(script)), images=IMAGES), 60.0, (20.0, DeletePod(target="default/p")))
    (ended,) = (item for item in records if item.machine == "container" and item.target == "exited")
    assert (ended.get("exit_code"), ended.at_ms < 21_000) == (3, True)


def test_port_that_the_script_has_opened_before_is_not_opened_twice() -> None:
    records = play(bash(f"nginx & sleep 1; eval '{LOST}'", 80))
    assert is_ready(records)
    assert notes(records) == [f"{SCRIPT_EXPECTED}, to listen on 8080 and to pass its probes."]


def test_probe_is_run_where_the_program_is_understood() -> None:
    fragile = app(command=["sh", "-c", "touch /tmp/healthy; sleep 9; rm /tmp/healthy; sleep 600"])
    probe = {"exec": {"command": ["cat", "/tmp/healthy"]}, "periodSeconds": 2, "failureThreshold": 1}
    records = play({**fragile, "readinessProbe": probe})
    told = [item.target for item in records if item.machine == "probe_attempt"]
    assert list(dict.fromkeys(told)) == ["success", "failure"]


def test_probe_of_a_known_image_asks_its_own_programs() -> None:
    probe = {"exec": {"command": ["sh", "-c", "psql -c 'select 1'"]}, "periodSeconds": 2}
    assert is_ready(play({"name": "db", "image": "postgres:16", "readinessProbe": probe}))


def test_known_image_listens_on_its_own_ports_only() -> None:
    assert not is_ready(play({"name": "web", "image": "nginx:1.25", "readinessProbe": {"httpGet": {"port": 8080}}}))


@pytest.mark.parametrize(("path", "outcome"), [("/", "success"), ("/index.html", "success"), ("/ready", "failure")])
def test_httpd_serves_its_own_page_and_no_other(path: str, outcome: str) -> None:
    records = play({"name": "web", "image": "httpd:2.4", "readinessProbe": {"httpGet": {"port": 80, "path": path}, "periodSeconds": 2}})
    assert {item.target for item in records if item.machine == "probe_attempt"} == {outcome}


def told_bare(*containers: dict[str, Any], **spec: Any) -> list[tuple[str, str]]:
    """Subject and start of each note about a server that has one page."""
    records = play(*containers, **spec)
    found = [item for item in records if item.target == "bare-server"]
    return [(item.subject, str(item.get("text")).partition(" is 404.")[0]) for item in found]


BARE_PROBE = {"httpGet": {"port": 80, "path": "/ready"}, "periodSeconds": 2}


@pytest.mark.parametrize(("image", "server"), [("nginx:1.25", "nginx"), ("httpd:2.4", "httpd")])
def test_bare_server_says_why_it_answers_404(image: str, server: str) -> None:
    told = told_bare({"name": "web", "image": image, "readinessProbe": BARE_PROBE})
    assert told == [("container/default/p/web", f"The simulated {server} has / and nothing else, so /ready")]


def test_note_about_a_bare_server_is_of_the_container_that_answers() -> None:
    sleeper = container("sleep 1000", name="app", readinessProbe=BARE_PROBE)
    told = told_bare(sleeper, {"name": "web", "image": "nginx:1.25"})
    assert told == [("container/default/p/app", "The simulated nginx has / and nothing else, so /ready")]


@pytest.mark.parametrize("path", ["/usr/share/nginx/html", "/usr/share/nginx/html/more", "/usr/share"])
def test_server_whose_pages_come_from_a_volume_is_not_bare(path: str) -> None:
    web = {"name": "web", "image": "nginx:1.25", "readinessProbe": BARE_PROBE, "volumeMounts": [{"name": "v", "mountPath": path}]}
    assert told_bare(web, volumes=[{"name": "v", "emptyDir": {}}]) == []


def test_server_whose_container_wrote_pages_is_not_bare() -> None:
    script = "echo hi > /usr/share/nginx/html/page; exec nginx -g 'daemon off;'"
    assert told_bare({**container(script, image="nginx:1.25"), "readinessProbe": BARE_PROBE}) == []


def test_404_of_another_server_in_the_pod_is_not_laid_to_a_bare_one() -> None:
    probe = {"httpGet": {"port": 8080, "path": "/ready"}, "periodSeconds": 2}
    script = "mkdir /www; httpd -p 8080 -h /www; sleep 1000"
    told = told_bare({"name": "web", "image": "nginx:1.25", "readinessProbe": probe}, container(script, name="other"))
    assert told == []
