"""memory.min and memory.high of containers (KEP-2570: first 0.8 of the limit, later 0.9 of the range between request and limit)."""

import pytest

from simulator.engine.kubelet.pods.start.memory_qos import memory_high
from tests.engine.worlds import container, header, pod, run

MI = 1 << 20


@pytest.mark.parametrize(
    ("request_mi", "limit_mi", "first", "later"),
    [
        (32, 64, 53_687_091, 63_750_144),  # 32 Mi + 0.9 × 32 Mi is between two pages
        (0, 100, 83_886_080, 94_371_840),
        (100, 0, 858_993_459, 976_850_944),  # without a limit the node's memory is used
        (64, 64, None, None),  # guaranteed containers are not throttled
        (60, 64, None, 66_686_976),  # 0.8 of the limit is below the request
        (0, 0, 858_993_459, None),
    ],
)
def test_memory_high_follows_request_and_limit(request_mi: int, limit_mi: int, first: int | None, later: int | None) -> None:
    amounts = (request_mi * MI, limit_mi * MI, 1024 * MI)
    assert memory_high(*amounts, factor_permille=800, of="limit") == first
    assert memory_high(*amounts, factor_permille=900, of="span") == later


@pytest.mark.parametrize(
    ("version", "gates", "written"),
    [
        ("1.30", {}, ["0", "max", "67108864"]),
        ("1.26", {"MemoryQoS": True}, ["33554432", "53687091", "67108864"]),
        ("1.30", {"MemoryQoS": True}, ["33554432", "63750144", "67108864"]),
    ],
)
def test_container_reads_what_bounds_its_memory(version: str, gates: dict[str, bool], written: list[str]) -> None:
    reads = "for f in min high max; do cat /sys/fs/cgroup/memory.$f; done; sleep 3600"
    amounts = {"requests": {"memory": "32Mi"}, "limits": {"memory": "64Mi"}}
    world, _ = run(header(pod(container(reads, resources=amounts)), kubernetes=version, gates=gates), 5)
    assert [line[3] for line in world.tables.logs[("default/p", "app")]] == written
