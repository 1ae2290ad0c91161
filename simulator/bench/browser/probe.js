// Runs in every measured page before its own scripts. Times are in ms since the page was asked for.
(() => {
  const probe = { ready: 0, used: 0, shifts: [], long: [] };
  Object.defineProperty(window, "podscopeProbe", { value: probe });
  const quietly = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  quietly("layout-shift", (entry) => {
    const moved = entry.sources.map(({ node }) => (node instanceof Element ? node.id || node.className || node.tagName : "text"));
    probe.shifts.push({ at: entry.startTime, by: entry.value, moved: String(moved[0] ?? "") });
  });
  quietly("longtask", (entry) => probe.long.push({ at: entry.startTime, took: entry.duration }));
  // The page can be used when it says so and the browser has come round to the next task after drawing it.
  new MutationObserver((_changes, observer) => {
    if (!document.documentElement?.dataset.ready) return;
    observer.disconnect();
    probe.ready = performance.now();
    requestAnimationFrame(() => setTimeout(() => (probe.used = performance.now())));
  }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] });

  /** The lengths of the frames of so many ms, with `step` done in each. */
  probe.frames = (length, step = () => {}) =>
    new Promise((resolve) => {
      const frames = [];
      let last = 0;
      const begin = performance.now();
      const next = (now) => {
        if (last) frames.push(now - last);
        last = now;
        if (now - begin >= length) return resolve(frames);
        requestAnimationFrame(next); // before the page's own
        step(frames.length);
      };
      requestAnimationFrame(next);
    });

  /** A turn of the wheel over the lanes. */
  probe.wheel = (options) => {
    const lanes = document.querySelector(".timeline__body");
    const { x, y, width, height } = lanes.getBoundingClientRect();
    lanes.dispatchEvent(new WheelEvent("wheel", { clientX: x + width / 2, clientY: y + height / 2, cancelable: true, bubbles: true, ...options }));
  };
  probe.pan = (length) => probe.frames(length, (index) => probe.wheel({ shiftKey: true, deltaY: index % 120 < 60 ? 14 : -14 }));
  probe.zoom = (length) => probe.frames(length, (index) => probe.wheel({ ctrlKey: true, deltaY: index % 80 < 40 ? -12 : 12 }));

  /**
   * The scrubber drawn to and fro over a fifth of the run, a step in every frame, as a hand does: the length of each frame, and what the
   * page computed for it, from its scripts to its picture.
   */
  probe.drag = async (length) => {
    const scrubber = document.querySelector("#scrubber");
    const { port1, port2 } = new MessageChannel();
    const begun = [];
    const worked = [];
    port1.onmessage = () => worked.push(performance.now() - begun.shift());
    const lengths = await probe.frames(length, (index) => {
      begun.push(performance.now());
      port2.postMessage(0); // is read when the frame has been painted
      const share = 0.4 + 0.2 * (Math.abs((index % 96) - 48) / 48);
      scrubber.value = String(Math.round(share * Number(scrubber.max)));
      scrubber.dispatchEvent(new Event("input", { bubbles: true }));
    });
    return { lengths, worked };
  };

  /** The scrubber put to `share`: ms until the lanes are drawn, and until the inspector shows that moment, asked for or held (null: not within 3 s). */
  probe.scrub = (share) =>
    new Promise((resolve) => {
      const scrubber = document.querySelector("#scrubber");
      const begin = performance.now();
      const answer = { drawn: 0, shown: null };
      const done = () => answer.drawn && answer.shown !== null && resolve(answer);
      const shown = () => ((answer.shown ??= performance.now() - begin), done());
      for (const name of ["panel:shown", "panel:held"]) document.querySelector("#inspector").addEventListener(name, shown, { once: true, capture: true });
      setTimeout(() => resolve(answer), 3000);
      scrubber.value = String(Math.round(share * Number(scrubber.max)));
      scrubber.dispatchEvent(new Event("input", { bubbles: true }));
      requestAnimationFrame(() => setTimeout(() => ((answer.drawn = performance.now() - begin), done())));
    });
})();
