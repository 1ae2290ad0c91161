"""Worker processes that leave the cores to everybody else."""

import os
import subprocess
import sys

import pytest

STOOD = "import os; from simulator.headless.priorities import {0}; {0}(7); print(os.sched_getscheduler(0), os.nice(0))"
REFUSED = "import os; os.sched_setscheduler = lambda *_: os.stat('/no/such/file'); " + STOOD.replace("os.sched_getscheduler(0)", "'other'")
BOTH = pytest.mark.parametrize("name", ["stand_back", "step_aside"])


@pytest.mark.skipif(sys.platform != "linux", reason="a class of Linux's scheduler")
def test_process_that_stands_back_has_what_nobody_else_computes_on() -> None:
    assert _said(STOOD.format("stand_back")) == f"{os.SCHED_IDLE} {7 + os.nice(0)}"


@pytest.mark.skipif(sys.platform != "linux", reason="a class of Linux's scheduler")
def test_process_that_steps_aside_keeps_its_share_of_a_core() -> None:
    assert _said(STOOD.format("step_aside")) == f"{os.SCHED_BATCH} {7 + os.nice(0)}"


@BOTH
def test_process_that_may_not_have_the_class_has_the_niceness(name: str) -> None:
    assert _said(REFUSED.format(name)) == f"other {7 + os.nice(0)}"


def _said(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True).stdout.strip()
