"""A version's settings in the reader's terms."""

from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from django.utils.translation import override

from simulator.engine.versions import FIELDS, MINORS, Profile, resolve, setting
from simulator.web.base.settings_words import CODE_WORDS, value_text

API_WORDS = {"", "1.3", "1.20", "PodHasNetwork", "PodReadyToStartContainers", "Shutdown", "Terminated"}
HINTS = get_type_hints(Profile)
CODES = {code for hint in HINTS.values() if get_origin(hint) is Literal for code in get_args(hint)}
TEXT_FIELDS = [name for name in FIELDS if HINTS[name] is str]


def test_every_code_of_a_profile_has_words():
    assert CODE_WORDS.keys() - {"yes", "no"} == CODES - API_WORDS


@pytest.mark.parametrize("minor", MINORS)
def test_no_text_of_kubernetes_is_taken_for_a_code(minor):
    assert [name for name in TEXT_FIELDS if setting(resolve(minor), name) in CODE_WORDS] == []


@pytest.mark.parametrize("value", ["", "300000", "Started container {name}", "PodHasNetwork"])
def test_what_is_no_code_stays_as_it_is(value):
    with override("zh-hans"):
        assert value_text(value) == value


def test_code_is_told_in_words():
    assert value_text("when_deleted") == "when deleted"
