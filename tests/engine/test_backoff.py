"""How long the kubelet waits before it retries: containers that end, images that cannot be pulled."""

import pytest

from simulator.engine import advance, apply, new_world
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.containers.image import SetImage
from simulator.engine.model.status import Waiting
from tests.engine.worlds import container, header, pod, run


def pauses(script: str, version: str, seconds: float) -> list[float]:
    """Seconds between each end of a container that runs a script and its next start."""
    records = run(header(pod(container(script)), kubernetes=version), seconds)[1]
    moments = {
        target: [record.at_ms for record in records if record.machine == "container" and record.target == target]
        for target in ("exited", "running")
    }
    return [(start - end) / 1000 for end, start in zip(moments["exited"], moments["running"][1:], strict=False)]


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.34", [15.5, 27.0, 53.0, 92.0, 170.0, 313.0, 313.0]), ("1.35", [12.5, 25.0, 50.0, 82.0, 163.0, 304.0, 304.0])],
)
def test_back_off_doubles_to_five_minutes_and_from_1_35_on_a_sync_comes_at_its_end(version: str, expected: list[float]) -> None:
    assert pauses("exit 1", version, 1200)[1:8] == expected


@pytest.mark.parametrize(("ran_s", "expected"), [(400, [14.5, 27.0, 53.0]), (580, [14.5, 27.0]), (590, [14.5, 14.0]), (620, [1.0, 1.0])])
def test_back_off_starts_over_after_a_run_of_more_than_ten_minutes(ran_s: int, expected: list[float]) -> None:
    assert pauses(f"sleep {ran_s}; exit 1", "1.30", 2000)[1 : len(expected) + 1] == expected


def test_pulls_are_held_back_for_five_minutes_at_most() -> None:
    records = run(header(pod(container(image="no-such:1")), kubernetes="1.30"), 3000)[1]
    tried = [record.at_ms for record in records if record.machine == "container" and record.target == "pulling"]
    pauses_s = [(later - earlier) // 1000 for earlier, later in zip(tried, tried[1:], strict=False)]
    assert pauses_s[:8] == [15, 28, 54, 93, 171, 314, 314, 314]


def waiting_messages(version: str, *commands: tuple[float, AnyCommand], seconds: float = 60) -> list[str]:
    """The message of the waiting container, each time it changed, from the first back-off on."""
    found: list[str] = []
    world = new_world(header(pod(container(image="no-such:1")), kubernetes=version))
    left = list(commands)
    for second in range(1, round(seconds)):
        while left and left[0][0] <= second:
            apply(world, left.pop(0)[1])
        advance(world, until_ms=second * 1000)
        state = world.tables.pods["default/p"].status.containers[0].state if world.tables.pods["default/p"].status.containers else None
        if isinstance(state, Waiting) and state.reason == "ImagePullBackOff" and state.message not in found:
            found.append(state.message)
    return found


@pytest.mark.parametrize(("version", "told"), [("1.31", False), ("1.32", True), ("1.35", True)])
def test_pull_back_off_reports_the_last_pulls_error_even_if_the_image_exists_by_now(version: str, told: bool) -> None:
    error = (
        'rpc error: code = Unknown desc = failed to pull and unpack image "docker.io/library/no-such:1": failed to resolve reference '
        '"docker.io/library/no-such:1": pull access denied, repository does not exist or may require authorization: '
        "server message: insufficient_scope: authorization failed"
    )
    expected = 'Back-off pulling image "no-such:1"' + (f": ErrImagePull: {error}" if told else "")
    mended = (20, SetImage(image="no-such:1", available=True))
    assert waiting_messages(version, mended, seconds=46) == [expected]


@pytest.mark.parametrize(
    ("version", "waits"), [("1.20", [170.0, 209.0, 14.0]), ("1.34", [170.0, 209.0, 14.0]), ("1.35", [163.0, 228.0, 13.0])]
)
def test_entry_of_five_minutes_is_collected_ten_minutes_after_its_last_update(version: str, waits: list[float]) -> None:
    """It runs 400 s each time: 200 s after the sixth end the entry is ten minutes old, and housekeeping drops it."""
    assert pauses("sleep 400; exit 1", version, 4000)[5:8] == waits
