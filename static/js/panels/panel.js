// @ts-check
/**
 * Panels rendered by the server for (seq, selection, tab): fetched when the moment or the selection
 * changes, morphed in place.
 *
 * In every frame a panel is asked whether it still shows the right thing (`refresh`), and nearly
 * always it does. `keyNow` puts into one string all that its content depends on. The part that
 * saves most is Concerns: two moments between which nothing happened that this panel could show
 * have the same key, so that a pod's panel is not fetched because another pod was restarted.
 *
 * There are four ways to get the content, the cheapest first. A track (tracks.js) holds every
 * version of a panel over a stretch of the past: scrubbing there asks the server nothing. It is
 * fetched once the reader stays somewhere, since the server computes it and would keep a reader who
 * goes on waiting. An answer that was shown under the same key is shown again. An ETag lets the
 * server answer that what is shown is still right. Otherwise the HTML comes and is morphed into what
 * is there by Idiomorph, which keeps focus, scroll positions and half-filled fields; pieces that have
 * not changed are not even parsed (pieces.js).
 *
 * One question at a time: while an answer is on its way, wishes only change what the next question
 * is about. At usual speed the next one goes out at most once a second; while the reader scrubs, at
 * most every 50 ms. What fails is shown as stale and asked for again, less and less often.
 */

import { find, throttle } from "../base/dom.js";
import { restoreDetails } from "../base/forms.js";
import { text } from "../base/i18n.js";
import { libraries } from "../base/libraries.js";
import { Retry, answerTimeout } from "../base/retry.js";
import { rove, wireRoving } from "../base/roving.js";
import { showCommands } from "./command-lines.js";
import { showCountdowns } from "./countdowns.js";
import { comingInto } from "./pieces.js";

const SCRUB_MS = 50;
const LIVE_MS = 1000;
/** Whoever looks at a moment for so long may want what is around it. Before, it would only keep the next question waiting. */
const DWELL_MS = 300;
/** So many answers are kept: a moment that was shown is shown again without asking. */
const ANSWERS_MAX = 60;
/** So near to the end counts as at the end. */
const END_PX = 24;
/**
 * Tabs that print ages in whole seconds or what containers print, and so change though nothing is recorded; `[data-ages]` in others does,
 * too. This is for moments that are asked for: what is held changes to the millisecond.
 */
const AGING = new Set(["describe", "kubectl", "logs"]);

/**
 * Controls keep what the visitor did to them; their hidden companions and every text are refreshed.
 * @param {Set<string>} known  ids of pieces that stay as they are
 */
function morphing(known) {
  return {
    morphStyle: "innerHTML",
    ignoreActiveValue: true,
    callbacks: {
      /** @param {Node} old @param {Node} next */
      beforeNodeMorphed: (old, next) => !(old instanceof Element && next instanceof Element && (known.has(next.id) || isTouchedControl(old))),
      /** @param {string} name @param {Element} node */
      beforeAttributeUpdated: (name, node) => !(name === "open" && node.matches("details, dialog")),
    },
  };
}

/** @param {Element} element */
function isTouchedControl(element) {
  return element.matches("input:not([type=hidden]), select, textarea") && isTouched(element);
}

/** @param {Element} control */
function isTouched(control) {
  if (control instanceof HTMLInputElement) return control.value !== control.defaultValue || control.checked !== control.defaultChecked;
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue;
  if (control instanceof HTMLSelectElement) return [...control.options].some((option) => option.selected !== option.defaultSelected);
  return false;
}

/** @type {Node | null} where the text begins that the reader has marked; asking the selection itself would lay the page out */
let marked = null;
document.addEventListener("selectionchange", () => {
  const selection = getSelection();
  marked = selection && !selection.isCollapsed ? selection.anchorNode : null;
});

/**
 * Whether the reader is marking text there: it would be lost if the panel changed.
 * @param {HTMLElement} body
 */
function isSelectedIn(body) {
  return marked !== null && body.contains(marked) && !(document.activeElement instanceof HTMLInputElement);
}

export class Panel {
  /**
   * @param {HTMLElement} body  element whose inside is the panel
   * @param {string} tab
   * @param {{ base: string, concerns?: import("../lanes/concerns.js").Concerns, tracks?: import("./tracks.js").Tracks, isPast?: () => boolean, told?: (t_ms: number) => number[], folding?: (use: (LongList: any) => void) => void, moment: () => { seq: number, t_ms: number, sel: string, rec: number } }} source
   */
  constructor(body, tab, source) {
    this.body = body;
    this.tab = tab;
    /** The tab whose content is shown: at first that which the page came with. */
    this.shows = tab;
    /** On a page that stands nothing else asks again. */
    this.retry = new Retry(() => this.load());
    this.source = source;
    this.key = "";
    /** The server's name for what was shown last; empty where it came with the page. */
    this.etag = "";
    /** What is shown, where it came out of a track. */
    this.held = "";
    /** What kubectl is asked; only the panel of that name uses it. */
    this.line = "";
    /** The number of the command with which that line has been carried out. */
    this.did = 0;
    /** @type {Record<string, string>} which of several things a tab shows, where the visitor chose one */
    this.parts = {};
    /** @type {Record<string, string>} what the tab Diff asks beside the moment */
    this.extra = {};
    this.shownAt = -Infinity;
    this.loading = false;
    this.streaming = false;
    /** What is followed to its end. */
    this.followed = "";
    this.scrubbed = throttle(SCRUB_MS, () => this.load());
    this.streamed = throttle(LIVE_MS, () => isSelectedIn(body) || this.load());
    /** @type {Map<string, { html: string, etag: string }>} what was shown, by its key, the latest last */
    this.answers = new Map();
    this.dwelling = 0;
    /** Whether it had a size when the page was last laid out: asking now would have the page laid out in the middle of a frame. */
    this.isSeen = true;
    new ResizeObserver(([{ contentRect }]) => (this.isSeen = contentRect.width > 0)).observe(body);
    /** @type {any} the LongList, once the reader goes back and forth */
    this.fold = null;
    wireRoving(body);
  }

  /** Nothing is fetched while the panel can't be seen. */
  get isVisible() {
    return this.body.isConnected && this.body.offsetParent !== null;
  }

  /** What the tab shows of several things; empty for what suits the selection. */
  get part() {
    return this.parts[this.tab] || "";
  }

  /** The panel as the server rendered it shows what is selected after record `seq`, by default the moment that is looked at. @param {number} [seq] */
  adopt(seq) {
    if (this.tab === this.shows) this.key = this.keyNow(seq);
    rove(this.body);
  }

  /** What the panel would show; two moments at which that is the same have one key. @param {number} [at] */
  keyNow(at) {
    const { seq: now, t_ms, sel, rec } = this.source.moment();
    const seq = at ?? now;
    const aging = AGING.has(this.tab) || find("[data-ages]", this.body) ? Math.floor(t_ms / 1000) : "";
    const known = this.source.concerns?.last(this.tab, sel, rec, seq) ?? seq;
    const asked = this.tab === "kubectl" ? `${this.did}|${this.line}` : this.tab === "diff" ? JSON.stringify(this.extra) : "";
    return `${this.tab}|${this.part}|${known}|${sel}|${rec}|${aging}|${asked}`;
  }

  /** @param {string} line  a command line whose answer is wanted now */
  askLine(line) {
    this.line = line;
    if (!this.loading) this.key = "";
    this.load();
  }

  /**
   * The moment or the selection may have changed.
   * @param {boolean} streaming  true while time moves by itself
   * @returns {boolean} whether the panel has been rewritten, which is most of what a frame has time for
   */
  refresh(streaming) {
    const { held } = this;
    this.streaming = streaming;
    if (this.showHeld()) return this.held !== held;
    const key = this.keyNow();
    if (key === this.key) return false;
    // What is kept costs the server nothing, so it need not wait for its turn.
    const isKept = this.key !== "" && this.answers.has(key) && !this.loading && !streaming;
    if (isKept) this.load();
    else if (streaming) this.streamed();
    else this.scrubbed();
    return isKept;
  }

  /** What is looked at, beside the moment. @returns {import("./tracks.js").What} */
  get what() {
    const { sel, rec } = this.source.moment();
    const asked = this.tab === "kubectl" ? { line: this.line, did: this.did } : {};
    return { tab: this.tab, sel, rec, part: this.part, ...asked };
  }

  /** Show what the browser holds of the moment, if it does: nothing is asked, and nothing is waited for. */
  showHeld() {
    const { tracks } = this.source;
    if (!tracks || this.loading) return false;
    const moment = this.source.moment();
    const html = tracks.body(this.what, moment);
    // Counts of requests grow at any moment: no version holds them.
    if (html === null || (html !== this.held && html.includes(" data-ages"))) return false;
    if (!this.isSeen || libraries() || isSelectedIn(this.body) || find("[data-ages]", this.body)) return false;
    this.key = this.keyNow();
    this.etag = "";
    if (this.fold) this.fold.wait();
    else this.source.folding?.((/** @type {any} */ LongList) => (this.fold ??= new LongList(this.body)));
    if (html !== this.held) this.show(html, true);
    else showCountdowns(this.body, moment.t_ms);
    this.held = html;
    this.body.dispatchEvent(new CustomEvent("panel:held"));
    return true;
  }

  /** Readers of the past go back and forth: fetch what is around the moment. */
  prepare() {
    const { tracks, isPast } = this.source;
    if (!tracks || !isPast?.() || !this.isVisible) return;
    const moment = this.source.moment();
    const isWhy = this.tab === "why";
    if (isWhy && moment.rec) tracks.wantCauses([moment.rec, ...(this.source.told?.(moment.t_ms) ?? [])]);
    const what = isWhy ? { ...this.what, rec: 0 } : this.what;
    if (tracks.body(what, moment) === null) tracks.want(what, moment.t_ms);
  }

  /** One question at a time: an answer that is on its way is shown before the next is asked for, however fast time moves. */
  async load() {
    if (this.loading) return;
    this.loading = true;
    clearTimeout(this.dwelling);
    await this.ask();
    this.loading = false;
    this.dwelling = window.setTimeout(() => this.prepare(), DWELL_MS);
    if (this.key && this.key !== this.keyNow() && this.isVisible) this.refresh(this.streaming);
  }

  async ask() {
    const key = this.keyNow();
    if (key === this.key || !this.isVisible || !this.source.base) return;
    // An ETag is that of one tab; after a change of tabs it would be compared with another page's.
    const known = this.key.startsWith(`${this.tab}|`) ? this.etag : "";
    // Where there is no key before it, it is asked for on purpose: what is kept may be of before an act.
    const kept = this.key && this.answers.get(key);
    this.key = key;
    if (kept && !libraries()) return this.answered(key, kept);
    if (this.shows !== this.tab) this.body.dataset.stale = "true"; // what stands there is another tab's
    const { seq, t_ms, sel, rec } = this.source.moment();
    const { tab } = this;
    const query = new URLSearchParams({ sel, rec: rec ? String(rec) : "", t: String(Math.floor(t_ms)) });
    if (this.part) query.set("part", this.part);
    if (tab === "kubectl" && this.line) query.set("k", this.line);
    if (tab === "kubectl" && this.did) query.set("did", String(this.did));
    if (tab === "diff") for (const [name, value] of Object.entries(this.extra)) query.set(name, value);
    try {
      const response = await fetch(`${this.source.base}${seq}/panel/${tab}/?${query}`, {
        credentials: "same-origin",
        headers: { "HX-Request": "true", "If-None-Match": known },
        signal: answerTimeout(),
      });
      // The reader may have gone to another tab while this was on its way.
      if (tab === this.tab && response.status === 304) return this.shown();
      if (!response.ok) throw Object.assign(new Error(`panel answered ${response.status}`), await response.json().catch(() => ({})));
      const html = await response.text();
      await libraries(); // without them what is half written in a panel would be lost
      if (tab !== this.tab) return;
      this.answered(key, { html, etag: response.headers.get("ETag") || "" });
    } catch (error) {
      this.key = "";
      this.body.dataset.stale = "true";
      console.warn(text("panel.failed"), error);
      if (this.shows !== tab && tab === this.tab) this.body.textContent = /** @type {any} */ (error).text || text("panel.failed");
      this.retry.failed();
    }
  }

  /**
   * Show an answer of the server, and keep it.
   * @param {string} key
   * @param {{ html: string, etag: string }} answer
   */
  answered(key, answer) {
    this.answers.delete(key);
    this.answers.set(key, answer);
    if (this.answers.size > ANSWERS_MAX) this.answers.delete(/** @type {string} */ (this.answers.keys().next().value));
    this.show(answer.html);
    this.held = "";
    this.etag = answer.etag;
  }

  /** What the body holds is right for the moment. */
  shown() {
    delete this.body.dataset.stale;
    this.retry.done();
    this.body.dispatchEvent(new CustomEvent("panel:shown", { bubbles: true }));
  }

  /**
   * @param {string} html
   * @param {boolean} [inPart]  whether rows out of sight may follow later
   */
  show(html, inPart) {
    const { body } = this;
    this.shows = this.tab;
    // Before anything changes: afterwards the end is further down.
    const wasAtEnd = this.followed !== "" && body.scrollTop + body.clientHeight > body.scrollHeight - END_PX;
    const { Idiomorph, htmx } = /** @type {any} */ (window);
    const { coming, known } = comingInto(body, html);
    this.fold?.[inPart ? "hold" : "forget"](coming);
    const isWired = find("[hx-post], [hx-get]", coming) !== null;
    if (Idiomorph) Idiomorph.morph(body, coming, morphing(known));
    else body.innerHTML = html;
    // htmx looks at every element below, which a panel without forms can be spared.
    if (isWired) htmx?.process(body);
    restoreDetails(this.body);
    showCommands(this.body);
    rove(this.body);
    showCountdowns(this.body, this.source.moment().t_ms);
    this.follow(wasAtEnd);
    this.shown();
  }

  /** What grows at its end keeps its end in sight, unless the reader has gone back in it. @param {boolean} wasAtEnd */
  follow(wasAtEnd) {
    const subject = find("[data-follow]", this.body)?.dataset.follow || "";
    if (subject && (wasAtEnd || subject !== this.followed)) this.body.scrollTop = this.body.scrollHeight;
    this.followed = subject;
  }
}
