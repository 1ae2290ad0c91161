"""The Makefile on machines that lack something, with stand-ins for what it calls."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path):
    """A folder with the Makefile and an interpreter whose venv module does what Debian's does without python3-venv."""
    for name in ("Makefile", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / "python"
    python.write_text(
        '#!/bin/sh\nif [ "$1" = -m ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; echo "ensurepip is not available"; exit 1; fi\n'
    )
    python.chmod(0o755)
    return tmp_path


def make(folder, *words):
    return subprocess.run(["make", "PYTHON=./python", *words], cwd=folder, capture_output=True, text=True, timeout=30)


def test_half_made_environment_is_removed_and_the_missing_package_named(folder):
    result = make(folder, "install")
    assert result.returncode and "apt-get install --yes python3-venv" in result.stdout
    assert not (folder / ".venv").exists()


def test_missing_browser_is_named_with_the_command_that_installs_it(folder):
    result = make(folder, "browser", "CHROMIUM=")
    assert result.returncode and "apt-get install --yes chromium" in result.stdout
