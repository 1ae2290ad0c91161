"""The editor lists the containers whose behaviour is presumed from the manifest, and the result."""

import pytest
import yaml

from simulator.manifests.editor.diagnostics import diagnose

PROBE = {"httpGet": {"path": "/healthz", "port": 8080}}
OTHER: dict[str, object] = {"name": "other", "image": "nginx:1.27"}


def told(
    container: dict[str, object], *, group: str = "containers", annotation: str = "", before: dict[str, object] = OTHER
) -> list[tuple[str, str]]:
    own = {"name": "app", "image": "example/app:1", **container}
    spec = {"containers": [before]}
    spec[group] = [*spec.get(group, []), own]
    metadata = {"name": "p", **({"annotations": {"podscope.dev/behaviour": annotation}} if annotation else {})}
    document = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    report = diagnose(yaml.safe_dump(document), kubernetes="1.30")
    return [(item.path, item.message) for item in report.diagnostics if item.code == "presumed"]


def test_app_container_says_which_ports_it_is_taken_to_open() -> None:
    ((path, message),) = told({"readinessProbe": PROBE, "livenessProbe": {"grpc": {"port": 9090}}})
    assert path == "spec.containers[1].image"
    assumed = "it is assumed to keep running, listen on 9090, 8080 and pass its probes"
    assert message.startswith(f"example/app:1 is unknown: {assumed}")


def test_init_container_is_taken_to_end() -> None:
    ((path, message),) = told({}, group="initContainers")
    assert path == "spec.initContainers[0].image"
    assert "exit with 0 after a second" in message


def test_declared_port_needs_no_word() -> None:
    ((_path, message),) = told({"ports": [{"containerPort": 8080}], "readinessProbe": PROBE})
    assert "listen" not in message


@pytest.mark.parametrize("more", [{"image": "nginx:1.27"}, {"command": ["sh", "-c", "sleep 60"]}, {"image": "UPPER/CASE:x:y"}])
def test_known_program_is_not_spoken_of(more: dict[str, object]) -> None:
    assert told(more) == []


def test_port_that_two_containers_ask_for_is_the_first_ones() -> None:
    first, second = told({"readinessProbe": PROBE}, before={"name": "first", "image": "example/other:1", "readinessProbe": PROBE})
    assert "listen on 8080" in first[1] and "listen" not in second[1]


def test_program_of_its_own_is_not_known() -> None:
    assert len(told({"command": ["/app/server", "--port", "8080"]})) == 1


def test_behaviour_that_is_said_is_not_presumed() -> None:
    assert told({}, annotation="app: {exit: {after: 5s, code: 1}}") == []
    assert len(told({}, annotation="other: {startupDelay: 5s}")) == 1


@pytest.mark.parametrize(
    ("more", "spoken_of"),
    [
        ({}, True),
        ({"image": "httpd:2.4"}, True),
        ({"readinessProbe": {"httpGet": {"path": "/", "port": 80}}}, False),
        ({"image": "busybox:1.36"}, False),
        ({"volumeMounts": [{"name": "v", "mountPath": "/usr/share/nginx/html"}]}, False),
    ],
)
def test_path_that_a_bare_server_does_not_have_is_reported(more: dict[str, object], spoken_of: bool) -> None:
    own = {"name": "app", "image": "nginx:1.27", "readinessProbe": {"httpGet": {"path": "/ready", "port": 80}}, **more}
    spec = {"containers": [own], "volumes": [{"name": "v", "emptyDir": {}}]}
    text = yaml.safe_dump({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})
    found = [item for item in diagnose(text, kubernetes="1.30").diagnostics if item.code == "bare-server"]
    assert bool(found) is spoken_of
    assert all(item.path.endswith("readinessProbe.httpGet.path") and "/ready returns a 404" in item.message for item in found)
