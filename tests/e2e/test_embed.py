"""A run in a frame of another origin, controlled over postMessage."""

import functools
import http.server
import re
import threading

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import start_story, wait_until

pytestmark = pytest.mark.e2e
HOST = """<!doctype html><title>A page of somebody else</title><link rel="icon" href="data:,">
<iframe src="{src}" width="800" height="480"></iframe>
<script>
const frame = document.querySelector("iframe");
window.told = [];
addEventListener("message", (event) => {{ if (event.source === frame.contentWindow) told.push(event.data); }});
window.say = (message) => frame.contentWindow.postMessage({{ podscope: 1, ...message }}, "*");
</script>"""


@pytest.fixture
def other_site(tmp_path):
    """A server of another origin; ``write(html)`` returns the address of a page on it."""
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def write(html: str) -> str:
        (tmp_path / "page.html").write_text(html)
        return f"http://127.0.0.1:{server.server_port}/page.html"

    yield write
    server.shutdown()
    server.server_close()


def test_other_site_frames_and_steers_a_moment(visit, browser, other_site):
    host = visit()
    start_story(host.page, host.origin, "pid-1-is-deaf", stands_at_s=40)
    with host.page.expect_response(re.compile("/share/")) as shared:
        host.page.locator("header [data-do=share]").click()
    address = other_site(HOST.format(src=f"{host.origin}/embed/{shared.value.json()['id']}/?t=10&controls=min&theme=dark"))

    page = browser.new_context().new_page()
    page.goto(address)
    main = page.frame_locator("iframe").locator("main")
    wait_until(page, "() => told.some((message) => message.type === 'ready' && message.duration >= 40 && message.t === 10)")
    expect(page.frame_locator("iframe").locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.frame_locator("iframe").locator("#scrubber")).to_be_visible()

    page.evaluate("() => say({ type: 'seek', t: 20 })")
    expect(main).to_have_attribute("data-playhead", "20000")
    page.evaluate("() => say({ type: 'play', rate: 4 })")
    wait_until(page, "() => told.at(-1).playing && told.at(-1).t > 21")
    page.evaluate("() => say({ type: 'pause' })")
    wait_until(page, "() => told.at(-1).playing === false")
    page.evaluate("() => { say({ type: 'seek', t: 'soon' }); say({ type: 'explode' }); frame.contentWindow.postMessage('x', '*'); }")
    page.evaluate("() => say({ type: 'seek', t: 5 })")
    expect(main).to_have_attribute("data-playhead", "5000")
    page.context.close()


def test_recording_plays_again_from_its_beginning(visit):
    host = visit()
    start_story(host.page, host.origin, "hello-pod", stands_at_s=20)
    with host.page.expect_response(re.compile("/share/")) as shared:
        host.page.locator("header [data-do=share]").click()
    page = visit().open_run(f"/embed/{shared.value.json()['id']}/")
    page.evaluate("() => document.querySelector('[data-do=last]').click()")
    page.locator("[data-do=play]").click()
    wait_until(page, "() => { const t = Number(document.querySelector('main').dataset.playhead); return t > 0 && t < 15000; }")


def test_frame_as_narrow_as_a_phone_has_its_details_and_the_way_out_of_it(visit):
    host = visit()
    page = host.page
    start_story(page, host.origin, "hello-pod", stands_at_s=20)
    with page.expect_response(re.compile("/share/")) as shared:
        page.locator("header [data-do=share]").click()
    guest = visit()
    guest.page.set_viewport_size({"width": 390, "height": 720})
    framed = guest.open_run(f"/embed/{shared.value.json()['id']}/")
    expect(framed.locator("#drawer-body .why__step").first).to_be_in_viewport()
    expect(framed.locator("[data-embed-open]")).to_be_in_viewport()
    expect(framed.get_by_role("button", name="Actions", exact=True)).to_be_hidden()
    lanes = framed.locator(".lane-label[data-kind=events]").bounding_box()
    narrator = framed.locator("#narrator").bounding_box()
    assert 0 <= narrator["y"] - lanes["y"] - lanes["height"] <= 40
