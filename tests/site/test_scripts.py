"""The tests of the scripts' own modules, run by Node.js, which is installed with the test dependencies."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node") or "node"
QUIET = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"


def test_modules_of_the_scripts_do_what_their_tests_say() -> None:
    files = sorted((ROOT / "tests" / "js").rglob("*.test.mjs"))
    command = [NODE, QUIET, "--import", "./tests/js/setup.mjs", "--test", "--test-reporter=dot", *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert files and done.returncode == 0, done.stdout + done.stderr
