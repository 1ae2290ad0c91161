// @ts-check
/** The bar above the text: tabs, opening a file, the keys. Small enough to be on the page before the editor itself is loaded. */

import { find, findAll, make } from "../base/dom.js";
import { text as message } from "../base/i18n.js";

export class Bar {
  /**
   * @param {string[]} tabs
   * @param {string} id  prefix of the ids
   * @param {(tab: string) => void} onTab
   * @param {(files: FileList | File[]) => void} onFiles
   */
  constructor(tabs, id, onTab, onFiles) {
    this.id = id;
    this.onTab = onTab;
    this.onFiles = onFiles;
    const list = make(
      "div",
      { class: "tabs", role: "tablist", "aria-label": message("editor.views") },
      tabs.map((name, at) => make("button", { type: "button", role: "tab", class: "tab", id: `${id}-tab-${name}`, "data-tab": name, "aria-selected": String(at === 0), "aria-controls": `${id}-pane-${name}`, tabindex: at === 0 ? "0" : "-1", text: message(`editor.tab.${name}`) })),
    );
    const picker = /** @type {HTMLInputElement} */ (make("input", { type: "file", class: "visually-hidden", id: `${id}-file`, accept: ".yaml,.yml,.json,text/yaml,application/yaml,application/json", multiple: true, tabindex: "-1", "aria-hidden": "true" }));
    const open = make("button", { type: "button", class: "button button--small button--quiet", title: message("editor.open_help"), text: message("editor.open") });
    open.addEventListener("click", () => picker.click());
    picker.addEventListener("change", () => {
      if (picker.files?.length) this.onFiles(picker.files);
      picker.value = "";
    });
    this.end = make("div", { class: "bench__end" }, [open, picker]);
    this.element = make("div", { class: "bench__bar" }, [list, this.end]);
    list.addEventListener("click", (event) => {
      const tab = event.target instanceof Element ? event.target.closest("[role=tab]") : null;
      if (tab instanceof HTMLElement) this.onTab(tab.dataset.tab || "");
    });
    list.addEventListener("keydown", (event) => this.pressed(event));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const tabs = findAll("[role=tab]", this.element).filter((tab) => !tab.hidden);
    const at = tabs.findIndex((tab) => tab === event.target);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = tabs[(at + step + tabs.length) % tabs.length];
    this.onTab(next.dataset.tab || "");
    next.focus();
  }

  /** @param {string} name */
  mark(name) {
    for (const tab of findAll("[role=tab]", this.element)) {
      const chosen = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
  }

  focus() {
    find('[role=tab][aria-selected="true"]', this.element)?.focus();
  }
}
