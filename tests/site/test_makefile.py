"""The Makefile on machines that lack something, with stand-ins for the programs it calls."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from simulator.bench.browser import report

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path):
    """A folder with the Makefile and an interpreter whose venv module behaves like Debian's without python3-venv."""
    for name in ("Makefile", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / "python"
    makes_half = 'mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; echo "ensurepip is not available"; exit 1'
    python.write_text(f'#!/bin/sh\n[ "$2" = "import ensurepip" ] && exit 1\nif [ "$1" = -m ]; then {makes_half}; fi\n')
    python.chmod(0o755)
    return tmp_path


def make(folder, *words, **environment):
    command = ["make", "PYTHON=./python", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=30, env={**os.environ, **environment})


@pytest.fixture
def debian(folder):
    """Runs ``make`` with a given result of ``id -u`` and an ``apt-get`` that records its arguments; returns those."""
    programs = folder / "programs"
    programs.mkdir()

    def asked(*words, user, apt_fails=False):
        notes = folder / "notes"
        scripts = {"id": f"echo {user}", "apt-get": f'echo "$@" >> {notes}; exit {int(apt_fails)}'}
        for name, script in scripts.items():
            (programs / name).write_text(f"#!/bin/sh\n{script}\n")
            (programs / name).chmod(0o755)
        result = make(folder, *words, PATH=f"{programs}:{os.environ['PATH']}", PODSCOPE_CHROMIUM="")
        return result.returncode, notes.read_text().splitlines() if notes.exists() else []

    return asked


def test_half_made_environment_is_removed_and_the_missing_package_named(folder):
    result = make(folder, "install")
    assert result.returncode and "apt-get install --yes python3-venv" in result.stdout
    assert not (folder / ".venv").exists()


INSTALL = "install --yes --no-install-recommends -qq"


def test_root_has_the_missing_package_installed(debian):
    assert debian("install", user=0)[1] == ["update -qq", f"{INSTALL} python3-venv"]


@pytest.mark.parametrize(
    ("names", "user", "apt_fails", "asked"),
    [
        ("no-such-browser", 0, False, ["update -qq", f"{INSTALL} chromium-headless-shell"]),
        ("no-such-browser", 0, True, ["update -qq"]),
        ("no-such-browser", 1000, False, []),
        ("no-such-browser sh", 0, False, []),
    ],
)
def test_missing_browser_is_installed_where_that_may_be_done_and_stops_no_test(debian, names, user, apt_fails, asked):
    assert debian("browser", f"CHROMIUMS={names}", user=user, apt_fails=apt_fails) == (0, asked)


def test_makefile_and_tests_look_for_the_same_browsers():
    assert f"CHROMIUMS     := {' '.join(report.NAMES)}\n" in (ROOT / "Makefile").read_text()
