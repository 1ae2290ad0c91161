"""Every page at every size: none is too wide, no run higher than the window, axe finds nothing, and targets are large enough."""

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
RUN_AXE_APART = """async (include) => {
  const rules = { "color-contrast": { enabled: false } };
  const found = await axe.run(include, { resultTypes: ["violations"], rules });
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target}`));
}"""
"""All rules except contrast, which takes two thirds of the time."""
CONTRASTS = """async (earlier) => {
  const seen = new Set(earlier);
  const mixed = ([one, two], text) => {
    for (let at = 0; at < text.length; at += 1) {
      one = Math.imul(one ^ text.charCodeAt(at), 16777619);
      two = Math.imul(two + text.charCodeAt(at), 31);
    }
    return [one, two];
  };
  const chains = new Map([[document.documentElement, [7, 7]]]);
  const chain = (it) => {
    if (!chains.has(it)) {
      const { backgroundColor, backgroundImage, opacity, position } = getComputedStyle(it);
      const own = [it.localName, it.getAttribute("class"), backgroundColor, backgroundImage, opacity, position];
      chains.set(it, mixed(chain(it.parentElement), ` > ${own}`));
    }
    return chains.get(it);
  };
  const has = (it) => it.matches("input, select, textarea") || [...it.childNodes].some((each) => each.nodeType === 3 && each.data.trim());
  const include = [...document.body.querySelectorAll("*")].filter((it) => {
    if (!it.checkVisibility({ visibilityProperty: true }) || !has(it)) return false;
    const { color, fontSize, fontWeight } = getComputedStyle(it);
    const look = mixed(chain(it), ` ${[color, fontSize, fontWeight]}`).join();
    return !seen.has(look) && seen.add(look);
  });
  if (!include.length) return [[], []];
  const found = await axe.run({ include }, { resultTypes: ["violations"], runOnly: { type: "rule", values: ["color-contrast"] } });
  const told = found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target}`));
  return [told, [...seen].slice(earlier.length)];
}"""
"""Check the contrast of one text per look: equally styled rows of a table on the same background need only one check.

A look is the colour and font of a text, and its ancestors with their classes, backgrounds and positions. A look that has passed in a theme
is not checked again at another width or on another page.
"""
SEEN: dict[str, set[str]] = {"light": set(), "dark": set()}
"""The looks that have passed in each theme."""
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
"""Text may be higher than the window; what shows a run has the window's height."""
SHORTEN = "() => document.querySelectorAll('main :is(tbody tr, .grid > li, .words > li):nth-child(n+12)').forEach((row) => row.remove())"
"""For long tables the first rows are enough."""


@dataclass
class Survey:
    """The problems of a page."""

    large: list[str] = field(default_factory=list)
    axe: list[str] = field(default_factory=list)
    small: list[str] = field(default_factory=list)


def axe(page, *rules: str, include: str = "body") -> list[str]:
    theme = page.locator("html").get_attribute("data-theme")
    return [f"{page.viewport_size['width']} {theme} {found}" for found in page.evaluate(RUN_AXE, [list(rules) or None, include])]


def axe_in_parts(page, include: str = "body") -> list[str]:
    """Like ``axe``, with the contrast of everything on the page that has a look of its own."""
    return [f"{page.viewport_size['width']} {found}" for found in page.evaluate(RUN_AXE_APART, include)] + contrasts(page)


def contrasts(page) -> list[str]:
    theme = page.locator("html").get_attribute("data-theme")
    found, looks = page.evaluate(CONTRASTS, sorted(SEEN[theme]))
    if not found:
        SEEN[theme].update(looks)
    return [f"{page.viewport_size['width']} {theme} {each}" for each in found]


def surveyed(page, *, has_tabs: bool) -> Survey:
    survey = Survey()
    page.evaluate(AXE)
    page.evaluate(SHORTEN)
    page.evaluate(THEME, "light")
    survey.axe += axe_in_parts(page)
    for tab in page.locator("#drawer [role=tab][aria-selected=false]").all():
        tab.click()
        page.locator("#drawer-body").wait_for()
        wait_until(page, "() => !document.querySelector('#drawer-body').dataset.stale")
        survey.axe += axe_in_parts(page, include="#drawer")
        if not has_tabs:
            break
    page.evaluate(THEME, "dark")
    survey.axe += contrasts(page)
    for width, height in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        if page.evaluate(IS_LARGER):
            survey.large.append(f"{width}")
    survey.axe += contrasts(page)
    page.evaluate(THEME, "light")
    survey.axe += axe_in_parts(page)
    survey.small = page.evaluate(SMALL, PRESSED)
    return survey


@pytest.mark.parametrize("each", PAGES, ids=lambda each: each.name)
def test_page_fits_every_window_and_has_nothing_that_axe_finds_and_nothing_too_small_to_press(each: SitePage, visit):
    person = visit()
    page, origin = person.page, person.origin
    address = origin + each.path(page, origin)
    if page.url != address:
        page.goto(address)
    wait_for_page(page)
    found = surveyed(page, has_tabs=each.name == "run")
    if each.name == "not-found":
        person.troubles.clear()
    assert found == Survey()


def test_every_page_is_walked():
    assert {each.view for each in PAGES} - {""} | NO_PAGES == {pattern.name for pattern in urlpatterns}
