"""Progress documents: merging two, and rejecting invalid ones."""

import json
from pathlib import Path

import pytest

from simulator.runs.services.progress_document import BYTES_MAX, ENTRIES_MAX, BadProgress, progress_text, read_progress, united

CASES = json.loads((Path(__file__).parents[2] / "levels" / "progress.json").read_text())
READ = [read_progress(json.dumps(case[name])) for case in CASES for name in ("one", "other")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_two_documents_become_one_whichever_comes_first(case):
    one, other, both = (read_progress(json.dumps(case[name])) for name in ("one", "other", "both"))
    assert (united(one, other), united(other, one)) == (both, both)


def test_what_is_united_again_stays_as_it_is():
    for one in READ:
        for other in READ:
            assert united(united(one, other), other) == united(one, other)


def test_order_of_three_browsers_makes_no_difference():
    for one, other, third in zip(READ, READ[1:], READ[2:], strict=False):
        assert united(united(one, other), third) == united(one, united(other, third))


HOSTILE = {
    "no JSON": "{",
    "a list": "[]",
    "deep": "[" * 10_000,
    "another field": '{"hints": {}}',
    "another field of a level": '{"levels": {"a": {"solution": 1}}}',
    "a day that is none": '{"levels": {"a": {"passed": "<b>"}}}',
    "a day with a line break": '{"levels": {"a": {"passed": "2026-11-02\\n"}}}',
    "a negative number": '{"levels": {"a": {"tries": -1}}}',
    "a huge number": '{"asks": {"a": {"right": 1, "due": 1e400}}}',
    "a fraction": '{"asks": {"a": {"right": 1, "due": 1.5}}}',
    "a foreign page": '{"asks": {"a": {"right": 1, "due": 1, "home": "//evil.example/"}}}',
    "a foreign page by another slash": '{"asks": {"a": {"right": 1, "due": 1, "home": "/\\\\evil.example/"}}}',
    "a script for a page": '{"asks": {"a": {"right": 1, "due": 1, "home": "javascript:alert(1)"}}}',
    "a long key": json.dumps({"levels": {"a" * 121: {}}}),
    "a long text": json.dumps({"asks": {"a": {"right": 0, "due": 0, "text": "a" * 601}}}),
    "many entries": json.dumps({"levels": {str(n): {} for n in range(ENTRIES_MAX + 1)}}),
    "a step that is none": '{"stories": {"s": ["<b>"]}}',
    "half a character": '{"levels": {"\ud800": {}}}',
    "an exam of no moment": '{"exams": {"x": {"minutes": 1, "tasks": [{"key": "a"}]}}}',
    "an exam without a task": '{"exams": {"1": {"minutes": 1, "tasks": []}}}',
    "an exam that leads elsewhere": '{"exams": {"1": {"minutes": 1, "tasks": [{"key": "a", "run": "//evil.example/"}]}}}',
    "many exams": json.dumps({"exams": {str(n): {"minutes": 1, "tasks": [{"key": "a"}]} for n in range(1, 7)}}),
    "a large one": json.dumps({"asks": {"a": {"right": 0, "due": 0, "text": "a" * BYTES_MAX}}}),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_progress_is_refused_in_few_words(text):
    with pytest.raises(BadProgress) as refused:
        read_progress(text)
    assert 5 < len(str(refused.value)) <= 200


def test_what_is_kept_is_read_again():
    for progress in READ:
        assert read_progress(progress_text(progress)) == progress
