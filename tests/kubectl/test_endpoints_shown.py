"""The output of get and describe about the endpoints of a Service: an empty cell is not ``<none>``."""

from typing import Any

import pytest

from simulator.kubectl.kubectl import kubectl
from tests.engine.worlds import container, header, pod, run

NEVER = {"exec": {"command": ["false"]}}


def service(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"ports": [{"port": 80}], **spec}}


def labelled(name: str, **more: Any) -> dict[str, Any]:
    return {**pod(container(**more), name=name), "metadata": {"name": name, "labels": {"app": name}}}


def asked(line: str, kubernetes: str) -> str:
    documents = (
        service("unready", selector={"app": "unready"}),
        service("served", selector={"app": "served"}),
        service("nobody", selector={"app": "nobody"}),
        service("bare"),
        labelled("unready", readinessProbe=NEVER),
        labelled("served"),
    )
    return kubectl(run(header(*documents, kubernetes=kubernetes), 30)[0], line)


def cell(name: str, kubernetes: str) -> str:
    """describe's text after ``Endpoints:``."""
    (line,) = (line for line in asked(f"describe svc {name}", kubernetes).splitlines() if line.startswith("Endpoints:"))
    return line.removeprefix("Endpoints:").strip()


@pytest.mark.parametrize("kubernetes", ["1.20", "1.30", "1.36"])
def test_endpoints_of_unready_pods_are_an_empty_cell(kubernetes: str) -> None:
    rows = [line.split() for line in asked("get endpoints", kubernetes).splitlines()]
    assert ["unready", "30s"] in rows


def test_endpoints_without_any_pod_are_none() -> None:
    assert ["nobody", "<none>", "30s"] in [line.split() for line in asked("get endpoints", "1.30").splitlines()]


@pytest.mark.parametrize("kubernetes", ["1.20", "1.30", "1.32", "1.36"])
def test_described_service_of_unready_pods_has_an_empty_cell(kubernetes: str) -> None:
    assert cell("unready", kubernetes) == ""


def test_described_service_of_unready_pods_shows_them_in_1_31() -> None:
    assert cell("unready", "1.31").endswith(":80")


@pytest.mark.parametrize("kubernetes", ["1.30", "1.31", "1.32"])
def test_described_service_shows_ready_pods(kubernetes: str) -> None:
    assert cell("served", kubernetes).endswith(":80")


@pytest.mark.parametrize(("kubernetes", "shown"), [("1.30", "<none>"), ("1.31", "")])
def test_described_service_without_pods_has_an_empty_slice_from_1_31(kubernetes: str, shown: str) -> None:
    assert cell("nobody", kubernetes) == shown


@pytest.mark.parametrize("kubernetes", ["1.30", "1.31"])
def test_described_service_without_selector_has_none(kubernetes: str) -> None:
    assert cell("bare", kubernetes) == "<none>"


@pytest.mark.parametrize(("kubernetes", "suffix"), [("1.30", ""), ("1.31", " + 1 more..."), ("1.32", " + 0 more...")])
def test_unready_pod_behind_three_ready_ones_makes_more_of_them_from_1_31(kubernetes: str, suffix: str) -> None:
    """Since 1.32 kubectl counts only ready endpoints but cuts the list at the fourth of any kind (#142209)."""
    pods = [{**pod(container(), name=f"p{n}"), "metadata": {"name": f"p{n}", "labels": {"app": "web"}}} for n in range(3)]
    late = {**pod(container(readinessProbe=NEVER), name="z"), "metadata": {"name": "z", "labels": {"app": "web"}}}
    world = run(header(service("web", selector={"app": "web"}), *pods, late, kubernetes=kubernetes), 30)[0]
    (line,) = (line for line in kubectl(world, "describe svc web").splitlines() if line.startswith("Endpoints:"))
    assert line.partition(",")[2].count(",") == 1 and line.endswith(f":80{suffix}")


@pytest.mark.parametrize(("name", "ready", "unready"), [("served", True, False), ("unready", False, True), ("nobody", False, False)])
def test_described_endpoints_tell_ready_addresses_from_others_and_say_where_there_are_none(name: str, ready: bool, unready: bool) -> None:
    told = {
        line.split(":", 1)[0].strip(): line.split(":", 1)[1].strip()
        for line in asked(f"describe endpoints {name}", "1.30").splitlines()
        if ":" in line
    }
    if name == "nobody":
        assert "Addresses" not in told
        return
    assert ("10.244." in told["Addresses"], "10.244." in told["NotReadyAddresses"]) == (ready, unready)
    assert (told["Addresses"] == "<none>", told["NotReadyAddresses"] == "<none>") == (not ready, not unready)
