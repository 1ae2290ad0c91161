"""What a page loads: little, at once, and nothing twice."""

import re
from urllib.request import Request, urlopen

import pytest

from tests.e2e.helpers import control, run_to, start_story, wait_for_run, wait_until

pytestmark = pytest.mark.e2e
REQUESTS_MAX = 12
BYTES_MAX = 113_000
"""The weight limit of the run page with an empty cache."""
TWO_PODS = """
{apiVersion: v1, kind: Pod, metadata: {name: calm}, spec: {containers: [{name: app, image: registry.k8s.io/pause:3.9}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: probed}, spec: {containers: [{name: app, image: nginx:1.27,
  livenessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 1}}]}}
"""


class Wire:
    """Counts the responses that a page gets, in bytes as transferred: compressed, without headers.

    For the document itself the browser does not report the size of the headers, so it is fetched once more (``document_bytes``).
    """

    def __init__(self, person) -> None:
        self.asked: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        session = person.context.new_cdp_session(person.page)
        session.send("Network.enable")
        session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        session.on("Network.requestWillBeSent", lambda event: self.asked.update({event["requestId"]: event["request"]["url"]}))
        session.on("Network.dataReceived", self._count)

    def _count(self, event: dict) -> None:
        key = event["requestId"]
        self.sizes[key] = self.sizes.get(key, 0) + event["encodedDataLength"]

    def answers(self) -> dict[str, int]:
        return {url: size for key, size in self.sizes.items() if (url := self.asked.get(key, "")).startswith("http")}


def document_bytes(url: str) -> int:
    with urlopen(Request(url, headers={"Accept-Encoding": "gzip"})) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        return len(answer.read())


@pytest.fixture
def person(visit):
    return visit()


def test_run_page_opens_with_few_requests_and_little_weight(person):
    start_story(person.page, person.origin, "liveness-death-spiral")
    address = person.page.url
    person.context.clear_cookies()
    fresh = person.context.new_page()
    person.page.close()
    person.page = fresh
    wire = Wire(person)
    fresh.goto(address)
    wait_for_run(fresh)
    fresh.wait_for_timeout(500)
    answers = wire.answers() | {address: document_bytes(address)}
    assert len(answers) <= REQUESTS_MAX, answers
    # Requests made because the run has gone on meanwhile do not belong to the page.
    assert sum(size for url, size in answers.items() if "/panel/" not in url) <= BYTES_MAX, answers


def test_page_of_text_loads_nothing_of_a_run(person):
    wire = Wire(person)
    person.open("/scenarios/")
    wait_until(person.page, "() => document.documentElement.dataset.ready === 'page'")
    scripts = {re.sub(r".*/static/|(\.[0-9a-f]{12})?\.js$", "", url) for url in wire.answers() if ".js" in url}
    assert scripts == {"js/boot", "vendor/htmx@2.0.11/htmx.min", "bundles/pages"}


def test_panel_is_not_fetched_for_what_happens_to_another_pod(person):
    page = person.open("/new/")
    page.locator("#id_manifest").evaluate("(field, text) => { field.value = text; field.form.requestSubmit(); }", TWO_PODS)
    page.wait_for_url(re.compile(r"/r/[0-9a-f-]{36}/"))
    wait_for_run(page)
    control(page, "pause")
    run_to(page, 20)
    page.wait_for_timeout(1500)  # the panels of that moment
    wire = Wire(person)
    control(page, "rate", rate=4000)
    control(page, "play")
    wait_until(page, "() => Number(document.querySelector('[data-run]').dataset.playhead) >= 30_000")
    records = page.locator("[data-run]").get_attribute("data-head-seq")
    assert int(records) > 40
    assert [url for url in wire.answers() if "/panel/" in url] == []


SAME_AGAIN = """(ms) => new Promise((resolve) => {
  const found = new Set();
  const look = (change) => {
    const { target, type, attributeName, oldValue } = change;
    if ((target.parentElement ?? target).closest("#inspector, #drawer, .fault-bar")) return; // what the server sent is filled in there
    const now = type === "attributes" ? target.getAttribute(attributeName) : target.data;
    if (oldValue === now) found.add(`${attributeName ?? "text"} of ${target.id || target.className || target.nodeName}`);
  };
  const observer = new MutationObserver((changes) => changes.forEach(look));
  const main = document.querySelector("main");
  observer.observe(main, { subtree: true, attributes: true, attributeOldValue: true, characterData: true, characterDataOldValue: true });
  setTimeout(() => resolve([...found]), ms);
})"""


def test_playing_run_writes_nothing_that_stands_there_already(person):
    start_story(person.page, person.origin, "liveness-death-spiral")
    wait_for_run(person.page)
    person.page.wait_for_timeout(1500)  # its panels have loaded
    control(person.page, "rate", rate=4000)
    control(person.page, "play")
    assert person.page.evaluate(SAME_AGAIN, 3000) == []


def test_run_is_watched_through_the_one_socket_that_was_opened_before_the_scripts_came(person):
    sockets = []
    person.page.on("websocket", lambda socket: sockets.append(socket.url))
    person.open("/")
    wait_for_run(person.page)
    assert len(sockets) == 1
    assert person.page.evaluate("window.podscopeSocket") is None


SHOWN_WITH = """([tab, of]) => new Promise((resolve) => {
  const body = document.querySelector("#drawer-body");
  body.addEventListener("panel:shown", () => resolve(getComputedStyle(body.querySelector(of)).display));
  document.querySelector(`#tab-${tab}`).click();
})"""


def test_tab_that_is_seldom_opened_is_shown_with_its_own_style_sheet(person):
    start_story(person.page, person.origin, "liveness-death-spiral", stands_at_s=10)
    person.page.wait_for_timeout(1500)  # its panels have loaded
    sheets = []
    person.page.on("request", lambda request: sheets.append(request.url) if request.resource_type == "stylesheet" else None)
    assert person.page.evaluate(SHOWN_WITH, ["map", ".map"]) == "grid"
    assert [re.sub(r".*/|\.[0-9a-f]{12}", "", url) for url in sheets] == ["later.css"]
