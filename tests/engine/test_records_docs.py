"""The documentation of records names every machine that writes them."""

import re
from pathlib import Path

from tests.engine.stories import FOLDER, read

DOCS = Path(__file__).parents[2] / "docs"


def test_every_machine_of_a_story_is_documented() -> None:
    rows = re.findall(r"^\| ([a-z0-9_, ]+) \|", (DOCS / "records.md").read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for row in rows for name in row.split(", ")}
    met = {record.machine for path in FOLDER.glob("*.txt") for record in read(path).played()[1]}
    assert met - named == set()
