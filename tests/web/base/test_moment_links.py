"""Links to a moment contain what can be parsed, and no more."""

from urllib.parse import parse_qs

from simulator.web.base.common import Moment


def test_characters_that_show_nothing_are_left_out_and_the_rest_of_a_text_stays():
    noted = Moment(look=(("notes", "one\u200btwo \u202ethree\ufffd"),)).query()
    assert parse_qs(noted.removeprefix("?")) == {"notes": ["onetwo three"]}


def test_text_of_nothing_else_is_no_part_of_a_link():
    assert Moment(sel="\x00\u200b").query() == ""
