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


HEADS = [
    ("seeds = [42, 7]", "seeds", "42, 7"),
    ("seeds = []", "seeds", None),
    ('seeds = ["42"]', "seeds", None),
    ("seeds = [-1]", "seeds", None),
    ('brief = "one"', "brief", "one"),
    ('brief = ["one", "two"]', "brief", "one\n\ntwo"),
    ('brief = ["one"]', "brief", None),
    ('brief = ["one", ""]', "brief", None),
    ("brief = 3", "brief", None),
    ('title = "a"', "title", "a"),
    ('title = "a\\nb"', "title", None),
    ('manifests = "a\\nb"', "manifests", "a\nb"),
    ('manifests = "a\\rb"', "manifests", None),
    ('title = ""', "title", None),
    ("title = true", "title", None),
]


@pytest.mark.parametrize(("text", "name", "shown"), HEADS)
def test_value_stands_in_its_field_if_the_field_gives_it_back_and_else_as_toml(text, name, shown):
    form = form_of_table(toml_of(text))
    assert (form.head.get(name), form.head["more"]) == (shown, "" if shown is not None else table_toml(toml_of(text)))


PARTS = [
    ("check", "never = { a = 1 }", {"word": "never", "what": "{ a = 1 }"}),
    ("check", "never = { a = 1 }\neventually = { a = 1 }", {}),
    ("check", "never = 1", {}),
    ("check", "least = 2\nmost = 0", {"least": "2", "most": "0"}),
    ("check", "least = -2", {}),
    ("check", "least = true", {}),
    ("check", 'after = { a = "b" }', {"after": '{ a = "b" }'}),
    ("check", "after = [1]", {}),
    ("check", 'text = "a\\nb"', {"text": "a\nb"}),
    ("check", 'id = "a\\nb"', {}),
    ("solution", 'fails = ["a", "b-c"]', {"fails": "a, b-c"}),
    ("solution", 'fails = ["a", "b c"]', {}),
    ("solution", "fails = [1]", {}),
    ("solution", 'fails = "a"', {}),
    ("solution", "acts = [{ a = 1 }, { b = 2 }]", {"acts": "{ a = 1 }\n{ b = 2 }"}),
    ("solution", "acts = [{ a = 1 }, 2]", {}),
    ("happens", "at = 1", {}),
]


@pytest.mark.parametrize(("part", "text", "shown"), PARTS)
def test_value_of_a_part_stands_in_its_field_or_as_toml(part, text, shown):
    form = form_of_table(toml_of(f"[[{part}]]\n{text}"))
    (row,) = form.parts[part]
    assert {name: value for name, value in row.items() if name != "more"} == shown
    assert bool(row["more"]) is not bool(shown)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("brief", "one\n \n\ntwo", ["one", "two"]),
        ("brief", "\none\n", "one"),
        ("seeds", "1 2,3", [1, 2, 3]),
        ("title", " a ", " a "),
    ],
)
def test_field_means_what_was_typed_in_it(name, text, value):
    assert LevelForm(head={name: text}).table() == {name: value}


@pytest.mark.parametrize("field", ["check-0-id", "check-0-nothing", "other-0-id", "check-x-id", "check-0000-id"])
def test_only_fields_of_the_form_are_read(field):
    post = QueryDict(mutable=True)
    post[field] = "a"
    assert form_of_post(post).parts["check"] == ([{"id": "a"}] if field == "check-0-id" else [])


def test_rows_stand_in_the_order_of_their_numbers():
    post = QueryDict(mutable=True)
    post.update({"hint-10-text": "c", "hint-2-text": "b", "hint-0-text": "a"})
    assert [row["text"] for row in form_of_post(post).parts["hint"]] == ["a", "b", "c"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_built_in_level_goes_through_the_form_and_back_without_loss(path):
    table = toml_of(path.read_text(encoding="utf-8"))
    back = sent(form_of_table(table)).table()
    assert back == table and tomllib.loads(table_toml(back)) == table


@given(table=LEVELS)
def test_any_table_goes_through_the_form_and_back_without_loss(table):
    assert sent(form_of_table(table)).table() == table
