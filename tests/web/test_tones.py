"""The look of states is declared once: the browser's tables are generated from it, and every word in it exists."""

import json
import re
from itertools import combinations
from pathlib import Path

import pytest

from simulator.engine.kernel.records import Record, RecordKind, digest_of
from simulator.engine.projection import tones
from simulator.engine.projection.recorded import recorded_tone
from simulator.engine.rules.machine_tables import ALL
from simulator.scenarios.play import play
from simulator.scenarios.story import read_stories
from simulator.web.tones import script, style_sheet
from tests.web.colours import SIGHTS, contrast, distance, patterns, tokens

STATIC = Path(__file__).resolve().parents[2] / "static"
THEMES = ("light", "dark")
OUTLINED = ("unknown", "absent")
"""Tones without a fill: a dashed line around their words."""
FILLED = [tone for tone in tones.GLYPHS if tone not in OUTLINED]
TEXT_MIN, MARK_MIN = 4.5, 3.0
"""The minimum contrast of text and of graphics (WCAG 2.2, 1.4.3 and 1.4.11)."""
FAR = 0.08
"""Colours this far apart in OKLab can be told apart at a glance: four times what is just noticeable (0.02)."""
LANES = ("tl-bg", "tl-row")
SCRIPT, STYLES = STATIC / "js" / "base" / "tones-table.js", STATIC / "css" / "components" / "tone-table.css"


def test_scripts_get_the_tables_of_the_server(golden) -> None:  # noqa: ANN001 - a fixture of the root conftest
    golden(SCRIPT, script())


def test_styles_get_the_glyphs_of_the_server(golden) -> None:  # noqa: ANN001
    golden(STYLES, style_sheet())


def test_every_state_of_a_machine_has_a_tone_that_there_is() -> None:
    assert {state.tone for machine in ALL for state in machine.states} <= tones.GLYPHS.keys()


@pytest.mark.parametrize("table", [tones.NODE_READY, tones.WAITING_REASONS, tones.STATUS_WORDS])
def test_words_have_tones_that_there_are(table: dict[str, str]) -> None:
    assert {*table.values()} <= tones.GLYPHS.keys()


@pytest.mark.parametrize(("word", "data", "tone"), json.loads((Path(__file__).parent / "status-tones.json").read_text()))
def test_pod_has_the_tone_that_the_browser_gives_it(word: str, data: dict[str, object], tone: str) -> None:
    """``tests/js/base/tones.test.mjs`` reads the same cases. Records of early revisions contain their tone."""
    record = Record(1, 0, RecordKind.TRANSITION, "pod/default/web", "status_word", "", "decided", word, 0, "PRINT-PHASE", (*data.items(),))
    assert recorded_tone(record) == tone


def _played() -> list[Record]:
    """A story in which pods wait, start, are ready, are lost with their node and go."""
    return list(play(next(story for story in read_stories() if story.slug == "node-goes-dark"), None)[0])


def _looks(records: list[Record]) -> list[str]:
    return [recorded_tone(record) for record in records if record.machine == "status_word"]


def test_history_holds_nothing_of_how_it_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all tones changed, each record is the same, and so is the digest."""
    before = _played()
    looks, names = _looks(before), [*tones.GLYPHS]
    other = dict(zip(names, names[1:] + names[:1], strict=True))
    for table in (tones.NODE_READY, tones.WAITING_REASONS, tones.STATUS_WORDS, *tones.MACHINES.values()):
        for word, tone in table.items():
            monkeypatch.setitem(table, word, other[tone])
    after = _played()
    assert _looks(after) != looks
    assert (after, digest_of(after)) == (before, digest_of(before))


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


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("tone", FILLED)
def test_words_on_a_tone_can_be_read(theme: str, tone: str) -> None:
    known = tokens(theme)
    assert contrast(known[f"st-{tone}-ink"], known[f"st-{tone}"]) >= TEXT_MIN


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("tone", OUTLINED)
def test_words_of_an_outlined_tone_can_be_read_on_the_lanes(theme: str, tone: str) -> None:
    known = tokens(theme)
    assert min(contrast(known[f"st-{tone}-ink"], known[ground]) for ground in LANES) >= TEXT_MIN


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("tone", [*FILLED, "unknown"])
def test_tone_stands_out_from_the_lanes_by_its_fill_or_its_edge(theme: str, tone: str) -> None:
    known = tokens(theme)
    drawn = [known[name] for name in (f"st-{tone}", f"st-{tone}-edge") if name in known]
    assert max(min(contrast(colour, known[ground]) for ground in LANES) for colour in drawn) >= MARK_MIN


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("result", tones.PROBE_RESULTS)
def test_mark_of_an_attempt_stands_out_from_the_lanes(theme: str, result: str) -> None:
    known = tokens(theme)
    assert min(contrast(known[f"probe-{result}"], known[ground]) for ground in LANES) >= MARK_MIN


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("kind", ["ok", "warn", "bad", "info"])
def test_message_can_be_read(theme: str, kind: str) -> None:
    known = tokens(theme)
    assert min(contrast(known[f"tone-{kind}"], known[ground]) for ground in (f"tone-{kind}-soft", "bg", "panel", "raised")) >= TEXT_MIN


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", THEMES)
def test_tones_that_look_alike_have_other_patterns_and_other_glyphs(theme: str, sight: str) -> None:
    """Bars of any two tones may be next to each other."""
    known, drawn = tokens(theme), patterns((STATIC / "js" / "timeline" / "palette.js").read_text())
    alike = [pair for pair in combinations(FILLED, 2) if distance(*(known[f"st-{tone}"] for tone in pair), sight) < FAR]
    assert [(one, other) for one, other in alike if drawn.get(one) == drawn.get(other)] == []
    assert [(one, other) for one, other in alike if tones.GLYPHS[one] == tones.GLYPHS[other]] == []


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", THEMES)
def test_results_of_attempts_that_look_alike_have_other_glyphs(theme: str, sight: str) -> None:
    known = tokens(theme)
    alike = [pair for pair in combinations(tones.PROBE_RESULTS, 2) if distance(*(known[f"probe-{result}"] for result in pair), sight) < FAR]
    assert [(one, other) for one, other in alike if tones.PROBE_RESULTS[one] == tones.PROBE_RESULTS[other]] == []


def test_some_tones_look_alike_to_some_eyes() -> None:
    """So colour alone would not be enough, and the two tests above have something to check."""
    assert distance(tokens("light")["st-ready"], tokens("light")["st-waiting"], "deuteranopia") < FAR
    assert distance(tokens("dark")["st-ready"], tokens("dark")["st-backoff"], "deuteranopia") < FAR


@pytest.mark.parametrize(("one", "other", "ratio"), [("#000000", "#ffffff", 21), ("#777777", "#ffffff", 4.48), ("#ff0000", "#ffffff", 4.0)])
def test_contrast_is_that_of_wcag(one: str, other: str, ratio: float) -> None:
    assert round(contrast(one, other), 2) == ratio


@pytest.mark.parametrize("sight", SIGHTS)
def test_greys_are_as_far_apart_for_everybody(sight: str) -> None:
    assert round(distance("#000000", "#ffffff", sight), 2) == 1.0 and round(distance("#555555", "#aaaaaa", sight), 2) == 0.29


def test_red_and_green_come_close_for_two_kinds_of_sight_only() -> None:
    known = {sight: distance("#b03a2e", "#5d7a1f", sight) for sight in SIGHTS}
    assert max(known["protanopia"], known["deuteranopia"]) < known["normal"] * 0.75 < known["tritanopia"]
