"""YAML text: any JSON value survives a round trip through another parser, and the style is kubectl's."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.kubectl.yaml import from_yaml, to_yaml

TRICKY = st.text("ab :#-\n\t'\"\\|>&*!%@`?{}[],~0123456789._eExX+yn<= é\u2028\x85\ufeff")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | TRICKY
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text() | TRICKY, inner), max_leaves=10)


@settings(max_examples=300, deadline=None, database=None)
@given(VALUES)
def test_yaml_reads_back_the_same_for_any_json_value(value: object) -> None:
    assert yaml.safe_load(to_yaml(value)) == value


@pytest.mark.parametrize(
    "text", ["1:30", "0o17", "1e3", "1_000", ".5", "0x1F", "2001-01-01", "<<", "=", "Yes", "off", "~", "", "-", "1.", ".inf"]
)
def test_text_is_quoted_when_a_reader_would_take_it_for_something_else(text: str) -> None:
    assert yaml.safe_load(to_yaml([text, {text: text}])) == [text, {text: text}]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("True", '"True"'),
        ("busybox:1.28", "busybox:1.28"),
        ("*", "'*'"),
        ("trap 'exit 0' TERM; sleep 1 & wait $!", "trap 'exit 0' TERM; sleep 1 & wait $!"),
        ("tab\there", '"tab\\there"'),
        ({}, "{}"),
        (None, "null"),
        (True, "true"),
    ],
)
def test_scalar_is_written_as_kubectl_does(value: object, text: str) -> None:
    assert to_yaml({"key": value}) == f"key: {text}\n"


WORDS = "aaaa " * 16
"""Eighty characters."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"k": WORDS + "b"}, f"k: {WORDS.strip()}\n  b\n"),
        ({"k": "a" * 77 + " b"}, f"k: {'a' * 77} b\n"),
        ({"k": "a" * 78 + " b"}, f"k: {'a' * 78}\n  b\n"),
        ({"k": "é" * 78 + " b"}, f"k: {'é' * 78}\n  b\n"),
        ({"k": "a" * 90 + "  b c"}, f"k: {'a' * 90}  b\n  c\n"),
        ({"k": "#" * 90 + " b"}, f"k: '{'#' * 90}\n  b'\n"),
        ({"k": "#" * 90 + " "}, f"k: '{'#' * 90} '\n"),
        ({"k": "\t" * 45 + "  b c"}, 'k: "' + "\\t" * 45 + '\n  \\ b c"\n'),
        ([["a" * 90 + " b"]], f"- - {'a' * 90}\n    b\n"),
        ({"k": ["a" * 90 + " b"]}, f"k:\n- {'a' * 90}\n  b\n"),
        ({"a": [{"k": "a" * 90 + " b"}]}, f"a:\n- k: {'a' * 90}\n    b\n"),
        ({"k": f"{WORDS}{WORDS}b"}, f"k: {WORDS.strip()}\n  {WORDS.strip()}\n  b\n"),
    ],
)
def test_a_long_text_is_folded_behind_column_eighty(value: object, text: str) -> None:
    assert to_yaml(value) == text


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.sampled_from((" ", "  ", "a" * 40, "#", ": ", "'", '"', "\t", "\\", "é" * 30)), max_size=12))
def test_a_folded_text_reads_back_the_same(words: list[str]) -> None:
    text = "".join(words)
    value = {"k": [text, {"a": text}], text: text}
    assert yaml.safe_load(to_yaml(value)) == value


def test_map_has_sorted_keys_and_lists_at_the_indent_of_their_key() -> None:
    assert to_yaml({"b": [{"d": 1, "c": [2]}], "a": 0}) == "a: 0\nb:\n- c:\n  - 2\n  d: 1\n"


def test_text_of_several_lines_is_a_literal_block() -> None:
    assert to_yaml({"args": ["one\n two\n"]}) == "args:\n- |\n  one\n   two\n"


def test_value_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError):
        to_yaml({"key": object()})


def test_key_of_128_characters_stands_before_its_colon_and_a_longer_one_on_a_line_of_its_own() -> None:
    assert to_yaml({"k" * 128: 1}) == f"{'k' * 128}: 1\n"
    assert to_yaml({"k" * 129: 1}) == f"? {'k' * 129}\n: 1\n"


def test_single_letters_are_booleans_as_in_the_library_of_kubectl() -> None:
    assert from_yaml("a: y\nb: N\nc: 'n'\nd: yy\n") == {"a": True, "b": False, "c": "n", "d": "yy"}
