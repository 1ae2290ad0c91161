"""The id of a content: a digest that outlives releases, since links are made of it."""

import base64
import hashlib
import json

import pytest

from simulator.runs.log.content import content_id, encode_content
from tests.factories import make_content


def letters(data: bytes) -> str:
    return base64.b32encode(hashlib.sha256(data).digest()).decode().rstrip("=").lower()


@pytest.mark.parametrize("length", [10, 11, 52])
def test_id_is_the_beginning_of_a_digest_of_the_text(length: int) -> None:
    content = make_content()
    assert content_id(content, length=length) == letters(encode_content(content).encode())[:length]


def test_words_shown_with_a_content_are_part_of_its_id() -> None:
    content = make_content()
    text = json.dumps([encode_content(content), "title", "标题"], ensure_ascii=False, separators=(",", ":"))
    assert content_id(content, "title", "标题") == letters(text.encode())[:10]
