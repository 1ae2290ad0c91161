"""A level written as TOML and read back is the same level."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.levels.level import LEVEL, Level, Solution
from simulator.levels.reading import read_level
from simulator.levels.writing import level_toml, part_toml
from tests.built_in import LEVELS
from tests.scenarios.level_texts import FULL_LEVEL

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
ODD = ["'''", '"""', "'", '"', "\\", "\n", "\r\n", "\t", "a", "容器", "\x7f", "# no comment", "\\u0041"]
ODD = ["'''", '"""', "'", '"', "\\", "\n", "\r\n", "\t", "a", "容器", "\x7f", "# no comment", "\\u0041"]
LINES = st.lists(st.sampled_from(ODD)).map("".join)
TEXTS = TEXT | LINES


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.slug)
def test_built_in_level_comes_back(level):
    assert read_level(level_toml(level), slug=level.slug) == level


def test_level_with_every_field_comes_back():
    level = read_level(FULL_LEVEL)
    assert read_level(level_toml(level)) == level


@given(title=TEXTS, brief=st.lists(TEXTS, max_size=3), manifests=TEXTS, label=TEXTS, key=TEXTS, number=st.integers(-(2**63), 2**63 - 1))
def test_any_text_comes_back(title, brief, manifests, label, key, number):
    act = {"at": "3s", "do": "apply", "documents": [label, manifests], "more": {key: label, "n": number, "yes": True, "nothing": {}}}
    level = Level(
        title=title,
        horizon="9s",
        checks=(),
        brief=tuple(brief),
        manifests=manifests,
        gates={key or "x": True},
        happens=(act,),
        solutions=(Solution(name=label, expect="fail", acts=(act,), why=manifests),),
    )
    assert plain(level_toml(level)) == level


def plain(text):
    """The level of a text, ignoring refusals because of its content."""
    return LEVEL.from_plain({"check": [], **tomllib.loads(text)})


def test_pattern_stands_on_the_line_of_its_word():
    text = level_toml(read_level(FULL_LEVEL))
    assert 'eventually = { machine = "object", subject = "pod/default/shop", target = "gone" }\n' in text


def test_check_can_be_put_behind_a_level():
    more = part_toml("check", {"id": "more", "never": {"machine": "stop"}})
    level = read_level(f"{FULL_LEVEL}\n{more}")
    assert level.checks[-1].id == "more"
