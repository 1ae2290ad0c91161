"""The table of tones for the browser: a script module and a style sheet, both written by ``make golden``."""

import json

from simulator.engine.projection import tones

_NOTICE = "How states look, as simulator/engine/projection/tones.py declares it. Written by `make golden`; changes here are lost."


def script() -> str:
    """``static/js/base/tones-table.js``."""
    tables = {
        "GLYPHS": tones.GLYPHS,
        "PROBE_RESULTS": tones.PROBE_RESULTS,
        "CONDITION_STATUSES": tones.CONDITION_STATUSES,
        "EVENT_TYPES": tones.EVENT_TYPES,
        "SIGNS": tones.SIGNS,
        "NODE_READY": tones.NODE_READY,
        "WAITING_REASONS": tones.WAITING_REASONS,
        "STATUS_WORDS": tones.STATUS_WORDS,
    }
    lines = ["// @ts-check", f"/** {_NOTICE} */"]
    for name, table in tables.items():
        lines += ["", "/** @type {Record<string, string>} */", f"export const {name} = {_as_json(table)};"]
    lines += ["", "/** @type {Record<string, Record<string, string>>} */", f"export const MACHINES = {_as_json(tones.MACHINES)};"]
    lines += ["", "/** @type {string[]} */", f"export const TRUE_IS_BAD = {_as_json(tones.TRUE_IS_BAD)};"]
    return "\n".join(lines) + "\n"


def style_sheet() -> str:
    """``static/css/components/tone-table.css``."""
    rules = [f'[data-tone="{tone}"] {{ --glyph: "{glyph}"; }}' for tone, glyph in tones.GLYPHS.items()]
    rules += [_before(f'.toast[data-tone="{tone}"]', f"{tones.SIGNS[tone]}  ") for tone in ("ok", "warn", "bad")]
    rules += [_before(f'.condition[data-status="{status}"]', glyph) for status, glyph in tones.CONDITION_STATUSES.items()]
    rules += [_before(f'.probe-glyph[data-result="{result}"]', glyph) for result, glyph in tones.PROBE_RESULTS.items()]
    return "\n".join((f"/* {_NOTICE} */", "", *rules)) + "\n"


def _before(selector: str, text: str) -> str:
    """A rule that puts a text in front of an element, hidden from screen readers."""
    return f'{selector}::before {{ content: "{text}" / ""; }}'


def _as_json(table: object) -> str:
    return json.dumps(table, ensure_ascii=False, indent=2)
