// @ts-check
/** What is shown next to a gesture: its kubectl line, the moment it would take place, what would follow, and the other choices. */

import { find, findAll, make } from "../base/dom.js";
import { clockText, lengthText } from "../base/format.js";
import { text } from "../base/i18n.js";

const GAP_PX = 8;
/** How far from its handle it may be. */
const FAR_PX = 190;
const SHIFT_PX = 24;
const EDGE_PX = 8;
const LISTED_MAX = 4;

export class Bubble {
  /**
   * @param {HTMLElement} parent
   * @param {{ choose: (value: string) => void, step: (by: 1 | -1) => void, give: () => void, cancel: () => void }} wishes
   */
  constructor(parent, wishes) {
    this.wishes = wishes;
    this.line = make("code", { class: "gesture__line" });
    this.when = make("p", { class: "gesture__when" });
    this.then = make("p", { class: "gesture__then" });
    this.choice = make("div", { class: "gesture__choice" });
    this.hint = make("p", { class: "gesture__hint" });
    const give = make("button", { type: "button", class: "button button--small button--primary", text: text("gesture.give") });
    const cancel = make("button", { type: "button", class: "button button--small", text: text("gesture.cancel") });
    give.addEventListener("click", () => wishes.give());
    cancel.addEventListener("click", () => wishes.cancel());
    this.buttons = make("div", { class: "gesture__buttons" }, [this.stepper("←", "earlier", -1), this.stepper("→", "later", 1), give, cancel]);
    this.element = make("div", { class: "gesture", role: "group", "aria-label": text("gesture.title"), hidden: true }, [this.line, this.when, this.then, this.choice, this.buttons, this.hint]);
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.choice.addEventListener("input", (event) => wishes.choose(/** @type {HTMLInputElement} */ (event.target).value));
    this.choices = "";
    parent.append(this.element);
  }

  /** A button that moves the hold by a step: what can be dragged can also be clicked. @param {string} sign @param {string} name @param {1 | -1} by */
  stepper(sign, name, by) {
    const words = text(`gesture.${name}`);
    const button = make("button", { type: "button", class: "button button--small", "aria-label": words, title: words, text: sign });
    button.addEventListener("click", () => this.wishes.step(by));
    return button;
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    event.stopPropagation();
    if (event.key === "Escape") this.wishes.cancel();
    else if (event.key === "Enter" && event.target instanceof HTMLInputElement) this.wishes.give();
    else return;
    event.preventDefault();
  }

  /**
   * @param {any} answer  from the server; null while there is none
   * @param {{ when: string, at_ms: number }} meaning
   * @param {{ end_ms: number, value: string, isDragged: boolean, after: { t_ms: number, word: string }[], is: string }} state
   */
  update(answer, { when, at_ms }, { end_ms, value, isDragged, after, is }) {
    const time = clockText(at_ms);
    this.element.hidden = false;
    this.element.dataset.dragged = String(isDragged);
    this.element.dataset.why = String(Boolean(answer?.why_not || answer?.failed));
    this.line.textContent = answer?.line || answer?.words || text("gesture.looking");
    this.line.classList.toggle("kubectl", Boolean(answer?.line));
    this.when.textContent = text(`gesture.${when}`, { time, length: lengthText(at_ms - end_ms) });
    this.then.replaceChildren(...this.consequences(answer, after, is));
    this.offer(answer, value);
    this.choice.hidden = isDragged;
    this.buttons.hidden = isDragged;
    this.hint.textContent = text(isDragged ? "gesture.drop" : "gesture.keys");
  }

  /** @param {any} answer @param {{ t_ms: number, word: string }[]} after @param {string} is @returns {(Node | string)[]} */
  consequences(answer, after, is) {
    if (!answer) return [text("gesture.looking")];
    if (answer.failed) return [text("gesture.failed")];
    if (answer.why_not) return [answer.why_not];
    if (!after.length) return [text("gesture.same", { word: is })];
    const steps = after.slice(0, LISTED_MAX).map(({ t_ms, word }) => make("span", { class: "gesture__step" }, [make("b", { text: word || text("gesture.gone") }), ` ${clockText(t_ms)}`]));
    return [`${text("gesture.then")} `, ...steps, ...(after.length > LISTED_MAX ? ["…"] : [])];
  }

  /** The controls for choosing another value, rebuilt when the choices change. @param {any} answer @param {string} value */
  offer(answer, value) {
    if (!answer || answer.failed || !("number" in answer)) return;
    const key = JSON.stringify([answer.choices, answer.number]);
    if (key !== this.choices) {
      this.choices = key;
      this.choice.replaceChildren(...(answer.choices.length ? answer.choices.map(radio) : [numeric(answer.number)]));
    }
    for (const control of findAll("input", this.choice)) {
      const input = /** @type {HTMLInputElement} */ (control);
      if (input.type === "radio") input.checked = input.value === value;
      else if (input !== document.activeElement) input.value = value;
    }
  }

  /** Whether the choices are known. */
  get hasChoices() {
    return this.choices !== "";
  }

  /** The next value up or down. @param {string} value @param {1 | -1} step */
  beside(value, step) {
    const inputs = /** @type {HTMLInputElement[]} */ (findAll("input", this.choice));
    if (inputs[0]?.type !== "radio") return String(Math.min(Number(inputs[0]?.max || 255), Math.max(Number(inputs[0]?.min || 0), Number(value) + step)));
    const at = inputs.findIndex((input) => input.value === value);
    return inputs[(at - step + inputs.length) % inputs.length].value;
  }

  /**
   * Place it near the handle, below the lanes if that is not far, so that it does not cover the outlines.
   * @param {{ left: number, right: number, top: number, bottom: number }} box  of the handle, on the screen
   * @param {number} lanes_y  lower edge of the last lane
   */
  place(box, lanes_y) {
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const left = Math.max(EDGE_PX, Math.min(box.left - SHIFT_PX, innerWidth - EDGE_PX - width));
    const below = Math.max(box.bottom + GAP_PX, Math.min(lanes_y + GAP_PX, box.bottom + FAR_PX));
    const top = below + height <= innerHeight - EDGE_PX ? below : Math.max(EDGE_PX, box.top - GAP_PX - height);
    this.element.style.setProperty("left", `${Math.round(left)}px`);
    this.element.style.setProperty("top", `${Math.round(top)}px`);
  }

  hide() {
    this.element.hidden = true;
    this.choices = "";
    this.choice.replaceChildren();
  }

  /** Announce it to screen readers. */
  get speech() {
    return [this.line, this.when, this.then].map((part) => part.textContent).join(". ");
  }

  /** @param {Element | null} element */
  contains(element) {
    return this.element.contains(element);
  }

  focus() {
    (find("input:checked", this.choice) ?? find("input, button", this.element))?.focus();
  }
}

/** @param {{ value: string, label: string }} choice */
function radio({ value, label }) {
  return make("label", { class: "gesture__radio" }, [make("input", { type: "radio", name: "gesture-choice", value }), make("span", { text: label })]);
}

/** @param {{ label: string, unit: string, minimum: number, maximum: number }} number */
function numeric({ label, unit, minimum, maximum }) {
  const input = make("input", { type: "number", class: "input", min: String(minimum), max: String(maximum) });
  return make("label", { class: "gesture__number" }, [make("span", { text: label }), input, unit ? ` ${unit}` : ""]);
}
