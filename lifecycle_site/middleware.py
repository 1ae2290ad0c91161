"""Headers that confine a page to its own origin and visitor: a strict Content-Security-Policy, no inline code, no shared caches."""

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
    """Allow any site to show the response in a frame, and return it. The rest of the policy is unchanged."""
    response.may_be_framed = True  # type: ignore[attr-defined]
    response.xframe_options_exempt = True  # the attribute that Django's own middleware checks
    return response


class SecurityHeadersMiddleware:
    """Adds the policies to every response. The socket's origin is listed because older versions of Safari do not include it in 'self'."""

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
    """Keep responses that depend on a cookie, or set one, out of shared caches, and stop caches from guessing how long to keep a page.

    A response that has its own Cache-Control and does not depend on cookies is left alone.
    """
    control = response.headers.get("Cache-Control", "")
    is_own = bool(response.cookies) or has_vary_header(response, "Cookie")
    if not control or (is_own and not any(word in control for word in ("private", "no-store"))):
        response.headers["Cache-Control"] = "private, no-cache"


def _connect_sources(request: HttpRequest) -> str:
    """'self' and the page's own host with the socket's scheme; only 'self' if the Host header is not allowed.

    In that case pages answer 400, but static files are served as usual: WhiteNoise does not check the header.
    """
    try:
        host = request.get_host()
    except DisallowedHost:
        return "'self'"
    return f"'self' {'wss' if request.is_secure() else 'ws'}://{host}"
