"""Moments of recorded pods: the past rebuilt from such a moment, and the continuation, compared with what really happened."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from simulator.engine import advance, new_world
from simulator.imports.build import import_text

MOMENTS = json.loads((Path(__file__).parent / "data" / "moments.json").read_text(encoding="utf-8"))
BLINK_S = 3.0
"""A shorter state may be missing on either side: kubelets relist once a second, and handle crashes at their own pace."""


def played(moment):
    """(seconds since creation, word, ready, restarts) of every change of kubectl's columns, past and continuation."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": moment["objects"]})
    imported = import_text(text, now_ms=moment["now_ms"], kubernetes="1.20")
    assert imported.ok, imported.problems
    world = new_world(imported.header)
    until_ms = imported.resume_ms + int(moment["until_s"] * 1000) - (moment["now_ms"] - moment["base_ms"])
    records = [*world.first_records, *advance(world, until_ms=until_ms).records]
    shift_ms = imported.header.epoch_s * 1000 - moment["base_ms"]
    return [
        [(record.at_ms + shift_ms) / 1000, *((record.target, record.get("ready"), record.get("restarts")) if record.target else ("gone",))]
        for record in records
        if record.machine == "status_word"
    ]


def episodes(points, begin, end):
    """[begin, end, *value] of every stretch between two moments, except very short ones."""
    before = [point for point in points if point[0] <= begin]
    inside = [[begin, *before[-1][1:]]] if before else []
    inside += [point for point in points if begin < point[0] <= end]
    out = []
    for first, second in pairwise([*inside, [end]]):
        if out and out[-1][2:] == list(first[1:]):
            out[-1][1] = second[0]
        elif second[0] - first[0] >= BLINK_S:
            out.append([first[0], second[0], *first[1:]])
    return out


def agreeing(real, ours, moment):
    """How many real episodes have a counterpart in order, at about the same distance from the previous one."""
    found, position, drift = 0, 0, 0.0
    for episode in real:
        for n in range(position, len(ours)):
            late = ours[n][0] - episode[0]
            if ours[n][2:] == episode[2:] and abs(late - drift) <= moment["tol_s"] + moment["slope"] * episode[0]:
                found, position, drift = found + 1, n + 1, late
                break
    return found


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment["title"])
def test_an_imported_pod_goes_on_as_the_real_one_did(moment):
    begin = (moment["now_ms"] - moment["base_ms"]) / 1000
    end = moment["until_s"]
    real, ours = (episodes(points, begin, end) for points in (moment["shown"], played(moment)))
    # What begins just before the end may begin just after it.
    real = [episode for episode in real if episode[0] + moment["tol_s"] + moment["slope"] * episode[0] < end]
    assert agreeing(real, ours, moment) == len(real), (real, ours)


def test_the_rebuilt_past_agrees_with_what_happened_in_nine_tenths():
    total = found = 0
    for moment in MOMENTS:
        end = (moment["now_ms"] - moment["base_ms"]) / 1000
        real, ours = (episodes(points, 0, end) for points in (moment["shown"], played(moment)))
        total, found = total + len(real), found + agreeing(real, ours, moment)
    assert found >= total * 0.9, (found, total)
