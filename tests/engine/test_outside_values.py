"""Numbers, texts and JSON from outside: one grammar each, with limits."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.kernel.bounded import SEQ_MAX, milliseconds, whole_number
from simulator.engine.kernel.json_text import DEPTH_MAX, TooDeep, decode
from simulator.engine.kernel.outside_text import one_line, storable
from simulator.engine.kernel.typed import Typed
from simulator.engine.model.times import format_time, parse_time

ODD = ("1e999999", "-1e999999", "NaN", "Infinity", "0x10", "1_000", "１２", "٣", " 7", "7 ", "7\n", "", "+", "-", ".", "1.2.3", "9" * 5000)
ANYTHING = Typed(object)


@pytest.mark.parametrize("text", ODD)
def test_odd_text_is_not_a_number(text):
    assert whole_number(text) is None and milliseconds(text, most=10**9) is None


@pytest.mark.parametrize(("text", "ms"), [("0", 0), ("12", 12_000), ("12.5", 12_500), (".5", 500), ("5.", 5000), ("0.0019", 1)])
def test_seconds_are_read_to_the_millisecond(text, ms):
    assert milliseconds(text, most=10**9) == ms


@pytest.mark.parametrize(("text", "most"), [("1000001", 10**9), ("999999999999", 10**9), ("-1", 10**9)])
def test_moment_outside_of_a_run_is_none(text, most):
    assert milliseconds(text, most=most) is None


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("+7", 7), ("-7", None), (str(SEQ_MAX), SEQ_MAX), (str(SEQ_MAX + 1), None)])
def test_whole_number_has_bounds(text, number):
    assert whole_number(text) == number


@settings(max_examples=300, derandomize=True)
@given(st.text(max_size=60) | st.from_regex(r"-?[0-9]{0,30}\.?[0-9]{0,60}(e[0-9]{1,9})?", fullmatch=True))
def test_no_text_raises_and_every_number_is_within_its_bounds(text):
    for found, least, most in ((whole_number(text, least=-5, most=10**18), -5, 10**18), (milliseconds(text, most=10**12), 0, 10**12)):
        assert found is None or least <= found <= most


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\x00b", "a b"), ("a\nb\r\n  c\t", "a b c"), ("\u202eabc\u2066", "abc"), ("a\u200bb\ufeff", "ab"), ("a\ud800b", "ab"),
        ("  ", ""), ("a\u200db", "ab"), ("👩\u200d🚀", "👩\u200d🚀"), ("نمی\u200cخواهم", "نمی\u200cخواهم"), ("x" * 100_000, "x" * 120),
    ],
)  # fmt: skip
def test_title_is_one_line_that_shows_what_it_holds(text, line):
    assert one_line(text, most=120) == line


@settings(max_examples=300, derandomize=True)
@given(st.text(st.characters(categories=None), max_size=200))
def test_cleaned_texts_can_be_stored_and_stay_as_they_are(text):
    for clean in (storable, lambda each: one_line(each, most=50)):
        cleaned = clean(text)
        assert "\x00" not in cleaned
        assert cleaned.encode().decode() == clean(cleaned)


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    return opening * depth + "1" + closing * depth


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
@pytest.mark.parametrize("read", [decode, ANYTHING.from_outside, lambda text: decode(text.encode())])
def test_json_is_read_to_a_fixed_depth(read, opening, closing):
    per = opening.count("[") + opening.count("{")
    assert read(nested(DEPTH_MAX // per, opening, closing)) is not None
    for depth in (DEPTH_MAX + 1, 50_000):
        with pytest.raises(TooDeep):
            read(nested(depth, opening, closing))


@pytest.mark.parametrize("text", ['"' + "[" * 5000 + '"', '"\\"' + "{" * 5000 + '"', json.dumps(["[" * 300, {"}": "]" * 300}])])
def test_brackets_in_texts_are_not_levels(text):
    assert decode(text) == json.loads(text) and ANYTHING.from_outside(text) == json.loads(text)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", '{"a": [1e999]}', "9" * 5000, "[" * 5000, '{"a":' * 5000])
def test_what_is_no_json_of_go_is_refused(text):
    with pytest.raises(ValueError):
        decode(text)


def test_halves_of_characters_are_replaced_as_go_does():
    assert decode('{"\\ud800": ["a\\udfff", "\\ud83d\\ude00", "\\u0000"]}') == {"\ufffd": ["a\ufffd", "😀", "\x00"]}


@settings(max_examples=300, derandomize=True)
@given(st.integers(-(10**20), 10**20))
def test_every_moment_can_be_written_and_read(moment):
    assert format_time(parse_time(format_time(moment))) == format_time(moment)


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01", "2025-02-29T00:00:00Z", "2026-01-01T24:00:00Z"])
def test_moment_that_cannot_be_written_is_not_read(text):
    with pytest.raises(ValueError):
        parse_time(text)
