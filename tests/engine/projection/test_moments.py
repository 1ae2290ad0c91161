"""Moments as kubectl shows them."""

from simulator.engine.apiserver.documents.moments import long_date, since, timestamp


def test_timestamp_is_cut_to_whole_seconds() -> None:
    assert timestamp(48_999, 1_767_225_600) == "2026-01-01T00:00:48Z"


def test_long_date_names_the_weekday() -> None:
    assert long_date("2026-11-20T04:54:51Z") == "Fri, 20 Nov 2026 04:54:51 +0000"


def test_age_counts_from_the_whole_second_in_which_it_was_stored() -> None:
    assert since(1_900, 4_000) == "3s"


def test_age_is_unknown_when_there_is_no_moment() -> None:
    assert since(None, 4_000) == "<unknown>"
