"""A level through the fields of the form and back."""

import pytest
from django.http import QueryDict

from simulator.levels.level import paragraphs
from simulator.levels.reading import BadLevel, level_of, read_level, toml_of
from simulator.web.levels.level_form import LevelForm, form_of_post, form_of_table
from tests.scenarios.level_texts import FULL_LEVEL


def sent(form):
    """The form as a browser sends it."""
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
    ['a = "x\\r\\ny"', "title = 3", 'brief = ["a\\n\\nb"]', 'seeds = ["42"]', "check = 3", "check = [{ never = 1 }]", 'brief = ["", "a"]'],
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
