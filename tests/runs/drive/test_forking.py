"""The fork server shares the memory of the process that starts it, if a copy of that process is safe to use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MARK = 4321
ASK = f"""
import sys, threading
from django.db import connection
from simulator.runs.drive.forking import start_fork_server
sys.setrecursionlimit({MARK})
waiting = threading.Event()
threading.Thread(target=waiting.wait).start() if WHAT == "a thread" else None
connection.ensure_connection() if WHAT == "a connection" else None
with start_fork_server().Pool(1) as pool:
    print(pool.apply(sys.getrecursionlimit))
waiting.set()
"""


def limit_in_worker(folder, what):
    """The recursion limit in a worker of a process that has set its own to MARK and is running ``what``."""
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", f"WHAT = {what!r}\n{ASK}"]
    environment = {**os.environ, "PODSCOPE_DATA_DIR": str(folder), "PODSCOPE_DATABASE_URL": ""}
    return int(subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout)


def test_workers_of_a_process_that_has_done_nothing_share_what_it_has(tmp_path):
    assert limit_in_worker(tmp_path, "nothing") == MARK


@pytest.mark.parametrize("what", ["a thread", "a connection"])
def test_nothing_is_shared_that_does_not_outlive_a_fork(tmp_path, what):
    assert limit_in_worker(tmp_path, what) == sys.getrecursionlimit() != MARK
