import tracemalloc
from urllib.parse import quote_plus

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from lifecycle_site import bodies
from lifecycle_site.bodies import CONTENT_TYPE_CHARS_MAX, URLENCODED, is_utf8, load_form


def decoded(rf, body, *, kind=URLENCODED, fields_max=100):
    request = rf.generic("POST", "/", body, content_type=kind)
    load_form(request, fields_max=fields_max)
    return request


@given(st.lists(st.sampled_from([b"a", b"=", b"&", b"%", b"%5B", b"%e4%bd%a0", b"%e4", b"+", b"%zz", b"2", "ä".encode()]), max_size=40))
def test_form_is_decoded_as_django_does(parts):
    from django.test import RequestFactory

    body = b"".join(parts)
    assert QueryDict(body, encoding="utf-8") == decoded(RequestFactory(), body).POST


@pytest.mark.parametrize("shift", range(4))
def test_escapes_are_whole_where_a_body_is_cut(rf, monkeypatch, shift):
    monkeypatch.setattr(bodies, "PIECE", 7)
    text = "x" * shift + "你好, [wörld] " * 20
    assert decoded(rf, f"text={quote_plus(text)}".encode()).POST["text"] == text


def test_decoding_takes_little_memory(rf):
    body = b"text=" + b"%5B" * 1_000_000
    tracemalloc.start()
    assert decoded(rf, body).POST["text"] == "[" * 1_000_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * len(body)


@pytest.mark.parametrize(("kind", "fields_max"), [("application/json", 100), (f"{URLENCODED}; charset=latin-1", 100), (URLENCODED, 1)])
def test_other_bodies_are_left_to_django(rf, kind, fields_max):
    assert not hasattr(decoded(rf, b"a=1&b=2", kind=kind, fields_max=fields_max), "_post")


def test_charset_that_scripts_name_changes_nothing(rf):
    assert decoded(rf, b"a=1", kind=f"{URLENCODED};charset=UTF-8")._post == QueryDict("a=1")


LONG = f"text/plain; charset=utf-8; x={'y' * CONTENT_TYPE_CHARS_MAX}"[:CONTENT_TYPE_CHARS_MAX]


@pytest.mark.parametrize(
    ("kind", "is_read"),
    [
        ("", True),
        ("text/plain", True),
        ("text/plain; charset=UTF-8", True),
        ("text/plain; charset=utf8", False),
        ("text/plain; charset=latin-1", False),
        (LONG, True),
        (f"{LONG}y", False),
    ],
)
def test_only_content_types_of_utf8_and_of_some_length_are_read(kind, is_read):
    assert is_utf8(kind) is is_read


@pytest.mark.parametrize(("fields", "is_left"), [(3, False), (4, True)])
def test_form_with_just_as_many_fields_as_allowed_is_decoded(rf, fields, is_left):
    assert hasattr(decoded(rf, b"&".join([b"a=1"] * fields), fields_max=3), "_post") is not is_left
