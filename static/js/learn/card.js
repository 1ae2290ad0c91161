// @ts-check
/** The card of a prediction: a form with a question and its choices, then the outcome. It lies over the panels, never over the transport
 * bar. */

import { find, findAll, make } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { inline } from "../base/inline.js";

/** @typedef {import("./grading.js").Question} Question */
/** @typedef {{ answer: (value: string) => void, another: () => void, why: (seq: number) => void, close: () => void }} Wishes */

export class PredictionCard {
  /** @param {HTMLElement} parent @param {Wishes} wishes */
  constructor(parent, wishes) {
    this.wishes = wishes;
    this.seq = 0;
    /** @type {Element | null} the element that had the focus before */
    this.before = null;
    const close = make("button", { type: "button", class: "button button--small", text: text("predict.close") });
    close.addEventListener("click", () => this.close());
    this.outcome = make("p", { class: "predict__told", role: "status", tabindex: "-1" });
    this.form = /** @type {HTMLFormElement} */ (make("form", { class: "predict__form" }));
    this.buttons = make("div", { class: "predict__buttons" });
    this.count = make("span", { class: "predict__score num" });
    const title = make("h2", { class: "predict__title", id: "predict-title", text: text("predict.title") });
    this.element = make("section", { class: "predict", id: "predict", role: "dialog", "aria-labelledby": "predict-title", hidden: true }, [make("header", { class: "predict__head" }, [title, close]), this.form, this.outcome, make("footer", { class: "predict__foot" }, [this.buttons, this.count])]);
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.form.addEventListener("submit", (event) => this.submitted(event));
    parent.append(this.element);
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    // The keys for time belong to the lanes; the list of commands must open from everywhere.
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    if (event.key === "Escape") this.close();
  }

  /** @param {SubmitEvent} event */
  submitted(event) {
    event.preventDefault();
    const chosen = new FormData(this.form).get("choice");
    if (typeof chosen === "string" && !this.form.dataset.sent) this.wishes.answer(chosen);
  }

  /** @param {string} words @param {import("./grading.js").Score} score */
  open(words, score) {
    if (!this.isOpen) this.before = document.activeElement;
    this.element.hidden = false;
    delete this.element.dataset.end;
    this.form.replaceChildren();
    this.buttons.replaceChildren();
    this.score(score);
    this.say(words);
    this.focus();
  }

  focus() {
    (find("input:not(:disabled)", this.form) ?? find("button", this.buttons) ?? this.outcome).focus({ preventScroll: true });
  }

  close() {
    this.element.hidden = true;
    this.wishes.close();
    if (this.before instanceof HTMLElement && this.before.isConnected) this.before.focus({ preventScroll: true });
  }

  /** @param {string} words */
  say(words) {
    this.outcome.textContent = words;
  }

  /** Show a text while the answer is on its way. @param {string} words */
  note(words) {
    this.form.dataset.sent = "true";
    this.say(words);
    this.outcome.focus({ preventScroll: true });
    for (const field of findAll("fieldset, button", this.form)) field.setAttribute("disabled", "");
  }

  /** @param {Question} question */
  ask({ question, choices }) {
    const answers = choices.map(({ value, label }) => {
      const radio = make("input", { type: "radio", name: "choice", value, required: true });
      return make("label", { class: "predict__choice" }, [radio, make("span", {}, inline(label))]);
    });
    const list = make("fieldset", { class: "predict__choices" }, [make("legend", { class: "predict__question" }, inline(question)), ...answers]);
    delete this.form.dataset.sent;
    this.form.replaceChildren(list, make("button", { class: "button button--small button--primary", text: text("predict.answer") }));
    this.say("");
    this.focus();
  }

  /** Show which answer was given and which one is right. @param {string} given @param {string} truth */
  mark(given, truth) {
    for (const label of findAll(".predict__choice", this.form)) {
      const { value } = /** @type {HTMLInputElement} */ (find("input", label));
      // The other answers were neither given nor right: they stay unmarked.
      if (value !== given && value !== truth) continue;
      const words = [value === truth ? text("predict.truth") : "", value === given ? text("predict.yours") : ""].filter(Boolean).join(", ");
      label.dataset.is = value === truth ? "truth" : "wrong";
      label.append(make("small", { text: words }));
    }
  }

  /** @param {"right" | "wrong" | "void" | "failed"} how @param {string} words  on as many lines as it has @param {number} seq  the record that shows it, 0 for none */
  end(how, words, seq) {
    for (const field of findAll("fieldset", this.form)) field.setAttribute("disabled", "");
    find("button", this.form)?.remove();
    this.element.dataset.end = how;
    const verdict = how === "failed" ? "" : text(`predict.${how}`);
    this.outcome.replaceChildren(...(verdict ? [make("strong", { text: verdict }), " "] : []), ...words.split("\n").flatMap((line, n) => [...(n ? [make("br")] : []), ...inline(line)]));
    const another = make("button", { type: "button", class: "button button--small button--primary", text: text("predict.another") });
    another.addEventListener("click", () => this.wishes.another());
    const why = make("button", { type: "button", class: "button button--small", text: text("predict.why") });
    why.addEventListener("click", () => this.wishes.why(seq));
    this.buttons.replaceChildren(another, ...(seq ? [why] : []));
    if (this.element.contains(document.activeElement) || document.activeElement === document.body) another.focus({ preventScroll: true });
  }

  /** @param {import("./grading.js").Score} score */
  score({ right, asked }) {
    this.count.textContent = asked ? text("predict.score", { right, asked }) : "";
  }
}
