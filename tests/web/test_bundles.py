"""Scripts and styles of the pages: committed bundles that are never older than their sources."""

import json
import re
import shutil
from pathlib import Path

import pytest

from lifecycle_site.collected import SOURCES
from simulator.web import bundles

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
    assert bundles.stale(folder) == ["run.css"]


def test_bundle_changed_by_hand_is_old(folder):
    with (folder / "bundles" / "editor.js").open("a") as file:
        file.write("\n")
    assert bundles.stale(folder) == ["editor.js"]


def test_list_with_the_marks_of_a_merge_makes_all_old(folder):
    (folder / "bundles" / "bundles.json").write_text("<<<<<<< HEAD\n{}\n")
    assert bundles.stale(folder) == list(bundles.ENTRIES)


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
            "run.css",
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
    parts = {path: re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S) for path in (bundles.STATIC / "css").rglob("*.css")}
    named = {path: set(re.findall(r"\.([a-zA-Z][\w-]*)", text)) for path, text in parts.items()}
    first, *own = sheet.split()
    loaded = [bundles.STATIC / "css" / first, *(bundles.STATIC / f"css/components/{name}.css" for name in own)]
    for path in loaded:  # grows during the iteration
        loaded += [path.parent / name for name in re.findall(r'@import url\("([^"]+)"\)', parts[path])]
    known = set().union(*(named[path] for path in loaded))
    texts = [path.read_text() for pattern in patterns for path in ROOT.glob(pattern)]
    used = {word for text in texts for found in CLASSES.findall(text) for word in re.sub(r"\{[%{].*?[%}]\}", " ", found).split()}
    assert (used & set().union(*named.values())) - known - BESIDE == set()
