"""Windows nodes: the kubelet's report, which pods and images they accept, and what their containers do."""

from typing import Any

import pytest

from simulator.engine import ClusterSpec, NodeSpec, World
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.apiserver.documents.node import node_document
from simulator.engine.containers import image_facts
from tests.engine.worlds import container, header, pod, run

CORE = "mcr.microsoft.com/windows/servercore:ltsc2022"
NANO = "mcr.microsoft.com/windows/nanoserver:ltsc2022"
STOPPED = -1073741510
PAIR = ClusterSpec(nodes=(NodeSpec(name="lin"), NodeSpec(name="win", os="windows")))
WEB_SERVER = (
    "<#code#> ; $$listener = New-Object System.Net.HttpListener ; $$listener.Prefixes.Add('http://*:80/') ; $$listener.Start() ; "
    "Write-Host('Listening at http://*:80/') ; while ($$listener.IsListening) { ;$$context = $$listener.GetContext() ;$$response.Close() }"
)


def on_windows(*command: str, image: str = CORE, name: str = "p", **spec: Any) -> dict[str, Any]:
    """A pod of one container for the Windows node."""
    more = {key: spec.pop(key) for key in ("livenessProbe", "lifecycle", "resources") if key in spec}
    return pod({"name": "app", "image": image, "command": list(command), **more}, name=name, nodeName="win", **spec)


def play(*documents: dict[str, Any], seconds: float = 20, kubernetes: str = "1.30", cluster: ClusterSpec = PAIR, acts: Any = ()) -> World:
    return run(header(*documents, kubernetes=kubernetes, cluster=cluster), seconds, *acts)[0]


def said(world: World, reason: str, pod: str = "default/p") -> list[str]:
    return [item.message for item in world.tables.k8s_events.values() if item.reason == reason and item.subject.startswith(f"pod/{pod}")]


def logged(world: World, key: str = "default/p") -> list[str]:
    return [line[3] for line in world.tables.logs.get((key, "app"), ())]


def ended(world: World, key: str = "default/p") -> int:
    instance = world.tables.instances[key][0]
    assert not instance.runs
    return instance.exit_code


@pytest.mark.parametrize(("version", "build"), [("1.22", "10.0.17763"), ("1.23", "10.0.20348")])
def test_kubelet_labels_its_node_as_windows(version: str, build: str) -> None:
    labels = play(kubernetes=version).tables.nodes["win"].labels
    assert (labels["kubernetes.io/os"], labels["beta.kubernetes.io/os"], labels["node.kubernetes.io/windows-build"]) == (
        "windows",
        "windows",
        build,
    )


def test_linux_node_has_no_windows_build() -> None:
    labels = play().tables.nodes["lin"].labels
    assert labels["kubernetes.io/os"] == "linux"
    assert "node.kubernetes.io/windows-build" not in labels


def test_node_info_says_what_the_machine_is() -> None:
    told = NodeSpec(name="win", os="windows", os_image="Windows Server 2025 Datacenter", kernel_version="10.0.26100.1742")
    info = node_document(play(cluster=ClusterSpec(nodes=(told,))), "win")["status"]["nodeInfo"]
    assert (info["operatingSystem"], info["osImage"], info["kernelVersion"]) == ("windows", told.os_image, told.kernel_version)


def test_a_label_that_lies_about_the_system_does_not_deceive_the_kubelet() -> None:
    labels = {"kubernetes.io/os": "linux"}
    cluster = ClusterSpec(nodes=(NodeSpec(name="win", os="windows", labels=labels),))
    world = play({**on_windows("ping", "-t", "localhost"), "metadata": {"name": "p", "labels": labels}}, cluster=cluster)
    assert world.tables.pods["default/p"].status.reason == "PodOSSelectorNodeLabelDoesNotMatch"


def test_spec_os_does_not_choose_a_node() -> None:
    world = play(pod({"name": "app", "image": CORE}, os={"name": "windows"}))
    assert world.tables.pods["default/p"].node == "lin"
    assert world.tables.pods["default/p"].status.reason == "PodOSNotSupported"


@pytest.mark.parametrize(("version", "reason"), [("1.23", ""), ("1.24", "PodOSNotSupported")])
def test_windows_node_rejects_a_pod_for_linux_from_1_24(version: str, reason: str) -> None:
    world = play(pod(container(), os={"name": "linux"}, nodeName="win"), kubernetes=version)
    assert world.tables.pods["default/p"].status.reason == reason


@pytest.mark.parametrize(
    ("image", "platforms"),
    [
        ("busybox", ("linux",)),
        ("nginx:1.27", ("linux",)),
        (CORE, ("windows",)),
        ("mcr.microsoft.com/dotnet/framework/samples:aspnetapp", ("windows",)),
        ("mcr.microsoft.com/powershell:lts-nanoserver-1809", ("windows",)),
        ("registry.k8s.io/pause:3.9", ("linux", "windows")),
        ("registry.k8s.io/e2e-test-images/agnhost:2.40", ("linux", "windows")),
        ("python:3.12", ("linux", "windows")),
        ("python:3.12-slim", ("linux",)),
        ("python:3.12-windowsservercore-ltsc2022", ("windows",)),
        ("example/app:1", ("linux", "windows")),
    ],
)
def test_platforms_of_images(image: str, platforms: tuple[str, ...]) -> None:
    assert image_facts(image).platforms == platforms


@pytest.mark.parametrize(("image", "node"), [("nginx", "win"), (CORE, "lin")])
def test_image_without_a_build_for_the_node_is_not_pulled(image: str, node: str) -> None:
    full = "docker.io/library/nginx:latest" if image == "nginx" else image
    reason = f'rpc error: code = NotFound desc = failed to pull and unpack image "{full}": no match for platform in manifest: not found'
    world = play(pod({"name": "app", "image": image}, nodeName=node), seconds=5)
    assert f'Failed to pull image "{image}": {reason}' in said(world, "Failed")


def test_cluster_says_what_an_image_is_built_for() -> None:
    cluster = ClusterSpec(nodes=PAIR.nodes, platforms={"example/app": ("windows",)})
    world = play(pod({"name": "app", "image": "example/app:1"}, nodeName="lin"), seconds=5, cluster=cluster)
    assert said(world, "Failed")


@pytest.mark.parametrize("image", ["registry.k8s.io/pause:3.9", "registry.k8s.io/e2e-test-images/agnhost:2.40"])
def test_image_for_both_systems_runs_on_either(image: str) -> None:
    documents = [pod({"name": "app", "image": image}, name=node, nodeName=node) for node in ("lin", "win")]
    assert {row.status.phase for row in play(*documents).tables.pods.values()} == {"Running"}


@pytest.mark.parametrize(
    ("command", "code", "log"),
    [
        (("cmd", "/c", "echo hello"), 0, ["hello"]),
        (("cmd.exe", "/S", "/C", "echo one & echo two && exit /b 300"), 300, ["one", "two"]),
        (
            ("cmd", "/c", "ping -n 2 nowhere || exit 7"),
            7,
            ["Ping request could not find host nowhere. Please check the name and try again."],
        ),
        (("powershell", "-Command", "Write-Host 'hi'; Start-Sleep -Seconds 2; exit 3"), 3, ["hi"]),
        (("powershell.exe", "-NoProfile", "Write-Output $env:USERNAME; exit -1"), -1, ["ContainerAdministrator"]),
        (("hostname",), 0, ["p"]),
        (("whoami",), 0, ["user manager\\containeradministrator"]),
    ],
)
def test_small_programs_of_windows(command: tuple[str, ...], code: int, log: list[str]) -> None:
    world = play(on_windows(*command, restartPolicy="Never"))
    assert (ended(world), logged(world)) == (code, log)


def test_loop_of_powershell_goes_on() -> None:
    world = play(on_windows("powershell", 'while ($true) { Write-Host "still here"; Start-Sleep -s 5 }'), seconds=13)
    assert logged(world) == ["still here"] * 3


@pytest.mark.parametrize(
    "command", [("ipconfig",), ("cmd", "/c", "dir | more"), ("powershell", "Get-Process | Out-Null"), ("powershell", "-File", "x.ps1")]
)
def test_what_is_not_understood_is_said(command: tuple[str, ...]) -> None:
    _, records = run(header(on_windows(*command), cluster=PAIR), 10)
    assert [record.target for record in records if record.machine == "note"] == ["command-not-understood"]


def test_shell_of_linux_is_not_there() -> None:
    reason = 'failed to start containerd task "app": hcs::System::CreateProcess app: The system cannot find the file specified.: unknown'
    assert f"Error: {reason}" in said(play(on_windows("sh", "-c", "true", restartPolicy="Never")), "Failed")


def test_nanoserver_has_no_powershell() -> None:
    world = play(on_windows("powershell", "exit 0", image=NANO, restartPolicy="Never"))
    assert ended(world) == 128


def test_web_server_of_the_documentation_answers() -> None:
    server = on_windows("powershell.exe", "-command", WEB_SERVER, livenessProbe={"httpGet": {"port": 80}, "failureThreshold": 1})
    world = play(server, seconds=40)
    assert logged(world) == ["Listening at http://*:80/"]
    assert world.tables.instances["default/p"][0].attempt == 0


def test_exec_probe_runs_a_command_of_windows() -> None:
    probe = {"exec": {"command": ["cmd", "/c", "exit 1"]}, "periodSeconds": 5, "failureThreshold": 1}
    world = play(on_windows("ping", "-t", "localhost", livenessProbe=probe), seconds=12)
    assert said(world, "Unhealthy")


def test_pre_stop_hook_runs_before_the_process_is_told_to_stop() -> None:
    hook = {"preStop": {"exec": {"command": ["powershell", "-Command", "Start-Sleep 4"]}}}
    documents = (on_windows("ping", "-t", "localhost", lifecycle=hook),)
    _, records = run(header(*documents, cluster=PAIR), 20, (10, DeletePod(target="default/p")))
    assert [record.at_ms for record in records if record.rule == "WINDOWS-SHUTDOWN-EVENT"] == [pytest.approx(14_000, abs=600)]


def test_stopped_process_ends_with_control_c_exit() -> None:
    _, records = run(header(on_windows("ping", "-t", "localhost"), cluster=PAIR), 15, (10, DeletePod(target="default/p")))
    codes = [value for record in records for name, value in record.data if name == "exit_code" and record.machine == "container"]
    assert codes == [STOPPED]


def growing(limit: str) -> dict[str, Any]:
    block = '{"app": {"memory": [{"at": "0s", "bytes": "10Mi"}, {"at": "5s", "bytes": "300Mi"}]}}'
    document = on_windows("ping", "-t", "localhost", resources={"limits": {"memory": limit}})
    document["metadata"]["annotations"] = {"podscope.dev/behaviour": block}
    return document


def test_nothing_is_killed_for_a_memory_limit() -> None:
    world = play(growing("100Mi"), seconds=30)
    instance = world.tables.instances["default/p"][0]
    assert (instance.attempt, instance.runs) == (0, True)


@pytest.mark.parametrize(("version", "available", "evicted"), [("1.30", "300Mi", False), ("1.31", "300Mi", True), ("1.31", "600Mi", False)])
def test_windows_kubelet_evicts_for_memory_below_500_mi_from_1_31(version: str, available: str, evicted: bool) -> None:
    acts = ((3, SetNodePressure(node="win", signal="memory.available", available=available)),)
    world = play(on_windows("ping", "-t", "localhost"), seconds=60, kubernetes=version, acts=acts)
    assert (world.tables.pods["default/p"].status.reason == "Evicted") == evicted


@pytest.mark.parametrize(("version", "noticed"), [("1.33", False), ("1.34", True)])
def test_windows_kubelet_notices_a_shutdown_from_1_34(version: str, noticed: bool) -> None:
    _, records = run(header(on_windows("ping", "-t", "localhost"), kubernetes=version, cluster=PAIR), 20, (5, ShutdownNode(node="win")))
    assert any(record.rule == "WINDOWS-SHUTDOWN-EVENT" for record in records) == noticed


def test_ids_of_users_are_not_mapped() -> None:
    world = play(on_windows("ping", "-t", "localhost", hostUsers=False), kubernetes="1.33")
    assert not world.tables.user_ranges


def test_running_container_is_not_resized() -> None:
    acts = ((5, ResizePod(target="default/p", limits={"cpu": "2"})),)
    limited = on_windows("ping", "-t", "localhost", resources={"limits": {"cpu": "1"}})
    world = play(limited, kubernetes="1.34", acts=acts)
    assert said(world, "ResizeInfeasible") == ["Pod resize Infeasible: In-place pod resize is not supported on Windows"]


def host_process(**spec: Any) -> dict[str, Any]:
    options = {"hostProcess": True, "runAsUserName": "NT AUTHORITY\\SYSTEM"}
    script = "hostname; whoami; echo $env:CONTAINER_SANDBOX_MOUNT_POINT; Start-Sleep 99"
    return pod(
        {"name": "app", "image": CORE, "command": ["powershell", script]},
        hostNetwork=True, securityContext={"windowsOptions": options}, **spec,
    )  # fmt: skip


def test_host_process_has_address_and_name_of_its_node() -> None:
    world = play(host_process(nodeName="win"))
    assert world.tables.pods["default/p"].status.pod_ip == world.tables.nodes["win"].ip
    assert logged(world) == ["win", "nt authority\\system", "C:\\hpc\\"]


def test_linux_kubelet_reads_no_host_process_flag_and_finds_no_image() -> None:
    world = play(host_process(nodeName="lin"))
    assert any("no match for platform in manifest" in text for text in said(world, "Failed"))


def test_administrator_counts_as_root() -> None:
    options = {"runAsNonRoot": True, "windowsOptions": {"runAsUserName": "ContainerAdministrator"}}
    world = play(on_windows("ping", "-t", "localhost", securityContext=options))
    assert any("runAsUser (ContainerAdministrator) which will be regarded as root identity" in text for text in said(world, "Failed"))
