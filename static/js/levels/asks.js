// @ts-check
/**
 * Predictions at fixed moments of a level: the run is stopped just before such a moment and led to it, what comes after is veiled, and a
 * card asks. Then the run shows what happens. A question that was answered in a run is not asked again there or in its branches: who goes
 * back to try something else knows the answer by then, and has not come for it.
 */

import { find, findAll, make, post } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { inline } from "../base/inline.js";
import { toast } from "../base/toast.js";
import { PredictionCard } from "../learn/card.js";
import { changeKept, keepAnswer, readKept } from "./kept.js";

/** @typedef {{ id: string, at_ms: number, until_ms: number, question: string, choices: string[], lane: string }} Ask */

/** How much earlier, in real time, the run is stopped: the duration of a request. */
const LEAD_MS = 350;

class AskCard extends PredictionCard {
  /** The page may already contain the card. @param {HTMLElement} parent @param {ConstructorParameters<typeof PredictionCard>[1]} wishes */
  constructor(parent, wishes) {
    super(parent, wishes);
    const title = /** @type {HTMLElement} */ (find(".predict__title", this.element));
    title.id = "ask-title";
    title.textContent = text("level.ask");
    this.element.id = "ask";
    this.element.setAttribute("aria-labelledby", "ask-title");
  }

  /** @param {Ask} ask */
  put(ask) {
    this.open("", { right: 0, asked: 0 });
    if (ask.choices.length) {
      this.ask(/** @type {any} */ ({ question: ask.question, choices: ask.choices.map((label, n) => ({ value: String(n), label })) }));
      return;
    }
    this.seconds = /** @type {HTMLInputElement} */ (make("input", { class: "input num", type: "number", min: String(ask.at_ms / 1000), max: String(ask.until_ms / 1000), step: "0.1", required: true, name: "seconds" }));
    const never = make("button", { type: "button", class: "button button--small", text: text("level.place_never") });
    never.addEventListener("click", () => this.wishes.answer("nothing"));
    delete this.form.dataset.sent;
    this.form.replaceChildren(make("p", { class: "predict__question" }, inline(ask.question)), make("label", { class: "cluster" }, [text("level.place"), " ", this.seconds]), make("p", { class: "card__meta", text: text("level.place_help") }), make("span", { class: "cluster" }, [make("button", { class: "button button--small button--primary", text: text("predict.answer") }), never]));
    this.say("");
    this.focus();
  }

  /** @param {SubmitEvent} event */
  submitted(event) {
    if (!this.seconds?.isConnected) {
      super.submitted(event);
      return;
    }
    event.preventDefault();
    if (!this.form.dataset.sent) this.wishes.answer(this.seconds.value);
  }

  /** @param {"right" | "wrong" | "void" | "failed"} how @param {string} words @param {number} seq */
  end(how, words, seq) {
    super.end(how, words, seq);
    const [goOn] = this.buttons.querySelectorAll("button");
    goOn.textContent = text("level.go_on");
  }
}

export class Asks {
  /** @param {any} page  the RunPage @param {{ key: string, base: string, home: string, asks: Ask[] }} facts @param {() => void} changed  called when the marks must be redrawn */
  constructor(page, { key, base, home, asks }, changed) {
    this.page = page;
    this.key = key;
    this.base = base;
    this.home = home;
    this.asks = [...asks].sort((one, other) => one.at_ms - other.at_ms);
    this.changed = changed;
    this.run = page.main.dataset.run;
    /** @type {Ask | null} */
    this.asked = null;
    /** @type {{ at_ms: number, seq: number } | null} */
    this.shown = null;
    this.flag_ms = /** @type {number | null} */ (null);
    this.timer = 0;
    this.isStopping = false;
    /** The question whose moment the run was played into. A story asks no other: readers who jump past a moment, or drive an old run, are
     * not held up. */
    this.played = "";
    this.isStory = key.startsWith("story:");
    this.card = new AskCard(page.main, { answer: (value) => this.answer(value), another: () => this.goOn(), why: (seq) => this.why(seq), close: () => this.closed() });
    page.timeline?.stage.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.pointed(event), true);
    for (const name of ["run:frame", "run:clock"]) document.addEventListener(name, () => this.look());
    this.look();
  }

  /** The next question that has not been answered yet, in this run or another branch of its tree. */
  next() {
    const { asked } = readKept();
    const done = [this.run, ...branches()].flatMap((run) => asked[run] ?? []);
    return this.asks.find(({ id }) => !done.includes(id));
  }

  /** Stop the run just before the next question, and ask once it stands there. */
  look() {
    const ask = this.next();
    const { page } = this;
    if (this.asked || !ask || !page.transport.owns) return;
    const { end_ms } = page.playhead;
    if (end_ms >= ask.at_ms) {
      if (!this.isStory || this.played === ask.id) this.open(ask);
      else if (!this.isStopping) this.asks = this.asks.filter(({ id }) => id !== ask.id);
      return;
    }
    const { running, frame } = page.clock;
    clearTimeout(this.timer);
    if (!running || this.isStopping) return;
    const wait_ms = ((ask.at_ms - end_ms) * 1000) / (frame?.rate || 1000) - LEAD_MS;
    this.timer = window.setTimeout(() => this.stop(ask), Math.max(0, wait_ms));
  }

  /** @param {Ask} ask */
  async stop(ask) {
    if (!this.page.clock.running || this.isStopping) return;
    this.isStopping = true;
    this.played = ask.id;
    await this.page.transport.control({ do: "pause" });
    if (this.page.playhead.end_ms < ask.at_ms) await this.page.transport.control({ do: "run_to", to_ms: String(ask.at_ms) });
    this.isStopping = false;
    this.look();
  }

  /** @param {Ask} ask */
  open(ask) {
    this.asked = ask;
    this.flag_ms = null;
    const { page } = this;
    if (page.clock.running) page.transport.control({ do: "pause" });
    if (page.playhead.end_ms > ask.at_ms) page.playhead.seek(ask.at_ms);
    this.card.put(ask);
    this.changed();
  }

  /** What the lanes show during the question: nothing after its moment. @returns {import("./marks.js").Mark[]} */
  marks() {
    const { asked, shown, flag_ms } = this;
    if (!asked) return [];
    const flag = flag_ms === null ? [] : [{ kind: /** @type {const} */ ("flag"), at_ms: flag_ms, text: text("level.flag") }];
    return shown ? flag : [{ kind: "veil", at_ms: asked.at_ms, until_ms: asked.at_ms + 1e9 }, ...flag];
  }

  /** A click on the lanes places the flag. @param {PointerEvent} event */
  pointed(event) {
    const { asked, page } = this;
    if (!asked || asked.choices.length || this.shown || !this.card.seconds) return;
    event.preventDefault();
    event.stopPropagation();
    const t_ms = page.timeline.viewport.tOf(event.clientX - page.timeline.stage.getBoundingClientRect().left);
    this.flag_ms = Math.round(Math.min(Math.max(t_ms, asked.at_ms), asked.until_ms) / 100) * 100;
    this.card.seconds.value = String(this.flag_ms / 1000);
    this.changed();
  }

  /** @param {string} value */
  async answer(value) {
    const { asked } = this;
    if (!asked) return;
    const at_ms = Math.round(Number(value) * 1000);
    /** @type {Record<string, string>} */
    const fields = asked.choices.length ? { choice: value } : value === "nothing" ? { nothing: "1" } : { at_ms: String(at_ms) };
    if (!asked.choices.length && value !== "nothing") this.flag_ms = at_ms;
    this.card.note(text("predict.goes"));
    const graded = await post(`${this.base}ask/${asked.id}/`, fields).then((response) => response.json()).catch(() => null);
    if (this.asked !== asked) return;
    if (!graded || graded.error) {
      this.card.end("failed", graded?.error ?? text("level.failed"), 0);
      this.asked = null;
      this.changed();
      return;
    }
    changeKept(({ asked: done }) => (done[this.run] = [...(done[this.run] ?? []), asked.id]));
    keepAnswer(`${this.key}/${asked.id}`, graded.right, { home: this.home, text: asked.question.replaceAll("`", "") });
    this.shown = graded;
    if (asked.choices.length) this.card.mark(value, String(graded.truth));
    const told = graded.seq ? `${clockText(graded.at_ms)} ${graded.told}` : graded.told;
    this.card.end(graded.right ? "right" : "wrong", [told, graded.right ? "" : graded.why].filter(Boolean).join("\n"), graded.seq);
    this.changed();
    this.page.playhead.goLive();
    if (this.page.playhead.end_ms < graded.at_ms) await this.page.transport.control({ do: "run_to", to_ms: String(graded.at_ms) });
  }

  /** @param {number} seq */
  why(seq) {
    this.page.seekTo(seq);
    this.page.openTab("why");
  }

  goOn() {
    this.card.close();
    this.page.playhead.goLive();
    this.page.transport.control({ do: "play" });
  }

  /** If closed without an answer, it is asked again when the page is loaded again; the reader was at its moment, which the run may have
   * passed. */
  closed() {
    const { asked, shown } = this;
    if (asked && !shown) {
      this.asks = this.asks.filter(({ id }) => id !== asked.id);
      this.page.playhead.goLive();
      toast(text("level.left_open"));
    }
    this.asked = this.shown = this.flag_ms = null;
    this.changed();
    this.look();
  }
}

/** The runs in the tree of branches that the page lists. */
const branches = () => findAll("#branches .branches a").map((link) => link.getAttribute("href")?.match(/\/r\/([^/?]+)/)?.[1] ?? "");
