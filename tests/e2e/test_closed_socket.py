"""A socket that the server closes says why, once, and the page comes back."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

VISITS = """async (visits) => {
  const { RunSocket } = await import("/static/js/wire/run-socket.js");
  const told = [], waits = [], states = [], opened = [];
  window.WebSocket = class {
    static OPEN = 1;
    constructor() { opened.push(this); }
    send() {}
    close() {}
  };
  const timers = [];
  window.setTimeout = (call, wait_ms) => timers.push([wait_ms, call]);
  Math.random = () => 0.5;
  const names = ["onRecords", "onClock", "onHello", "onPresence"];
  const handlers = Object.fromEntries(names.map((name) => [name, () => {}]));
  Object.assign(handlers, { headSeq: () => 0, onState: (state) => states.push(state), onRefused: (code) => told.push(code) });
  const socket = new RunSocket({ socketPath: "/ws/run/x/", recordsUrl: "", handlers });
  socket.retryIn = (wait_ms) => waits.push(wait_ms);
  for (const [code, ...heard] of visits) {
    if (socket.closed) break;
    socket.connect();
    const line = opened.at(-1);
    line.onopen();
    for (const type of ["hello", ...heard]) {
      if (type === "a while") timers.findLast(([wait_ms]) => wait_ms === 30000)[1]();
      else line.onmessage({ data: JSON.stringify({ type, head_seq: 0, from: 0, to: 0, now_ms: 0, records: [] }) });
    }
    await socket.queue;
    line.onclose({ code });
  }
  return { told, waits, state: states.at(-1), opened: opened.length };
}"""


@pytest.fixture
def person(visit):
    return visit()


@pytest.mark.parametrize(("code", "words"), [(4029, "too much at once"), (4013, "database is unavailable"), (4009, "Close some of them")])
def test_page_says_why_its_socket_was_closed(person, code, words):
    person.page.route_web_socket("**/ws/run/**", lambda socket: socket.close(code=code))
    person.page.goto(f"{person.origin}/scenarios/hello-pod/")
    person.page.get_by_role("button", name="Open run").click()
    expect(person.page.locator("#toasts .toast")).to_have_count(1)
    expect(person.page.locator("#toasts")).to_contain_text(words)


@pytest.fixture
def visits(person):
    """What a page tells, and how many ms it waits after each visit: the code that ends it, and what it hears after the hello."""
    page = person.open("/new/")
    return lambda *each: page.evaluate(VISITS, [list(visit) for visit in each])


@pytest.mark.parametrize("code", [4010, 4029])
def test_reason_that_comes_after_every_hello_is_told_once(visits, code):
    assert visits([code], [code], [code])["told"] == [code]


@pytest.mark.parametrize("heard", ["records", "a while"])
def test_reason_is_told_again_once_a_socket_was_sound(visits, heard):
    assert visits([4010], [4010, heard])["told"] == [4010, 4010]


def test_page_comes_back_later_when_the_site_is_too_busy(visits):
    assert visits([4011], [4011]) == {"told": [], "waits": [7500, 7500], "state": "closed", "opened": 2}


def test_page_comes_back_later_and_later_while_only_hellos_arrive(visits):
    assert visits([1006], [1006], [1006])["waits"] == [250, 500, 1000]


def test_page_comes_back_soon_after_a_sound_socket(visits):
    assert visits([4011], [1006, "records"])["waits"] == [7500, 250]


def test_page_of_a_deleted_run_does_not_come_back(visits):
    assert visits([4004], [4004]) == {"told": [4004], "waits": [], "state": "frozen", "opened": 1}
