"""Screenshots of every page in both themes, two languages and four sizes, for review: ``make screenshots``.

They are written to ``test-results/screenshots/<page>/``, with an ``index.html`` that shows them side by side. Names of pages as arguments
narrow the selection (``make screenshots ARGS="landing run"``); ``readme`` takes those of the README instead, into ``docs/images/``.
"""

import html
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, StorageState, sync_playwright

from tests.e2e.helpers import start_story, wait_for_run
from tests.e2e.pages import PAGES, SIZES, SitePage, wait_for_page
from tests.e2e.site import ROOT, Server, launch_chromium

FOLDER = ROOT / "test-results" / "screenshots"
WIDTHS = (1440, 1366, 1024, 390)
THEMES = ("light", "dark")
LANGUAGES = ("en", "zh-Hans")
HEIGHT_MAX = 2400
"""Long pages are cut at this height, px."""
SETTLE_MS = 700
README, README_STORY, README_AT_S = "readme", "liveness-death-spiral", 118.0
README_SIZE = {"width": 1280, "height": 760}


def main(names: list[str]) -> None:
    """Take screenshots of the named pages, or of all."""
    wanted = [each for each in PAGES if not names or each.name in names]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        server.prepare()
        server.start()
        browser = launch_chromium(playwright)
        try:
            if names == [README]:
                take_for_readme(browser, server.url)
                return
            visitors = [opened(browser, server.url, pages) for pages in apart(wanted)]
            for language in LANGUAGES:
                for theme in THEMES:
                    for paths, state in visitors:
                        take(browser, server.url, paths, state, language, theme)
        finally:
            browser.close()
            server.stop()
    FOLDER.joinpath("index.html").write_text(index([each.name for each in wanted]), encoding="utf-8")
    sys.stdout.write(f"{FOLDER}/index.html\n")


def apart(pages: list[SitePage]) -> list[list[SitePage]]:
    """The pages of a class belong to a separate visitor: its leader has the class bar on every run, and takes the class along."""
    classes = [each for each in pages if each.view == "class"]
    return [group for group in ([each for each in pages if each not in classes], classes) if group]


def opened(browser: Browser, origin: str, pages: list[SitePage]) -> tuple[dict[str, str], StorageState]:
    """The path of each page, and the cookies of the visitor who owns the runs."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en")
    page = context.new_page()
    paths = {each.name: each.path(page, origin) for each in pages}
    state = context.storage_state()
    context.close()
    return paths, state


def take(browser: Browser, origin: str, paths: dict[str, str], state: StorageState, language: str, theme: str) -> None:
    """The screenshots in one language and theme."""
    for width in WIDTHS:
        context = browser.new_context(
            viewport={"width": width, "height": SIZES[width]},
            color_scheme="dark" if theme == "dark" else "light",
            locale=language,
            storage_state=state,
        )
        page = context.new_page()
        for name, path in paths.items():
            page.goto(origin + path)
            wait_for_page(page)
            page.wait_for_timeout(SETTLE_MS)
            picture(page, FOLDER / name / f"{width}-{theme}-{language}.png")
        context.close()


def take_for_readme(browser: Browser, origin: str) -> None:
    """The README's first picture of a run, in both themes."""
    for theme in THEMES:
        context = browser.new_context(viewport=README_SIZE, color_scheme="dark" if theme == "dark" else "light", locale="en")
        page = context.new_page()
        start_story(page, origin, README_STORY, stands_at_s=README_AT_S)
        wait_for_run(page)
        page.wait_for_timeout(3 * SETTLE_MS)
        page.screenshot(path=ROOT / "docs" / "images" / f"run-{theme}.png")
        context.close()


def picture(page: Page, file: Path) -> None:
    """The content of the window, and for a page that scrolls also what is below it."""
    size = page.viewport_size or {"width": 0, "height": 0}
    height = min(HEIGHT_MAX, page.evaluate("() => document.documentElement.scrollHeight"))
    page.screenshot(path=file, full_page=True, clip={"x": 0, "y": 0, "width": size["width"], "height": height})


def index(names: list[str]) -> str:
    """A page that shows the screenshots of each page side by side."""
    parts = []
    for name in names:
        files = [f"{name}/{width}-{theme}-{language}.png" for language in LANGUAGES for theme in THEMES for width in WIDTHS]
        images = "".join(f'<a href="{file}"><img src="{file}" alt="{file}" loading="lazy" height="420"></a> ' for file in files)
        parts.append(f'<h2 id="{html.escape(name)}">{html.escape(name)}</h2><p>{images}</p>')
    return f'<!doctype html><meta charset="utf-8"><title>Screenshots</title>{"".join(parts)}\n'


if __name__ == "__main__":
    main(sys.argv[1:])
