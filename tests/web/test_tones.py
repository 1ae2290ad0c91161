"""How states look is declared once: the browser's tables are written from it, and every word in it is one that there is."""

import re
from pathlib import Path

import pytest

from simulator.engine.machines import tones
from simulator.engine.machines.tables import ALL
from simulator.web.tones import script, style_sheet

STATIC = Path(__file__).resolve().parents[2] / "static"
SCRIPT, STYLES = STATIC / "js" / "tones-table.js", STATIC / "css" / "components" / "tone-table.css"


def test_scripts_get_the_tables_of_the_server(golden) -> None:  # noqa: ANN001 - a fixture of the root conftest
    golden(SCRIPT, script())


def test_styles_get_the_glyphs_of_the_server(golden) -> None:  # noqa: ANN001
    golden(STYLES, style_sheet())


def test_every_state_of_a_machine_has_a_tone_that_there_is() -> None:
    assert {state.tone for machine in ALL for state in machine.states} <= tones.GLYPHS.keys()


@pytest.mark.parametrize("table", [tones.NODE_READY, tones.WAITING_REASONS, tones.STATUS_WORDS])
def test_words_have_tones_that_there_are(table: dict[str, str]) -> None:
    assert {*table.values()} <= tones.GLYPHS.keys()


@pytest.mark.parametrize("tone", tones.GLYPHS)
def test_tone_has_its_colours(tone: str) -> None:
    tokens = (STATIC / "css" / "tokens.css").read_text()
    assert f"--st-{tone}-ink:" in tokens
    assert f'[data-tone="{tone}"]' in (STATIC / "css" / "components" / "tone.css").read_text()


def test_no_other_script_keeps_a_table_of_glyphs() -> None:
    table = re.compile(r"\{[^{}`;]*\w: \"[○◔◑●✓✗✕↻▾△▢]\"[^{}`;]*\}")
    found = [(path.name, table.search(path.read_text())) for path in (STATIC / "js").rglob("*.js") if path != SCRIPT]
    assert [(name, match[0]) for name, match in found if match and "{" in match[0] and "text:" not in match[0]] == []


def test_style_sheets_keep_no_glyphs_of_states() -> None:
    glyph = re.compile(r"--glyph: \"|\[data-(?:status|result|tone)=[^}]*content: \"[○◔◑●✓✗✕↻▾△▢]")
    assert [path.name for path in (STATIC / "css").rglob("*.css") if path != STYLES and glyph.search(path.read_text())] == []
