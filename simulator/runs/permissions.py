"""Permissions: a browser carries one signed key, and a run stores its hash. The key's holder controls the run; others watch and fork."""

import hashlib
import hmac
import secrets
from collections.abc import Callable

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, parse_cookie
from django.utils.crypto import salted_hmac

from lifecycle_site.visitors import visitor_at
from simulator.models import Run

COOKIE = "podscope_owner"
COOKIE_AGE_S = 365 * 24 * 3600
OWNER, VIEWER = "owner", "viewer"
_SALT, _ADDRESS_SALT = "podscope.owner", "podscope.address"
_KNOWN, _FRESH = "podscope.owner_key", "podscope.owner_key_is_new"


def hash_key(owner_key: str) -> str:
    """The hash of an owner's key that a run stores, so that a leaked database gives nobody control."""
    return hashlib.sha256(owner_key.encode()).hexdigest()


def hash_address(address: str) -> str:
    """The hash of the address of the visitor who opened a run: enough for counting, useless without the site's key; empty if unknown."""
    visitor = visitor_at(address)
    return salted_hmac(_ADDRESS_SALT, visitor).hexdigest() if visitor else ""


def address_hash_of(request: HttpRequest) -> str:
    """The hash of the request's address; empty if it has none."""
    return hash_address(str(request.META.get("REMOTE_ADDR", "")))


def role_of(run: Run, owner_key: str | None) -> str:
    """``owner`` for the holder of the key with which the run was made, otherwise ``viewer``. Frozen runs have no owner."""
    if run.is_frozen or not run.owner_hash or not owner_key:
        return VIEWER
    return OWNER if hmac.compare_digest(run.owner_hash, hash_key(owner_key)) else VIEWER


def known_key(request: HttpRequest) -> str | None:
    """The key that this browser sent, or None. Never makes one."""
    if _KNOWN not in request.META:
        request.META[_KNOWN] = read_cookie(request.COOKIES.get(COOKIE, ""))
    key: str | None = request.META[_KNOWN]
    return key


def owner_key(request: HttpRequest) -> str:
    """This browser's key; made on first use, and then set as a cookie by OwnerMiddleware."""
    key = known_key(request)
    if key is None:
        key = secrets.token_urlsafe(24)
        request.META[_KNOWN], request.META[_FRESH] = key, True
    return key


def forget_new_key(request: HttpRequest) -> None:
    """Discard a key that this request made, because another process handles the request from the start and makes its own."""
    if request.META.pop(_FRESH, False):
        del request.META[_KNOWN]


def role_for(request: HttpRequest, run: Run) -> str:
    """The role of the requesting browser."""
    return role_of(run, known_key(request))


def read_cookie(value: str) -> str | None:
    """The key inside a signed cookie, or None if it is absent, forged or too old."""
    try:
        return str(signing.loads(value, salt=_SALT, max_age=COOKIE_AGE_S)) if value else None
    except signing.BadSignature:
        return None


def key_from_headers(headers: list[tuple[bytes, bytes]]) -> str | None:
    """The key sent with a websocket's handshake, or None."""
    for name, value in headers:
        if name == b"cookie":
            return read_cookie(parse_cookie(value.decode("latin-1")).get(COOKIE, ""))
    return None


class OwnerMiddleware:
    """Sends a key that was made during the request to the browser."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.META.get(_FRESH):
            response.set_cookie(
                COOKIE,
                signing.dumps(request.META[_KNOWN], salt=_SALT),
                max_age=COOKIE_AGE_S,
                httponly=True,
                secure=settings.SESSION_COOKIE_SECURE,
                samesite="Lax",
            )
        return response
