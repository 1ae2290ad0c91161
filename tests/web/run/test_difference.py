"""The Diff tab and the tags of panels: what counts as a change, and how values are written. Without a run."""

import re
from types import SimpleNamespace

import pytest

from simulator.engine.kernel.records import Record
from simulator.web.run import difference as difference_module
from simulator.web.run.difference import VALUE_MAX, _first_with, _is_about, _value, difference
from simulator.web.run.panel_tags import UNSEEN, _kept


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("", '""'),
        ("web", "web"),
        (3, "3"),
        (True, "true"),
        ([], "[]"),
        ({}, "{}"),
        ([1, 2], "[2]"),
        ({"a": 1, "b": 2}, "{a, b}"),
        ("a\nb", "a b"),
        ("x" * VALUE_MAX, "x" * VALUE_MAX),
        ("x" * (VALUE_MAX + 1), "x" * (VALUE_MAX - 1) + "…"),
    ],
)
def test_value_is_written_on_one_line(value, text):
    assert _value(value) == text


@pytest.mark.parametrize(
    ("about", "subject", "is_about"),
    [
        ("pod/default/web", "pod/default/web", True),
        ("container/default/web/app", "pod/default/web", True),
        ("condition/default/web/Ready", "pod/default/web", True),
        ("container/default/web#2/app", "pod/default/web", False),
        ("container/default/db/app", "pod/default/web", False),
        ("deployment/default/web", "pod/default/web", False),
        ("deployment/default/web", "deployment/default/web", True),
    ],
)
def test_record_is_about_an_object_or_a_part_of_its_pod(about, subject, is_about):
    assert _is_about(Record(1, 0, "transition", about, "x", "", "", "y", 0, "R", ()), subject) is is_about


def pod(revision, **fields):
    return {"metadata": {"name": "web", "resourceVersion": str(revision)}, **fields}


@pytest.mark.parametrize(
    ("before", "after", "noise", "count", "is_only_noise"),
    [
        (pod(1, a=1), pod(1, a=1), False, 0, False),
        (pod(1, a=1), pod(2, a=1), False, 0, True),
        (pod(1, a=1), pod(2, a=1), True, 1, False),
        (pod(1, a=1), pod(2, a=2), False, 1, False),
        (None, None, False, 0, False),
    ],
)
def test_bookkeeping_counts_as_a_change_only_where_it_is_asked_for(before, after, noise, count, is_only_noise):
    found = difference(before, after, noise=noise)
    assert (len(found["changes"]), found["is_only_noise"], found["hidden"]) == (count, is_only_noise, 0)


@pytest.mark.parametrize(("before", "after", "is_there"), [(None, pod(1), (False, True)), (pod(1), None, (True, False))])
def test_object_that_is_made_or_gone_is_a_difference(before, after, is_there):
    found = difference(before, after, noise=False)
    assert found["is_there"] == is_there and found["changes"]


def test_only_so_many_changes_are_listed(monkeypatch):
    monkeypatch.setattr(difference_module, "CHANGES_MAX", 2)
    found = difference(pod(1, a=1, b=1, c=1), pod(1, a=2, b=2, c=2), noise=False)
    assert (len(found["changes"]), found["hidden"]) == (2, 1)


@pytest.mark.parametrize(
    ("revisions", "wanted", "place"), [((1, 1, 2, 2), 2, 2), ((1, 1, 1), 2, 3), ((2, 2), 2, 0), ((), 2, 0), ((None, None, 2), 2, 2)]
)
def test_first_record_of_the_last_state_is_found(monkeypatch, revisions, wanted, place):
    monkeypatch.setattr(difference_module, "_world", lambda scene, seq: revisions[seq])
    monkeypatch.setattr(difference_module, "document_of", lambda world, subject: world and pod(world))
    assert _first_with(SimpleNamespace(), "pod/default/web", [*range(len(revisions))], pod(wanted)) == place


@pytest.mark.parametrize(("until", "since", "left"), [("5", None, "5"), (None, "6", "6"), (None, None, "")])
def test_of_a_countdown_only_its_end_is_part_of_a_tag(until, since, left):
    assert _kept({"until": until, "since": since}) == left


def test_what_a_tag_leaves_out_has_these_names():
    assert {"until", "since"} <= set(re.compile(UNSEEN).groupindex)
