import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from simulator.models import Run
from tests.factories import make_run
from tests.web.helpers import text_of

pytestmark = pytest.mark.django_db

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))


def test_landing_is_a_running_simulation(client, stories):
    page = text_of(client.get("/"))
    run = Run.objects.get()
    assert f'data-run="{run.id}"' in page and 'data-role="owner"' in page and run.rate_permille == 4000


@pytest.mark.parametrize(
    ("path", "marked"),
    [("/scenarios/", 'href="/scenarios/" aria-current="page"'), ("/new/import/", 'href="/new/" aria-current="true"'),
     ("/x/", 'href="/new/" aria-current="true"'), ("/sweeps/", 'href="/sweeps/" aria-current="page"'),
     ("/daily/", 'href="/levels/" aria-current="true"'), ("/exam/", 'href="/levels/" aria-current="true"'),
     ("/practice/", 'href="/levels/" aria-current="true"'), ("/courses/new/", 'href="/levels/" aria-current="true"')],
)  # fmt: skip
def test_page_marks_the_kind_of_pages_that_it_belongs_to(client, path, marked):
    nav = re.search(r'<nav aria-label="Main">(.*?)</nav>', text_of(client.get(path)), re.DOTALL)[1]
    assert marked in nav and nav.count("aria-current") == 1


def test_landing_has_three_doors(client, stories):
    assert text_of(client.get("/")).count('class="door"') == 3


def test_landing_reuses_the_visitors_demo(client, stories):
    client.get("/")
    client.get("/")
    assert Run.objects.count() == 1


def test_landing_gives_another_visitor_another_demo(client, stories):
    client.get("/")
    client.cookies.clear()
    client.get("/")
    assert Run.objects.count() == 2


def test_landing_shares_one_demo_when_crowded(client, stories, monkeypatch):
    monkeypatch.setattr("simulator.web.pages.landing.DEMOS_A_MINUTE_MAX", 1)
    client.get("/")
    client.cookies.clear()
    assert 'data-role="viewer"' in text_of(client.get("/")) and Run.objects.count() == 1


def test_landing_offers_doors_when_there_is_no_story(client):
    assert text_of(client.get("/")).count('class="door"') == 2


def test_unknown_page_answers_404_without_details(client):
    response = client.get("/nothing/here/")
    assert response.status_code == 404 and "Page not found" in text_of(response)


def test_internal_error_shows_no_trace(client, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("secret detail")

    monkeypatch.setattr("simulator.web.gallery.gallery.counted", fail)
    client.raise_request_exception = False
    response = client.get("/scenarios/")
    assert response.status_code == 500 and "secret" not in text_of(response) and "Something went wrong" in text_of(response)


def test_pages_carry_a_strict_policy(client, stories):
    policy = client.get("/")["Content-Security-Policy"]
    assert "script-src 'self'" in policy and "unsafe" not in policy


@pytest.mark.parametrize("path", ["/", "/scenarios/", "/scenarios/hello-pod/", "/new/"])
def test_pages_have_no_inline_code_and_no_foreign_origin(client, stories, path):
    page = text_of(client.get(path))
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
    assert not re.search(r"<script(?![^>]*(src=|application/json))", page)
    assert not re.search(r'(src|action)="(https?:)?//', page)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_template_has_no_inline_code(template: Path):
    text = template.read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|hx-on|hx-vars|js:|javascript:", text)


@pytest.mark.parametrize("template", [path for path in TEMPLATES if path.name.startswith("_")], ids=lambda path: path.name)
def test_fragment_says_what_it_needs(template: Path):
    assert template.read_text(encoding="utf-8").startswith("{#")


@pytest.mark.parametrize(("language", "words"), [("zh-hans", "场景"), ("zh-hant", "場景"), ("en", "Scenarios")])
def test_language_is_switched_by_a_form(client, stories, language, words):
    client.post("/i18n/setlang/", {"language": language, "next": "/scenarios/"})
    assert words in text_of(client.get("/scenarios/"))


def test_stories_are_told_in_chinese(client, stories):
    client.post("/i18n/setlang/", {"language": "zh-hans"})
    page = text_of(client.get("/scenarios/liveness-death-spiral/"))
    assert "存活探针的死亡螺旋" in page and "CrashLoopBackOff" in page


def test_admin_is_for_staff(client):
    assert client.get("/admin/simulator/run/").status_code == 302


def test_admin_shows_scenarios_to_staff(client, stories):
    client.force_login(User.objects.create_superuser("staff", password="a-long-password"))
    assert "Hello, Pod" in text_of(client.get("/admin/simulator/scenario/"))


def test_run_of_another_release_says_so(client):
    run = make_run()
    Run.objects.filter(pk=run.pk).update(header_body=b'{"kubernetes": 7}')
    response = client.get(f"/r/{run.id}/")
    assert response.status_code == 501 and "a different Podscope release" in text_of(response)


def test_landing_leaves_a_demo_of_another_revision_alone(client, stories):
    client.get("/")
    Run.objects.update(revision=9999)
    assert client.get("/").status_code == 200
    assert Run.objects.count() == 2
