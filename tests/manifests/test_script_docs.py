"""The documentation of scripts names what scripts can do."""

from pathlib import Path

from simulator.manifests.script import VERBS

DOCS = Path(__file__).parents[2] / "docs"


def test_every_verb_is_documented() -> None:
    text = (DOCS / "scripts.md").read_text(encoding="utf-8")
    assert [verb for verb in VERBS if f"`{verb}`" not in text] == []
