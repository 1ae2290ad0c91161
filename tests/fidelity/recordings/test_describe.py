"""Comparing outputs of kubectl describe: what is masked, what is not, and where the order does not matter."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from simulator.engine import advance, new_world
from simulator.fidelity.recordings.describe import DescribeOutcome, measure_describe
from simulator.fidelity.recordings.describe_text import Exactness, agrees, differing, read_pods
from simulator.fidelity.recordings.played import read_recordings
from simulator.kubectl.kubectl import kubectl

HEAD = "Name:         p\nNode:         node1/10.0.0.1\nStart Time:   Fri, 20 Nov 2026 04:57:37 +0000\n"
EVENTS = """Events:
  Type    Reason     Age                From               Message
  ----    ------     ----               ----               -------
  Normal  Scheduled  60s                default-scheduler  Successfully assigned n/p to node1
  Normal  Pulled     48s (x2 over 60s)  kubelet            Container image "x" already present on machine
  Normal  Killing    48s                kubelet            Stopping container app
"""


def same(recorded: str, made: str) -> bool:
    return agrees(read_pods(recorded)["p"], read_pods(made)["p"])


def test_ages_and_addresses_are_masked_and_dates_without_a_beginning() -> None:
    other = (HEAD + EVENTS).replace("10.0.0.1", "10.9.9.9").replace("04:57:37", "11:11:11")
    other = other.replace("48s (x2 over 60s)", "47s (x2 over 59s)")
    assert same(HEAD + EVENTS, other)


def test_width_of_the_age_column_is_masked() -> None:
    wide = EVENTS.replace("48s (x2 over 60s)  ", "48s (x2 over 2m5s)  ").replace("Age                F", "Age                 F")
    wide = wide.replace("----               -", "----                -").replace("60s                d", "60s                 d")
    assert same(HEAD + EVENTS, HEAD + wide.replace("48s                k", "48s                 k"))


@pytest.mark.parametrize(
    ("before", "after"),
    [("Name:         p", "Name:          p"), ("(x2 over", "(x3 over"), ("Stopping", "Stopped"), ("Killing", "Gone   ")],
)
def test_everything_else_is_compared(before: str, after: str) -> None:
    assert not same(HEAD + EVENTS, (HEAD + EVENTS).replace(before, after))


def swapped(events: str, first: int, second: int) -> str:
    lines = events.splitlines()
    lines[first], lines[second] = lines[second], lines[first]
    return "\n".join(lines) + "\n"


def test_events_of_one_moment_may_change_places() -> None:
    assert same(HEAD + EVENTS, HEAD + swapped(EVENTS, 4, 5))


def test_events_of_different_moments_may_not_change_places() -> None:
    assert not same(HEAD + EVENTS, HEAD + swapped(EVENTS, 3, 5))


BEGAN_S = 1_795_150_764.0
"""Fri, 20 Nov 2026 04:59:24 +0000."""
ENDED = "Name:         p\n      Finished:     {date}\n"


def dated(recorded: str, made: str, *, later_s: float = 0) -> list[str]:
    """The differences between two outputs with a date; the second run began ``later_s`` after the first."""
    before = read_pods(ENDED.format(date=recorded), began_s=BEGAN_S)
    after = read_pods(ENDED.format(date=made), began_s=BEGAN_S + later_s)
    return list(differing(before, after, Exactness(tol=3, slope=0.1)))


def test_dates_count_from_the_beginning_of_the_run() -> None:
    assert dated("Fri, 20 Nov 2026 05:00:12 +0000", "Fri, 20 Nov 2026 06:00:12 +0000", later_s=3600) == []


@pytest.mark.parametrize(("made", "agree"), [("05:00:20", True), ("05:00:21", False), ("05:00:04", True), ("05:00:03", False)])
def test_dates_may_be_as_far_off_as_the_recording_says(made: str, agree: bool) -> None:
    assert (dated("Fri, 20 Nov 2026 05:00:12 +0000", f"Fri, 20 Nov 2026 {made} +0000") == []) is agree


@pytest.mark.parametrize("made", ["Sat, 20 Nov 2027 05:00:12", "Sun, 20 Dec 2026 05:00:12", "Sat, 21 Nov 2026 05:00:12"])
def test_wrong_year_month_or_day_is_reported(made: str) -> None:
    (told,) = dated("Fri, 20 Nov 2026 05:00:12 +0000", f"{made} +0000")
    assert told.startswith("p ~ Finished:     <date> recorded at 48 s, simulated at ")


def test_date_that_is_too_far_off_is_reported() -> None:
    told = dated("Fri, 20 Nov 2026 05:00:12 +0000", "Fri, 20 Nov 2026 05:01:24 +0000")
    assert told == ["p ~ Finished:     <date> recorded at 48 s, simulated at 120 s"]


def test_times_that_mean_never_are_compared_as_they_stand() -> None:
    told = dated("Thu, 01 Jan 1970 00:00:00 +0000", "Mon, 01 Jan 0001 00:00:00 +0000")
    assert [line[:3] for line in told] == ["p -", "p +"]


def test_hidden_path_fits_any_path() -> None:
    assert same(HEAD + "    Path:  <path>\n", HEAD + "    Path:  /srv/data\n")


def test_pods_are_told_apart_and_differing_lines_named() -> None:
    recorded = read_pods(f"{HEAD}Status: Running\n\n\n{HEAD.replace('p', 'q', 1)}")
    made = read_pods(f"{HEAD}Status: Failed\n\n\n{HEAD.replace('p', 'q', 1)}")
    assert list(differing(recorded, made)) == ["p - Status: Running", "p + Status: Failed"]


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: busybox, command: [sleep, '9']}]}\n"


def judged(folder: Path) -> list[DescribeOutcome]:
    """The result for the recordings of a folder."""
    return measure_describe(read_recordings(folder, folder / "cluster.yaml")[0])


def test_recording_is_judged_at_its_moment(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text("nodes: [{name: node1}]\nimages: {present: ['busybox:latest']}\n", encoding="utf-8")
    (tmp_path / "one.yaml").write_text(POD, encoding="utf-8")
    recording = {"kubernetes": "v1.20.2", "duration": 2, "describe": HEAD + "Status: Lost\n"}
    (tmp_path / "one.json").write_text(json.dumps(recording), encoding="utf-8")
    (outcome,) = judged(tmp_path)
    assert outcome.how == "" and "p - Status: Lost" in outcome.lines


@pytest.mark.parametrize(("duration", "how"), [(30, "at the moment"), (1, "")])
def test_output_without_a_pod_agrees_when_none_is_left(tmp_path: Path, duration: int, how: str) -> None:
    (tmp_path / "cluster.yaml").write_text("nodes: [{name: node1}]\nimages: {present: ['busybox:latest']}\n", encoding="utf-8")
    (tmp_path / "one.yaml").write_text(POD, encoding="utf-8")
    (tmp_path / "one.script.yaml").write_text("- at: 2\n  delete: {kind: Pod, names: [p], force: true}\n", encoding="utf-8")
    recording = {"kubernetes": "v1.20.2", "duration": duration, "tol": 0.1, "describe": "No resources found in one namespace.\n"}
    (tmp_path / "one.json").write_text(json.dumps(recording), encoding="utf-8")
    assert [outcome.how for outcome in judged(tmp_path)] == [how]


@pytest.mark.parametrize(("year", "how"), [(2026, "at the moment"), (2027, "")])
def test_dates_of_a_recording_are_judged_by_its_own_beginning(tmp_path: Path, year: int, how: str) -> None:
    """The run begins in another year than the recording; a date a year after the recording's beginning is still wrong."""
    (tmp_path / "cluster.yaml").write_text("nodes: [{name: node1}]\nimages: {present: ['busybox:latest']}\n", encoding="utf-8")
    (tmp_path / "one.yaml").write_text(POD, encoding="utf-8")
    recording: dict[str, Any] = {"kubernetes": "v1.20.2", "duration": 4, "describe": "Name:  p\n"}
    (tmp_path / "one.json").write_text(json.dumps(recording), encoding="utf-8")
    ((item,), _) = read_recordings(tmp_path, tmp_path / "cluster.yaml")
    world = new_world(item.header())
    advance(world, until_ms=4000)
    shown = kubectl(world, "describe pods --namespace one", now_ms=4000)
    began = {"t": 0.0, "startTime": 0.0}
    recording["describe"] = shown.replace(" Jan 2026 ", " Jan 2031 ")
    if year != 2026:
        recording["describe"] = re.sub(r"(Started: .*) 2031 ", r"\1 2032 ", recording["describe"])
    recording["pods"] = {"p": {"created_t": 0.0, "timeline": [began], "events": []}}
    (tmp_path / "one.json").write_text(json.dumps(recording), encoding="utf-8")
    assert [outcome.how for outcome in judged(tmp_path)] == [how]
