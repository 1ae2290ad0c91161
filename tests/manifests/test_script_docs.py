"""The documentation of scripts names what scripts can do."""

import re
from pathlib import Path

from simulator.manifests.script import VERBS

DOCS = Path(__file__).parents[2] / "docs"


def test_every_verb_is_documented() -> None:
    text = (DOCS / "scripts.md").read_text(encoding="utf-8")
    heads = re.findall(r"^\| (`[^|]+`) \|", text, re.MULTILINE)
    named = {verb for head in heads for verb in re.findall(r"`([^`]+)`", head)}
    assert named == set(VERBS)
