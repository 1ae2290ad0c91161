// @ts-check
/** Links and buttons inside panels: to an instant, to an object, to a tab. */

import { secondsText } from "../base/format.js";

/** @param {any} page  the RunPage */
export function wireLinks(page) {
  if (page.timeline && page.drawer) wirePointing(page.drawer.panel.body, page.timeline.light);
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("[data-seek], [data-seek-seq], [data-select], [data-open-tab], [data-part]") : null;
    // With a modifier key the browser opens the link's own address, which leads to the same moment.
    if (!(link instanceof HTMLElement || link instanceof SVGElement) || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const { seek, seekSeq, select, rec, openTab, part } = link.dataset;
    event.preventDefault();
    if (seekSeq) page.seekTo(Number(seekSeq));
    else if (seek) {
      page.playhead.seek(Number(seek));
      page.timeline?.reveal(Number(seek));
    }
    if (select) page.select(select, Number(rec || 0));
    if (openTab) page.openTab(openTab);
    if (part) page.drawer?.showPart(part);
  });
  // In another tab a link opens the moment now shown, whenever its panel was rendered.
  for (const coming of ["pointerdown", "focusin"]) {
    document.addEventListener(coming, ({ target }) => {
      const away = target instanceof Element ? target.closest("a[data-at-moment]") : null;
      away?.setAttribute("href", `${(away.getAttribute("href") || "").replace(/\?.*/, "")}?t=${secondsText(page.playhead.t_ms)}`);
      const link = target instanceof Element ? target.closest('a[data-select][href^="?t="]:not([data-seek-seq])') : null;
      link?.setAttribute("href", `?t=${secondsText(page.playhead.t_ms)}${(link.getAttribute("href") || "").replace(/^[^&]*/, "")}`);
    });
  }
}

/**
 * While a link to an instant within an element is hovered or focused, point at that instant on the lanes.
 * @param {HTMLElement} element
 * @param {{ point: (seq: number) => void }} light
 */
function wirePointing(element, light) {
  const point = (/** @type {Event} */ event) => {
    const step = event.target instanceof Element ? event.target.closest("[data-points], [data-seek-seq]") : null;
    const { points, seekSeq } = step instanceof HTMLElement || step instanceof SVGElement ? step.dataset : {};
    light.point(Number(points || seekSeq || 0));
  };
  element.addEventListener("pointerover", point);
  element.addEventListener("focusin", point);
  element.addEventListener("pointerleave", () => light.point(0));
  element.addEventListener("focusout", () => light.point(0));
}
