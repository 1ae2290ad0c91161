"""The result of following docs/deployment.md on bare machines."""

import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.bare.conftest import NAME, Site, chapter
from tests.e2e.helpers import PATIENCE_S, wait_for_run
from tests.e2e.site import launch_chromium

pytestmark = [pytest.mark.timeout(1500), pytest.mark.xdist_group("bare machines")]
ALIVE = {"database": True, "runner": True, "web": True}


def health(url: str) -> dict[str, bool]:
    """Which parts of a site are alive; empty if nobody answers."""
    request = urllib.request.Request(f"{url}/healthz", headers={"Host": NAME})
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(request, timeout=10, context=trusting) as answer:
            said = json.load(answer)
    except urllib.error.HTTPError as error:
        try:
            said = json.load(error)
        except ValueError:
            return {}
    except OSError:
        return {}
    return {part: said[part]["ok"] for part in ALIVE}


def wait_for(wanted: Callable[[], bool], seconds: float = 90) -> None:
    """Wait until the condition holds."""
    until = time.monotonic() + seconds
    while not wanted():
        assert time.monotonic() < until
        time.sleep(0.5)


@pytest.fixture(scope="module")
def page(site: Site):
    """A browser that resolves the name to the second machine, and trusts its certificate."""
    with sync_playwright() as playwright:
        chromium = launch_chromium(playwright, f"--host-resolver-rules=MAP {NAME} {site.second.address}")
        yield chromium.new_context(ignore_https_errors=True).new_page()
        chromium.close()


def begin(page: Page, site: Site) -> str:
    """Open a run of a story; returns its address."""
    page.goto(f"{site.origin}/scenarios/http-liveness/")
    page.locator("form[action$='/run/'] button").first.click()
    wait_for_run(page)
    return page.url


def test_every_block_of_the_page_is_followed(site):
    assert len(chapter()) == 9  # the fixture finds each by its first words: a new one must be added there


def test_proxy_and_both_machines_say_that_everything_is_alive(site):
    for url in (f"https://{site.second.address}", f"http://{site.first.address}:8001"):
        wait_for(lambda url=url: health(url) == ALIVE)


def test_plain_http_leads_to_https(site):
    with pytest.raises(urllib.error.URLError) as met:  # it is redirected to the name, which this machine cannot resolve
        urllib.request.urlopen(urllib.request.Request(f"http://{site.second.address}/", headers={"Host": NAME}), timeout=5)
    assert NAME in met.value.url if isinstance(met.value, urllib.error.HTTPError) else "not known" in str(met.value)


def test_story_plays_and_can_be_acted_in(site, page):
    begin(page, site)
    page.get_by_role("button", name="Delete pod").first.click()
    expect(page.get_by_text("Gone", exact=True).first).to_be_visible(timeout=PATIENCE_S * 1000)


def test_worker_works_a_sweep_off(site, page):
    page.goto(f"{site.origin}/sweeps/?example=ready&last=11&step=10&seeds=2&seconds=30")
    page.get_by_role("button", name="Start sweep").click()
    expect(page.get_by_role("cell", name="2/2").first).to_be_visible(timeout=PATIENCE_S * 1000)


def test_lines_of_processes_reach_the_journal_at_once(site, page):
    page.goto(f"{site.origin}/scenarios/?q=sidecar")
    wait_for(
        lambda: any(
            "/scenarios/?q=sidecar" in machine.run("journalctl --unit 'podscope-web@*'").stdout for machine in (site.first, site.second)
        )
    )


def test_processes_start_without_postgresql_and_go_on_when_it_is_there(site):
    site.first.run("systemctl stop postgresql")
    site.second.run("systemctl restart 'podscope-*'")
    wait_for(lambda: health(f"https://{site.second.address}") == {"web": True, "database": False, "runner": False})
    site.first.run("systemctl start postgresql")
    wait_for(lambda: health(f"https://{site.second.address}") == ALIVE)
    assert set(site.second.run("systemctl show 'podscope-*' --property NRestarts --value").stdout.split()) == {"0"}


def seconds_of(do: Callable[[], object]) -> float:
    """How long that takes."""
    began = time.monotonic()
    do()
    return time.monotonic() - began


def test_machine_of_postgresql_and_redis_that_vanishes_is_noticed_and_waited_for(site, page):
    run, url = begin(page, site), f"https://{site.second.address}"
    site.first.pull_cable()
    try:
        wait_for(lambda: health(url) == {"web": True, "database": False, "runner": False}, 30)
        assert seconds_of(lambda: page.goto(f"{site.origin}/scenarios/")) < 15
        assert "Traceback" not in page.content()
        assert seconds_of(lambda: site.second.run("systemctl restart podscope-runner@1 podscope-web@8001")) < 45
    finally:
        site.first.plug_in()
    wait_for(lambda: health(url) == ALIVE, 60)
    page.goto(run)
    wait_for_run(page)
    page.get_by_role("button", name="Delete pod").first.click()
    expect(page.get_by_text("Gone", exact=True).first).to_be_visible(timeout=PATIENCE_S * 1000)
    page.goto(f"{site.origin}/sweeps/?example=ready&last=21&step=10&seeds=2&seconds=30")  # by a worker that has been running all along
    page.get_by_role("button", name="Start sweep").click()
    expect(page.get_by_role("cell", name="2/2").first).to_be_visible(timeout=60_000)


def test_everything_comes_back_after_both_machines_were_restarted(site, page):
    run = begin(page, site)
    for machine in (site.first, site.second):
        machine.off()
    for machine in (site.second, site.first):
        machine.boot()
    wait_for(lambda: health(f"https://{site.second.address}") == ALIVE)
    page.goto(run)
    wait_for_run(page)
