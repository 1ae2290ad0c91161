"""Files and folders named in README, docs and the comments of the code exist."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([\w./-]+)\)")
PATH = re.compile(r"[\w*<>-][\w./*<>-]*(?:/|\.(?:py|md|toml|txt|ya?ml|jsonl?|html|js|css|svg|po))")
CODE = sorted(path for folder in ("simulator", "static/js") for path in (ROOT / folder).rglob("*.[pj][ys]"))
NAMED_IN_CODE = re.compile(r"\b(?:simulator|static/js|tests|docs|templates)/[\w./-]+\.(?:py|md|toml|jsonl?|html|js|txt)\b")
MADE = {
    "var/",
    "test-results/screenshots/",
    "test-results/screenshots/index.html",
    "test-results/sbom.json",
    "cluster.yaml",
    "actions.yaml",
    "pod.yaml",
    "pods.yaml",
    "web.yaml",
    "simulator/web/texts.py",
}
"""Files that only a running server, the reader, or ``make messages`` creates."""
SKIPPED = {".venv", ".git", "var", "node_modules", "__pycache__"}


def known() -> set[str]:
    """Every file, and every folder with a trailing slash, as paths from the root."""
    found: set[str] = set()
    for folder in sorted(path for path in ROOT.iterdir() if path.name not in SKIPPED):
        for path in [folder, *(folder.rglob("*") if folder.is_dir() else ())]:
            if not SKIPPED & set(path.parts):
                found.add(path.relative_to(ROOT).as_posix() + ("/" if path.is_dir() else ""))
    return found


KNOWN = known()


def is_there(name: str) -> bool:
    """Whether a path, from the root or only its end, exists; ``<name>`` and ``*`` stand for anything."""
    if any(mark in name for mark in "*<"):
        pattern = re.sub(r"<[^>]*>", "*", name)
        return any(fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}") for path in KNOWN)
    return name in KNOWN or any(path.endswith(f"/{name}") for path in KNOWN)


def named_in(text: str) -> list[str]:
    """The paths in a text that are marked as code."""
    spans = [span.removeprefix("../") for span in SPAN.findall(text)]
    return [span for span in spans if PATH.fullmatch(span)]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_paths_that_a_page_names_are_there(page: Path) -> None:
    assert [name for name in named_in(page.read_text(encoding="utf-8")) if name not in MADE and not is_there(name)] == []


def test_paths_that_the_code_names_are_there() -> None:
    named = {(path, name) for path in CODE for name in NAMED_IN_CODE.findall(path.read_text(encoding="utf-8"))}
    assert sorted(f"{path.relative_to(ROOT)}: {name}" for path, name in named if name not in MADE | KNOWN) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_pages_that_a_page_links_are_there(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    ("name", "there"), [("world/watch.py", True), ("docs/", True), ("world/nothing.py", False), ("docs/nothing/", False)]
)
def test_a_path_is_found_by_its_end(name: str, there: bool) -> None:
    assert is_there(name) is there


def test_commands_and_words_are_no_paths() -> None:
    assert named_in("`manage.py bench` of `kubectl get`, `a.b`, `world/watch.py`, `docs/`") == ["world/watch.py", "docs/"]


def test_map_of_the_tree_names_every_room() -> None:
    named = set(SPAN.findall((ROOT / "docs" / "engine.md").read_text(encoding="utf-8").partition("```")[0]))
    rooms = [path for folder in ("simulator", "simulator/engine") for path in (ROOT / folder).iterdir() if path.name[0] not in "_."]
    missing = [path.name for path in rooms if not {f"{path.name}/", path.name, f"simulator/{path.name}/"} & named]
    assert sorted(missing) == []
