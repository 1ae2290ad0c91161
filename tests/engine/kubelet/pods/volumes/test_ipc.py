"""The containers of a pod share memory and System V objects; those of hostIPC share the node's."""

from typing import Any

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.sandbox import KillSandbox
from tests.engine.worlds import container, header, pod, run

WRITES = "echo hello > /dev/shm/greeting; ipcmk -M 4096; sleep 600"
READS = "sleep 3; cat /dev/shm/greeting; ipcs -m | grep 4096; sleep 600"


def logs(*documents: dict[str, Any], seconds: float = 10) -> dict[str, list[str]]:
    world, _ = run(header(*documents, images=("debian:12",)), seconds)
    return {f"{pod_key.rpartition('/')[2]}/{name}": [line[3] for line in lines] for (pod_key, name), lines in world.tables.logs.items()}


def debian(script: str, name: str) -> dict[str, Any]:
    return container(script, name=name, image="debian:12")


def test_containers_of_a_pod_share_memory_and_objects() -> None:
    told = logs(pod(debian(WRITES, "one"), debian(READS, "two")))
    assert told["p/one"] == ["Shared memory id: 0"]
    assert told["p/two"][0] == "hello"
    assert told["p/two"][1].split()[1:5] == ["0", "root", "644", "4096"]


def test_pods_share_nothing() -> None:
    told = logs(pod(debian(WRITES, "one")), pod(debian(READS, "two"), name="q"))
    assert told["q/two"] == ["cat: /dev/shm/greeting: No such file or directory"]


def test_pods_with_host_ipc_share_the_nodes() -> None:
    told = logs(pod(debian(WRITES, "one"), hostIPC=True), pod(debian(READS, "two"), name="q", hostIPC=True))
    assert told["q/two"][0] == "hello"
    assert told["q/two"][1].split()[1] == "0"


def test_memory_outlives_the_container_that_wrote_it() -> None:
    told = logs(pod(debian("cat /dev/shm/x; echo again > /dev/shm/x; exit 1", "one")), seconds=20)
    assert told["p/one"] == ["cat: /dev/shm/x: No such file or directory", "again", "again"]


def test_mount_of_the_pod_takes_the_place_of_shared_memory() -> None:
    own = {**debian(READS, "two"), "volumeMounts": [{"name": "v", "mountPath": "/dev/shm"}]}
    told = logs(pod(debian(WRITES, "one"), own, volumes=[{"name": "v", "emptyDir": {"medium": "Memory"}}]))
    assert told["p/two"][0] == "cat: /dev/shm/greeting: No such file or directory"


def test_busybox_lists_what_there_is() -> None:
    told = logs(pod(container("ipcs; sleep 600", name="one")))
    assert [line for line in told["p/one"] if line.startswith("---")] == [
        "------ Message Queues --------",
        "------ Shared Memory Segments --------",
        "------ Semaphore Arrays --------",
    ]


def test_object_can_be_removed() -> None:
    told = logs(pod(debian("ipcmk -Q; ipcmk -Q; ipcrm -q 0; ipcs -q | grep 0x | wc -l; ipcrm -q 7; sleep 600", "one")))
    assert told["p/one"] == ["Message queue id: 0", "Message queue id: 1", "1", "ipcrm: invalid id (7)"]


def test_new_sandbox_has_nothing_of_the_old_one() -> None:
    own = container("cat /dev/shm/x; echo again > /dev/shm/x; sleep 600")
    world, _ = run(header(pod(own, terminationGracePeriodSeconds=1)), 40, (6, KillSandbox(target="default/p")))
    lines = [line[3] for line in world.tables.logs["default/p", "app"]]
    assert lines == ["cat: can't open '/dev/shm/x': No such file or directory"] * 2


def test_objects_and_memory_go_with_their_pod() -> None:
    world, _ = run(header(pod(debian(WRITES, "one"), terminationGracePeriodSeconds=1), images=("debian:12",)), 5)
    assert {"default/p/:shm", "default/p/:ipc"} <= world.tables.volumes.keys()
    act = (5, DeletePod(target="default/p"))
    world, _ = run(header(pod(debian(WRITES, "one"), terminationGracePeriodSeconds=1), images=("debian:12",)), 40, act)
    assert not {"default/p/:shm", "default/p/:ipc"} & world.tables.volumes.keys()


@pytest.mark.parametrize("act", [DeletePod(target="default/p"), KillSandbox(target="default/p")], ids=["pod", "sandbox"])
def test_objects_and_memory_of_the_node_outlive_a_pod_that_shares_them(act: DeletePod | KillSandbox) -> None:
    one = pod(debian(f"test -e /dev/shm/greeting || {{ {WRITES}; }}; sleep 600", "one"), hostIPC=True, terminationGracePeriodSeconds=1)
    two = pod(debian("sleep 30; cat /dev/shm/greeting; ipcs -m | grep -c 4096; sleep 600", "two"), name="q", hostIPC=True)
    world, _ = run(header(one, two, images=("debian:12",)), 40, (5, act))
    assert [line[3] for line in world.tables.logs["default/q", "two"]] == ["hello", "1"]


def test_container_cannot_write_where_the_kernel_keeps_its_objects() -> None:
    told = logs(pod(debian("ipcmk -Q; echo hi > /proc/sysvipc/msg; rm -f /proc/sysvipc/msg; ipcs -q | grep -c 0x; sleep 600", "one")))
    assert told["p/one"][0] == "Message queue id: 0"
    assert told["p/one"][-1] == "1"
    assert any("Read-only file system" in line for line in told["p/one"])


ROWS = ["hi", "a b c d", "0x1 x 0 644 1", "0x00000001 1 0 644 2 3", "0x00000001 9999999999 0 644 1", "", "0x0000000g 1 0 644 1"]
PROGRAMS = "ipcs > /dev/null; ipcmk -M 4096; ipcs -m | grep -c 0x; ipcrm -m 0; ipcrm -m 0"


@pytest.mark.parametrize("source", [{"emptyDir": {}}, {"hostPath": {"path": "/:ipc"}}], ids=["in its place", "of the node"])
def test_rows_that_are_none_are_passed_over(source: dict[str, Any]) -> None:
    """The pod itself has written a file in /proc/sysvipc."""
    is_own = "emptyDir" in source
    init = {**debian("; ".join(f"echo '{row}' >> /v/shm" for row in ROWS), "init"), "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    own = debian(f"{PROGRAMS}; sleep 600", "one")
    if is_own:
        own["volumeMounts"] = [{"name": "v", "mountPath": "/proc/sysvipc"}]
    document = pod(own, initContainers=[init], volumes=[{"name": "v", **source}], hostIPC=not is_own)
    world, records = run(header(document, images=("debian:12",)), 10)
    assert [item.get("text") for item in records if item.machine == "note"] == []
    assert [line[3] for line in world.tables.logs["default/p", "one"]] == ["Shared memory id: 0", "1", "ipcrm: invalid id (0)"]


def test_kernel_keeps_so_many_objects_and_no_more() -> None:
    rows = "".join(f"0x{number:08x} {number} 0 644 1\n" for number in range(4096))
    table = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"shm": rows}}
    own = {**debian("ipcmk -M 1; echo rc $?; ipcrm -m 7; ipcmk -M 1; sleep 600", "one")}
    own["volumeMounts"] = [{"name": "v", "mountPath": "/proc/sysvipc"}]
    told = logs(table, pod(own, volumes=[{"name": "v", "configMap": {"name": "c"}}]))
    assert told["p/one"] == ["ipcmk: create share memory failed: No space left on device", "rc 1", "Shared memory id: 4096"]
