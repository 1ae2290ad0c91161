"""The position of a problem in a level's text."""

import pytest

from simulator.levels.places import line_of_problem
from simulator.levels.reading import BadLevel, read_level

TEXT = """title = "t"
story = "hello-pod"
horizon = "60s"

[[check]]
id = "a"
never = { machine = "stop" }

[[check]]
id = "B!"
never = { machine = "stop" }
"""


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        ("check[1].id: bad", 10),
        ("check[0]: a check says exactly one", 5),
        ("check[0].then: odd", 5),
        ("check[7].id: none", 0),
        ("horizon: too long", 3),
        ("This is not TOML: Invalid value (at line 7, column 3).", 7),
        ("第 4 行：不允许", 4),
        ("Choose a file.", 0),
        ("", 0),
    ],
)
def test_problem_leads_to_its_line(problem, line):
    assert line_of_problem(TEXT, problem) == line


SPELLINGS = (
    """version = 1.5
"horizon" = "soon"
manifests = '''
kind: Pod
'''
script = """
    + '"""- {at: 1}\n- {at: 2}"""'
    + """
happens = [
  { at = 5, do = "x" },
]

[[solution]]
name = "a"

[[solution.acts]]
at = 1
do = "y"

[[solution]]
name = "b"

[[sources]]
title = "t"
url = "u"

[cluster]
nodes = 5
"""
)


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        ("kubernetes: 1.5 is not a version", 1),
        ("horizon: 'soon' is no span of time", 2),
        ("manifests, line 1: no name", 4),
        ("manifests，第 1 行：没有名称", 4),
        ("script, line 2: no verb", 7),
        ("cluster, line 1: nodes must be a list", 26),
        ("cluster: odd", 26),
        ("happens[0].do: Invalid value 'x'", 8),
        ("solution[0].acts[0].do: Invalid value 'y'", 12),
        ("solution[1].name: twice", 20),
        ("sources[0].url: must be an address", 24),
    ],
)
def test_problem_leads_to_its_line_however_it_is_written(problem, line):
    assert line_of_problem(SPELLINGS, problem) == line


def test_problems_of_a_real_text_lead_to_their_lines():
    with pytest.raises(BadLevel) as found:
        read_level(TEXT)
    assert [line_of_problem(TEXT, problem) for problem in found.value.problems] == [10]


def test_text_that_is_not_toml_leads_to_its_line():
    text = TEXT.replace('horizon = "60s"', "horizon = 60 s")
    with pytest.raises(BadLevel) as found:
        read_level(text)
    assert line_of_problem(text, found.value.problems[0]) == 3
