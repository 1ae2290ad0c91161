"""Helpers shared by browser tests."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Error, Locator, Page, expect

from simulator.engine.versions.usual import OFFERED
from simulator.manifests.script.cluster import NODES_USUAL

PATIENCE_S = 20
OPEN = "dialog[open], .fault-menu:visible, .hover-card[data-pinned], .gesture:visible"
"""Overlays that Escape closes."""
CLOSED_WITHIN = 6
STILL_FRAMES = 10
"""A view that is the same in this many consecutive frames has come to rest."""
RESTS = """(frames) => new Promise((rest) => {
  const { dataset } = document.querySelector("[data-run]");
  let [seen, left] = [dataset.view, frames];
  const look = () => {
    if (dataset.view !== seen || !seen) [seen, left] = [dataset.view, frames];
    else left -= 1;
    if (left === 0) rest(seen);
    else requestAnimationFrame(look);
  };
  look();
})"""
CSRF_SECRET = "e2e5" * 8
"""The CSRF secret of a visitor who starts a run without opening a page first, which would have set the cookie."""


def wait_until(page: Page, predicate: str, arg: object = None, *, seconds: float = PATIENCE_S) -> None:
    """Wait until a JavaScript function returns true. Polled from outside: the pages' policy forbids eval inside."""
    deadline = time.monotonic() + seconds
    while not _says_yes(page, predicate, arg):
        assert time.monotonic() < deadline, f"not within {seconds} s: {predicate}"


def _says_yes(page: Page, predicate: str, arg: object) -> bool:
    """Whether it returns true within a second. Polled inside the page: a poll from here involves four processes."""
    asked = f"""async (arg) => {{
      const predicate = {predicate};
      for (let tries = 0; tries < 25; tries += 1) {{
        if (await predicate(arg)) return true;
        await new Promise((again) => {{ setTimeout(again, 40); }});
      }}
      return false;
    }}"""
    try:
        return bool(page.evaluate(asked, arg))
    except Error as error:
        if "Execution context was destroyed" in error.message:  # another page was loaded
            return False
        raise


def wait_for_run(page: Page) -> None:
    """Wait until the first records are drawn."""
    expect(page.locator("html")).to_have_attribute("data-ready", "run", timeout=PATIENCE_S * 1000)


def playhead(page: Page) -> int:
    """The moment shown, in ms."""
    return int(page.locator("[data-run]").get_attribute("data-playhead") or 0)


def view_at_rest(page: Page) -> list[int]:
    """The stretch on screen, from and to in ms, once it has come to rest."""
    return [int(part) for part in page.evaluate(RESTS, STILL_FRAMES).split(":")]


def start_story(page: Page, origin: str, slug: str, *, stands_at_s: float | None = None) -> None:
    """Start a run of a story as its page's button does, and open its page; with ``stands_at_s`` it is paused at that second.

    The run is created and advanced by requests of the same visitor, before any machine could play past the moment.
    """
    address, headers = _begun(page, origin, slug)
    _stop_at(page, address, headers, stands_at_s)
    page.goto(address)
    wait_for_run(page)
    if stands_at_s is not None:
        _wait_for(page, int(stands_at_s * 1000))


def branched(person: Any, *, stands_at_s: float) -> Page:
    """The page of a branch paused at that second: it deletes the pod at 0:10 of a run of ``hello-pod`` that has reached 0:30.

    It is created by requests, like ``start_story``; tests of how a branch is made press the buttons.
    """
    page = person.page
    address, headers = _begun(page, person.origin, "hello-pod")
    _stop_at(page, address, headers, 30)
    fields = {"do": "delete_pod", "target": "default/hello", "at_ms": "10000", "client_key": "e2e5" * 8}
    made = page.context.request.post(f"{address}commands/", headers=headers, form=fields)
    branch = person.origin + made.headers["hx-redirect"].partition("?")[0]
    _stop_at(page, branch, headers, stands_at_s)
    page.goto(branch)
    wait_for_run(page)
    _wait_for(page, int(stands_at_s * 1000))
    return page


def _begun(page: Page, origin: str, slug: str) -> tuple[str, dict[str, str]]:
    """Address of a new run of a story, and the headers for its visitor's forms."""
    return _made(page, origin, f"/scenarios/{slug}/run/")


def _made(page: Page, origin: str, path: str, **fields: str) -> tuple[str, dict[str, str]]:
    """Address of the run created by a form, and the headers for its visitor's forms."""
    visitor = page.context
    kept = [each for each in visitor.cookies(origin) if each.get("name") == "csrftoken"]
    if not kept:
        visitor.add_cookies([{"name": "csrftoken", "value": CSRF_SECRET, "url": origin}])
    headers = {"X-CSRFToken": kept[0].get("value", "") if kept else CSRF_SECRET}
    made = visitor.request.post(origin + path, headers=headers, form=fields, max_redirects=0)
    assert made.status == 302, made.text()
    return origin + made.headers["location"], headers | {"HX-Request": "true"}


def _stop_at(page: Page, address: str, headers: dict[str, str], at_s: float | None) -> None:
    """Pause a run and advance it to that second; with None, let it play."""
    for fields in () if at_s is None else ({"do": "pause"}, {"do": "run_to", "to_ms": str(int(at_s * 1000))}):
        page.context.request.post(f"{address}control/", headers=headers, form=fields)


def as_it_stood(page: Page) -> Page:
    """Reset a run page that an earlier test used: nothing is open or searched for, and it shows the present."""
    page.evaluate("() => document.activeElement.blur()")
    for _ in range(CLOSED_WITHIN):
        if page.locator(OPEN).count() == 0:
            break
        page.keyboard.press("Escape")
    found = page.locator(".find__input")
    if found.count() and found.input_value():
        found.fill("")
    page.mouse.move(-1, -1)
    page.locator("#timeline").focus()
    page.keyboard.press("End")
    expect(page.locator("[data-run]")).to_have_attribute("data-live", "true")
    page.evaluate("() => document.activeElement.blur()")
    return page


def control(page: Page, do: str, **fields: object) -> None:
    """Use a control of the transport bar as its button does."""
    page.evaluate(
        """async (fields) => {
          const main = document.querySelector("[data-run]");
          const headers = { "X-CSRFToken": document.body.dataset.csrf, "HX-Request": "true" };
          await fetch(main.dataset.controlUrl, { method: "POST", body: new URLSearchParams(fields), headers });
        }""",
        {"do": do} | {name: str(value) for name, value in fields.items()},
    )


def act(page: Page, button: Locator) -> None:
    """Press the button of an act, and wait for the answer, so that whatever follows happens after it."""
    address = button.evaluate("(button) => new URL(button.getAttribute('formaction') ?? button.form.action, location.href).pathname")
    with page.expect_response(lambda response: response.request.method == "POST" and urlsplit(response.url).path == address):
        button.click()


def kubectl_act(page: Page, line: str) -> None:
    """Carry out a line in the kubectl tab, and wait for its answer."""
    page.locator("#tab-kubectl").click()
    field = page.locator("#kubectl-line")
    field.fill(line)
    with page.expect_response(lambda response: response.request.method == "POST" and response.url.endswith("/kubectl/")):
        field.press("Enter")


def act_now(page: Page, button: Locator) -> None:
    """Like ``act``, but wait until the run has carried it out: a run that is advanced earlier would do it only at the later moment."""
    before = _carried_out(page)
    act(page, button)
    _once(page, lambda: _carried_out(page) > before)


def _once(page: Page, is_carried_out: Callable[[], bool]) -> None:
    for _ in range(PATIENCE_S * 10):
        if is_carried_out():
            return
        page.wait_for_timeout(100)
    raise AssertionError("the act was not carried out")


def _carried_out(page: Page) -> int:
    return sum("command" in row for row in record_rows(page))


def run_to(page: Page, seconds: float) -> None:
    """Let the run jump ahead, and wait until its records have arrived."""
    wanted = int(seconds * 1000)
    control(page, "run_to", to_ms=wanted)
    _wait_for(page, wanted)


def _wait_for(page: Page, at_ms: int) -> None:
    wait_until(page, "(to) => Number(document.querySelector('[data-run]').dataset.playhead) >= to", at_ms)


def go_to(page: Page, text: str) -> None:
    """Move the playhead to a moment by typing it."""
    page.locator("#timeline").focus()
    page.keyboard.press("g")
    field = page.locator("[data-goto] input")
    field.fill(text)
    field.press("Enter")


def status(page: Page):
    """The STATUS word in the inspector."""
    return page.locator("#insp-head .tone")


def expect_status(page: Page, word: str) -> None:
    """Expect that STATUS in the inspector, soon."""
    expect(status(page)).to_have_text(word, timeout=15_000)


def press(page: Page, name: str) -> None:
    """Press a button of the inspector, opening its group if that is closed."""
    inspector = page.locator("#inspector")
    button = inspector.locator("button").filter(has_text=re.compile(rf"^\s*{re.escape(name)}\s*$")).first
    button.wait_for(state="attached")
    button.evaluate("(button) => { for (let d = button.closest('details'); d; d = d.parentElement.closest('details')) d.open = true; }")
    if button.evaluate("(button) => button.form !== null && button.form.method === 'post'"):
        act(page, button)
    else:
        button.click()


@contextmanager
def another_run(page: Page) -> Iterator[None]:
    """The block leads to the page of another run, as acts in the past do."""
    here = page.url.partition("?")[0]
    yield
    page.wait_for_url(lambda url: "/r/" in url and url.partition("?")[0] != here)
    wait_for_run(page)


def deaf_pod(visit, *, until_s: float) -> Page:
    """The page of a pod that ignores TERM and was deleted at 10 s, at a later second."""
    return deleted(visit(), "pid-1-is-deaf", "deaf", until_s=until_s)


def deleted(person: Any, slug: str, pod: str, *, until_s: float, **options: str) -> Page:
    """The page of a run of a story whose pod was deleted at 10 s, at a later second; created by requests, like ``start_story``."""
    page, visitor = person.page, person.context.request
    address, headers = _begun(page, person.origin, slug)
    _stop_at(page, address, headers, 10)
    fields = {"do": "delete_pod", "target": f"default/{pod}", "client_key": "e2e5" * 8} | options
    visitor.post(f"{address}commands/", headers=headers, form=fields)
    _once(page, lambda: any("command" in row for row in visitor.get(f"{address}records/").json()["records"]))
    _stop_at(page, address, headers, until_s)
    page.goto(address)
    wait_for_run(page)
    _wait_for(page, int(until_s * 1000))
    return page


def record_rows(page: Page) -> list[list]:
    """Every record of the run, as rows."""
    return page.evaluate("async () => (await (await fetch(document.querySelector('[data-run]').dataset.recordsUrl)).json()).records")


def recorded(page: Page, word: str) -> list:
    """The first record with this text, once it exists: a run gets its runner only with the first command."""
    wanted = """async (word) => {
      const answer = await fetch(document.querySelector('[data-run]').dataset.recordsUrl);
      return (await answer.json()).records.some((record) => JSON.stringify(record).includes(word));
    }"""
    wait_until(page, wanted, word)
    return next(row for row in record_rows(page) if word in str(row))


def standing(person: Any, slug: str, at_s: float) -> Page:
    """The page of a run of a story paused at that second, as its owner sees it."""
    start_story(person.page, person.origin, slug, stands_at_s=at_s)
    return person.page


def played(person: Any, manifests: str, at_s: float) -> Page:
    """The page of a run of manifests paused at that second, as its owner sees it."""
    start_manifests(person.page, person.origin, manifests, at_s)
    return person.page


def start_manifests(page: Page, origin: str, manifests: str, at_s: float) -> None:
    """Open a run of manifests paused at that second; created by requests, like ``start_story``."""
    fields = {"kubernetes": OFFERED, "nodes": str(NODES_USUAL), "seed": "42", "jitter": "on"}  # the form's defaults
    address, headers = _made(page, origin, "/new/", manifest=manifests, **fields)
    _stop_at(page, address, headers, at_s)
    page.goto(address)
    wait_for_run(page)
    _wait_for(page, int(at_s * 1000))


def start_level(page: Page, origin: str, slug: str) -> None:
    """Open an attempt at a level, at its beginning; created by a request, like ``start_story``."""
    page.goto(_made(page, origin, f"/levels/{slug}/run/")[0])
    wait_for_run(page)
