"""The words that the stories show, as listed on the page of reasons."""

import pytest

from simulator.engine.rules import explain
from simulator.scenarios.reasons import FILE, as_json, collect, read_reasons
from simulator.web.base.stories import builtin_stories
from tests.scenarios.followed import STORIES, followed


def test_every_word_of_the_stories_is_listed(golden):
    golden(FILE, as_json(collect(list(builtin_stories().values()))))


@pytest.mark.parametrize("acted", [False, True])
@pytest.mark.parametrize("slug", STORIES)
def test_what_is_said_of_a_record_lacks_no_value(slug, acted):
    records, _ = followed(slug, acted=acted)
    first = [explain.why(records, record.seq, limit=1)[0] for record in records]
    assert [(step.seq, step.rule_id) for step in first if "…" in step.sentence.english + step.headline.english] == []


def test_every_place_is_where_its_word_is_said():
    for reason in read_reasons():
        for seen in reason.seen:
            records, _ = followed(seen.story, acted=seen.acted)
            record = records[seen.seq - 1]
            assert (record.at_ms, record.subject) == (seen.at_ms, seen.subject)
