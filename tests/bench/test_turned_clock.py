"""The shifted wall clock of fault tests: in a process of the site, and in processes forked from it for runs and pages."""

import os
import subprocess
import sys
import time
from pathlib import Path

from simulator.bench.faults.launch import turn

ROOT = Path(__file__).resolve().parents[2]
ASK = """
from simulator.runs.drive.forking import start_fork_server
from simulator.runs.log.wall import wall_ms
print(wall_ms())
with start_fork_server().Pool(1) as pool:
    print(pool.apply(wall_ms))
"""
DAY_MS = 86_400_000


def test_clock_is_turned_for_a_process_and_for_all_that_it_forks(tmp_path):
    turn(tmp_path / "wall", DAY_MS)
    environment = {**os.environ, "PODSCOPE_BENCH_WALL": str(tmp_path / "wall"), "PODSCOPE_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "simulator.bench.faults.launch", "manage.py", "shell", "--verbosity", "0", "-c", ASK]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    ahead_ms = [int(line) - time.time_ns() // 1_000_000 for line in done.stdout.split()]
    assert len(ahead_ms) == 2
    assert all(DAY_MS - 120_000 < each <= DAY_MS for each in ahead_ms)
