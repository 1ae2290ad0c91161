"""The containers of a pod share memory and System V objects; those of hostIPC share the node's."""

from typing import Any

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
