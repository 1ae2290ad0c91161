// @ts-check
/** The menu of quick fixes at the cursor (Ctrl-. or Cmd-.). */

import { make } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { applyFix, findings } from "./diagnostics.js";

/**
 * Open the menu for the line of the cursor.
 * @param {any} bench
 */
export function openFixes(bench) {
  const { view } = bench;
  const { head } = view.state.selection.main;
  const line = view.state.doc.lineAt(head);
  const here = view.state.field(findings).filter((/** @type {any} */ found) => found.from <= line.to && found.to >= line.from);
  const fixes = here.flatMap((/** @type {any} */ found) => found.quickfix);
  if (!fixes.length) {
    toast(message("editor.no_fix"));
    return true;
  }
  const menu = make("div", { class: "fix-menu", role: "menu", "aria-label": message("editor.fixes") });
  const close = () => view.focus(); // The menu closes when it loses the focus.
  for (const fix of fixes) {
    const item = make("button", { type: "button", role: "menuitem", class: "menu__item", tabindex: "-1", text: fix.title });
    item.addEventListener("click", () => {
      close();
      applyFix(view, fix);
    });
    menu.append(item);
  }
  menu.addEventListener("keydown", (event) => pressed(event, menu, close));
  menu.addEventListener("focusout", (event) => {
    // Between two items the focus leaves an item, but not the menu.
    if (!(event.relatedTarget instanceof Node && menu.contains(event.relatedTarget))) menu.remove();
  });
  place(menu, bench);
  /** @type {HTMLElement} */ (menu.firstElementChild).focus();
  return true;
}

/** @param {HTMLElement} menu @param {any} bench */
function place(menu, bench) {
  const { view, element } = bench;
  element.append(menu);
  const spot = view.coordsAtPos(view.state.selection.main.head);
  const frame = element.getBoundingClientRect();
  if (!spot) return;
  menu.style.setProperty("inset-inline-start", `${Math.max(8, Math.min(spot.left - frame.left, frame.width - menu.offsetWidth - 8))}px`);
  menu.style.setProperty("inset-block-start", `${spot.bottom - frame.top + 4}px`);
}

/** @param {KeyboardEvent} event @param {HTMLElement} menu @param {() => void} close */
function pressed(event, menu, close) {
  const items = /** @type {HTMLElement[]} */ ([...menu.children]);
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) items[(at + step + items.length) % items.length].focus();
  else if (event.key === "Escape" || event.key === "Tab") close();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
