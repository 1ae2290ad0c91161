"""Pages are freed without the garbage collector."""

import gc
import weakref

import pytest
from django.http import HttpRequest
from django.template import TemplateDoesNotExist, engines


class Big:
    """Something that a page shows."""

    def __str__(self) -> str:
        return "Big"


@pytest.fixture
def no_collector():
    gc.disable()
    yield
    gc.enable()


def test_what_a_page_was_rendered_from_is_freed_with_it(no_collector, monkeypatch):
    monkeypatch.setattr(engines["django"].engine, "context_processors", [])
    shown = Big()
    gone = weakref.ref(shown)
    page = engines["django"].from_string("{% with a=big %}{{ a }}{% endwith %}").render({"big": shown}, HttpRequest())
    del shown
    assert page == "Big" and gone() is None


def test_template_file_is_freed_as_well(no_collector, monkeypatch):
    monkeypatch.setattr(engines["django"].engine, "context_processors", [])
    shown = Big()
    gone = weakref.ref(shown)
    assert "Big" in engines["django"].get_template("scenarios/partials/_tag.html").render({"name": "a", "count": shown}, HttpRequest())
    del shown
    assert gone() is None


def test_template_that_includes_one_that_is_not_there_says_which():
    with pytest.raises(TemplateDoesNotExist) as told:
        engines["django"].from_string("{% include 'nowhere.html' %}").render()
    assert told.value.backend is engines["django"] and str(told.value) == "nowhere.html"
