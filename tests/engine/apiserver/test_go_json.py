"""The messages of Go's JSON decoder about invalid JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.engine.apiserver.wire.go_json import syntax_problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "unexpected end of JSON input"),
        ("{bad", "invalid character 'b' looking for beginning of object key string"),
        ('{"a"', "unexpected end of JSON input"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ('{"a": }', "invalid character '}' looking for beginning of value"),
        ('{"a": 1 "b"}', "invalid character '\"' after object key:value pair"),
        ('{"a": 1,}', "invalid character '}' looking for beginning of object key string"),
        ("[1 2]", "invalid character '2' after array element"),
        ("[1,]", "invalid character ']' looking for beginning of value"),
        ("{} x", "invalid character 'x' after top-level value"),
        ("nil", "invalid character 'i' in literal null (expecting 'u')"),
        ("yes", "invalid character 'y' looking for beginning of value"),
        ("-x", "invalid character 'x' in numeric literal"),
        (r'"\q"', "invalid character 'q' in string escape code"),
        ('"a\n"', r"invalid character '\n' in string literal"),
    ],
)
def test_text_that_is_not_json_is_reported_with_its_first_wrong_character(text, problem):
    assert syntax_problem(text) == problem


TEXTS = st.text(max_size=8)
"""Drawing longer ones takes most of the time, and each letter is handled like the one before it."""


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXTS,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
        max_leaves=10,
    )
)
def test_json_has_no_problem(value):
    assert syntax_problem(json.dumps(value)) == ""
