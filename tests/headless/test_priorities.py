"""Worker processes that leave the cores to everybody else."""

import os
import subprocess
import sys

import pytest

STOOD = "import os; from simulator.headless.priorities import stand_back; stand_back(7); print(os.sched_getscheduler(0), os.nice(0))"
REFUSED = "import os; os.sched_setscheduler = lambda *_: os.stat('/no/such/file'); " + STOOD.replace("os.sched_getscheduler(0)", "'other'")


@pytest.mark.skipif(sys.platform != "linux", reason="a class of Linux's scheduler")
def test_process_that_stands_back_has_what_nobody_else_computes_on() -> None:
    assert _said(STOOD) == f"{os.SCHED_IDLE} {7 + os.nice(0)}"


def test_process_that_may_not_have_the_class_has_the_niceness() -> None:
    assert _said(REFUSED) == f"other {7 + os.nice(0)}"


def _said(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True).stdout.strip()
