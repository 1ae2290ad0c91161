import subprocess
import sys
from pathlib import Path

import pytest

from simulator.bench.browser import report
from simulator.bench.faults.servers import program
from tests.needs import LEFT_OUT, TESTS, left_out_lines, where_installed, without_browser

ROOT = Path(__file__).resolve().parents[1]


def test_developer_without_a_server_leaves_the_test_out_and_is_told_how_to_get_it(monkeypatch):
    monkeypatch.delenv(TESTS, raising=False)
    with pytest.raises(pytest.skip.Exception, match=f"{LEFT_OUT}.*apt-get install --yes such-server"), where_installed():
        program("no-such-server", "such-server")


def test_continuous_integration_without_a_server_fails(monkeypatch):
    monkeypatch.setenv(TESTS, "all")
    with pytest.raises(pytest.fail.Exception), where_installed():
        program("no-such-server", "such-server")


@pytest.mark.parametrize(("path", "tests", "is_left_out"), [("", "", True), ("", "all", False), ("/usr/bin/true", "", False)])
def test_browser_tests_are_left_out_only_where_there_is_no_browser_and_need_not_be_one(monkeypatch, path, tests, is_left_out):
    monkeypatch.setattr(report, "NAMES", ())
    monkeypatch.setenv("PODSCOPE_CHROMIUM", path)
    monkeypatch.setenv(TESTS, tests)
    mark = without_browser()
    assert (mark is not None) == is_left_out
    assert mark is None or mark.kwargs["reason"].startswith(LEFT_OUT)


def test_what_was_left_out_is_counted_by_what_is_missing():
    reasons = ["Skipped: left out: no b", "Skipped: left out: no a", "Skipped: left out: no b", "Skipped: only with --all-stories"]
    assert list(left_out_lines(reasons)) == ["Left out 1 test: no a", "Left out 2 tests: no b"]


@pytest.mark.parametrize("more", [(), ("-n", "1")])
def test_last_line_of_a_test_run_says_what_was_left_out(tmp_path, more):
    """Directly, and if another process runs the tests."""
    (tmp_path / "test_one.py").write_text(f"import pytest\ndef test_one(): pytest.skip('{LEFT_OUT}there is no such thing')\n")
    command = [sys.executable, "-m", "pytest", str(tmp_path), "-c", "pyproject.toml", "-p", "tests.conftest", "--rootdir", str(ROOT), *more]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines()[-1] == "Left out 1 test: there is no such thing"
