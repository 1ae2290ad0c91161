"""The tests of the scripts' own modules, run by Node.js, which is installed with the test dependencies."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node") or "node"
QUIET = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"


TOUCHES_OTHERS = re.compile(r"^\w*(before|after)(Each)?\(|\bglobalThis\b|\bdocument\b|\bmock\b", re.MULTILINE)
"""A hook for all tests of its process, or a global that a file replaces."""


def _passed(files: list[Path], *options: str) -> None:
    command = [NODE, QUIET, "--import", "./tests/js/setup.mjs", "--test", "--test-reporter=dot", *options, *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert files and done.returncode == 0, done.stdout + done.stderr


def test_modules_of_the_scripts_do_what_their_tests_say() -> None:
    """Files that touch nothing global share a process: to start Node takes far longer than their tests."""
    files = sorted((ROOT / "tests" / "js").rglob("*.test.mjs"))
    alone = [file for file in files if TOUCHES_OTHERS.search(file.read_text(encoding="utf-8"))]
    _passed(alone)
    _passed([file for file in files if file not in alone], "--test-isolation=none")
