"""A check as the browser's grader gets it."""

from simulator.levels.reading import read_level
from simulator.web.base.levels import check_fields

LEVEL = """
title = "t"
story = "hello-pod"
horizon = "60s"

[[check]]
id = "a"
reason = "Not for the browser."
never = { machine = "container_status", subject = "", data = { ready = false, reason = "", exit_code = 0 } }
after = { kind = "command", data = { hang = false }, or = [{ kind = "note", data = { told = false } }] }
"""


def test_no_and_nothing_are_values_of_data():
    level = read_level(LEVEL)
    assert check_fields(level, level.checks[0]) == {
        "id": "a",
        "text": "a",
        "points": 1,
        "never": {"machine": "container_status", "data": {"ready": False, "reason": "", "exit_code": 0}},
        "after": {"kind": "command", "data": {"hang": False}, "or": [{"kind": "note", "data": {"told": False}}]},
    }
