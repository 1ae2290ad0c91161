"""No sentence of the browser's narrator, search and cards shows a path, an internal word or a placeholder, in any language."""

import json
import re
import subprocess

import pytest
from django.utils import translation

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Scalar
from simulator.engine.projection.text import fill
from simulator.web.base.rules import browser_texts
from simulator.web.presenters import js_message_sources, js_messages
from tests.sentences.corpus import Told, told_records
from tests.sentences.raw import API_WORDS, LANGUAGES, NAMES, ONE, QUOTES, counts, in_sentence, of_act
from tests.site.test_scripts import NODE, QUIET, ROOT

QUOTED = "Quoted"
PROGRAMS = frozenset({"kubelet", "drain", "taint"})
"""Words in the names of machines that no language translates here."""


def told_by_browser(records: list[Record], language: str) -> dict[str, list[str]]:
    """The page's sentences about records, before and after the texts of rules are loaded."""
    with translation.override(language):
        given = {"i18n": js_messages(), "rules": browser_texts(), "rows": [row_of(record) for record in records]}
    command = [NODE, QUIET, "--import", "./tests/js/setup.mjs", "tests/js/tell.mjs"]
    done = subprocess.run(command, cwd=ROOT, input=json.dumps(given), capture_output=True, text=True, timeout=60, check=True)
    told: dict[str, list[str]] = json.loads(done.stdout)
    return told


def row_of(record: Record) -> list[object]:
    """A record in wire format, with its quotations masked."""
    data = [[name, QUOTED if name in QUOTES and value else value] for name, value in record.data]
    fields = [getattr(record, name) for name in record.__struct_fields__[:-1]]
    return [*fields, data]


def raw_words(told: Told, sentence: str, language: str) -> list[str]:
    """The internal words in a sentence: compound ones in any language, all in Chinese."""
    record = told.record
    words: list[Scalar] = [record.machine, record.source, record.target, *(value for name, value in record.data if name not in NAMES)]
    pattern = r"[a-z]+(?:[_-][a-z]+)+" if language == "en" else r"(?=[a-z_-]{3})[a-z]+(?:[_-][a-z]+)*"
    codes = [
        word for word in words if isinstance(word, str) and re.fullmatch(pattern, word) and word not in told.names | API_WORDS | PROGRAMS
    ]
    return [word for word in codes if re.search(rf"(?<![\w./-]){word}(?![\w./-])", sentence)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_that_the_browser_tells_is_raw(language):
    everything = [told for told in told_records() if told.record.kind != "decision"]  # no page describes those in this way
    sentences = told_by_browser([told.record for told in everything], language)
    found = {}
    for when, said in sentences.items():
        for told, sentence in zip(everything, said, strict=True):
            raw = [*in_sentence(hidden(sentence, told)), *raw_words(told, sentence, language), *of_act(told.record, sentence)]
            raw += [] if sentence else ["nothing"]
            if raw and not told.is_bare:
                found.setdefault((told.record.machine, told.record.target, *raw), (when, told.where, sentence))
    assert found == {}


def hidden(sentence: str, told: Told) -> str:
    """The sentence without the role by which an act named something, which readers write like that themselves."""
    return sentence.replace(str(told.record.get("role") or "\0"), "X")


MORE_THAN_ONE = frozenset(
    {
        *("presence.many", "count.pods", "path.steps", "story.attempt_again", "result.cluster", "events.cluster"),
        *("ended.limit_records", "ended.limit_pods", "ended.quarantined", "futures.only"),
    }
)
"""Texts that are always plural, are about a limit, or count nothing."""


def test_every_text_of_the_scripts_that_counts_can_count_one():
    told = {key: fill(text, dict.fromkeys((*counts(text), "pods"), 1)) for key, text in js_message_sources().items()}
    assert {key: raw for key, text in told.items() if key not in MORE_THAN_ONE and (raw := ONE.findall(text))} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_record_without_data_is_told_without_its_words(language):
    bare = [told for told in told_records() if told.is_bare]
    found = {}
    for told, sentence in zip(bare, told_by_browser([told.record for told in bare], language)["after"], strict=True):
        if raw := [part for part in in_sentence(sentence) if part != "…"] + raw_words(told, sentence, language):
            found[told.where] = (raw, sentence)
    assert found == {}


def test_what_rules_tell_is_told_once_they_are_there():
    record = Record(
        1, 0, "note", "horizontalpodautoscaler/default/web", "note", "", "", "no-metrics", 0, "HPA-NO-METRICS", (("why", "none"),)
    )
    told = told_by_browser([record], "en")
    assert told["before"] == ["Something changed: web"]
    assert told["after"] == [f"The autoscaler cannot say how many replicas are needed: {QUOTED}."]
