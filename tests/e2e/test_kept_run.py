"""A run recorded by another revision of the engine opens in a browser, can be scrubbed and explained."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import expect_status, go_to, playhead

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).resolve().parents[2]
RUN = "/r/68b640b5-72b0-47d7-bace-b340ddbb82ae/"
OPENED, UNOPENED = "/s/ee7xqtgkg7/", "/s/xp7fu725th/"
STORED = """
from django.core import signing
from tests.runs.log.kept import revision_2
revision_2()
print(signing.dumps("the-owner-key", salt="podscope.owner"))
"""
"""Stored by a server of revision 2. Today's engine writes the endpoints of its Service as objects, so it differs at once."""


@pytest.fixture(scope="module")
def stored(server):
    """The run and its links in the server's database; returns the owner's cookie."""
    env = {**os.environ, "PODSCOPE_DATA_DIR": str(server.folder)}
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", STORED]
    return subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True).stdout.split()[-1]


def test_run_of_revision_2_opens_scrubs_and_explains_why(stored, visit):
    person = visit()
    page = person.open_run(f"{RUN}?t=186&sel=pod/default/web")
    expect_status(page, "TaintToleration")
    expect(page.locator("#kept")).to_contain_text("Recorded by engine revision 2 and shown as recorded.")
    expect(page.locator("#insp-recorded")).to_contain_text("What follows comes from its records alone.")
    expect(page.locator('[data-count="records"]')).to_have_text("307 records")
    expect(page.locator("#drawer-body .why")).to_contain_text("The kubelet of node-1 is up")
    go_to(page, "30")
    expect_status(page, "Running")
    expect(page.locator("#insp-recorded")).to_have_count(1)
    page.locator("#tab-yaml").click()
    expect(page.locator("#needs-world")).to_contain_text("This panel needs the cluster as it was at that moment")
    page.locator("#kept a[data-seek-seq]").click()
    expect(page.locator("#drawer-body .why")).to_contain_text("SANDBOX-READY")
    assert playhead(page) < 1_000


@pytest.mark.parametrize("address", [OPENED, UNOPENED])
def test_links_of_revision_2_show_what_was_recorded(stored, visit, address):
    page = visit().open_run(f"{address}?t=186&sel=pod/default/web")
    expect_status(page, "TaintToleration")
    expect(page.locator("#kept")).to_contain_text("Recorded by engine revision 2")


def test_fork_of_an_old_run_goes_on_by_todays_rules(stored, visit):
    page = visit().open_run(f"{RUN}?t=186&sel=pod/default/web")
    page.get_by_role("button", name="Branch with the current rules").click()
    page.wait_for_url(re.compile(r"/r/(?!68b640b5)[0-9a-f-]{36}/"))
    expect(page.locator("#kept")).to_contain_text("Runs by the rules of the current engine")
    expect(page.locator("#kept")).to_contain_text("ENDPOINTSLICE-SYNC")


def test_owner_who_presses_play_goes_on_in_a_branch(stored, server, visit):
    person = visit()
    person.context.add_cookies([{"name": "podscope_owner", "value": stored, "url": server.url}])
    page = person.open_run(RUN)
    expect(page.locator("[data-socket-state]")).to_contain_text("Recorded by a different revision")
    page.locator('#transport [data-do="play"]').click()
    page.wait_for_url(re.compile(r"/r/(?!68b640b5)[0-9a-f-]{36}/"))
    expect(page.locator("#kept")).to_contain_text("Runs by the rules of the current engine")
    expect(page.locator('[data-do="live"]')).to_have_attribute("aria-pressed", "true")
