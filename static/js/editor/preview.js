// @ts-check
/** A preview of applying: the API server's answer, what it sets off, and the difference. */

import { csrfToken, make } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import { SIGNS } from "../base/tones-table.js";
import { ANSWER_MS } from "./checker.js";
import { EditorState, EditorView, MergeView } from "./cm.js";
import { plainYaml } from "./view.js";

const SIDE_BY_SIDE_PX = 900;
/** Statuses, besides success, that say something about the text. Others are the server's own trouble. */
const READ = [400, 422];

export class PreviewPane {
  /**
   * @param {object} options
   * @param {string} options.url
   * @param {() => string} options.text
   * @param {() => Record<string, string>} options.moment
   * @param {() => string} options.before  returns the text as it was opened, "" for new objects
   * @param {(state: "waiting" | "accepted" | "rejected" | "unchanged" | "failed") => void} options.onState
   */
  constructor({ url, text, moment, before, onState }) {
    this.url = url;
    this.text = text;
    this.moment = moment;
    this.before = before;
    this.onState = onState;
    this.name = "changes";
    this.element = make("div", { class: "preview" });
    /** @type {AbortController | null} */
    this.asked = null;
    /** The text that the answer is about; none while a request is under way. */
    this.about = /** @type {string | null} */ (null);
    /** @type {"waiting" | "accepted" | "rejected" | "unchanged" | "failed"} */
    this.outcome = "waiting";
    /** @type {any} */
    this.merge = null;
  }

  /** Whether the answer on screen is about the current text. */
  get isCurrent() {
    return this.about === this.text() && this.outcome !== "failed";
  }

  /** The pane is no longer shown. */
  stop() {
    this.asked?.abort();
  }

  async show() {
    // The text may have changed back in between, and its editor is then waiting for the outcome.
    if (this.isCurrent) return this.onState(this.outcome);
    this.asked?.abort();
    const asked = new AbortController();
    const words = this.text();
    this.asked = asked;
    this.outcome = "waiting";
    this.about = null;
    this.onState("waiting");
    this.draw([make("p", { class: "muted", role: "status", text: message("preview.waiting") })]);
    try {
      const response = await fetch(this.url, { method: "POST", credentials: "same-origin", headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" }, body: new URLSearchParams({ manifest: words, ...this.moment() }), signal: AbortSignal.any([asked.signal, AbortSignal.timeout(ANSWER_MS)]) });
      if (!response.ok && !READ.includes(response.status)) return this.failed(asked, await refusalOf(response));
      const answer = await response.json();
      // The answer is not about what has been written since.
      if (asked.signal.aborted || words !== this.text()) return;
      this.about = words;
      if (response.ok) this.answered(answer, words);
      else this.unreadable(answer);
    } catch (error) {
      console.warn(error);
      this.failed(asked, message("preview.failed"));
    }
  }

  /** There is no answer about the text. @param {AbortController} asked  the request @param {string} words  the reason */
  failed(asked, words) {
    if (!asked.signal.aborted) this.finish("failed", [make("p", { class: "callout", "data-tone": "bad", role: "alert", text: words })]);
  }

  /** The answer is out of date: ask again when the pane is next shown. */
  forget() {
    this.about = null;
    this.outcome = "waiting";
    this.onState("waiting");
  }

  /** @param {any} answer @param {string} words */
  answered(answer, words) {
    const parts = [this.verdict(answer), this.effects(answer)];
    const changed = answer.objects.filter((/** @type {any} */ own) => own.diff.length);
    if (changed.length > 1) parts.push(...changed.map((/** @type {any} */ own) => this.object(own)));
    else if (answer.outcome !== "unchanged" && (answer.diff.length || this.before())) parts.push(this.difference(answer, words));
    this.finish(answer.outcome, parts);
  }

  /** @param {any} answer */
  unreadable(answer) {
    const list = (answer.diagnostics ?? []).map((/** @type {any} */ found) => make("li", { "data-severity": found.severity, text: `${message("editor.place", { line: found.line, col: found.col })}: ${found.message}` }));
    const words = answer.error || message("preview.unreadable");
    this.finish("rejected", [make("section", { class: "callout", "data-tone": "bad", role: "alert" }, [make("h3", { text: words }), ...(list.length ? [make("ol", {}, list)] : [])])]);
  }

  /** @param {"accepted" | "rejected" | "unchanged" | "failed"} outcome @param {HTMLElement[]} parts */
  finish(outcome, parts) {
    this.outcome = outcome;
    this.draw(parts);
    this.element.dataset.outcome = outcome;
    this.onState(outcome);
  }

  /** @param {HTMLElement[]} parts */
  draw(parts) {
    delete this.element.dataset.outcome;
    this.element.replaceChildren(...parts);
  }

  /** @param {any} answer */
  verdict(answer) {
    const tone = { accepted: "ok", rejected: "bad", unchanged: "info" }[/** @type {"accepted"} */ (answer.outcome)];
    const inside = [make("h3", { text: message(`preview.${answer.outcome}`) }), make("pre", { class: "code", "data-wrap": true }, [make("code", { text: answer.kubectl })])];
    const causes = answer.answer?.details?.causes ?? [];
    if (causes.length) inside.push(make("ul", { class: "causes" }, causes.map((/** @type {any} */ cause) => make("li", {}, [make("code", { text: cause.field }), ` ${cause.message.split("\n")[0].trimEnd()}`]))));
    return make("section", { class: "callout", "data-tone": tone, role: answer.outcome === "rejected" ? "alert" : "status" }, inside);
  }

  /** @param {any} answer */
  effects(answer) {
    if (!answer.effects.length) return make("p", { class: "muted small", hidden: answer.outcome !== "accepted", text: message("preview.no_effects") });
    const rows = answer.effects.map((/** @type {any} */ effect) => make("li", { "data-tone": effect.tone }, [make("span", { class: "sign", "data-tone": effect.tone, "aria-hidden": "true", text: SIGNS[effect.tone] ?? SIGNS.info }), make("span", { text: effect.text }), ...(effect.path ? [make("code", { text: effect.path })] : [])]));
    // What was rejected sets off nothing: these are hints.
    const head = answer.outcome === "rejected" ? [] : [make("h3", { text: message("preview.effects") })];
    return make("section", {}, [...head, make("ul", { class: "effects" }, rows)]);
  }

  /** @param {any} own */
  object(own) {
    const name = own.namespace ? `${own.namespace}/${own.name}` : own.name;
    return make("details", { class: "preview__object", open: true }, [make("summary", {}, [make("strong", { text: own.kind }), ` ${name}`]), make("div", { class: "preview__diff" }, [lines(own.diff)])]);
  }

  /** @param {any} answer @param {string} words */
  difference(answer, words) {
    const before = this.before();
    const place = make("div", { class: "preview__diff" });
    const isWide = () => this.element.clientWidth >= SIDE_BY_SIDE_PX;
    const draw = (/** @type {boolean} */ beside) => {
      this.merge?.destroy();
      this.merge = null;
      place.replaceChildren();
      if (beside) this.beside(place, before, words);
      else place.append(lines(answer.diff));
    };
    const buttons = before && before !== words ? this.choice(draw, isWide()) : null;
    // The pane has a width only once it is in the page.
    requestAnimationFrame(() => draw(buttons !== null && isWide()));
    return make("section", {}, [make("div", { class: "preview__head" }, [make("h3", { text: message("preview.diff") }), ...(buttons ? [buttons] : [])]), place]);
  }

  /** @param {(beside: boolean) => void} draw @param {boolean} isWide */
  choice(draw, isWide) {
    const options = /** @type {[boolean, string][]} */ ([[false, "preview.unified"], [true, "preview.beside"]]);
    const buttons = options.map(([beside, words]) => make("button", { type: "button", class: "chip", "aria-pressed": String(beside === isWide), text: message(words) }));
    options.forEach(([beside], at) =>
      buttons[at].addEventListener("click", () => {
        buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === at)));
        draw(beside);
      }),
    );
    return make("div", { class: "cluster", role: "group", "aria-label": message("preview.diff") }, buttons);
  }

  /** @param {HTMLElement} place @param {string} before @param {string} words */
  beside(place, before, words) {
    const extensions = [plainYaml(), EditorState.readOnly.of(true), EditorView.lineWrapping];
    this.merge = new MergeView({ a: { doc: before, extensions }, b: { doc: words, extensions }, parent: place, collapseUnchanged: { margin: 2, minSize: 5 }, gutter: true });
  }
}

/** @param {{ op: string, text?: string, old?: number, new?: number }[]} diff */
function lines(diff) {
  const rows = diff.map((line) =>
    line.op === "@" ? make("span", { class: "diff__gap", text: "⋯" }) : make("span", { class: "diff__line", "data-op": line.op }, [make("span", { class: "diff__sign", text: line.op }), line.text ?? ""]),
  );
  return make("pre", { class: "code diff" }, rows);
}

/**
 * The reason why the server gave no answer, in its own words if it has any.
 * @param {Response} response
 * @returns {Promise<string>}
 */
async function refusalOf(response) {
  const answer = await response.json().catch(() => ({}));
  return answer.text || message("act.failed", { status: response.status });
}
