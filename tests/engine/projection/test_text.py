"""Sentences with placeholders."""

import pytest

from simulator.engine.projection.text import Text, fill, missing, needed, unfilled


def test_fill_puts_values_in() -> None:
    assert fill("{container} ended with {exit_code}", {"container": "app", "exit_code": 137}) == "app ended with 137"


def test_fill_shows_dots_when_a_value_is_missing() -> None:
    assert fill("back-off {window}", {}) == "back-off …"


@pytest.mark.parametrize("template", ["{", "}", "{}", "{0}", "{a.__class__}", "{a!r}", "{a:>9}"])
def test_fill_leaves_what_is_not_a_placeholder_and_never_raises(template: str) -> None:
    assert fill(template, {"a": "x"}) == template


def test_fill_does_not_look_into_values() -> None:
    assert fill("{a}", {"a": "{b}", "b": "no"}) == "{b}"


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "1 pod is left"), ("1", "1 pod is left"), (0, "0 pods are left"), (11, "11 pods are left"), (None, "… pods are left")],
)
def test_fill_takes_the_words_that_fit_the_number(count: int | str | None, words: str) -> None:
    assert fill("{count} {count:pod is|pods are} left", {"count": count}) == words


def test_unfilled_sentence_has_its_names_and_the_plural() -> None:
    assert unfilled("{count} {count:pod is|pods are} left on {node}") == "{count} pods are left on {node}"


def test_sentence_asks_once_for_a_value_that_it_counts() -> None:
    assert missing("{count} {count:pod is|pods are} left", {}) == ["count"]
    assert needed("{count:pod|pods}", {"count": 1}) == Text("{count:pod|pods}", (("count", 1),))


def test_missing_names_what_has_no_value() -> None:
    assert missing("{a} {b} {c}", {"a": 1, "b": None}) == ["b", "c"]


def test_needed_keeps_only_what_the_sentence_asks_for() -> None:
    assert needed("{a} and {b}", {"b": 1, "a": True, "c": 2}) == Text("{a} and {b}", (("a", True), ("b", 1)))
