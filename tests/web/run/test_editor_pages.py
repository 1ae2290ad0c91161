"""What the pages contain for the editor, and that they work without it."""

import re

import pytest
from django.urls import resolve

from tests.factories import make_run
from tests.web.helpers import POD, text_of

pytestmark = pytest.mark.django_db


def field(page: str) -> str:
    return re.search(r"<textarea[^>]*>", page)[0]


def test_field_for_manifests_is_a_plain_one_of_the_form(client):
    page = text_of(client.get("/new/"))
    assert 'name="manifest"' in field(page) and "disabled" not in field(page) and "hidden" not in field(page)


def test_plain_field_starts_a_run(client):
    answer = client.post("/new/", {"manifest": POD.replace("\n", "\r\n"), "kubernetes": "1.33", "seed": "7"})
    assert answer.status_code == 302


def test_form_names_whom_the_editor_asks(client):
    page = text_of(client.get("/new/"))
    assert resolve(re.search(r'data-check-url="([^"]+)"', page)[1]).view_name == "sim:manifest-check"
    assert resolve(re.search(r'data-schema-base="([^"]+)"', page)[1] + "1.33/Pod/").view_name == "sim:manifest-schema"


def test_run_names_whom_the_editor_asks(client):
    run = make_run()
    page = text_of(client.get(f"/r/{run.id}/"))
    assert resolve(re.search(r'data-preview-url="([^"]+)"', page)[1]).view_name == "sim:run-preview"
    assert resolve(re.search(r'data-object-base="([^"]+)"', page)[1] + "1/object/Pod/default/web/").view_name == "sim:run-object"


def test_editor_is_not_loaded_before_somebody_writes(client):
    assert "codemirror" not in text_of(client.get("/new/"))
