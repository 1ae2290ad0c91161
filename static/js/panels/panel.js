// @ts-check
/**
 * Panels rendered by the server for (seq, selection, tab): fetched when the moment or the selection
 * changes, morphed in place.
 *
 * In every frame a panel is asked whether it still shows the right thing (`refresh`), and nearly always it does. `keyNow` combines
 * everything its content depends on into one string. Concerns saves the most: two moments between which nothing happened that this panel
 * could show have the same key, so that a pod's panel is not fetched because another pod was restarted.
 *
 * There are four ways to get the content, the cheapest first. A track (tracks.js) holds every version of a panel over a stretch of the
 * past: scrubbing there sends no requests. It is fetched once the reader stays somewhere, since the server has to compute it and would keep
 * a reader who moves on waiting. An answer that was shown under the same key is shown again. An ETag lets the server answer that what is
 * shown is still right. Otherwise the HTML is fetched, and Idiomorph morphs it into what is there, which keeps focus, scroll positions and
 * half-filled fields; pieces that have not changed are not even parsed (pieces.js).
 *
 * One request at a time: while one is under way, further changes only determine what the next one asks for. At normal speed the next one is
 * sent at most once a second; while the reader scrubs, at most every 50 ms. After a failure the panel is shown as stale and fetched again,
 * at growing intervals.
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
/** A reader who stays at a moment for this long may want what is around it. Earlier, it would only delay the next request. */
const DWELL_MS = 300;
/** How many answers are kept: a moment that was shown is shown again without a request. */
const ANSWERS_MAX = 60;
/** This close to the end counts as at the end. */
const END_PX = 24;
/**
 * Tabs that print ages in whole seconds or the output of containers, and so change though nothing is recorded; so does `[data-ages]` in
 * others. This is for moments that are fetched: what is held changes to the millisecond.
 */
const AGING = new Set(["describe", "kubectl", "logs"]);

/**
 * Controls keep what the visitor did to them; their hidden companions and all text are refreshed.
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

/** @type {Node | null} start of the text that the reader has selected; asking the selection itself would force a layout */
let marked = null;
document.addEventListener("selectionchange", () => {
  const selection = getSelection();
  marked = selection && !selection.isCollapsed ? selection.anchorNode : null;
});

/**
 * Whether the reader is selecting text there: the selection would be lost if the panel changed.
 * @param {HTMLElement} body
 */
function isSelectedIn(body) {
  return marked !== null && body.contains(marked) && !(document.activeElement instanceof HTMLInputElement);
}

export class Panel {
  /**
   * @param {HTMLElement} body  element whose content is the panel
   * @param {string} tab
   * @param {{ base: string, concerns?: import("../lanes/concerns.js").Concerns, tracks?: import("./tracks.js").Tracks, isPast?: () => boolean, nearby?: (t_ms: number) => number[], folding?: (use: (LongList: any) => void) => void, moment: () => { seq: number, t_ms: number, sel: string, rec: number } }} source
   */
  constructor(body, tab, source) {
    this.body = body;
    this.tab = tab;
    /** The tab whose content is shown: at first the one the page came with. */
    this.shows = tab;
    /** On a page that stands still, nothing else would fetch again. */
    this.retry = new Retry(() => this.load());
    this.source = source;
    this.key = "";
    /** The ETag of what was shown last; empty if it came with the page. */
    this.etag = "";
    /** The HTML shown, if it came from a track. */
    this.held = "";
    /** The kubectl line; only the kubectl panel uses it. */
    this.line = "";
    /** The number of the command that carried out that line. */
    this.did = 0;
    /** The namespace of the context in which it was asked; empty: the run's own. */
    this.namespace = "";
    /** @type {Record<string, string>} which of several things a tab shows, if the visitor chose one */
    this.parts = {};
    /** @type {Record<string, string>} parameters of the Diff tab, besides the moment */
    this.extra = {};
    /** @type {Promise<void> | null} the style sheet that the tab waits for */
    this.styled = null;
    this.loading = false;
    this.streaming = false;
    /** What is followed to its end, such as a log. */
    this.followed = "";
    this.scrubbed = throttle(SCRUB_MS, () => this.load());
    this.streamed = throttle(LIVE_MS, () => isSelectedIn(body) || this.load());
    /** @type {Map<string, { html: string, etag: string }>} answers shown, by key, the latest last */
    this.answers = new Map();
    this.dwelling = 0;
    /** Whether it had a size at the last layout: asking now would force one in the middle of a frame. */
    this.isSeen = true;
    // With its padding: the acts on a lane are empty before they are first fetched.
    new ResizeObserver(([{ borderBoxSize }]) => (this.isSeen = borderBoxSize[0].inlineSize > 0)).observe(body, { box: "border-box" });
    /** @type {any} the LongList, once the reader goes back and forth */
    this.fold = null;
    wireRoving(body);
  }

  /** Nothing is fetched while the panel is not visible. One that was not at the last layout may have been opened since. */
  get isVisible() {
    return this.body.isConnected && (this.isSeen || this.body.offsetParent !== null);
  }

  /** Which of several things the tab shows; empty for the default of the selection. */
  get part() {
    return this.parts[this.tab] || "";
  }

  /** The server-rendered panel shows the selection after record `seq`, by default that of the moment shown. @param {number} [seq] */
  adopt(seq) {
    if (this.tab === this.shows) this.key = this.keyNow(seq);
    rove(this.body);
  }

  /** The key of what the panel would show; moments with the same content have the same key. @param {number} [at] */
  keyNow(at) {
    const { seq: now, t_ms, sel, rec } = this.source.moment();
    const seq = at ?? now;
    const aging = AGING.has(this.tab) || find("[data-ages]", this.body) ? Math.floor(t_ms / 1000) : "";
    const known = this.source.concerns?.last(this.tab, sel, rec, seq) ?? seq;
    const asked = this.tab === "kubectl" ? `${this.did}|${this.namespace}|${this.line}` : this.tab === "diff" ? JSON.stringify(this.extra) : "";
    return `${this.tab}|${this.part}|${known}|${sel}|${rec}|${aging}|${asked}`;
  }

  /** @param {string} line  a command line to be answered now */
  askLine(line) {
    this.line = line;
    if (!this.loading) this.key = "";
    this.load();
  }

  /**
   * Update the panel, since the moment or the selection may have changed.
   * @param {boolean} streaming  true while time moves by itself
   * @returns {boolean} whether the panel was rewritten, which takes up most of a frame
   */
  refresh(streaming) {
    const { held } = this;
    this.streaming = streaming;
    if (this.showHeld()) return this.held !== held;
    const key = this.keyNow();
    if (key === this.key) return false;
    // A kept answer costs the server nothing, so it need not wait.
    const isKept = this.key !== "" && this.answers.has(key) && !this.loading && !streaming;
    if (isKept) this.load();
    else if (streaming) this.streamed();
    else this.scrubbed();
    return isKept;
  }

  /** What is shown, apart from the moment. @returns {import("./tracks.js").What} */
  get what() {
    const { sel, rec } = this.source.moment();
    const asked = this.tab === "kubectl" ? { line: this.line, did: this.did, namespace: this.namespace } : {};
    return { tab: this.tab, sel, rec, part: this.part, ...asked };
  }

  /** Show the moment from a track, if one covers it, without a request or a wait. */
  showHeld() {
    const { tracks } = this.source;
    if (!tracks || this.loading) return false;
    const moment = this.source.moment();
    const html = tracks.body(this.what, moment);
    // Counts of requests grow at every moment: no version contains them.
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
    if (isWhy && moment.rec) tracks.wantCauses([moment.rec, ...(this.source.nearby?.(moment.t_ms) ?? [])]);
    const what = isWhy ? { ...this.what, rec: 0 } : this.what;
    if (tracks.body(what, moment) === null) tracks.want(what, moment.t_ms);
  }

  /** One request at a time: an answer that is on its way is shown before the next is asked for, however fast time moves. */
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
    // An ETag belongs to one tab; after a change of tabs it would be compared with another tab's content.
    const known = this.key.startsWith(`${this.tab}|`) ? this.etag : "";
    // Without a previous key the content is fetched on purpose: the kept answer may be from before an act.
    const kept = this.key && this.answers.get(key);
    this.key = key;
    if (kept && !libraries()) return this.answered(key, kept);
    if (this.shows !== this.tab) this.body.dataset.stale = "true"; // what is there belongs to another tab
    const { seq, t_ms, sel, rec } = this.source.moment();
    const { tab } = this;
    const query = new URLSearchParams({ sel, rec: rec ? String(rec) : "", t: String(Math.floor(t_ms)) });
    if (this.part) query.set("part", this.part);
    if (tab === "kubectl" && this.line) query.set("k", this.line);
    if (tab === "kubectl" && this.did) query.set("did", String(this.did));
    if (tab === "kubectl" && this.namespace) query.set("ns", this.namespace);
    if (tab === "diff") for (const [name, value] of Object.entries(this.extra)) query.set(name, value);
    try {
      const response = await fetch(`${this.source.base}${seq}/panel/${tab}/?${query}`, {
        credentials: "same-origin",
        headers: { "HX-Request": "true", "If-None-Match": known },
        signal: answerTimeout(),
      });
      // The reader may have changed tabs in the meantime.
      if (tab === this.tab && response.status === 304) return this.shown();
      if (!response.ok) throw Object.assign(new Error(`panel answered ${response.status}`), await response.json().catch(() => ({})));
      const html = await response.text();
      await libraries(); // without them, half-filled fields in a panel would be lost
      await this.styled;
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

  /** The content is right for the current moment. */
  shown() {
    delete this.body.dataset.stale;
    this.retry.done();
    this.body.dispatchEvent(new CustomEvent("panel:shown", { bubbles: true }));
  }

  /**
   * @param {string} html
   * @param {boolean} [inPart]  whether rows that are out of sight may follow later
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
    // htmx looks at every element below, which is unnecessary in a panel without forms.
    if (isWired) htmx?.process(body);
    restoreDetails(this.body);
    showCommands(this.body);
    rove(this.body);
    showCountdowns(this.body, this.source.moment().t_ms);
    this.follow(wasAtEnd);
    this.shown();
  }

  /** Content that grows at its end stays scrolled to the end, unless the reader has scrolled back. @param {boolean} wasAtEnd */
  follow(wasAtEnd) {
    const subject = find("[data-follow]", this.body)?.dataset.follow || "";
    if (subject && (wasAtEnd || subject !== this.followed)) this.body.scrollTop = this.body.scrollHeight;
    this.followed = subject;
  }
}
