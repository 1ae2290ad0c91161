"""YAML that cannot be parsed: the message says what to do, the position is the line to look at."""

import pytest

from simulator.manifests.check.check import check_text


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("apiVersion: v1\nkind: Pod\nmeta\nspec: {}\n", (3, 1), "this line is missing a colon"),
        ("a: b: c\n", (1, 5), "a colon is not allowed here"),
        ("a:\n  b: 1\n c: 2\n", (3, 2), "the indentation of this line"),
        ("a: 'it's'\n", (1, 8), "nothing can follow the end of this value"),
        ("- a\nb: c\n", (2, 1), "a list continues with “-”"),
        ('a: "x\nb: 2\n', (1, 4), "the quotation mark that opens here"),
        ("a: [1, 2\nb: 3\n", (2, 2), "a list in brackets"),
        ("a: {b: 1\nc: 2\n", (2, 2), "a map in braces"),
        ("a:\n\tb: 1\n", (2, 1), "YAML cannot be indented with tabs"),
        ("a: @x\n", (1, 4), "a value cannot begin with this character"),
    ],
)
def test_syntax_problem_says_what_to_do(text, place, words):
    problem = check_text(text, kubernetes="1.33").problems[0]
    assert (problem.line, problem.column) == place
    assert problem.message.startswith(words)


def test_words_of_the_parser_stand_behind():
    problem = check_text("a: b: c\n", kubernetes="1.33").problems[0]
    assert problem.message.endswith("(mapping values are not allowed in this context)")
