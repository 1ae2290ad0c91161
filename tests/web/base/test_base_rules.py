"""Small decisions that several pages share: bodies that are refused, texts of levels, and buttons of remedies."""

from types import SimpleNamespace

import pytest
from django.http import HttpResponse
from django.utils import translation

from lifecycle_site.bodies import BODY_TOO_LARGE, BODY_UNREADABLE
from simulator.remedies.remedy import NextStep
from simulator.web.base.guards import BodyLimitMiddleware
from simulator.web.base.levels import builtin_levels, level_text, next_level
from simulator.web.base.remedy_rows import step_row


@pytest.mark.parametrize(
    ("scope", "kind", "status"),
    [
        ({}, "text/plain", 200),
        ({}, "text/plain; charset=utf-8", 200),
        ({}, "text/plain; charset=latin-1", 400),
        ({BODY_UNREADABLE: True}, "", 400),
        ({BODY_TOO_LARGE: True}, "text/plain", 413),
        (None, "text/plain", 200),
    ],
)
def test_body_that_cannot_be_read_is_refused(rf, scope, kind, status):
    request = rf.generic("POST", "/", b"a", content_type=kind)
    if scope is not None:
        request.scope = scope
    assert BodyLimitMiddleware(lambda request: HttpResponse())(request).status_code == status


@pytest.mark.parametrize(
    ("slug", "text", "shown"), [("x", "Scenarios", "场景"), ("", "Scenarios", "Scenarios"), ("x", "", ""), ("", "", "")]
)
def test_texts_of_the_sites_own_levels_are_translated_and_no_others(slug, text, shown):
    with translation.override("zh-hans"):
        assert level_text(SimpleNamespace(slug=slug), text) == shown


def test_next_level_is_the_one_behind_it():
    levels = [*builtin_levels().values()]
    assert [next_level(level) for level in levels] == [*levels[1:], None]
    assert next_level(SimpleNamespace(slug="")) is next_level(SimpleNamespace(slug="unknown")) is None


@pytest.mark.parametrize(
    ("act", "line", "name"),
    [
        ("cordon", "kubectl uncordon node1", "Uncordon"),
        ("cordon", "kubectl cordon node1", "Cordon"),
        ("drain", "kubectl uncordon node1", "Drain"),
        ("", "kubectl get pods", ""),
    ],
)
def test_button_of_a_step_is_called_like_its_command(act, line, name):
    assert step_row(NextStep(text="Do it.", line=line, act=act))["act"] == name
