"""The headers of every answer, whichever part of the site gives it."""

import gzip
import re

import pytest
from django.test import Client

from lifecycle_site.throttle import ThrottleMiddleware

pytestmark = pytest.mark.django_db


@pytest.fixture
def static_file(settings, tmp_path) -> str:
    (tmp_path / "page.js").write_text("1")
    settings.STATIC_ROOT = tmp_path
    return "/static/page.js"


def policy(answer) -> str:
    return answer.headers.get("Content-Security-Policy", "")


def test_static_file_carries_the_policy(static_file):
    answer = Client().get(static_file)
    answer.close()
    assert answer.status_code == 200
    assert policy(answer).startswith("default-src 'self'")


def test_static_file_asked_for_under_another_name_names_no_socket(static_file):
    answer = Client().get(static_file, headers={"host": "evil.example"})
    answer.close()
    assert answer.status_code == 200 and "connect-src 'self';" in policy(answer)


def test_static_file_that_has_not_changed_carries_the_policy(static_file):
    first = Client().get(static_file)
    first.close()
    answer = Client().get(static_file, headers={"If-Modified-Since": first.headers["Last-Modified"]})
    answer.close()
    assert answer.status_code == 304
    assert policy(answer)


@pytest.mark.parametrize("address", ["/nothing/here/", "/static/nothing.js"])
def test_answer_of_what_is_not_there_carries_the_policy(address):
    answer = Client().get(address)
    assert answer.status_code == 404
    assert policy(answer)


def test_answer_of_a_failure_carries_the_policy(monkeypatch):
    def fail() -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("simulator.web.pages.health.health", fail)
    answer = Client(raise_request_exception=False).get("/healthz")
    assert answer.status_code == 500
    assert policy(answer)


def test_answer_to_a_name_that_is_not_ours_carries_the_policy():
    answer = Client().get("/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "evil.example" not in policy(answer)
    assert policy(answer)


def test_failure_of_another_middleware_carries_the_policy(monkeypatch):
    def fail(self: object, request: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(ThrottleMiddleware, "__call__", fail)
    answer = Client(raise_request_exception=False).get("/healthz")
    assert answer.status_code == 500
    assert policy(answer)


def test_page_is_compressed_if_accepted_and_its_length_reveals_nothing(client):
    answers = [client.get("/new/", HTTP_ACCEPT_ENCODING="gzip") for _ in range(12)]
    assert {answer.headers["Content-Encoding"] for answer in answers} == {"gzip"}
    assert b"<!doctype html>" in gzip.decompress(answers[0].content)
    assert len({len(answer.content) for answer in answers}) > 1


def test_csrf_token_is_masked_again_in_each_page(client):
    assert len({re.search(r'data-csrf="(\w+)"', client.get("/new/").content.decode())[1] for _ in range(3)}) == 3
