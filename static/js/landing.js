// @ts-check
/** Coach marks: at most four short hints, one at a time, never over the timeline's middle, shown once per browser. */

import { find, jsonBlock, make } from "./dom.js";
import { text } from "./i18n.js";

const KEY = "podscope.coached";
const GAP = 10;

/** @typedef {{ at: string, text: string, after_ms?: number }} Step */

export class Coach {
  /** @param {Step[]} steps */
  constructor(steps) {
    this.steps = steps.slice(0, 4);
    this.index = -1;
    /** @type {HTMLElement | null} */
    this.card = null;
    this.place = () => this.position();
  }

  start() {
    window.addEventListener("resize", this.place);
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.card && this.end());
    this.wait();
  }

  /** Let the page speak before the hint does. */
  wait() {
    const step = this.steps[this.index + 1];
    if (!step) {
      this.end();
      return;
    }
    window.setTimeout(() => this.next(), step.after_ms ?? 600);
  }

  next() {
    this.index += 1;
    const step = this.steps[this.index];
    const target = step && document.getElementById(step.at);
    if (!target?.offsetParent) {
      this.wait();
      return;
    }
    this.card?.remove();
    this.card = this.build(step);
    document.body.append(this.card);
    target.addEventListener("pointerdown", () => this.advance(step), { once: true });
    this.position();
  }

  /** @param {Step} step a hint that was followed makes room for the next one */
  advance(step) {
    if (this.steps[this.index] !== step || !this.card) return;
    this.card.remove();
    this.card = null;
    this.wait();
  }

  /** @param {Step} step */
  build(step) {
    const last = this.index === this.steps.length - 1;
    const button = make("button", { class: "button button--small button--primary", type: "button", text: text(last ? "coach.done" : "coach.next") });
    button.addEventListener("click", () => this.advance(step));
    const dots = make("span", { class: "coach__dots", "aria-hidden": "true" }, this.steps.map((_, at) => make("i", { "data-on": at === this.index })));
    return make("div", { class: "coach", role: "note" }, [make("p", { text: step.text }), make("div", { class: "coach__foot" }, [dots, button])]);
  }

  position() {
    const step = this.steps[this.index];
    const target = step && document.getElementById(step.at);
    if (!this.card || !target) return;
    const box = target.getBoundingClientRect();
    const below = box.bottom + GAP + this.card.offsetHeight < innerHeight;
    const top = below ? Math.max(GAP, box.bottom + GAP) : Math.max(GAP, box.top - this.card.offsetHeight - GAP);
    const left = Math.min(Math.max(GAP, box.left + box.width / 2 - this.card.offsetWidth / 2), innerWidth - this.card.offsetWidth - GAP);
    this.card.dataset.side = below ? "below" : "above";
    this.card.style.setProperty("inset-block-start", `${top + scrollY}px`);
    this.card.style.setProperty("inset-inline-start", `${left}px`);
  }

  end() {
    this.card?.remove();
    this.card = null;
    window.removeEventListener("resize", this.place);
    try {
      localStorage.setItem(KEY, "1");
    } catch {
      // Without storage the hints simply come again next time.
    }
  }
}

/** Start the hints the page carries, unless this browser has seen them. */
export function startCoach() {
  const holder = find("#coach");
  if (!holder) return;
  try {
    if (localStorage.getItem(KEY)) return;
  } catch {
    // Show them.
  }
  const written = holder.dataset.steps;
  /** @type {Step[]} */
  const steps = written ? JSON.parse(written) : jsonBlock("coach") || [];
  if (steps.length) new Coach(steps).start();
}
