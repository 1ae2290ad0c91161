// @ts-check
/**
 * Coach marks: at most four short hints, one at a time, shown once per browser. A hint is placed next to its target, never on it, and if
 * there is a choice, where it hides the least of the lanes and the acts.
 */

import { find, findAll, jsonBlock, make } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { COACHED, setPreference } from "../base/preferences.js";

const GAP = 6;
/** What a hint should leave visible. */
const PRECIOUS = ".timeline__stage, .dock, .narrator, h1, .door, .transport__moment";
/** What it should not cover at all. */
const PRESSED = ".transport button, .transport select, .why__ways .chip, .why__step:first-child";
/** Where along its own length a hint may point from: the middle is best. */
const ALONG = [0.5, 0.2, 0.8];

/** @typedef {{ at: string[], text: string, after_ms?: number }} Step  at: candidates, of which the first one on the screen is used */
/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */

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
    window.addEventListener("scroll", this.place, { passive: true });
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.card && this.end());
    this.next();
  }

  /** Show the page first and the hint a little later. */
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
    const target = targetOf(step);
    // The target of a hint may be hidden on this screen; then the next hint is shown.
    if (!target) {
      this.wait();
      return;
    }
    this.card?.remove();
    this.card = this.build(step);
    (find("main") ?? document.body).append(this.card);
    target.addEventListener("pointerdown", () => this.advance(step), { once: true });
    this.position();
  }

  /** @param {Step} step a hint that was followed is replaced by the next one */
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
    const target = step && targetOf(step);
    if (!this.card || !target) return;
    const size = { width: this.card.offsetWidth, height: this.card.offsetHeight };
    const [best] = spotsAround(target.getBoundingClientRect(), size).sort((a, b) => a.cost - b.cost);
    this.card.dataset.side = best.side;
    this.card.style.setProperty("left", `${best.left}px`);
    this.card.style.setProperty("top", `${best.top}px`);
    this.card.style.setProperty("--point", `${best.point}px`);
  }

  end() {
    this.card?.remove();
    this.card = null;
    window.removeEventListener("resize", this.place);
    window.removeEventListener("scroll", this.place);
    setPreference(COACHED, "1");
  }
}

/** @param {Step} step @returns {HTMLElement | undefined} */
function targetOf(step) {
  const places = step.at.map((id) => document.getElementById(id));
  return places.find((place) => place !== null && place.checkVisibility()) ?? undefined;
}

/**
 * Positions next to a box, along each of its sides, with their cost: px² of what they hide, more for controls, and far more for what would
 * be off the screen or on the box itself.
 * @param {DOMRect} box
 * @param {{ width: number, height: number }} size
 */
function spotsAround(box, { width, height }) {
  const centre = { x: box.left + box.width / 2, y: box.top + Math.min(box.height, innerHeight - box.top) / 2 };
  const precious = findAll(PRECIOUS).map((element) => ({ at: element.getBoundingClientRect(), weight: 1 }));
  const pressed = findAll(PRESSED).map((element) => ({ at: element.getBoundingClientRect(), weight: 20 }));
  return ALONG.flatMap((part) => {
    const left = Math.min(Math.max(GAP, centre.x - width * part), innerWidth - width - GAP);
    const top = Math.min(Math.max(GAP, centre.y - height * part), innerHeight - height - GAP);
    return [
      { side: "above", left, top: box.top - height - GAP, point: centre.x - left },
      { side: "below", left, top: box.bottom + GAP, point: centre.x - left },
      { side: "after", left: box.right + GAP, top, point: centre.y - top },
      { side: "before", left: box.left - width - GAP, top, point: centre.y - top },
    ];
  }).map((spot) => {
    const own = { left: spot.left, top: spot.top, right: spot.left + width, bottom: spot.top + height };
    const seen = overlap(own, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
    const hidden = [...precious, ...pressed].reduce((sum, each) => sum + each.weight * overlap(own, each.at), 0);
    return { ...spot, cost: hidden + 100 * (width * height - seen + overlap(own, box)) };
  });
}

/** Overlap in px². @param {Box} a @param {Box} b */
function overlap(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/** Start the hints the page carries. @param {HTMLElement} holder */
export function startCoach(holder) {
  const written = holder.dataset.steps;
  /** @type {Step[]} */
  const steps = written ? JSON.parse(written) : jsonBlock("coach") || [];
  if (steps.length) new Coach(steps).start();
}
