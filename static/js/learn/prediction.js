// @ts-check
/**
 * Predictions: the run stops, the server asks what it does next and grades the answer; then the run plays to the moment that shows it, and
 * the card explains. The run stays the same, no branch is made.
 */

import { post } from "../base/dom.js";
import { addTexts, text } from "../base/i18n.js";
import { setPreference, preference } from "../base/preferences.js";
import { answerTimeout } from "../base/retry.js";
import { toast } from "../base/toast.js";
import { PredictionCard } from "./card.js";
import { counted, readScore, stateOf, writtenScore } from "./grading.js";
import { LEARN_MESSAGES } from "./messages.js";

addTexts(LEARN_MESSAGES);
const SCORE = "predictions";
/** How long to wait for the run to stand still. */
const PATIENCE_MS = 5000;

/** @typedef {import("./grading.js").Question} Question */

/** @type {Prediction | null} */
let prediction = null;

/** Ask a question, or go back to the open one. @param {any} page  the RunPage */
export function openPrediction(page) {
  if (!page.transport.owns || !page.main.dataset.predictUrl) {
    toast(text("predict.viewer"));
    return;
  }
  prediction ??= new Prediction(page);
  prediction.open();
}

class Prediction {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    this.url = page.main.dataset.predictUrl;
    this.turn = 0;
    /** @type {Question | null} */
    this.question = null;
    /** @type {{ answer: string, graded: import("./grading.js").Graded } | null} while the run is on its way to the answer */
    this.going = null;
    this.card = new PredictionCard(page.main, { answer: (value) => this.answer(value), another: () => this.ask(), why: (seq) => this.why(seq), close: () => this.forget() });
    for (const name of ["run:frame", "run:clock", "run:playhead"]) document.addEventListener(name, () => this.look());
  }

  open() {
    if (this.card.isOpen) this.card.focus();
    else this.ask();
  }

  /** Ask the next question about the selection. */
  async ask() {
    const { page } = this;
    this.forget();
    this.card.open(text("predict.asking"), readScore(preference(SCORE)));
    if (!page.playhead.live) page.playhead.goLive();
    // The question is about what comes next: nothing may happen while it is being asked.
    if (page.clock.running) {
      await page.transport.control({ do: "pause" });
      await this.standing();
    }
    const found = await answerOf(fetch(`${this.url}?${new URLSearchParams({ sel: page.sel, turn: String(this.turn) })}`, { credentials: "same-origin", headers: { Accept: "application/json" }, signal: answerTimeout() }));
    if (!this.card.isOpen) return;
    if (!found.question) {
      if (found.nothing) this.card.say(found.nothing);
      else this.end("failed", found.text || text("predict.failed"));
      return;
    }
    this.turn += 1;
    this.question = found;
    this.card.ask(found);
  }

  /** Resolves when the clock stands still, or after a while. */
  standing() {
    const { clock } = this.page;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        document.removeEventListener("run:clock", look);
        resolve(null);
      };
      const look = () => clock.running || end();
      const timer = window.setTimeout(end, PATIENCE_MS);
      document.addEventListener("run:clock", look);
      look();
    });
  }

  /** @param {string} value */
  async answer(value) {
    const { question, page } = this;
    if (!question) return;
    const { kind, sel, at_ms, given } = question;
    this.card.note(text("predict.goes"));
    const graded = await answerOf(post(this.url, { kind, sel, at_ms: String(at_ms), given: String(given), choice: value }));
    // It was closed, or another question asked, while the answer was being graded.
    if (this.question !== question) return;
    if (graded.right === undefined) {
      this.end(graded.void ? "void" : "failed", graded.void || graded.text || text("predict.failed"));
      return;
    }
    this.going = { answer: value, graded };
    const isDone = await page.transport.control({ do: "run_to", to_ms: String(graded.at_ms) });
    this.look();
    // A toast has said why.
    if (!isDone && this.question === question) this.end("failed", text("control.offline"));
  }

  /** Check whether a deciding record has come. */
  look() {
    const { question, going, page } = this;
    if (!question) return;
    const run = { store: page.store, end_ms: page.playhead.end_ms };
    if (!going) {
      if (stateOf(run, question.after, { at_ms: Infinity, seq: 0 }) === "void") this.end("void", text("predict.acted"));
      return;
    }
    const state = stateOf(run, question.after, going.graded);
    if (state === "void") this.end("void", text("predict.acted"));
    else if (state === "there") this.showAnswer(going.answer, going.graded);
  }

  /** @param {string} answer @param {import("./grading.js").Graded} graded */
  showAnswer(answer, graded) {
    const score = counted(readScore(preference(SCORE)), graded.right);
    setPreference(SCORE, writtenScore(score));
    this.card.mark(answer, graded.truth);
    this.end(graded.right ? "right" : "wrong", graded.told, graded.seq);
    this.card.score(score);
    this.page.timeline?.reveal(graded.at_ms);
  }

  /** @param {"right" | "wrong" | "void" | "failed"} how @param {string} words @param {number} [seq] */
  end(how, words, seq = 0) {
    this.forget();
    this.card.end(how, words, seq);
  }

  forget() {
    this.question = this.going = null;
  }

  /** Open the Why tab for this record, at the moment shown. The card would cover it. @param {number} seq */
  why(seq) {
    const record = this.page.store.get(seq);
    if (!record) return;
    this.card.close();
    this.page.select(record.subject, seq);
    this.page.openTab("why");
  }
}

/** The server's answer as JSON; an empty object if there is none. @param {Promise<Response>} asked @returns {Promise<any>} */
async function answerOf(asked) {
  try {
    return await (await asked).json();
  } catch {
    return {};
  }
}
