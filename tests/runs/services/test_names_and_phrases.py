"""Nicknames and phrases: just as long as they may be, and normalized."""

import pytest

from simulator.runs.services.errors import Refused
from simulator.runs.services.progress import (
    NICKNAME_MAX,
    NICKNAME_MIN,
    PHRASE_MAX,
    PHRASE_MIN,
    PHRASE_SIGNS_MIN,
    TYPED_MAX,
    check_names,
    folded,
)

PHRASE = "four quite long words"
SIGNS = "abcdefghijklmnopqrstuvwxyz"


def phrase(length, signs=PHRASE_SIGNS_MIN):
    return (SIGNS[:signs] * length)[:length]


@pytest.mark.parametrize(
    ("nickname", "is_accepted"),
    [
        ("x" * NICKNAME_MIN, True),
        ("x" * (NICKNAME_MIN - 1), False),
        ("x" * NICKNAME_MAX, True),
        ("x" * (NICKNAME_MAX + 1), False),
        ("kim" + " " * (TYPED_MAX - 3), True),
        ("kim" + " " * (TYPED_MAX - 2), False),
    ],
)
def test_nickname_is_of_some_length(nickname, is_accepted):
    if is_accepted:
        assert check_names(nickname, PHRASE) == (nickname.strip(), PHRASE)
    else:
        with pytest.raises(Refused):
            check_names(nickname, PHRASE)


@pytest.mark.parametrize(
    ("typed", "is_accepted"),
    [
        (phrase(PHRASE_MIN), True),
        (phrase(PHRASE_MIN - 1), False),
        (phrase(PHRASE_MAX), True),
        (phrase(PHRASE_MAX + 1), False),
        (phrase(PHRASE_MIN, PHRASE_SIGNS_MIN - 1), False),
        (PHRASE.ljust(2 * PHRASE_MAX), True),
        (PHRASE.ljust(2 * PHRASE_MAX + 1), False),
    ],
)
def test_phrase_is_of_some_length_and_of_several_characters(typed, is_accepted):
    if is_accepted:
        assert check_names("kim", typed) == ("kim", typed.strip())
    else:
        with pytest.raises(Refused):
            check_names("kim", typed)


@pytest.mark.parametrize(("typed", "text"), [("  Kim   Lee ", "kim lee"), ("ＫＩＭ", "kim"), ("Straße", "strasse"), ("abcdef", "abcd")])
def test_case_forms_and_spaces_make_no_difference(typed, text):
    assert folded(typed, most=3 if typed == "abcdef" else 20) == text
