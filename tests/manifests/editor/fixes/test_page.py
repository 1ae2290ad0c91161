"""Edits of a document: what they write where they can, and that they leave alone what is there."""

import pytest

from simulator.manifests.editor.fixes.page import Page
from simulator.manifests.read.loader import load


def inserted(text: str, parent: str, name: str, value: object) -> str | None:
    """The text with a field more; None where that is not certain to keep the rest."""
    change = Page(text, load(text).documents[0], minor=33).insert(parent, name, value)
    return None if change is None else text[: change.start] + change.insert + text[change.end :]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("spec:\n  a:\n", "spec:\n  a: 1\n"),
        ("spec:\n  a: ''\n", None),
        ("spec:\n  a: 2\n", None),
        ("spec:\n  b: 2\n", "spec:\n  b: 2\n  a: 1\n"),
        ("spec: {b: 2}\n", "spec: {a: 1, b: 2}\n"),
        ("spec: {}\n", 'spec: {"a": 1}\n'),
        ("spec:\n", "spec:\n  a: 1\n"),
        ("spec: # later\n", "spec: # later\n  a: 1\n"),
        ("spec: ''\n", None),
        ("kind: Pod\n", "kind: Pod\nspec:\n  a: 1\n"),
    ],
)
def test_field_is_inserted_where_there_is_none_with_a_value(text: str, after: str | None) -> None:
    assert inserted(text, "spec", "a", 1) == after


def test_item_of_a_list_that_is_not_there_is_not_made() -> None:
    assert inserted("spec: {containers: []}\n", "spec.containers[0]", "a", 1) is None


@pytest.mark.parametrize(("path", "after"), [("spec.a", "spec:\n  c: x\n  b: [y]\n"), ("spec.b[0]", None), ("spec.z", None)])
def test_only_what_has_a_name_is_renamed(path: str, after: str | None) -> None:
    text = "spec:\n  a: x\n  b: [y]\n"
    change = Page(text, load(text).documents[0], minor=33).rename(path, "c")
    assert (None if change is None else text[: change.start] + change.insert + text[change.end :]) == after


@pytest.mark.parametrize(
    ("text", "path", "after"),
    [
        ("a:\n- b: 1\n  c: 2\n", "a[0].b", "a:\n- c: 2\n"),
        ("a:\n- b: 1\n  c: 2\n", "a[0].c", "a:\n- b: 1\n"),
        ("a:\n- b: 1\n", "a[0].b", None),  # the item would be null
        ("? a\n: b\n? c\n: d\n", "a", "? c\n: d\n"),
        ("? a\n: b\n? c\n: d\n", "c", None),
        ("a: {b: 1, c: 2}\n", "a.c", "a: {b: 1}\n"),
        ("a: {b: 1}\n", "a.b", "a: {}\n"),
        ("a:\n  b: 1\n", "a.b", "a:\n  {}\n"),
    ],
)
def test_field_is_removed_where_what_is_left_is_what_was_meant(text: str, path: str, after: str | None) -> None:
    change = Page(text, load(text).documents[0], minor=33).remove(path)
    assert (None if change is None else text[: change.start] + change.insert + text[change.end :]) == after
