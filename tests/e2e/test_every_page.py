"""Every page at every size: none is wider, no run higher than the window, axe finds nothing, and targets are large enough."""

from dataclasses import dataclass, field
from pathlib import Path

import axe_playwright_python
import pytest

from simulator.web.urls import urlpatterns
from tests.e2e.helpers import wait_until
from tests.e2e.pages import NO_PAGES, PAGES, SIZES, SitePage, wait_for_page

pytestmark = pytest.mark.e2e
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RUN_AXE = """async ([rules, include]) => {
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: { type: "rule", values: rules } } : {}) };
  const found = await axe.run(include, options);
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target}`));
}"""
PRESSED = "button, input:not([type=hidden]), select, summary, [role=button], [role=tab], .chip, nav a"
SMALL = """(pressed) => [...document.querySelectorAll(pressed)]
  .filter((it) => it.checkVisibility({ visibilityProperty: true }) && !it.closest(".visually-hidden, .skip-link"))
  .map((it) => [it, (it.closest("label") ?? it).getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 1 && (width < 24 || height < 23.5))
  .map(([it, { width, height }]) => `${it.tagName}.${it.className} ${it.textContent.trim().slice(0, 20)} ${width} × ${height}`)"""
THEME = """async (theme) => {
  document.documentElement.dataset.theme = theme;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const passing = document.getAnimations().filter(({ timeline }) => timeline === document.timeline);  // others never end
  const ends = passing.filter((each) => each.effect.getComputedTiming().endTime !== Infinity);
  await Promise.allSettled(ends.map((each) => each.finished));
}"""
IS_LARGER = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const { scrollWidth, scrollHeight } = document.documentElement;
  return scrollWidth > innerWidth || (document.body.matches(".page-run, .page-embed") && scrollHeight > innerHeight);
}"""
"""Text may be higher than the window; what shows a run is as high as it."""
SHORTEN = "() => document.querySelectorAll('main :is(tbody tr, .grid > li, .words > li):nth-child(n+12)').forEach((row) => row.remove())"
"""Of long tables the first rows tell what is to be told."""


@dataclass
class Survey:
    """What is wrong with a page."""

    large: list[str] = field(default_factory=list)
    axe: list[str] = field(default_factory=list)
    small: list[str] = field(default_factory=list)


def axe(page, *rules: str, include: str = "body") -> list[str]:
    theme = page.locator("html").get_attribute("data-theme")
    return [f"{page.viewport_size['width']} {theme} {found}" for found in page.evaluate(RUN_AXE, [list(rules) or None, include])]


def surveyed(page, *, has_tabs: bool) -> Survey:
    survey = Survey()
    page.evaluate(AXE)
    page.evaluate(SHORTEN)
    page.evaluate(THEME, "light")
    survey.axe += axe(page)
    for tab in page.locator("#drawer [role=tab][aria-selected=false]").all():
        tab.click()
        page.locator("#drawer-body").wait_for()
        wait_until(page, "() => !document.querySelector('#drawer-body').dataset.stale")
        survey.axe += axe(page, include="#drawer")
        if not has_tabs:
            break
    page.evaluate(THEME, "dark")
    survey.axe += axe(page, "color-contrast")
    for width, height in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        if page.evaluate(IS_LARGER):
            survey.large.append(f"{width}")
    survey.axe += axe(page, "color-contrast")
    page.evaluate(THEME, "light")
    survey.axe += axe(page)
    survey.small = page.evaluate(SMALL, PRESSED)
    return survey


@pytest.mark.parametrize("each", PAGES, ids=lambda each: each.name)
def test_page_fits_every_window_and_has_nothing_that_axe_finds_and_nothing_too_small_to_press(each: SitePage, server, browser):
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(server.url + each.path(page, server.url))
    wait_for_page(page)
    found = surveyed(page, has_tabs=each.name == "run")
    context.close()
    assert found == Survey()


def test_every_page_is_walked():
    assert {each.view for each in PAGES} - {""} | NO_PAGES == {pattern.name for pattern in urlpatterns}
