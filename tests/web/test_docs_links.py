"""Links to the Kubernetes documentation: in the reader's language wherever the page is translated."""

import re
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils.translation import override

from simulator.engine.rules.anchors import anchor
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.manifests.documentation import DOCS, TRANSLATED, docs_in_language, docs_link
from simulator.manifests.editor.diagnostics import diagnose
from simulator.runs.log import timemachine
from simulator.scenarios.story import read_stories
from tests.factories import make_run
from tests.web.helpers import play, sign_in_as_owner, text_of

ROOT = Path(__file__).parents[2]
ZH = "https://kubernetes.io/zh-cn/docs/"
LANGUAGES = {"en": DOCS, "zh-hans": ZH, "zh-hant": ZH}
PAGE = re.compile(r'"((?:concepts|tasks|reference|tutorials|setup)/[a-z0-9/-]+/(?:#[a-z0-9-]*)?)"')


def linked():
    """Every page that the product links to: from rules, stories, and advice in the editor."""
    found = {anchor(rule_id) for rule_id in RULEBOOK} | {story.docs_url.removeprefix(DOCS) for story in read_stories()}
    for path in (ROOT / "simulator" / "manifests").rglob("*.py"):
        found.update(PAGE.findall(path.read_text(encoding="utf-8")))
    return sorted(found - {""})


@pytest.mark.parametrize(("language", "base"), LANGUAGES.items())
def test_every_page_that_is_linked_to_opens_in_the_readers_language(language, base):
    with override(language):
        others = {docs_link(path) for path in linked()}
    assert len(others) > 50
    assert sorted(link for link in others if not link.startswith(base)) == []


def test_list_of_translated_pages_names_only_what_is_linked_to():
    assert {path.partition("#")[0] for path in linked()} == TRANSLATED


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_that_nobody_has_looked_up_opens_in_english(language):
    with override(language):
        assert docs_link("concepts/some-new-page/#part") == f"{DOCS}concepts/some-new-page/#part"


@pytest.mark.parametrize("address", ["", "https://example.org/docs/concepts/workloads/pods/"])
def test_address_of_somebody_else_stays_as_it_is(address):
    with override("zh-hans"):
        assert docs_in_language(address) == address
        assert docs_link("") == ""


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "base"), LANGUAGES.items())
def test_why_and_machine_link_to_the_documentation_in_the_readers_language(client, language, base):
    sign_in_as_owner(client)
    run = play(make_run(), 5_000)
    last = max(record.seq for record in timemachine.past(run, seq=run.head_seq) if record.rule == "PHASE-RUNNING")
    headers = {"HX-Request": "true", "Accept-Language": language}
    for tab, part in (("why", ""), ("machine", "container.creating--running")):
        asked = {"rec": last, "sel": "container/default/web/app", "part": part, "t": run.head_ms}
        page = text_of(client.get(reverse("sim:run-panel", args=[run.id, run.head_seq, tab]), asked, headers=headers))
        links = re.findall(r'href="(https://kubernetes\.io/[^"]*)"', page)
        assert links and all(link.startswith(base) for link in links), tab


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "base"), LANGUAGES.items())
def test_story_and_its_hints_link_to_the_documentation_in_the_readers_language(client, stories, language, base):
    slug = "liveness-death-spiral"
    pages = [reverse("sim:scenario", args=[slug]), reverse("sim:scenario-hint", args=[slug, "watch-1"])]
    pages.append(reverse("sim:scenario-debrief", args=[slug]) + "?step=watch-1")
    for page in pages:
        text = text_of(client.get(page, headers={"Accept-Language": language}))
        links = re.findall(r'href="(https://kubernetes\.io/[^"]*)"', text)
        assert links and all(link.startswith(base) for link in links), page


@pytest.mark.parametrize(("language", "base"), LANGUAGES.items())
def test_advice_of_the_editor_links_to_the_documentation_in_the_readers_language(language, base):
    text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: app\n    image: nginx\n"
    with override(language):
        found = [each.doc for each in diagnose(text, kubernetes="1.33").diagnostics if each.doc]
    assert found and all(link.startswith(base) for link in found)


def test_no_other_place_writes_the_address_of_the_documentation():
    """Except for an Event, in which the cronjob-controller has it in every language, and kubectl's answer to a conflict."""
    places = [path for folder in ("simulator", "templates", "static/js") for path in (ROOT / folder).rglob("*.*")]
    texts = {path: path.read_text(encoding="utf-8") for path in places if path.suffix in (".py", ".html", ".js")}
    found = {path.name for path, text in texts.items() if "kubernetes.io/docs/" in text or "kubernetes.io/zh-cn/docs/" in text}
    assert found == {"documentation.py", "cron_job.py", "outcome.py"}
