"""``manage.py bench browser``: the figures as lines."""

import os
import shutil
from collections.abc import Iterator

from simulator.bench.site import measured_site

STORY = "/scenarios/liveness-death-spiral/"
CROWDS = (50, 200, 500)
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Executables of Chromium; the headless shell does the same in two thirds of the time."""
NO_CHROMIUM = "there is no Chromium (Debian: apt-get install --yes chromium-headless-shell)"


def chromium_path() -> str:
    """The system's Chromium, or the one that PODSCOPE_CHROMIUM names; empty if there is none."""
    return os.environ.get("PODSCOPE_CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), "")


def report() -> Iterator[str]:
    """Takes about three minutes. If nothing can be measured, says why."""
    executable = chromium_path()
    if not executable:
        yield f"browser   left out: {NO_CHROMIUM}"
        return
    try:
        from simulator.bench.browser.person import launched
    except ImportError:
        yield "browser   left out: needs what tests need (make install-dev)"
        return
    busy, cores = os.getloadavg()[0], os.cpu_count() or 1
    if busy > cores / 2:
        yield f"browser   the machine is busy (load {busy:.1f} on {cores} cores): lengths of time are too long by about as much"
    with measured_site() as site:
        playwright, browser = launched(executable)
        try:
            yield from _lines(browser, site.address)
        finally:
            browser.close()
            playwright.stop()


def _lines(browser: object, site: str) -> Iterator[str]:
    from playwright.sync_api import Browser

    from simulator.bench.browser import measure
    from simulator.bench.browser.person import Person

    assert isinstance(browser, Browser)
    guest = Person(browser, site)
    guest.page.goto(site + STORY)
    guest.page.get_by_role("button", name="Open run").click()
    guest.page.wait_for_url("**/r/*/")
    run = guest.page.url.removeprefix(site)
    for name, path in (("landing", "/"), ("run page", run), ("text page", "/new/")):
        page = measure.opened(browser, site, path)
        yield (
            f"browser   {name}: {page.weight / 1000:.1f} kB in {page.requests} requests "
            f"and {page.panel_bytes / 1000:.1f} kB of {page.panels} panels, usable after {page.used_ms} ms, "
            f"at a {measure.SLOWED} times slower processor after {page.slowed_ms} ms (blocked for {page.blocked_ms} ms); "
            f"{page.worked_ms} ms of computing"
        )
    guest.context.close()
    minute = measure.first_minute(browser, site)
    yield (
        f"browser   first minute on 1366×768, nothing touched: an act in view after {minute.act_s} s, the first failure after "
        f"{minute.failure_s} s, the cause of the first kill after {minute.why_s} s"
    )
    for permille in (1000, measure.LIVE_PERMILLE):
        play = measure.played(browser, site, "/", seconds=20, permille=permille)
        moved = f", {play.moved}" if play.moved else ""
        yield (
            f"browser   landing at {permille // 1000}×: {play.shifts} layout shifts ({play.score}{moved}), "
            f"{play.panels_s} panels/s, {play.panel_bytes_s / 1000:.1f} kB/s of panels"
        )
    for pods in CROWDS:
        frames, scrubs, dragged = measure.crowded(browser, site, pods)
        figures = "; ".join(
            f"{what} p50 {it.p50} p95 {it.p95} worst {it.worst} ms, {it.worked} ms of computing" for what, it in frames.items()
        )
        yield f"browser   {pods} pods: {figures}"
        for when, scrub in scrubs.items():
            yield (
                f"browser   {pods} pods: scrubbing {when} draws lanes in p50 {scrub.drawn_p50} p95 {scrub.drawn_p95} ms, "
                f"the inspector in p50 {scrub.shown_p50} p95 {scrub.shown_p95} ms"
            )
        yield (
            f"browser   {pods} pods: scrubber drawn to and fro, a step a frame: frames p50 {dragged.frame_p50} p95 {dragged.frame_p95} ms, "
            f"p50 {dragged.worked_p50} p95 {dragged.worked_p95} ms of computing in each"
        )
