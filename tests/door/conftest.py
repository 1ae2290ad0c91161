"""What the tests of the door share."""

import json
from collections.abc import Iterator

import pytest

from simulator.engine import RunHeader, advance, new_world
from tests.door.cluster import POD, Cluster, cluster_of


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A cluster that runs, with one pod."""
    world = new_world(RunHeader(kubernetes="1.33", manifests=(json.dumps({**POD, "metadata": {"name": "first", "namespace": "default"}}),)))
    advance(world, until_ms=5000)
    with cluster_of(world) as running:
        yield running
