"""Every row in the tables of threats and of limits names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    row
    for row in (ROOT / "docs" / "security.md").read_text(encoding="utf-8").splitlines()
    if row.startswith("| ") and "**" not in row and not row.startswith(("| threat |", "| limit |"))
]
NAMED = re.compile(r"`(tests/[\w/]+\.py)`(?: `-k (?:\"([^\"]+)\"|(\w+))`)?")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:40])
def test_line_of_a_threat_names_tests_that_are_there(row):
    named = NAMED.findall(row.split("|")[3])
    assert named or "below" in row
    for path, several, one in named:
        tests = re.findall(r"def (test_\w+)", (ROOT / path).read_text(encoding="utf-8"))
        words = several.split(" or ") if several else [one]
        assert [word for word in words if not any(word in test for test in tests)] == [], path
