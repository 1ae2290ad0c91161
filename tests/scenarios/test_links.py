"""Scenarios in the fragment of a link: deflate-raw and base64url, with limits."""

import base64
import zlib

import pytest

from simulator.scenarios.build import story_content
from simulator.scenarios.links import LENGTH_MAX, LONG, TEXT_MAX, BadLink, packed, unpacked
from simulator.scenarios.portable import file_text
from simulator.scenarios.story import read_stories


def fragment(body: bytes) -> str:
    return "v1d:" + base64.urlsafe_b64encode(body).rstrip(b"=").decode()


def deflated(data: bytes) -> bytes:
    deflate = zlib.compressobj(wbits=-15)
    return deflate.compress(data) + deflate.flush()


@pytest.mark.parametrize("text", ["", "a", "{}", "边车 ✓ 🙂", "x" * 100_000])
def test_text_comes_back(text):
    assert unpacked(packed(text)) == text


def test_whole_address_is_read_as_well():
    assert unpacked(f"  https://podscope.example/x/#{packed('{}')}\n") == "{}"


@pytest.mark.parametrize("story", read_stories(), ids=lambda story: story.slug)
def test_every_story_fits_into_a_short_link(story):
    assert len(packed(file_text(story_content(story), title=story.title, indent=0))) < LONG


def test_what_is_too_large_is_not_packed():
    noise = base64.b64encode(bytes((n * n * 7919 >> 3) % 251 for n in range(200_000))).decode()
    with pytest.raises(BadLink, match="too large"):
        packed(noise + str([hash(str(n)) for n in range(20_000)]))


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("", "v1d:"),
        ("https://podscope.example/r/1/", "v1d:"),
        ("v2z:abc", "v1d:"),
        ("v1d:ab cd", "characters"),
        ("v1d:ab+/", "characters"),
        ("v1d:____", "damaged"),
        (fragment(deflated(b"abcdefgh" * 40))[:-6], "lost its end|damaged"),
        (fragment(deflated(b"\xff\xfe")), "damaged"),
        ("v1d:" + "A" * LENGTH_MAX, "too long"),
        (fragment(deflated(b"x" * (TEXT_MAX + 1))), "too large"),
    ],
)
def test_link_that_holds_nothing_readable_says_why(link, why):
    with pytest.raises(BadLink, match=why):
        unpacked(link)
