"""A visitor with a browser of their own: the page, what it loaded, and what its probe measured."""

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, sync_playwright

PROBE = (Path(__file__).parent / "probe.js").read_text(encoding="utf-8")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
SIZE = {"width": 1440, "height": 900}
PATIENCE_MS = 60_000


class Person:
    """A clean browser profile with one page. ``loaded`` is the size of each response body as transferred: compressed, without headers."""

    def __init__(self, browser: Browser, site: str) -> None:
        self.site = site
        self.context: BrowserContext = browser.new_context(viewport=SIZE)  # type: ignore[arg-type]  # playwright wants its own dictionary
        self.context.add_init_script(PROBE)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.wire: CDPSession = self.context.new_cdp_session(self.page)
        self.loaded: dict[str, int] = {}
        self._asked: dict[str, str] = {}
        self._heads: dict[str, int] = {}
        self.wire.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.wire.send("Network.enable")
        self.wire.on("Network.requestWillBeSent", self._request)
        self.wire.on("Network.responseReceived", self._answered)
        self.wire.on("Network.loadingFinished", self._finished)

    def _request(self, event: dict[str, Any]) -> None:
        if event["request"]["url"].startswith("http"):
            self._asked[event["requestId"]] = event["request"]["url"]

    def _answered(self, event: dict[str, Any]) -> None:
        self._heads[event["requestId"]] = int(event["response"]["encodedDataLength"])

    def _finished(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self._asked:
            self.loaded[event["requestId"]] = int(event["encodedDataLength"]) - self._heads.get(event["requestId"], 0)

    @property
    def requests(self) -> int:
        """How many requests have been answered."""
        return len(self.loaded)

    @property
    def weight(self) -> int:
        """Bytes of all responses."""
        return sum(self.loaded.values())

    def panels(self) -> tuple[int, int]:
        """How many panels were loaded, and their bytes."""
        sizes = [size for key, size in self.loaded.items() if "/panel/" in self._asked[key]]
        return len(sizes), sum(sizes)

    def worked_ms(self) -> float:
        """The computing time of the page's main thread so far, whatever else the machine is doing."""
        metrics = {metric["name"]: metric["value"] for metric in self.wire.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"]) * 1000

    def slow_down(self, factor: int) -> None:
        """Slow down the page's processor by this factor."""
        self.wire.send("Emulation.setCPUThrottlingRate", {"rate": factor})

    def open(self, path: str) -> None:
        """Go there and wait until the page is usable."""
        self.page.goto(self.site + path)
        self.wait("() => podscopeProbe.used > 0")

    def open_run(self, manifest: str, *, nodes: int) -> None:
        """Start a run of these objects on this many nodes and go to it."""
        self.page.goto(f"{self.site}/new/")
        token = self.page.locator("body").get_attribute("data-csrf") or ""
        answer = self.context.request.post(
            f"{self.site}/new/",
            form={"csrfmiddlewaretoken": token, "manifest": manifest, "kubernetes": "1.32", "seed": "1", "nodes": str(nodes)},
        )
        found = re.search(r"/r/[0-9a-f-]{36}/", answer.url)
        if not found:
            raise RuntimeError(f"the run was not started: {answer.status}")
        self.open(found[0])

    def control(self, do: str, **fields: object) -> None:
        """Use a control of the transport bar."""
        self.page.evaluate(
            """async (fields) => {
              const main = document.querySelector("[data-run]");
              const headers = { "X-CSRFToken": document.body.dataset.csrf, "HX-Request": "true" };
              await fetch(main.dataset.controlUrl, { method: "POST", body: new URLSearchParams(fields), headers });
            }""",
            {"do": do} | {name: str(value) for name, value in fields.items()},
        )

    def run_to(self, to_ms: int) -> None:
        """Let the run jump to a moment and wait until its records have arrived."""
        self.control("run_to", to_ms=to_ms)
        self.wait(f"() => Number(document.querySelector('[data-run]').dataset.playhead) >= {to_ms}")

    def probe(self, expression: str) -> Any:
        """A value of the page's probe: ``shifts``, ``pan(3000)``."""
        return self.page.evaluate(f"() => podscopeProbe.{expression}")

    def wait(self, predicate: str) -> None:
        """Wait until a function of the page returns true. Polled from outside, since the pages' policy forbids eval."""
        waited_ms = 0
        while not self.page.evaluate(predicate):
            self.page.wait_for_timeout(50)
            waited_ms += 50
            if waited_ms > PATIENCE_MS:
                raise RuntimeError(f"not within {PATIENCE_MS} ms: {predicate}")


def launched(executable: str) -> tuple[Any, Browser]:
    """Playwright and a Chromium; the caller closes both."""
    playwright = sync_playwright().start()
    return playwright, playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
