// @ts-check
/** How a card that stays open is opened by a key, entered, left and closed. */

import { find, findAll } from "../base/dom.js";
import { firstMarkFrom, spanAt } from "../lanes/lane-search.js";

/** @param {any} card  the HoverCard */
export function wireCard(card) {
  const { element, parent, run } = card;
  const inside = (/** @type {Event} */ { target }) => target instanceof Node && element.contains(target);
  // The press that closes it is not lost: it selects, drags or scrolls like any other.
  document.addEventListener("pointerdown", (event) => card.pinned && !inside(event) && card.unpin(), { capture: true });
  find(".timeline__body", parent)?.addEventListener("scroll", () => card.pinned && card.unpin(), { passive: true });
  addEventListener("resize", () => card.pinned && card.unpin());
  document.addEventListener("run:select", (event) => {
    if (card.pinned && !card.about.has(/** @type {CustomEvent} */ (event).detail.rec)) card.unpin();
  });
  parent.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => card.pinned && pressed(card, event, inside(event)));
  run.playhead.onFrame(() => card.pinned && card.refresh());
}

/**
 * Esc closes it, Tab goes into it, Shift+Tab goes back to where the key was pressed.
 * @param {any} card
 * @param {KeyboardEvent} event
 * @param {boolean} isInside
 */
function pressed(card, event, isInside) {
  const controls = findAll("a, button", card.element);
  if (event.key === "Escape") card.unpin();
  else if (event.key === "Tab" && !event.shiftKey && !isInside && card.returns && controls.length) controls[0].focus({ preventScroll: true });
  else if (event.key === "Tab" && event.shiftKey && event.target === controls[0]) (card.returns ?? card.parent).focus({ preventScroll: true });
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * Open the card for what the focused lane shows at the playhead, below that lane.
 * @param {any} card
 * @param {any} timeline
 */
export async function openFocused(card, timeline) {
  const { row } = timeline.navigator;
  const { t_ms } = timeline.run.playhead;
  if (!row || row.isOld) return;
  const { lane } = row;
  const mark = lane.marks[firstMarkFrom(lane.marks, t_ms + 1) - 1];
  const span = lane.kind === "probe" ? null : spanAt(lane.spans, t_ms);
  if (!span && !mark) return;
  const x = Math.min(timeline.viewport.width, Math.max(0, timeline.viewport.xOf(t_ms)));
  const hit = { row, lane, span, marks: span ? null : [mark] };
  const active = document.activeElement;
  await card.pin(hit, x);
  card.returns = active instanceof HTMLElement && timeline.element.contains(active) ? active : timeline.element;
  timeline.spoken.say([...card.element.children].map(({ innerText }) => innerText).join(". "));
}

/** Where a card is kept open: below its row, covering none of it. @param {HTMLElement} parent @param {any} row @param {number} x  of the stage */
export function keptPoint(parent, { y, h }, x) {
  const { offsetTop = 0, scrollTop = 0 } = find(".timeline__body", parent) ?? {};
  return { x: x + (find(".timeline__labels", parent)?.offsetWidth ?? 0), y: offsetTop + y + h - scrollTop, over: h };
}
