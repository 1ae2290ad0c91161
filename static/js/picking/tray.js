// @ts-check
/** The tray: what was picked, in words and as a pattern, to be changed, removed, or taken to the form of the level. */

import { find, setHidden, make, setText } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { keysOf } from "../keys/bindings.js";
import { endsOf } from "./ends.js";

/** @typedef {import("./kept.js").Pick} Pick */
/** @typedef {import("./kept.js").Kept} Kept */

export class PickTray {
  /**
   * @param {HTMLElement} main
   * @param {{ remove: (pick: Pick) => void, edited: (pick: Pick) => void, point: (pick: Pick) => void, go: (pick: Pick) => void, starts: (here: boolean) => void, send: () => void, cancel: () => void, close: () => void }} wishes
   */
  constructor(main, wishes) {
    this.wishes = wishes;
    this.status = make("p", { class: "pick-tray__status", role: "status" });
    this.cancel = make("button", { type: "button", class: "button button--small button--quiet", text: text("pick.cancel"), hidden: true });
    this.list = make("ol", { class: "pick-tray__list", "aria-label": text("pick.picks") });
    this.start = /** @type {HTMLSelectElement} */ (make("select", { class: "select" }, ["pick.start_run", "pick.start_here"].map((key, n) => make("option", { value: String(n), text: text(key) }))));
    this.send = make("button", { type: "button", class: "button button--small button--primary", text: text("pick.send") });
    const close = make("button", { type: "button", class: "button button--small button--quiet", text: text("pick.close"), title: text("pick.kept") });
    this.element = make("section", { class: "pick-tray", "aria-labelledby": "pick-title" }, [
      make("div", { class: "pick-tray__head" }, [make("h2", { id: "pick-title", class: "pick-tray__title", text: text("pick.title") }), close]),
      make("div", { class: "cluster" }, [this.status, this.cancel]),
      this.list,
      make("div", { class: "cluster" }, [make("label", { class: "cluster" }, [text("pick.start"), " ", this.start]), this.send]),
    ]);
    main.append(this.element);
    this.cancel.addEventListener("click", () => wishes.cancel());
    this.send.addEventListener("click", () => wishes.send());
    close.addEventListener("click", () => wishes.close());
    this.start.addEventListener("change", () => wishes.starts(this.start.value === "1"));
    this.element.addEventListener("keydown", (event) => event.stopPropagation());
  }

  /** @param {Kept} kept @param {{ active: Pick | null, first: string, t_ms: number }} now  the pick shown on the lanes, the text of a pair's first record, the moment shown */
  show(kept, { active, first, t_ms }) {
    setText(this.status, first ? text("pick.first", { what: first }) : text("pick.help", { key: keysOf("pick") }));
    setHidden(this.cancel, !first);
    this.showStart(kept.starts_here, t_ms);
    const { activeElement } = document;
    const at = activeElement instanceof HTMLElement && this.list.contains(activeElement) ? activeElement.dataset.stop : undefined;
    this.list.replaceChildren(...kept.picks.map((pick, n) => this.item(pick, n, pick === active)));
    if (at) find(`[data-stop="${at}"]`, this.list)?.focus({ preventScroll: true });
  }

  /** @param {boolean} here @param {number} t_ms */
  showStart(here, t_ms) {
    this.start.value = here ? "1" : "0";
    setText(this.start.options[1], text("pick.start_here", { time: clockText(t_ms) }));
  }

  /** @param {Pick} pick @param {number} n @param {boolean} isActive */
  item(pick, n, isActive) {
    const words = make("button", { type: "button", class: "linkbtn pick-tray__text", title: text("pick.show"), text: pick.text, "data-stop": `${n}-text` });
    words.addEventListener("click", () => this.wishes.go(pick));
    const remove = make("button", { type: "button", class: "button button--small button--quiet", text: text("pick.remove"), "aria-label": `${text("pick.remove")}: ${pick.text}`, "data-stop": `${n}-remove` });
    remove.addEventListener("click", () => this.wishes.remove(pick));
    const fields = endsOf(pick).map((end) => this.field(end, n));
    const item = make("li", { class: "pick-tray__item", "data-pick": pick.do, "data-active": isActive }, [words, make("code", { class: "pick-tray__pattern", text: pick.pattern }), make("span", { class: "cluster" }, [...fields, remove])]);
    for (const name of ["pointerenter", "focusin"]) item.addEventListener(name, () => this.wishes.point(pick));
    return item;
  }

  /** The seconds of an end. @param {import("./ends.js").End} end @param {number} n */
  field({ field, pick }, n) {
    const input = /** @type {HTMLInputElement} */ (make("input", { class: "input input--short num", type: "number", min: "0", max: "7200", step: "0.1", value: String(pick[field] / 1000), "data-stop": `${n}-${field}` }));
    input.addEventListener("change", () => {
      const ms = Math.round(Number(input.value) * 1000);
      if (input.value === "" || !input.checkValidity()) input.value = String(pick[field] / 1000);
      else {
        pick[field] = ms;
        this.wishes.edited(pick);
      }
    });
    return make("label", { class: "cluster" }, [text(field === "within_ms" ? "pick.seconds" : `pick.${field.replace("_ms", "")}`), " ", input, " s"]);
  }

  /** Update its seconds while an end is dragged: the rest stays. @param {Kept} kept @param {Pick} pick */
  showEnds(kept, pick) {
    const n = kept.picks.indexOf(pick);
    for (const { field } of endsOf(pick)) {
      const input = /** @type {HTMLInputElement | null} */ (find(`[data-stop="${n}-${field}"]`, this.list));
      if (input) input.value = String(pick[field] / 1000);
    }
  }
}
