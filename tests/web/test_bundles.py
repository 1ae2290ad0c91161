"""Scripts and styles of the pages: committed bundles that are never older than their sources."""

import json
import re
import shutil
from pathlib import Path

import pytest

from lifecycle_site.collected import SOURCES
from simulator.web import bundles
from simulator.web.run.panels import TABS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    """A copy of the bundles and their sources."""
    for name in ("js", "css", "img", "bundles"):
        shutil.copytree(bundles.STATIC / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def fresh():
    bundles.stale_kinds.cache_clear()
    yield
    bundles.stale_kinds.cache_clear()


def assets(client, path):
    page = client.get(path).content.decode()
    return set(re.findall(r'(?:src|href)="/static/((?:js|css|bundles)/[^"]+)"', page)) - {"js/boot.js"}


def test_bundles_are_made_of_the_sources_that_are_here():
    assert bundles.stale() == [], "Run: make bundles"


def test_every_module_and_sheet_is_in_a_bundle():
    made = json.loads((bundles.STATIC / "bundles" / "bundles.json").read_text())
    bundled = {path for bundle in made.values() for path in bundle["inputs"]}
    there = {str(path.relative_to(bundles.STATIC)) for suffix in ("js", "css") for path in (bundles.STATIC / suffix).rglob(f"*.{suffix}")}
    assert there - bundled == {"js/boot.js"}


def test_changed_source_makes_the_bundles_old_that_hold_it(folder):
    (folder / "js" / "main-run.js").write_text("// new\n")
    assert bundles.stale(folder) == ["run.js"]


def test_removed_source_makes_a_bundle_old(folder):
    (folder / "css" / "components" / "gesture.css").unlink()
    assert bundles.stale(folder) == ["later.css"]


def test_bundle_changed_by_hand_is_old(folder):
    with (folder / "bundles" / "editor.js").open("a") as file:
        file.write("\n")
    assert bundles.stale(folder) == ["editor.js"]


def test_list_with_the_marks_of_a_merge_makes_all_old(folder):
    (folder / "bundles" / "bundles.json").write_text("<<<<<<< HEAD\n{}\n")
    assert bundles.stale(folder) == list(bundles.ENTRIES)


@pytest.mark.parametrize(
    ("query", "has"), [("", False), ("?tab=why", False), ("?tab=map", True), ("?tab=diff", True), ("?part=sequence", True)]
)
def test_run_page_comes_with_the_styles_of_the_panel_that_it_shows(client, fresh, stories, query, has):
    run = client.post("/scenarios/pid-1-is-deaf/run/").url.partition("?")[0]
    assert ("bundles/later.css" in assets(client, f"{run}{query}")) == has


def test_page_of_text_loads_no_script_of_the_timeline(client, fresh):
    assert assets(client, "/new/") == {"bundles/pages.js", "bundles/pages.css"}


def test_pages_load_sources_while_a_bundle_is_old(client, fresh, monkeypatch):
    monkeypatch.setattr(bundles, "stale", lambda: ["editor.js"])
    assert assets(client, "/new/") == {"js/main.js", "bundles/pages.css"}


def test_pages_load_what_is_collected_when_a_source_was_changed_since(client, fresh, monkeypatch):
    def missing(name):
        if name in bundles.ENTRIES.values():
            raise ValueError(f"Missing staticfiles manifest entry for {name}")
        return f"/static/{name}"

    monkeypatch.setattr(bundles, "stale", lambda: ["editor.js"])
    monkeypatch.setattr(bundles, "static", missing)
    assert assets(client, "/new/") == {"bundles/pages.js", "bundles/pages.css"}


def collected():
    return {name for name, _ in bundles.PageFinder().list(SOURCES)}


def test_site_collects_what_its_pages_load_and_not_what_that_is_made_of():
    assert {name for name in collected() if name.startswith(("js/", "css/"))} == {"js/boot.js"}
    assert {f"bundles/{bundle}" for bundle in bundles.ENTRIES} | {"img/favicon.svg"} <= collected()


def test_site_collects_the_sources_of_a_kind_while_a_bundle_of_it_is_old(monkeypatch):
    monkeypatch.setattr(bundles, "stale", lambda: ["editor.js"])
    assert set(bundles.ENTRIES.values()) & collected() == {name for name in bundles.ENTRIES.values() if name.endswith(".js")}


def test_site_collects_the_pictures_of_styles_with_them(monkeypatch):
    assert "img/select.svg" not in collected()
    monkeypatch.setattr(bundles, "stale", lambda: ["run.css"])
    assert {"css/run.css", "img/select.svg"} <= collected()


def test_pages_load_sources_while_somebody_develops(client, fresh, settings):
    settings.DEBUG = True
    assert assets(client, "/new/") == {"js/main.js", "css/pages.css"}


CLASSES = re.compile(r'class(?:Name)?(?:=|: | = )"([^"]*)"')
BESIDE = {"dialog--editor", "dialog__foot", "dialog__head"}
"""Classes of the editor's dialog, whose style sheet is loaded with the editor."""


@pytest.mark.parametrize(
    ("sheet", "patterns"),
    [
        (
            "run.css later",
            ("templates/runs/**/*.html", "static/js/*.js", "static/js/[!ceglp]*/**/*.js", "static/js/l[ae][!v]*/**/*.js",
             "static/js/panels/*.js"),
        ),
        ("run.css level", ("templates/levels/partials/_card.html", "static/js/levels/[!dels]*.js", "static/js/levels/level-panel.js")),
        ("pages.css level-edit", ("templates/levels/*.html", "static/js/levels/[des]*.js")),
        ("run.css landing", ("templates/landing.html",)),
        ("pages.css landing", ("templates/landing_doors.html",)),
        ("compare.css", ("templates/compare/**/*.html", "templates/runs/partials/_diff_lines.html", "static/js/compare/*.js")),
        (
            "pages.css",
            ("templates/scenarios/**/*.html", "templates/sweeps/**/*.html", "templates/shares/**/*.html", "templates/[!l]*.html"),
        ),
    ],
)  # fmt: skip
def test_sheet_of_a_page_knows_the_classes_that_the_page_uses(sheet, patterns):
    first, *own = sheet.split()
    known = classes_of(first, *(f"{name}.css" for name in own))
    assert (classes_used(*patterns) & classes_of(*SHEETS)) - known - BESIDE == set()


def test_tabs_whose_panels_need_the_later_styles_wait_for_them():
    needed = classes_of("later.css") - classes_of("run.css")
    script = (bundles.STATIC / "js/panels/drawer.js").read_text()
    waiting = set(re.findall(r'"(\w+)"', re.search(r"STYLED = new Set\((.*?)\)", script)[1]))
    assert waiting == {tab for tab in TABS if tab != "why" and classes_used(f"templates/runs/partials/_{tab}*.html") & needed}


SHEETS = tuple(name for name in bundles.ENTRIES if name.endswith(".css"))


def classes_of(*sheets):
    """The classes that these sheets, and what they import, have rules for."""
    loaded, known = [bundles.STATIC / bundles.ENTRIES[name] for name in sheets], set()
    for path in loaded:  # grows during the iteration
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        loaded += [path.parent / name for name in re.findall(r'@import url\("([^"]+)"\)', text)]
        known |= set(re.findall(r"\.([a-zA-Z][\w-]*)", text))
    return known


def classes_used(*patterns):
    """The classes that templates or scripts give to elements."""
    texts = [path.read_text() for pattern in patterns for path in ROOT.glob(pattern)]
    return {word for text in texts for found in CLASSES.findall(text) for word in re.sub(r"\{[%{].*?[%}]\}", " ", found).split()}
