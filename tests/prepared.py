"""Prepared sites without preparing each: one is prepared per test run, and copied."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = shutil.ignore_patterns("*.lock")


def prepared_site(temporary: pytest.TempPathFactory, folder: Path) -> Path:
    """Make ``folder`` the data folder of a prepared site with SQLite, and return it. Takes 6 s the first time in a test run."""
    shutil.copytree(_original(temporary), folder, dirs_exist_ok=True, ignore=LEFT_OUT)
    return folder


def _original(temporary: pytest.TempPathFactory) -> Path:
    """The folder that is copied. All processes of pytest-xdist share it; the first one creates it, the others wait."""
    base = temporary.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    original, done = shared / "prepared-site", shared / "prepared-site.done"
    with (shared / "prepared-site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            addresses = {"PODSCOPE_DATABASE_URL": "", "PODSCOPE_REDIS_URL": "", "PODSCOPE_DEBUG": "0"}
            environment = {**os.environ, **addresses, "PODSCOPE_DATA_DIR": str(original)}
            subprocess.run([sys.executable, "manage.py", "prepare"], env=environment, cwd=ROOT, check=True, timeout=240)
            # A site collects bundles, not their sources; some tests load a single module in a browser.
            shutil.copytree(ROOT / "static" / "js", original / "static" / "js", dirs_exist_ok=True)
            done.touch()
    return original
