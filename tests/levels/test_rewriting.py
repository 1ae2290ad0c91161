"""What stays of a level's text when its values change."""

import tomllib
from copy import deepcopy

import pytest

from simulator.levels.rewriting import rewritten
from simulator.levels.writing import table_toml
from tests.built_in import LEVELS

TEXT = """# About the level.
title = "t"   # its name
story = "hello-pod"
seeds = [
  42,  # the usual one
  7,
]
gates.A = true  # one
gates.B = false

# What must hold.
[[check]]
id = "a"  # never change this
never = { machine = "stop" }

  # The second.
[[check]]
id = "b"
text = '''
# no comment'''
[check.never]
machine = "object"  # a table in a row

[[solution]]
name = "s"
[[solution.acts]]
at = 1  # soon
do = "delete_pod"
# The end.
"""


def changed(**values):
    """The text with other values at its beginning, and the table that it must have."""
    table = {**tomllib.loads(TEXT), **values}
    return rewritten(TEXT, table), table


def rows(name, n, **values):
    """The rows of an array with other values in one of them."""
    found = deepcopy(tomllib.loads(TEXT)[name])
    found[n] |= values
    return {name: found}


def test_text_with_the_same_values_stays():
    assert rewritten(TEXT, tomllib.loads(TEXT)) == TEXT


@pytest.mark.parametrize(
    ("values", "old", "new"),
    [
        ({"title": "u"}, 'title = "t"   # its name', 'title = "u"  # its name'),
        ({"seeds": [1]}, "seeds = [\n  42,  # the usual one\n  7,\n]", "# the usual one\nseeds = [1]"),
        ({"horizon": "60s"}, "gates.B = false\n", 'gates.B = false\nhorizon = "60s"\n'),
        (rows("check", 0, id="c"), 'id = "a"  #', 'id = "c"  #'),
        (rows("check", 0, within="9s"), '"stop" }\n', '"stop" }\nwithin = "9s"\n'),
        (rows("check", 1, text="u"), "text = '''\n# no comment'''\n", 'text = "u"\n'),
        ({"gates": {"A": False}}, "gates.A = true  # one\ngates.B = false\n", "gates = { A = false }  # one\n"),
        ({"hint": [{"text": "h"}]}, "# The end.\n", '\n[[hint]]\ntext = "h"\n# The end.\n'),
        ({"check": [*rows("check", 0)["check"], {"id": "c"}]}, "row\n", 'row\n\n[[check]]\nid = "c"\n'),
    ],
    ids=["line", "lines", "new field", "row", "new field of a row", "text", "dotted", "new part", "new row"],
)
def test_only_what_changed_is_written_anew(values, old, new):
    text, table = changed(**values)
    assert tomllib.loads(text) == table
    assert text == TEXT.replace(old, new)


def test_row_that_goes_takes_its_comments_along():
    text, table = changed(check=rows("check", 0)["check"][1:])
    assert (tomllib.loads(text), "What must hold" in text, "The second" in text) == (table, False, True)


def test_comments_of_a_table_in_a_row_stay_when_it_changes():
    text, table = changed(**rows("solution", 0, acts=[{"at": 2, "do": "cordon"}]))
    assert tomllib.loads(text) == table
    assert [comment for comment in ("# soon", "# The end.", "# About") if comment not in text] == []


@pytest.mark.parametrize(
    "source", ["", "  \n", "title = ", 'title = "t"\n' + "[[happens]]\n" * 201], ids=["none", "blank", "broken", "too many rows"]
)
def test_without_a_text_that_can_be_kept_there_is_a_new_one(source):
    table = {"title": "u"}
    assert rewritten(source, table) == table_toml(table)


@pytest.mark.parametrize("level", LEVELS[::7], ids=lambda level: level.slug)
def test_changed_texts_of_levels_have_the_values_asked_for(level):
    text = table_toml({"title": level.title, "check": [{"id": check.id, "text": check.text} for check in level.checks]})
    table = tomllib.loads(text) | {"title": "u"}
    table["check"][-1]["text"] = "v"
    assert tomllib.loads(rewritten(text, table)) == table
