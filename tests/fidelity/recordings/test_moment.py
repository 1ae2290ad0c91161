"""The moment at which a recorded output was taken."""

from typing import Any

import pytest

from simulator.fidelity.recordings.moment import began_s, moment_ms

ROWS = """Name:         p
Events:
  Type    Reason     Age                From               Message
  ----    ------     ----               ----               -------
  Normal  Scheduled  {first}s                default-scheduler  Successfully assigned n/p to node1
  Normal  Pulled     {last}s (x2 over 60s)  kubelet            Container image "x" already present on machine
"""
EVENTS = [
    {"type": "Normal", "reason": "Scheduled", "count": 1, "message": "Successfully assigned n/p to node1", "first_t": 0.0},
    {
        "type": "Normal",
        "reason": "Pulled",
        "count": 2,
        "message": 'Container image "x" already present on machine',
        "first_t": 0.4,
        "lastTimestamp": 9.5,
    },
]


def recording(first: int, last: int) -> dict[str, Any]:
    return {"duration": 60.2, "describe": ROWS.format(first=first, last=last), "pods": {"p": {"created_t": 0.0, "events": EVENTS}}}


def test_output_was_taken_at_the_end_when_its_ages_say_so() -> None:
    assert moment_ms(recording(60, 50)) == 60_200


def test_output_of_a_recording_cut_short_was_taken_when_its_ages_say() -> None:
    assert moment_ms(recording(80, 71)) == 80_750


@pytest.mark.parametrize("output", ["No resources found in n namespace.\n", "Name:         q\n"])
def test_output_without_ages_was_taken_at_the_end(output: str) -> None:
    assert moment_ms({**recording(60, 50), "describe": output}) == 60_200


def test_recording_began_when_its_start_times_say() -> None:
    seen = {"created_t": 10.0, "timeline": [{"t": 0.0}, {"t": 0.1, "startTime": -0.7}]}
    output = "Name:         p\nStart Time:   Fri, 20 Nov 2026 04:59:24 +0000\n"
    assert began_s({"describe": output, "pods": {"p": seen}}) == pytest.approx(1_795_150_764 + 0.7 - 10)


def test_recording_without_a_start_time_has_no_known_beginning() -> None:
    assert began_s({"describe": "No resources found in n namespace.\n", "pods": {}}) is None
