"""Errors are explained by pages that do not fail because of what they explain."""

import json

import pytest
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404
from django.test import Client

from lifecycle_site import bodies
from simulator.web.pages import failures

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"
PARTS = '--x\r\nContent-Disposition: form-data; name="code"\r\n\r\nb\r\n--x--\r\n'
OTHERS = ["utf-7", "hex", "idna", "utf-16", "latin-1", "nonsense", "punycode", "", "a" * 2000]
"""Encodings known to Python: not for text, raising on use, and unknown ones."""
PATHS = ["/new/", "/class/", "/nothing/here/", "/admin/login/", "/i18n/setlang/", "/manifests/check/"]


@pytest.fixture
def visitor():
    """A browser for which errors become answers instead of exceptions, with CSRF checks."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.cookies["csrftoken"] = "a" * 32
    return client


@pytest.mark.parametrize("path", PATHS)
def test_form_in_another_encoding_is_refused_with_a_message_wherever_it_goes(visitor, path):
    answer = visitor.generic("POST", path, b"a=b", content_type=f"{FORM}; charset=utf-7")
    assert answer.status_code == 400 and "accepts only UTF-8" in answer.content.decode()


@pytest.mark.parametrize("charset", OTHERS)
@pytest.mark.parametrize(("kind", "body"), [(FORM, "a=b"), ("multipart/form-data; boundary=x", PARTS), ("text/plain", "a")])
def test_no_other_encoding_is_read(visitor, kind, body, charset):
    assert visitor.generic("POST", "/class/", body.encode(), content_type=f"{kind}; charset={charset}").status_code == 400


def test_refusal_of_an_encoding_is_json_for_a_script(visitor):
    answer = visitor.generic("POST", "/class/", b"a=b", content_type=f"{FORM}; charset=utf-7", headers={"Accept": "application/json"})
    assert answer.status_code == 400 and "UTF-8" in json.loads(answer.content)["text"]


def test_body_in_another_encoding_is_not_looked_at(visitor, monkeypatch):
    monkeypatch.setattr("django.http.request.HttpRequest.body", property(lambda request: pytest.fail("the body was read")))
    assert visitor.generic("POST", "/class/", b"a=b", content_type=f"{FORM}; charset=utf-7").status_code == 400


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"'])
def test_utf8_is_read(client, charset):
    assert client.post("/class/", "path=", content_type=f"{FORM}; charset={charset}").status_code == 302


UNPARSED = ["x; charset*=hex''%41", "x; charset*=utf-8''a%00b", "x; charset*0*=x"]
UNPARSED += [";" * 900, "x; =", "x;charset", '"', ";charset*='", "x" * 1_001]


@pytest.mark.parametrize("kind", UNPARSED)
def test_content_type_that_cannot_be_parsed_is_decided_without_an_error(kind):
    assert bodies.is_utf8(kind) in (True, False)


async def test_application_never_meets_an_encoding_that_it_does_not_know():
    seen = []

    async def application(scope, receive, send):
        seen.append(scope)

    headers = [(b"host", b"localhost"), (b"content-type", b"text/plain; charset*=utf-8''a%00b")]
    await bodies.ReadableBodies(application)({"type": "http", "headers": headers}, None, None)
    assert seen[0]["headers"] == headers[:1] and seen[0][bodies.BODY_UNREADABLE]


ERRORS = [
    (BadRequest("no"), 400),
    (SuspiciousOperation("no"), 400),
    (PermissionDenied("no"), 403),
    (Http404("no"), 404),
    (ValueError("no"), 500),
    (RecursionError("no"), 500),
    (OperationalError("database is locked"), 503),
]


@pytest.fixture(params=ERRORS, ids=lambda each: type(each[0]).__name__)
def failing(request, monkeypatch):
    """A view that raises; returns the status of the answer."""

    def fail():
        raise request.param[0]

    monkeypatch.setattr("simulator.web.pages.health.health", fail)
    return request.param[1]


def test_whatever_a_view_raises_is_a_page_for_people(visitor, failing):
    answer = visitor.get("/healthz", headers={"Accept": "text/html"})
    assert answer.status_code == failing and "<h1>" in answer.content.decode()


def test_whatever_a_view_raises_is_json_for_scripts(visitor, failing):
    answer = visitor.get("/healthz", headers={"Accept": "application/json"})
    assert answer.status_code == failing and json.loads(answer.content)["text"]


def test_page_for_an_error_that_fails_itself_is_told_in_words(visitor, failing, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("no templates")

    for place in ("render", "loader", "away", "refusal"):
        monkeypatch.setattr(failures, place, fail)
    monkeypatch.setattr("simulator.web.base.guards.refusal", fail)
    answer = visitor.get("/healthz", headers={"Accept": "text/html"})
    assert answer.status_code == 500 and "Something went wrong on our side" in answer.content.decode()


def test_refused_token_is_reported_with_a_message_where_its_page_fails(visitor, monkeypatch):
    monkeypatch.setattr(failures, "render", None)
    answer = visitor.post("/class/", {"path": ""})
    assert answer.status_code == 500 and "Something went wrong on our side" in answer.content.decode()


@pytest.mark.parametrize("field", ["name*=hex''%41", "name*=utf-8''a%00b", "name*=x'y", "name=\"a\"; filename*=hex''%41", "", "name"])
def test_part_of_a_form_with_a_broken_header_is_no_failure(visitor, field):
    body = f"--x\r\nContent-Disposition: form-data; {field}\r\n\r\nb\r\n--x--\r\n"
    assert visitor.post("/class/", body, content_type="multipart/form-data; boundary=x").status_code in (400, 403)


MIXED = "name*=utf-8''a; name*0=b"
"""One parameter with a number and one without, which Python's header parser cannot sort."""


@pytest.mark.parametrize("path", [*PATHS, "/healthz", "/x/"])
@pytest.mark.parametrize("header", [f"Content-Disposition: form-data; {MIXED}", f"Content-Disposition: form-data; name=a\r\nX: b; {MIXED}"])
def test_form_with_a_part_whose_headers_no_parser_reads_is_refused_with_a_message(visitor, path, header):
    body = f"--x\r\n{header}\r\n\r\nb\r\n--x--\r\n"
    answer = visitor.post(path, body, content_type="multipart/form-data; boundary=x")
    assert answer.status_code in (400, 404) and "Traceback" not in answer.content.decode()
    assert answer.status_code == 404 or "form cannot be read" in answer.content.decode()


@pytest.mark.parametrize(
    ("error", "accept", "status", "kind"),
    [
        (None, "text/html", 500, "text/html"),
        (ValueError("no"), "text/html", 500, "text/html"),
        (ValueError("no"), "application/json", 500, "application/json"),
        (OperationalError("database is locked"), "text/html", 503, "text/html"),
        (OperationalError("database is locked"), "application/json", 503, "application/json"),
    ],
)
def test_failure_before_any_view_is_told_as_what_it_is(rf, error, accept, status, kind):
    request = rf.get("/", HTTP_ACCEPT=accept)
    try:
        if error is not None:
            raise error
    except Exception:
        answer = failures.server_error(request)
    else:
        answer = failures.server_error(request)
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (status, kind)
