"""Stories through the API: kubectl's output equals the product's own text for the same moment, byte for byte, version by version.

Each story is compared with one kubectl at one instant, in rotation; all combinations with --all-stories. If time passes while kubectl sends
requests, each line is that of one of the moments in between.
"""

import difflib
import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from simulator.engine.course.replay import replay
from simulator.engine.world.world import World
from simulator.headless.lens import version_header
from simulator.kubectl.kubectl import kubectl
from simulator.scenarios.build import story_content
from tests.door.clients import Kubectl
from tests.door.serving import door_of
from tests.door.test_real_kubectl import STORIES, masked

TOLD = (
    *("startup-probe", "rollout-stuck-on-an-image", "cronjob-overlap", "hpa-slow-readiness", "job-under-eviction"),
    *("the-job-that-never-ends", "drain-and-a-budget", "node-goes-dark", "image-typo", "crash-loop-ladder"),
)
VERSIONS = ("1.20", "1.27", "1.33", "1.37")
INSTANTS_MS = (7_300, 42_000, 95_000)
KINDS = "deploy,rs,ds,sts,job,svc,pvc,node,ns,cm,sa"
LINES = (
    *("get all", "get pods -A -o wide", "get pods -o yaml", f"get {KINDS} -o yaml", "get events", "get events -o wide"),
    *("describe pods", "describe deploy,rs,ds,sts,job,svc,pvc", "describe cronjob", "describe hpa", "describe node"),
)
RATES = (1, 4)
_HEADING = re.compile(r"[A-Z][A-Za-z -]*:")
MOVING_LINES = ("describe pods", "describe node", "get pods", "get events")
ACCEPTED: dict[tuple[str, str], str] = {}
"""By version and line, why the texts differ: remove an entry when it is fixed; any other difference fails."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The cases: in rotation, or all of them."""
    last = "rate" if "rate" in metafunc.fixturenames else "instant_ms"
    lasts = RATES if last == "rate" else INSTANTS_MS
    by_turns = [(story, VERSIONS[n % len(VERSIONS)], lasts[n % len(lasts)]) for n, story in enumerate(TOLD)]
    every = [*product(TOLD, VERSIONS, lasts)]
    metafunc.parametrize(("story", "version", last), every if metafunc.config.getoption("--all-stories") else by_turns)


def world_of(story: str, version: str, at_ms: int) -> World:
    """A story with its acts, under that version."""
    content = story_content(STORIES[story])
    return replay(version_header(content.header, version), content.commands, until_ms=at_ms)


def lines_of(world: World, version: str) -> Iterable[str]:
    """The lines to compare at a moment, including the pods' logs."""
    yield from LINES
    pods = [row for row in world.tables.pods.values() if row.gone_ms is None and row.namespace == "default"]
    for row in pods[:2]:
        yield from (
            f"logs {row.name} -c {row.pod.spec.containers[0].name}",
            f"logs {row.name} --all-containers --timestamps",
            f"describe pod {row.name}",
        )
    if int(version[2:]) >= 26:
        yield "events"


def difference(line: str, ours: str, real: str) -> str:
    """A diff of the texts; for ``events`` of the lines as a set, since Go's sort leaves entries of the same second in arbitrary order."""
    told = [sorted(masked(text).splitlines()) if line == "events" else masked(text).splitlines(keepends=True) for text in (ours, real)]
    return "\n".join(difflib.unified_diff(*told, f"product: {line}", f"kubectl {line}", n=1))


def parts_of(lines: list[str]) -> list[list[str]]:
    """The sections of describe's output by heading; a list is one section."""
    parts: list[list[str]] = []
    for line in lines:
        if parts and not _HEADING.match(line):
            parts[-1].append(line)
        else:
            parts.append([line])
    return parts


def odd_parts(real: list[str], texts: list[list[str]]) -> list[Any]:
    """Sections that match no moment: kubectl fetches each with a request of its own, and time passes between two of them.

    Each of their lines must occur at some moment, and their number must lie between those at the moments.
    """
    told = [parts_of(text) for text in texts]
    parts = parts_of(real)
    if len(parts) not in {len(each) for each in told}:
        return [len(parts)]
    odd: list[Any] = []
    for number, part in enumerate(parts):
        meanwhile = [each[number] for each in told if len(each) == len(parts)]
        lines = {line for each in meanwhile for line in each}
        lengths = [len(each) for each in meanwhile]
        if not min(lengths) <= len(part) <= max(lengths) or not lines.issuperset(part):
            odd.append(part)
    return odd


def test_a_story_reads_alike(story: str, instant_ms: int, version: str, tmp_path: Path) -> None:
    world = world_of(story, version, instant_ms)
    with door_of(world) as served:
        client = Kubectl(version, served.url, tmp_path)
        asked = [line for line in lines_of(world, version) if (version, line) not in ACCEPTED]
        found = [difference(line, kubectl(world, line), client.said(*line.split())) for line in asked]
    assert not any(found), "\n".join(filter(None, found))


def test_ages_are_right_while_time_passes(story: str, rate: int, version: str, tmp_path: Path) -> None:
    world = world_of(story, version, INSTANTS_MS[1])
    with door_of(world, rate=rate) as served:
        client = Kubectl(version, served.url, tmp_path)
        for line in MOVING_LINES:
            before = served.moment()
            real = masked(client.said(*line.split())).splitlines()
            meanwhile = served.moments_since(before)
            texts = [masked(kubectl(moment, line)).splitlines() for moment in meanwhile]
            assert real in texts or not odd_parts(real, texts), (line, odd_parts(real, texts), texts[-1])
