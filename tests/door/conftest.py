"""Fixtures for the tests of the API."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.door.cluster import POD, cluster_of


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """The address of a running cluster with one pod."""
    manifest = tmp_path / "first.json"
    manifest.write_text(json.dumps({**POD, "metadata": {"name": "first", "namespace": "default"}}))
    with cluster_of("1.33", "-f", str(manifest)) as url:
        yield url
