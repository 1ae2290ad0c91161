"""The fork server shares the memory of the process that starts it, if a copy of that process is safe to use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lifecycle_site.memory import LEAST_MIB
from simulator.runs.drive import forking

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


class Left(BaseException):
    """The forked process would end here."""


@pytest.fixture
def forked(monkeypatch):
    """What a forked process closes and how it ends, without a fork."""
    closed, codes = [], []

    def leave(code):
        codes.append(code)
        raise Left

    for module, name, stand_in in (
        (forking.gc, "freeze", lambda: None),
        (forking.os, "fork", lambda: 0),
        (forking.os, "sysconf", lambda name: 100),
        (forking.os, "closerange", lambda *ends: closed.append(ends)),
        (forking.os, "_exit", leave),
        (forking.sys, "excepthook", lambda *error: None),
    ):
        monkeypatch.setattr(module, name, stand_in)

    def fork(text, kept):
        closed.clear()
        with pytest.raises(Left):
            forking._fork(b"", ["python", "-c", text], kept)
        return [ends for ends in closed if ends[0] != ends[1]], codes.pop()

    return fork


@pytest.mark.parametrize(
    ("kept", "closed"),
    [
        ([], [(3, 100)]),
        ([9, 5], [(3, 5), (6, 9), (10, 100)]),
        ([3, 4], [(5, 100)]),
    ],
)
def test_forked_process_closes_all_files_but_those_it_is_to_keep(forked, kept, closed):
    assert forked("pass", kept) == (closed, 1)


@pytest.mark.parametrize(("text", "code"), [("raise SystemExit", 0), ("raise ValueError", 1)])
def test_forked_process_tells_by_its_code_whether_it_failed(forked, text, code):
    assert forked(text, [])[1] == code


@pytest.mark.parametrize(("memory_mb", "processes", "share"), [(0, 4, 0), (4096, 4, 1024), (512, 4, LEAST_MIB)])
def test_workers_share_the_memory_of_one_process(settings, memory_mb, processes, share):
    settings.MEMORY_MB = memory_mb
    assert forking.memory_share(processes) == share
