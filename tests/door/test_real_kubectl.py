"""The contract with real clients: through the API, each version's kubectl prints what the product prints for the same moment.

Times in ``describe`` come from the client's clock, so they are masked; ages are not.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.engine.course.replay import replay
from simulator.engine.world.world import World
from simulator.headless.lens import version_header
from simulator.kubectl.kubectl import kubectl
from simulator.scenarios.build import story_content
from simulator.scenarios.story import read_stories
from tests.door.clients import VERSIONS, Kubectl
from tests.door.serving import Served, door_of

STORIES = {story.slug: story for story in read_stories()}
STORY, PRINTING, AT_MS = "rollout-stuck-on-an-image", "crash-loop-ladder", 95_000
_DATE = re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000")
GROUP_VERSIONS = 43
"""How many API groups a 1.20 cluster has, each a request for a client that knows no other way, plus two."""
LINES = (
    *("get pods", "get pods -o wide", "get pods -A", "get pods -o yaml", "get pods -o json", "get pods -o name", "get all"),
    *("get deploy,rs -o wide", "get nodes -o wide", "get ns", "get events", "get sa,cm", "get pods --show-labels", "get pods -l app"),
    *(
        "get pods --sort-by=.metadata.name",
        "get pods --field-selector status.phase=Running",
        "get pods --field-selector status.phase!=Running",
    ),
    *("describe pods", "describe deploy", "describe rs", "describe node", "describe ns default"),
    *(
        "top pods",
        "top pods -A",
        "top pods --containers",
        "top pods --no-headers",
        "top pods -l app",
        "top nodes",
        "top pods -n kube-system",
    ),
    *("explain pod", "explain pod.spec.containers", "explain deploy.spec.strategy.rollingUpdate", "explain job", "explain hpa.spec"),
    *("explain pvc.spec.resources", "explain pods.metadata.labels", "explain node.status.addresses.address", "explain sts.spec.replicas"),
)
REFUSED = (
    "get nosuch",
    "get pods nope",
    "describe pod nope",
    "logs nope",
    "get pods --field-selector spec.nope=1",
    "get svc --field-selector a=b",
    "explain pods.nope",
    "explain nosuch",
    "top pod nope",
    "top node nope",
    "nosuch",
    "get pods --nope",
    "get pods -Z",
    "get pods -o",
    "get pods --sort-by",
    "logs web --tail=x",
    "logs web --since=x",
)


ACCEPTED: dict[tuple[str, str], str] = {}
"""Accepted differences, each with its reason: remove an entry when it is fixed; any other difference fails."""


def world_of(slug: str, version: str, at_ms: int) -> World:
    """A story at a moment, under that version."""
    header = version_header(story_content(STORIES[slug]).header, version)
    return replay(header, until_ms=at_ms)


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def world(version: str) -> World:
    return world_of(STORY, version, AT_MS)


@pytest.fixture(scope="module")
def door(world: World) -> Iterator[Served]:
    with door_of(world) as served:
        yield served


@pytest.fixture(scope="module")
def client(version: str, door: Served, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    return Kubectl(version, door.url, tmp_path_factory.mktemp("home"))


def masked(text: str) -> str:
    """The text without the dates of the client's clock."""
    return _DATE.sub("DATE", text)


@pytest.mark.parametrize("line", LINES)
def test_what_kubectl_prints_is_what_the_product_prints(
    line: str, version: str, client: Kubectl, world: World, request: pytest.FixtureRequest
) -> None:
    if (version, line) in ACCEPTED:
        request.applymarker(pytest.mark.xfail(reason=ACCEPTED[version, line], strict=True))
    assert masked(client.said(*line.split())) == masked(kubectl(world, line))


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_refused_is_refused_in_the_same_words(line: str, client: Kubectl, world: World) -> None:
    done = client.run(*line.split())
    assert (done.returncode, done.stdout + done.stderr) == (1, kubectl(world, line))


def test_logs_are_those_of_the_container(version: str, tmp_path: Path) -> None:
    world = world_of(PRINTING, version, AT_MS)
    pod = next(row for row in world.tables.pods.values() if world.tables.logs.get((row.key, row.pod.spec.containers[0].name)))
    with door_of(world) as served:
        client = Kubectl(version, served.url, tmp_path)
        for line in ("logs {}", "logs {} --tail=1", "logs {} --timestamps", "logs {} --since=60s", "logs {} --previous"):
            asked = line.format(pod.name)
            assert client.said(*asked.split()) == kubectl(world, asked)


def test_young_pods_have_no_metrics_yet(version: str, tmp_path: Path) -> None:
    world = world_of("hello-pod", version, 10_000)
    with door_of(world) as served:
        assert (
            Kubectl(version, served.url, tmp_path).said("top", "pods") == kubectl(world, "top pods") == "error: metrics not available yet\n"
        )


def test_a_job_is_described_alike(version: str, tmp_path: Path) -> None:
    world, line = world_of("job-under-eviction", version, 40_000), "describe job report"
    with door_of(world) as served:
        assert masked(Kubectl(version, served.url, tmp_path).said(*line.split())) == masked(kubectl(world, line))


def test_describe_reads_a_probe_by_grpc(version: str, tmp_path: Path) -> None:
    world = world_of("not-serving", version, 40_000)
    with door_of(world) as served:
        assert "grpc" in Kubectl(version, served.url, tmp_path).run("describe", "pod", "health").stdout or int(version[2:]) < 24


def test_a_cold_get_takes_three_requests_or_one_a_group_version_before_aggregated_discovery(
    version: str, door: Served, tmp_path: Path
) -> None:
    fresh = Kubectl(version, door.url, tmp_path)
    door.asked.clear()
    fresh.run("get", "pods")
    assert len(door.asked) <= (3 if int(version[2:]) >= 27 else GROUP_VERSIONS), door.asked


def test_a_kind_that_is_not_there_is_looked_for_once(client: Kubectl, door: Served) -> None:
    door.asked.clear()
    client.run("get", "nosuch")
    assert len(door.asked) <= GROUP_VERSIONS, door.asked


def test_versions_of_client_and_server_are_reported(client: Kubectl, version: str) -> None:
    assert f"v{version}.0" in client.run("version", "-o", "yaml").stdout.partition("serverVersion")[2]


def test_a_list_that_is_cut_goes_on(client: Kubectl) -> None:
    whole = client.run("get", "pods", "-A", "--no-headers").stdout
    assert client.run("get", "pods", "-A", "--no-headers", "--chunk-size=1").stdout == whole


def test_events_of_the_command_events_are_all_there(client: Kubectl, version: str, world: World) -> None:
    if int(version[2:]) < 26:
        pytest.skip("kubectl events came with 1.26")
    # Go's sort leaves entries of the same second in an arbitrary order.
    assert sorted(client.run("events").stdout.splitlines()) == sorted(kubectl(world, "events").splitlines())
