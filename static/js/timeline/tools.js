// @ts-check
/** The tools above the names of lanes: one tab stop, with the arrow keys moving between them. */

import { find, findAll, setHidden, make } from "../base/dom.js";
import { text } from "../base/i18n.js";

/** @type {[string, string, string][]} action, sign, text */
const TOOLS = [
  ["zoomOut", "−", "timeline.zoom_out"],
  ["zoomIn", "+", "timeline.zoom_in"],
  ["fit", "⤢", "timeline.fit"],
  ["foldAll", "⊟", "timeline.fold_all"],
  ["sortLanes", "⇅", "timeline.sort"],
  ["clock", "t+", "timeline.clock"],
];

/** Only a branch has two futures. @type {[string, string, string]} */
const FUTURES = ["futures", "⇉", "futures.show"];

/** @type {[string, string][]} entries of the menu: action, text */
const MENU = [
  ["foldAll", "timeline.fold_all"],
  ["sortLanes", "timeline.sort"],
  ["unpinAll", "pins.clear"],
  ["logLines", "lane.logs"],
  ["density", "density.close"],
  ["clock", "timeline.clock"],
  ["stretch", "stretch.choose"],
  ["note", "notes.title"],
  ["table", "timeline.table"],
  ["saveSvg", "export.svg"],
  ["savePng", "export.png"],
];

/** @param {HTMLElement} corner @param {boolean} isBranch  whether this is a branch whose old future can be read */
export function buildTools(corner, isBranch) {
  const rail = find("#rail") ? [/** @type {[string, string, string]} */ (["rail", "◧", "timeline.rail"])] : [];
  for (const [action, sign, key] of [...rail, ...TOOLS, ...(isBranch ? [FUTURES] : [])]) {
    corner.append(make("button", { type: "button", class: "timeline__tool", "data-do": action, title: text(key), "aria-label": text(key), text: sign }));
  }
  /** @type {[string, string][]} */
  const choices = isBranch ? [["futures", "futures.show"], ...MENU] : MENU;
  const items = choices.map(([action, key]) => make("button", { type: "button", class: "menu__item", "data-do": action, text: text(key) }));
  corner.append(make("details", { class: "menu menu--start timeline__more" }, [make("summary", { class: "timeline__tool", title: text("timeline.more"), "aria-label": text("timeline.more"), text: "⋯" }), make("div", { class: "menu__body" }, items)]));
  // The menu closes once an item is chosen.
  corner.addEventListener("click", (event) => event.target instanceof Element && event.target.closest(".menu__item") && find("details", corner)?.removeAttribute("open"));
}

/** Show which tools are on. @param {HTMLElement} corner @param {{ sorted: boolean, folded: boolean, old: boolean, density: string, pins: number }} state */
export function showTools(corner, { sorted, folded, old, density, pins }) {
  for (const tool of findAll('[data-do="density"]', corner)) tool.textContent = text(`density.${density}`);
  for (const tool of findAll('[data-do="unpinAll"]', corner)) setHidden(tool, !pins);
  for (const tool of findAll('[data-do="futures"]', corner)) tool.setAttribute("aria-pressed", String(old));
  for (const tool of findAll('[data-do="sortLanes"]', corner)) tool.setAttribute("aria-pressed", String(sorted));
  for (const tool of findAll('[data-do="foldAll"]', corner)) {
    const words = text(folded ? "timeline.unfold_all" : "timeline.fold_all");
    if (tool.matches(".timeline__tool")) {
      tool.title = words;
      tool.setAttribute("aria-label", words);
      tool.textContent = folded ? "⊞" : "⊟";
    } else tool.textContent = words;
  }
}

/** Show the clock of the ruler. @param {HTMLElement} corner @param {string} sign */
export function showClock(corner, sign) {
  const tool = find('.timeline__tool[data-do="clock"]', corner);
  if (tool) tool.textContent = sign;
}
