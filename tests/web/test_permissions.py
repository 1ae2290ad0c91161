from hashlib import sha256

import pytest
from django.core import signing
from django.db import connection
from django.http import HttpResponse

from simulator.runs import permissions
from tests.factories import OWNER, make_run


def visit(rf, cookie=None, *, ask=True):
    request = rf.get("/")
    if cookie:
        request.COOKIES[permissions.COOKIE] = cookie
    keys = []
    view = lambda asked: (keys.append(permissions.owner_key(asked)) if ask else None) or HttpResponse()  # noqa: E731
    return permissions.OwnerMiddleware(view)(request), keys


def test_cookie_is_set_when_a_key_was_made(rf):
    response, [key] = visit(rf)
    assert permissions.read_cookie(response.cookies[permissions.COOKIE].value) == key


def test_cookie_is_kept_from_scripts_and_from_other_sites(rf):
    cookie = visit(rf)[0].cookies[permissions.COOKIE]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_cookie_is_not_set_when_nobody_asked_for_a_key(rf):
    assert not visit(rf, ask=False)[0].cookies


def test_key_is_kept_when_the_browser_brings_it(rf):
    first, [key] = visit(rf)
    second, [again] = visit(rf, first.cookies[permissions.COOKIE].value)
    assert again == key and not second.cookies


@pytest.mark.django_db
def test_key_itself_is_stored_nowhere():
    run = make_run()
    with connection.cursor() as cursor:
        rows = cursor.execute("SELECT * FROM simulator_run").fetchall()
    assert run.owner_hash == sha256(OWNER.encode()).hexdigest()
    assert OWNER not in repr(rows)


@pytest.mark.parametrize("cookie", ["", "nonsense", signing.dumps("key", salt="another")], ids=["empty", "nonsense", "another salt"])
def test_key_is_none_when_the_cookie_is_not_ours(cookie):
    assert permissions.read_cookie(cookie) is None


def test_key_is_found_in_the_headers_of_a_handshake(rf):
    response, [key] = visit(rf)
    cookie = f"a=b; {permissions.COOKIE}={response.cookies[permissions.COOKIE].value}"
    assert permissions.key_from_headers([(b"host", b"x"), (b"cookie", cookie.encode())]) == key


@pytest.mark.parametrize("cookie", [b"", b"\xff=;;=", b"a b c", b"podscope_owner"])
def test_key_is_none_when_the_cookies_of_a_handshake_are_broken(cookie):
    assert permissions.key_from_headers([(b"cookie", cookie)]) is None


@pytest.mark.django_db
def test_role_is_owner_only_for_the_key_of_the_run():
    run = make_run()
    assert [permissions.role_of(run, key) for key in (OWNER, "other", "", None)] == ["owner", "viewer", "viewer", "viewer"]
