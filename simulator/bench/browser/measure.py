"""The measurements of a page, each in a clean browser."""

import json
from collections.abc import Callable, Sequence
from math import ceil
from time import monotonic
from typing import Any

from msgspec import Struct
from playwright.sync_api import Browser

from simulator.bench import engine
from simulator.bench.browser.person import Person

SLOWED = 4
SLOW_OPENINGS = 7
SETTLE_MS = 2500
ARRIVE_MS = 500
"""How long after it is usable a page may still load what belongs to its opening; later requests have some other cause."""
FRAMES_MS = 4000
SCRUBS = 24
NODE_PODS = 100
LIVE_PERMILLE = 16_000


class Opened(Struct, frozen=True, kw_only=True):
    """Opening a page with an empty cache: requests, compressed bytes of the responses, and ms until it is usable.

    ``slowed_ms`` is the same with a slower processor, ``blocked_ms`` how long the slowed page could not respond within its first seconds:
    the part of each task beyond 50 ms. ``worked_ms`` is what its main thread computed until the page was usable, which depends less on what
    else the machine is doing. Panels that were loaded because the run had gone on since the page was rendered are counted separately.
    """

    requests: int
    weight: int
    panels: int
    panel_bytes: int
    used_ms: int
    slowed_ms: int
    blocked_ms: int
    worked_ms: int


class Frames(Struct, frozen=True, kw_only=True):
    """Lengths of frames in ms, and the average computing time of the main thread per frame."""

    p50: float
    p95: float
    worst: float
    worked: float


class Scrubbed(Struct, frozen=True, kw_only=True):
    """Delays in ms from moving the scrubber to drawn lanes, and to the inspector of that moment."""

    drawn_p50: float
    drawn_p95: float
    shown_p50: float
    shown_p95: float


class Dragged(Struct, frozen=True, kw_only=True):
    """While the scrubber is dragged: lengths of frames, and the main thread's computing time per frame, in ms."""

    frame_p50: float
    frame_p95: float
    worked_p50: float
    worked_p95: float


class Watched(Struct, frozen=True, kw_only=True):
    """While a run played: the number and sum of layout shifts, what moved first, and the bytes that panels loaded per second."""

    shifts: int
    score: float
    moved: str
    panels_s: float
    panel_bytes_s: int


class FirstMinute(Struct, frozen=True, kw_only=True):
    """Seconds from opening the landing page until an act is visible, the first failure is described, and the cause of the first kill is
    shown."""

    act_s: float
    failure_s: float
    why_s: float


SMALL = {"width": 1366, "height": 768}
ACT_IN_VIEW = """() => [...document.querySelectorAll("form[data-act] button")].some((button) => {
  const box = button.getBoundingClientRect();
  return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && button.getAttribute("aria-disabled") !== "true";
})"""
FAILURE_TOLD = "() => /probe failed/.test(document.querySelector('#narrator').innerText)"
KILL_EXPLAINED = "() => /TERM/.test(document.querySelector('#drawer-body .why__step')?.innerText ?? '')"


def first_minute(browser: Browser, site: str) -> FirstMinute:
    """Open the landing page in a small window and touch nothing."""
    person = Person(browser, site)
    person.page.set_viewport_size(SMALL)  # type: ignore[arg-type]  # playwright wants its own dictionary
    began, seen = monotonic(), list[float]()
    person.page.goto(site)
    for sign in (ACT_IN_VIEW, FAILURE_TOLD, KILL_EXPLAINED):
        person.page.wait_for_function(sign)
        seen.append(round(monotonic() - began, 1))
    person.context.close()
    return FirstMinute(act_s=seen[0], failure_s=seen[1], why_s=seen[2])


def opened(browser: Browser, site: str, path: str) -> Opened:
    """Open a page at normal speed, and several times with a slowed processor, of which the median counts."""
    person = Person(browser, site)
    person.open(path)
    worked_ms = person.worked_ms()
    person.page.wait_for_timeout(ARRIVE_MS)
    used_ms, (panels, panel_bytes) = person.probe("used"), person.panels()
    requests, weight = person.requests - panels, person.weight - panel_bytes
    person.context.close()
    slowed_ms, blocked_ms = sorted(_opened_slowly(browser, site, path) for _ in range(SLOW_OPENINGS))[SLOW_OPENINGS // 2]
    return Opened(
        requests=requests,
        weight=weight,
        panels=panels,
        panel_bytes=panel_bytes,
        used_ms=round(used_ms),
        slowed_ms=round(slowed_ms),
        blocked_ms=round(blocked_ms),
        worked_ms=round(worked_ms),
    )


def _opened_slowly(browser: Browser, site: str, path: str) -> tuple[float, float]:
    slowed = Person(browser, site)
    slowed.slow_down(SLOWED)
    slowed.open(path)
    slowed_ms = slowed.probe("used")
    slowed.page.wait_for_timeout(SETTLE_MS)
    blocked_ms = sum(task["took"] - 50 for task in slowed.probe("long") if task["at"] < slowed_ms + 1000)
    slowed.context.close()
    return slowed_ms, blocked_ms


def played(browser: Browser, site: str, path: str, *, seconds: int, permille: int) -> Watched:
    """Watch the run of a page while it plays."""
    person = Person(browser, site)
    person.open(path)
    person.control("rate", rate=permille)
    person.page.wait_for_timeout(SETTLE_MS)
    count, size = person.panels()
    before = len(person.probe("shifts"))
    person.page.wait_for_timeout(seconds * 1000)
    shifts = person.probe("shifts")[before:]
    count, size = person.panels()[0] - count, person.panels()[1] - size
    person.context.close()
    return Watched(
        shifts=len(shifts),
        score=round(sum(shift["by"] for shift in shifts), 4),
        moved=shifts[0]["moved"] if shifts else "",
        panels_s=round(count / seconds, 1),
        panel_bytes_s=round(size / seconds),
    )


def crowd(pods: int) -> str:
    """A manifest of Deployments with this many everyday pods in all."""
    kinds = (engine.quiet_pod, engine.probed_pod, engine.crashing_pod, engine.liveness_pod)
    parts = [pods // 10, pods // 20, pods // 20]
    workloads = [_deployment(kind, replicas) for kind, replicas in zip(kinds, (pods - sum(parts), *parts), strict=True)]
    return "\n---\n".join(json.dumps(document) for document in workloads)


def _deployment(kind: Callable[[str], str], replicas: int) -> dict[str, Any]:
    labels = {"app": kind.__name__.removesuffix("_pod")}
    template = {"metadata": {"labels": labels}, "spec": json.loads(kind("pod"))["spec"]}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": labels["app"]}, "spec": spec}


def crowded(browser: Browser, site: str, pods: int) -> tuple[dict[str, Frames], dict[str, Scrubbed], Dragged]:
    """A run of many pods: frames of panning, zooming and playing live at 16×, and its scrubber.

    The scrubber jumps back and forth twice: first where the browser has nothing of the run yet, later over the same moments. Then it is
    dragged back and forth over a fifth of the run, as by somebody who is looking for a moment.
    """
    person = Person(browser, site)
    person.open_run(crowd(pods), nodes=ceil(pods / NODE_PODS))
    person.control("pause")
    person.run_to(120_000)
    person.page.wait_for_timeout(SETTLE_MS)
    frames = {what: frames_of(person, f"{what}({FRAMES_MS})") for what in ("pan", "zoom")}
    person.page.keyboard.press("End")
    moves = [f"scrub({0.1 + 0.8 * ((number * 7) % SCRUBS) / SCRUBS})" for number in range(SCRUBS)]
    scrubs = {"at first": scrubbed_of([person.probe(move) for move in moves])}
    person.page.wait_for_timeout(2 * SETTLE_MS)
    scrubs["again"] = scrubbed_of([person.probe(move) for move in moves])
    scrubs["along"] = scrubbed_of([person.probe(f"scrub({0.4 + 0.2 * number / SCRUBS})") for number in range(SCRUBS)])
    dragged = dragged_of(person.probe(f"drag({FRAMES_MS})"))
    person.page.locator("#timeline").focus()
    person.page.keyboard.press("End")
    person.control("rate", rate=LIVE_PERMILLE)
    person.control("play")
    person.page.wait_for_timeout(1000)
    frames["live"] = frames_of(person, f"frames({2 * FRAMES_MS})")
    person.context.close()
    return frames, scrubs, dragged


def frames_of(person: Person, expression: str) -> Frames:
    """The figures of the frames that the page's probe counts while the expression runs."""
    before = person.worked_ms()
    lengths = person.probe(expression)
    worked = (person.worked_ms() - before) / len(lengths)
    return Frames(p50=share_of(lengths, 0.5), p95=share_of(lengths, 0.95), worst=round(max(lengths), 1), worked=round(worked, 1))


def scrubbed_of(scrubs: Sequence[dict[str, float | None]]) -> Scrubbed:
    """The figures of moves of the scrubber; one whose panel did not arrive counts as three seconds."""
    drawn = [scrub["drawn"] or 0.0 for scrub in scrubs]
    shown = [3000.0 if scrub["shown"] is None else scrub["shown"] for scrub in scrubs]
    return Scrubbed(
        drawn_p50=share_of(drawn, 0.5), drawn_p95=share_of(drawn, 0.95), shown_p50=share_of(shown, 0.5), shown_p95=share_of(shown, 0.95)
    )


def dragged_of(drag: dict[str, list[float]]) -> Dragged:
    """The figures of a drag of the scrubber."""
    lengths, worked = drag["lengths"], drag["worked"]
    return Dragged(
        frame_p50=share_of(lengths, 0.5),
        frame_p95=share_of(lengths, 0.95),
        worked_p50=share_of(worked, 0.5),
        worked_p95=share_of(worked, 0.95),
    )


def share_of(values: Sequence[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, ceil(share * len(ordered)) - 1)], 1)
