// @ts-check
/** The menu of a record: what must hold about it. It opens on a click on the lanes, or by key for the selection. */

import { find, findAll, setHidden, make, setText } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";

const EDGE_PX = 8;
const STEPS = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1 });
const WAYS = ["must", "never", "before", "within", "holds", "ask"];

/** @typedef {{ seq: number, words: string }} Choice  a record to choose from */

export class PickMenu {
  /**
   * @param {HTMLElement} main
   * @param {{ facts: (seq: number) => Promise<any>, chosen: (way: string, seq: number, facts: any) => void, closed: () => void, at: (seq: number) => number }} wishes
   */
  constructor(main, wishes) {
    this.wishes = wishes;
    this.seq = 0;
    /** @type {any} */
    this.facts = null;
    this.title = make("p", { class: "pick-menu__title" });
    this.select = /** @type {HTMLSelectElement} */ (make("select", { class: "select", "aria-label": text("pick.which") }));
    this.buttons = make("div", { class: "pick-menu__ways" });
    this.element = make("div", { class: "pick-menu", role: "dialog", "aria-label": text("pick.menu"), hidden: true }, [this.title, this.select, this.buttons]);
    main.append(this.element);
    this.select.addEventListener("change", () => this.ask(Number(this.select.value)));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.buttons.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("pointerdown", (event) => {
      if (!this.element.hidden && !this.element.contains(/** @type {Node} */ (event.target))) this.close(false);
    });
  }

  /** @param {Choice[]} choices  the last one is preselected @param {{ x: number, y: number }} point  on the screen @param {boolean} isSecond  whether the record follows another one */
  open(choices, point, isSecond) {
    const ways = isSecond ? ["this"] : WAYS;
    this.buttons.replaceChildren(...ways.map((way) => make("button", { type: "button", class: "button button--small", "data-pick-way": way, text: text(`pick.${way}`) })));
    setHidden(this.select, choices.length < 2);
    this.select.replaceChildren(...choices.map(({ seq, words }) => make("option", { value: String(seq), text: words })));
    const { seq } = choices[choices.length - 1];
    this.select.value = String(seq);
    this.element.hidden = false;
    this.ask(seq);
    this.place(point);
    find("button", this.buttons)?.focus({ preventScroll: true });
  }

  /** Fetch the server's description of the record. @param {number} seq */
  async ask(seq) {
    this.seq = seq;
    this.facts = null;
    setText(this.title, `${clockText(this.wishes.at(seq))} ${text("pick.reading")}`);
    const facts = await this.wishes.facts(seq);
    if (this.seq !== seq || !facts) return;
    this.facts = facts;
    setText(this.title, `${clockText(this.wishes.at(seq))} ${facts.text}`);
    this.title.title = facts.pattern;
    const holds = find('[data-pick-way="holds"]', this.buttons);
    if (holds && !facts.is_state) {
      holds.setAttribute("aria-disabled", "true");
      holds.title = text("pick.no_state");
    }
  }

  /** @param {{ x: number, y: number }} point */
  place({ x, y }) {
    const { offsetWidth: width, offsetHeight: height } = this.element;
    this.element.style.setProperty("left", `${Math.max(EDGE_PX, Math.min(x, innerWidth - width - EDGE_PX))}px`);
    this.element.style.setProperty("top", `${Math.max(EDGE_PX, Math.min(y, innerHeight - height - EDGE_PX))}px`);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const button = event.target instanceof Element ? event.target.closest("[data-pick-way]") : null;
    if (!(button instanceof HTMLElement) || button.getAttribute("aria-disabled") === "true") return;
    this.close(true);
    this.wishes.chosen(button.dataset.pickWay ?? "", this.seq, this.facts);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      this.close(true);
      return;
    }
    const step = STEPS[event.key];
    if (!step || event.target === this.select) return;
    event.preventDefault();
    const stops = findAll("button", this.buttons);
    const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    stops[(at + step + stops.length) % stops.length]?.focus();
  }

  /** @param {boolean} returns  whether the focus goes back to the lanes */
  close(returns) {
    if (this.element.hidden) return;
    this.element.hidden = true;
    if (returns) this.wishes.closed();
  }
}
