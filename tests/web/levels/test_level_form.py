"""Converting a level to the fields of the form and back."""

import tomllib
from pathlib import Path

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

import simulator.levels.reading
from simulator.levels.level import paragraphs
from simulator.levels.reading import BadLevel, level_of, read_level, toml_of
from simulator.levels.writing import table_toml
from simulator.web.levels.level_form import LevelForm, form_of_post, form_of_table
from tests.scenarios.level_texts import FULL_LEVEL

FILES = sorted(Path(simulator.levels.reading.__file__).parent.glob("*/*.toml"))
ODD = ["", " ", "\n", "\n\n", "\r", "'''", '"', "\\", "{", "}", ",", "# no comment", "容器", "= 3", "a", "-"]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12) | st.lists(st.sampled_from(ODD)).map(
    "".join
)
PLAIN = TEXTS | st.integers(-(2**40), 2**40) | st.booleans()
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6)
TABLE = st.dictionaries(TEXTS, VALUES, max_size=3)


def part(*fields, **shaped):
    """An entry of one of a level's lists: each field may be missing, typical, or odd."""
    return st.fixed_dictionaries({}, optional={name: shaped.get(name, TEXTS) | VALUES for name in (*fields, *shaped, "odd")})


LISTS = {
    "check": part(
        "id",
        "text",
        "within",
        "by",
        "reason",
        eventually=TABLE,
        never=TABLE,
        then=TABLE,
        after=TABLE,
        points=st.integers(),
        least=st.integers(-3, 3),
        most=st.integers(0, 3),
    ),
    "ask": part("id", "question", "at", "within", place=TABLE, choices=st.lists(TABLE, max_size=2)),
    "hint": part("text", "check"),
    "solution": part("name", "expect", "why", acts=st.lists(TABLE, max_size=3), fails=st.lists(TEXTS, max_size=3)),
    "happens": part("at", "do", "target"),
}
LEVELS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("title", "horizon", "story", "manifests", "scenario", "cluster", "kubernetes"), TEXTS | VALUES),
        **dict.fromkeys(("brief", "debrief"), TEXTS | st.lists(TEXTS, max_size=3) | VALUES),
        "seeds": st.lists(st.integers(0, 2**40), max_size=3) | VALUES,
        **{name: st.lists(rows, max_size=3) | VALUES for name, rows in LISTS.items()},
    },
)


def sent(form):
    """The form as submitted by a browser."""
    post = QueryDict(mutable=True)
    post.update({name: text.replace("\n", "\r\n") for name, text in form.head.items()})
    for part, rows in form.parts.items():
        for n, row in enumerate(rows):
            post.update({f"{part}-{n}-{name}": text.replace("\n", "\r\n") for name, text in row.items()})
    return form_of_post(post)


def parts_of(level):
    return level.checks, level.asks, level.hints, level.solutions, level.happens, level.sources, level.seeds, paragraphs(level.brief)


def test_level_with_every_field_goes_through_the_form():
    level = read_level(FULL_LEVEL)
    assert parts_of(level_of(sent(form_of_table(toml_of(FULL_LEVEL))).table())) == parts_of(level)


def test_what_has_no_field_stands_as_toml():
    form = form_of_table(toml_of(FULL_LEVEL))
    assert "minutes = 3" in form.head["more"] and "points = 3" in form.parts["check"][0]["more"]


@pytest.mark.parametrize(
    "text",
    [
        "seeds = 0",
        'a = "x\\r\\ny"',
        "title = 3",
        'brief = ["a\\n\\nb"]',
        'seeds = ["42"]',
        "check = 3",
        "check = [{ never = 1 }]",
        'brief = ["", "a"]',
    ],
)
def test_odd_value_comes_back_as_it_was(text):
    assert sent(form_of_table(toml_of(text))).table() == toml_of(text)


def test_problem_names_the_field_and_what_was_typed_stays():
    form = LevelForm(head={"title": "t"})
    form.parts["check"] = [{"id": "a", "word": "never", "what": "machine = stop"}]
    with pytest.raises(BadLevel, match=r"check\[0\]\.what"):
        form.table()


def test_pattern_may_leave_out_its_braces():
    form = LevelForm()
    form.parts["check"] = [{"id": "a", "word": "never", "what": 'machine = "stop"'}]
    assert form.table() == {"check": [{"id": "a", "never": {"machine": "stop"}}]}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_built_in_level_goes_through_the_form_and_back_without_loss(path):
    table = toml_of(path.read_text(encoding="utf-8"))
    back = sent(form_of_table(table)).table()
    assert back == table and tomllib.loads(table_toml(back)) == table


@given(table=LEVELS)
def test_any_table_goes_through_the_form_and_back_without_loss(table):
    assert sent(form_of_table(table)).table() == table
