// @ts-check
/** The row under the pointer: its label and bars are tinted as one. */

import { find, setHidden, make } from "../base/dom.js";

/** @param {any} timeline */
export function tintRows(timeline) {
  const { content } = timeline;
  // A finger covers what it points at, and forced colours have no tint.
  if (find(".timeline__tint", content) || matchMedia("(hover: none), (forced-colors: active)").matches) return;
  const tint = make("div", { class: "timeline__tint", hidden: true });
  content.append(tint);
  content.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    const row = timeline.rowAtClient(event.clientY);
    setHidden(tint, !row);
    if (!row) return;
    tint.style.setProperty("top", `${row.y}px`);
    tint.style.setProperty("height", `${row.h}px`);
  });
  content.addEventListener("pointerleave", () => setHidden(tint, true));
}
