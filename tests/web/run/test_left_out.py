"""The parts of a run's YAML that are no objects of it: found once, and not searched for again for each panel."""

from uuid import uuid4

import pytest
from django.utils import translation

from simulator.web.base.caches import LEFT_OUT
from simulator.web.run import left_out
from simulator.web.run.left_out import left_out_of


class Unread(str):
    """A text that must not be scanned."""

    def encode(self, *args: object) -> bytes:
        raise AssertionError("it was gone through again")


@pytest.fixture
def asked(monkeypatch):
    """The texts that are scanned inside the block."""
    texts: list[str] = []
    monkeypatch.setattr(left_out, "left_out", lambda text, **fields: texts.append(text) or (text,))
    return texts


def test_text_of_a_run_is_gone_through_once(asked):
    run = uuid4()
    assert [left_out_of(run, text, "1.30") for text in ("a", Unread("a"), Unread("a"))] == [("a",)] * 3
    assert asked == ["a"]


def test_each_run_and_language_has_its_own(asked):
    one, other = uuid4(), uuid4()
    left_out_of(one, "a", "1.30")
    left_out_of(other, "b", "1.30")
    with translation.override("zh-hans"):
        left_out_of(one, "a", "1.30")
    assert asked == ["a", "b", "a"]


def test_no_more_are_kept_than_may(asked, monkeypatch):
    monkeypatch.setattr(LEFT_OUT, "most", 2)
    runs = [uuid4() for _ in range(3)]
    for run in (*runs, runs[-1], runs[0]):
        left_out_of(run, "a", "1.30")
    assert len(asked) == 4
