import pytest
from django.http import HttpResponse

from lifecycle_site.middleware import SecurityHeadersMiddleware, framed, keep_apart


def policy(rf, **extra):
    response = SecurityHeadersMiddleware(lambda request: HttpResponse())(rf.get("/", **extra))
    return dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))


@pytest.mark.parametrize("directive", ["default-src", "script-src", "style-src"])
def test_policy_allows_only_the_own_origin(rf, directive):
    assert policy(rf)[directive] == "'self'"


def test_policy_never_allows_inline_code(rf):
    assert "unsafe" not in str(policy(rf))


def test_policy_names_the_sockets_origin(rf, settings):
    settings.ALLOWED_HOSTS = ["pods.example"]
    assert policy(rf, HTTP_HOST="pods.example:8000")["connect-src"] == "'self' ws://pods.example:8000"


def test_policy_names_no_socket_when_the_host_is_not_ours(rf, settings):
    settings.ALLOWED_HOSTS = ["pods.example"]
    assert policy(rf, HTTP_HOST="evil.example")["connect-src"] == "'self'"


@pytest.mark.parametrize(("allow", "ancestors"), [(framed, "*"), (lambda response: response, "'none'")])
def test_only_what_may_be_framed_names_other_sites(rf, allow, ancestors):
    response = SecurityHeadersMiddleware(lambda request: allow(HttpResponse()))(rf.get("/"))
    assert f"frame-ancestors {ancestors};" in response.headers["Content-Security-Policy"]


OWN = "private, no-cache"
KEPT = [
    ({}, False, OWN),
    ({}, True, OWN),
    ({"Cache-Control": "public, max-age=60"}, False, "public, max-age=60"),
    ({"Cache-Control": "public, max-age=60"}, True, OWN),
    ({"Cache-Control": "public, max-age=60", "Vary": "Cookie"}, False, OWN),
    ({"Cache-Control": "private, max-age=60", "Vary": "Cookie"}, False, "private, max-age=60"),
    ({"Cache-Control": "no-store"}, True, "no-store"),
    ({"Cache-Control": "max-age=60", "Vary": "Accept"}, False, "max-age=60"),
]


@pytest.mark.parametrize(("headers", "sets_cookie", "control"), KEPT)
def test_what_depends_on_a_cookie_is_kept_apart_and_the_rest_as_it_says(headers, sets_cookie, control):
    response = HttpResponse(headers=headers)
    if sets_cookie:
        response.set_cookie("a", "b")
    keep_apart(response)
    assert response.headers["Cache-Control"] == control
