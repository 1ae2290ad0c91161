import pytest
from django.http import HttpResponse

from lifecycle_site.middleware import SecurityHeadersMiddleware


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
