import os
import subprocess
import sys
from pathlib import Path

from lifecycle_site.locks import alone_here

ROOT = Path(__file__).resolve().parents[2]
LOCKS = Path("/proc/locks")


def prepare(folder):
    site = {**os.environ, "PODSCOPE_DATA_DIR": str(folder), "PODSCOPE_DATABASE_URL": ""}
    return subprocess.Popen([sys.executable, "manage.py", "prepare"], env=site, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def waits_for_a_lock(process):
    return any(" -> FLOCK " in line and f" {process.pid} " in line for line in LOCKS.read_text().splitlines())


def test_processes_that_prepare_one_folder_at_once_all_succeed(tmp_path):
    processes = [prepare(tmp_path / "site") for _ in range(2)]
    assert [(process.communicate(timeout=120)[1], process.returncode) for process in processes] == [("", 0)] * 2


def test_preparation_waits_for_one_in_the_same_folder(tmp_path):
    with alone_here(tmp_path):
        process = prepare(tmp_path)
        while not waits_for_a_lock(process):
            assert process.poll() is None, process.communicate()[1]
        assert (tmp_path / "podscope.sqlite3").stat().st_size == 0
    assert (process.communicate(timeout=120)[1], process.returncode) == ("", 0)
