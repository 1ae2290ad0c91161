"""Headers that keep a page to its own origin and its own visitor: a strict Content-Security-Policy, no inline code, no shared cache."""

from collections.abc import Callable

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.cache import has_vary_header

POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src {connect}",
        "object-src 'none'",
        "frame-ancestors {ancestors}",
        "base-uri 'none'",
        "form-action 'self'",
    )
)


def framed(response: HttpResponse) -> HttpResponse:
    """The same answer, which every site may show in a frame. Nothing else of the policy changes."""
    response.may_be_framed = True  # type: ignore[attr-defined]
    response.xframe_options_exempt = True  # what Django's own middleware looks at
    return response


class SecurityHeadersMiddleware:
    """Adds the policies to every answer. The socket's own origin is named because older Safari does not count it as 'self'."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        ancestors = "*" if getattr(response, "may_be_framed", False) else "'none'"
        policy = POLICY.format(connect=_connect_sources(request), ancestors=ancestors)
        response.headers.setdefault("Content-Security-Policy", policy)
        keep_apart(response)
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        return response


def keep_apart(response: HttpResponse) -> None:
    """See to it that no cache keeps for others what a cookie had a say in, or what sets one; and that none guesses how long to keep a page.

    An answer that says how it may be kept, and to which no cookie matters, stays as it is.
    """
    control = response.headers.get("Cache-Control", "")
    is_own = bool(response.cookies) or has_vary_header(response, "Cookie")
    if not control or (is_own and not any(word in control for word in ("private", "no-store"))):
        response.headers["Cache-Control"] = "private, no-cache"


def _connect_sources(request: HttpRequest) -> str:
    """'self' and the page's own host with the socket's scheme; only 'self' where the Host header is refused.

    Pages are answered with 400 then; static files, which WhiteNoise serves without looking at the header, as ever.
    """
    try:
        host = request.get_host()
    except DisallowedHost:
        return "'self'"
    return f"'self' {'wss' if request.is_secure() else 'ws'}://{host}"
