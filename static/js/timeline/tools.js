// @ts-check
/** The tools above the names of lanes: one stop of the Tab key, the arrow keys go from one to the next. */

import { find, findAll, make } from "../dom.js";
import { text } from "../i18n.js";

/** @type {[string, string, string][]} action, sign, text */
const TOOLS = [
  ["zoomOut", "−", "timeline.zoom_out"],
  ["zoomIn", "+", "timeline.zoom_in"],
  ["fit", "⤢", "timeline.fit"],
  ["foldAll", "⊟", "timeline.fold_all"],
  ["sortLanes", "⇅", "timeline.sort"],
];

/** @type {[string, string][]} what the menu holds: action, text */
const MENU = [
  ["foldAll", "timeline.fold_all"],
  ["sortLanes", "timeline.sort"],
  ["table", "timeline.table"],
];

/** @param {HTMLElement} corner */
export function buildTools(corner) {
  corner.setAttribute("role", "toolbar");
  corner.setAttribute("aria-label", text("timeline.tools"));
  const rail = find("#rail")?.offsetParent ? [/** @type {[string, string, string]} */ (["rail", "◧", "timeline.rail"])] : [];
  for (const [action, sign, key] of [...rail, ...TOOLS]) {
    corner.append(make("button", { type: "button", class: "timeline__tool", "data-do": action, title: text(key), "aria-label": text(key), text: sign }));
  }
  const items = MENU.map(([action, key]) => make("button", { type: "button", class: "menu__item", "data-do": action, text: text(key) }));
  corner.append(make("details", { class: "menu menu--start timeline__more" }, [make("summary", { class: "timeline__tool", title: text("timeline.more"), "aria-label": text("timeline.more"), text: "⋯" }), make("div", { class: "menu__body" }, items)]));
  wire(corner);
}

/** @param {HTMLElement} corner */
function wire(corner) {
  const stops = () => findAll(".timeline__tool", corner).filter((tool) => tool.offsetParent !== null);
  const settle = (/** @type {HTMLElement | undefined} */ chosen) => {
    for (const tool of findAll(".timeline__tool", corner)) tool.tabIndex = tool === chosen ? 0 : -1;
  };
  settle(findAll(".timeline__tool", corner)[0]);
  corner.addEventListener("focusin", (event) => event.target instanceof HTMLElement && event.target.matches(".timeline__tool") && settle(event.target));
  corner.addEventListener("keydown", (event) => {
    const all = stops();
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = all.indexOf(/** @type {HTMLElement} */ (event.target));
    if (!step || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    all[(at + step + all.length) % all.length].focus();
  });
  // A menu whose item was chosen has done its work.
  corner.addEventListener("click", (event) => event.target instanceof Element && event.target.closest(".menu__item") && find("details", corner)?.removeAttribute("open"));
}

/** Show which tools are on. @param {HTMLElement} corner @param {{ sorted: boolean, folded: boolean }} state */
export function showTools(corner, { sorted, folded }) {
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
