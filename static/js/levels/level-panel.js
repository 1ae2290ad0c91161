// @ts-check
/**
 * A level next to its run. Its checks are kept, broken or lost while the run plays, by the same automata as on the server; *Check now* has
 * the server play the attempt to its end with every seed.
 *
 * Theory. Three things move the panel. Records and the clock: `read` feeds the automata up to the moment before which nothing more can be
 * recorded (`known_ms`), and shows their verdicts. The server's verdict: it knows the future of this attempt, so after a check that passed,
 * checks that are still open here show what the server found, until the run goes on and may turn out differently. The reader, who follows a
 * verdict to its moment: if the run has not reached it, the run is led there first and the record selected on arrival.
 *
 * In an exam nothing is revealed before the end: there are no marks and verdicts while it is under way (`isSilent`).
 */

import { find, findAll, setHidden, make, post, setText, throttle } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { inline } from "../base/inline.js";
import { toast } from "../base/toast.js";
import { LiveAttempt } from "../learn/checks/attempt.js";
import { Asks } from "./asks.js";
import { startExamClock } from "./exam-clock.js";
import { changeTask, isExamOn } from "./exam-state.js";
import { FoundFaults } from "./found.js";
import { instantLink } from "./instant-link.js";
import { changeKept, keepCheck, readKept } from "./kept.js";
import { LevelMarks, marksOf } from "./marks.js";
import { foundAhead, showVerdict } from "./verdict.js";

/** @typedef {import("../learn/checks/grader.js").CheckResult} CheckResult */
/**
 * The page's data about the level (simulator/web/run/level_card.py). `acts` is the number used so far, `best` the fewest known; `given` are
 * those that the level itself carries out.
 * @typedef {{ key: string, horizon_ms: number, allow: string[], exam: boolean, hints: number, acts: number, best: number | null, base: string, home: string, before: string, checks: import("../learn/checks/grader.js").Check[], given?: [number, string][], asks: import("./asks.js").Ask[] }} LevelFacts
 */

/** Records of the last so many ms (real time) may still be on their way from the server. */
const ON_THE_WAY_MS = 1000;
/** How often a run in which nothing is recorded is checked (ms, real time). */
const LOOK_MS = 500;
/** The site is asked for the number of acts at most this often (ms, real time). */
const COUNT_MS = 1000;

class LevelPanel {
  /** @param {HTMLElement} element @param {any} page  the RunPage */
  constructor(element, page) {
    this.element = element;
    this.page = page;
    this.facts = /** @type {LevelFacts} */ (JSON.parse(element.dataset.level || "{}"));
    this.attempt = new LiveAttempt(this.facts.checks, this.facts.horizon_ms, this.facts.given);
    /** The check under the pointer or the focus. */
    this.pointed = "";
    this.acts = this.facts.acts;
    /** The seq of the last record that was examined for acts. */
    this.looked = 0;
    this.brief = /** @type {HTMLDetailsElement | null} */ (find("[data-level-brief]", element));
    /** @type {{ checks: import("./verdict.js").CheckTold[], head_seq: number, end_ms: number } | null} the findings of a check that passed, until the run goes on */
    this.passed = null;
    /** An exam is under way, so no verdict is shown. */
    this.isSilent = this.isExamOn();
    /** @type {{ at_ms: number, seq: number } | null} where the run is being led */
    this.ahead = null;
    this.run = page.main.dataset.run;
    this.verdict = /** @type {HTMLElement} */ (find("[data-level-verdict]", element));
    this.items = new Map(findAll("[data-check-id]", element).map((item) => [item.dataset.checkId ?? "", item]));
    this.marks = page.timeline ? new LevelMarks(page.timeline) : null;
    this.found = new FoundFaults(element, page, (what, fields) => this.ask(what, fields));
    this.asks = this.facts.asks.length ? new Asks(page, this.facts, () => this.mark()) : null;
    this.wire();
    this.read();
    this.showHints();
    this.found.show();
    this.countActs = throttle(COUNT_MS, () => this.fetchActs());
    startExamClock(element, () => this.isSilent !== this.isExamOn() && this.show());
    if (page.isPrepared) this.catchUp();
    else document.addEventListener("run:ready", () => this.catchUp(), { once: true });
    if (this.facts.exam && page.transport.owns) changeTask(this.facts.key.replace(/^exam:/, ""), { run: `/r/${this.run}/`, isAway: false });
    const bar = find("[data-level-bar]", element);
    if (bar && !page.transport.owns) setHidden(bar, true);
  }

  wire() {
    for (const name of ["run:frame", "run:clock"]) document.addEventListener(name, () => this.read());
    // If nothing happens, no record says that a deadline has passed.
    document.addEventListener("run:playhead", throttle(LOOK_MS, () => this.known_ms() > this.attempt.reached_ms && this.read()));
    this.element.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button[data-level-do]") : null;
      if (button instanceof HTMLButtonElement) this.do(button);
      const ahead = event.target instanceof Element ? event.target.closest("[data-level-run-to]") : null;
      if (ahead instanceof HTMLElement) this.lead(ahead.dataset);
    });
    for (const name of ["pointerover", "focusin"]) this.element.addEventListener(name, (event) => this.point(event));
    // Once opened or closed by hand, the brief stays so.
    this.brief?.querySelector("summary")?.addEventListener("click", () => (this.brief = null));
    this.element.addEventListener("pointerleave", () => this.point(null));
  }

  /** Lead the run to what decides a check, to look at it there. @param {DOMStringMap} to */
  lead({ levelRunTo = "0", levelSeq = "0" }) {
    this.ahead = { at_ms: Number(levelRunTo), seq: Number(levelSeq) };
    this.page.playhead.goLive();
    this.page.transport.control({ do: "run_to", to_ms: levelRunTo });
    this.arrive();
  }

  /** The report of an exam links to instants that the server played and the run itself may not have reached. */
  catchUp() {
    const { target_ms, rec, playhead, transport } = this.page;
    if (this.facts.exam && transport.owns && target_ms > playhead.end_ms) this.lead({ levelRunTo: String(target_ms), levelSeq: String(rec || 0) });
  }

  /** Once the run has arrived where it was led, select the record there, so that Why explains it. */
  arrive() {
    const { ahead, page } = this;
    if (!ahead || this.attempt.reached_ms < ahead.at_ms || (ahead.seq && !page.store.get(ahead.seq))) return;
    this.ahead = null;
    if (!ahead.seq) return;
    page.seekTo(ahead.seq);
    page.openTab("why");
  }

  /** Show the stretch of the check under the pointer on the lanes. @param {Event | null} event */
  point(event) {
    const item = event?.target instanceof Element ? event.target.closest("[data-check-id]") : null;
    const id = item instanceof HTMLElement ? item.dataset.checkId ?? "" : "";
    if (id === this.pointed) return;
    this.pointed = id;
    this.mark();
  }

  /** The moment before which nothing more can be recorded. While the page is still catching up with a released run, only records show it. */
  known_ms() {
    const { store, clock, playhead } = this.page;
    const { state, rate = 1000 } = clock.frame ?? {};
    const pace = clock.running ? Math.max(1, rate / 1000) : 0;
    return state === "released" ? store.head_ms : Math.max(store.head_ms, playhead.end_ms - ON_THE_WAY_MS * pace);
  }

  /** Follow the run: grade what is new, and carry out what was waiting for it. */
  read() {
    this.attempt.read(this.page.store, this.known_ms());
    this.show();
    this.fold();
    this.look();
    this.arrive();
  }

  /** The brief is read first; once the run plays, the checks take its place. */
  fold() {
    if (!this.brief || !this.page.clock.running) return;
    this.brief.open = false;
    this.brief = null;
  }

  /** If a new record is that of an act, the number of acts has changed. */
  look() {
    const { store } = this.page;
    let isAct = false;
    for (; this.looked < store.headSeq; this.looked += 1) isAct ||= store.get(this.looked + 1)?.kind === "command";
    if (isAct) this.countActs?.();
  }

  /** The level carries out acts too, so only the site knows which are the learner's. */
  async fetchActs() {
    const answer = await fetch(`${this.facts.base}used/`).then((response) => response.json()).catch(() => null);
    if (typeof answer?.acts === "number") this.acts = answer.acts;
    this.showUsed();
  }

  /** The number of acts used so far, against the fewest known. */
  showUsed() {
    const place = find("[data-level-used]", this.element);
    const { best, hints } = this.facts;
    const acts = text(best === null ? "level.used" : "level.used_best", { acts: this.acts, best: best ?? 0 });
    if (place) setText(place, [acts, ...(hints ? [text("level.used_hints", { hints: this.hints().length })] : [])].join(" · "));
  }

  isExamOn() {
    return this.facts.exam && isExamOn(this.facts.key.replace(/^exam:/, ""));
  }

  show() {
    this.isSilent = this.isExamOn();
    if (this.isSilent) this.mark();
    else this.showChecks();
  }

  showChecks() {
    const { graders } = this.attempt.grader;
    const results = graders.map((grader) => grader.result());
    const ahead = results.map(({ id, verdict }) => (verdict === "open" ? this.aheadOf(id) : undefined));
    results.forEach((result, n) => (ahead[n] ? this.showAhead(ahead[n]) : this.showCheck(result, Math.min(graders[n].openUntil_ms, this.facts.horizon_ms))));
    const kept = results.filter(({ verdict }, n) => (ahead[n]?.verdict ?? verdict) === "kept").length;
    const count = find("[data-level-count]", this.element);
    if (count) setText(count, text("level.count", { kept, all: results.length }));
    this.mark();
  }

  /** What the server found for a check that is open here, if the attempt passed; nothing once the run has gone on. @param {string} id */
  aheadOf(id) {
    const { store, playhead } = this.page;
    if (this.passed && (store.headSeq > this.passed.head_seq || playhead.end_ms > this.passed.end_ms)) this.passed = null;
    return this.passed?.checks.find((check) => check.id === id);
  }

  /** @param {import("./verdict.js").CheckTold} check */
  showAhead(check) {
    const item = this.items.get(check.id);
    if (!item || item.dataset.shown === "ahead") return;
    item.dataset.shown = "ahead";
    item.dataset.verdict = check.verdict;
    find("[data-check-mark]", item)?.setAttribute("aria-label", text(`level.${check.verdict}`));
    find("[data-check-told]", item)?.replaceChildren(...foundAhead(check, this.runFacts()));
  }

  /** The run as the page knows it. */
  runFacts() {
    return { end_ms: this.page.store.head_ms, moment: (/** @type {number} */ seq) => this.page.store.get(seq)?.at_ms };
  }

  /** @param {CheckResult} result @param {number} until_ms  the latest moment at which an open one is decided */
  showCheck({ id, verdict, at_ms, seq, near_seq }, until_ms) {
    const item = this.items.get(id);
    const key = `${verdict} ${at_ms} ${near_seq} ${until_ms}`;
    if (!item || item.dataset.shown === key) return;
    item.dataset.shown = key;
    item.dataset.verdict = verdict;
    find("[data-check-mark]", item)?.setAttribute("aria-label", text(`level.${verdict}`));
    const near = this.page.store.get(near_seq);
    // A vacuous one has no instant: it was decided by the end of the attempt, where there is nothing to see.
    const vacuous = verdict === "vacuous" ? [" ", make("span", { class: "level__until", text: text("level.nothing") })] : [];
    const links = [at_ms !== null && !["open", "vacuous"].includes(verdict) ? instantLink(at_ms, seq, this.page.store.get(seq)?.subject, clockText(at_ms)) : null, near ? instantLink(near.at_ms, near.seq, near.subject, text("level.nearest", { time: clockText(near.at_ms) })) : null];
    const until = verdict === "open" && until_ms < this.facts.horizon_ms ? [" ", make("span", { class: "level__until num", text: text("level.until", { time: clockText(until_ms) }) })] : [];
    find("[data-check-told]", item)?.replaceChildren(...until, ...vacuous, ...links.filter((link) => link !== null).flatMap((link) => [" ", link]));
  }

  /** Deadlines and failures of all checks, the stretch of the check that is pointed at, and what a prediction hides. */
  mark() {
    const marks = this.isSilent ? [] : this.attempt.grader.graders.flatMap((grader) => marksOf(grader, grader.check.id === this.pointed, this.page.store, this.facts.horizon_ms));
    this.marks?.show([...marks, ...(this.asks?.marks() ?? [])]);
  }

  /** @param {HTMLButtonElement} button */
  async do(button) {
    const what = button.dataset.levelDo;
    if (button.getAttribute("aria-busy") || (what === "solution" && !confirm(text("level.sure")))) return;
    button.setAttribute("aria-busy", "true");
    if (what === "check") await this.check();
    else if (what === "hint") await this.hint();
    else if (what === "cause") await this.found.name();
    else await this.leave(what ?? "");
    button.removeAttribute("aria-busy");
  }

  /** The server's answer, or null after an error was shown. @param {string} what @param {Record<string, string>} [fields] */
  async ask(what, fields = {}) {
    const answer = await post(`${this.facts.base}${what}/`, fields).then((response) => response.json()).catch(() => null);
    // An answer with only a text is a refusal; a hint has a text too, and its number.
    if (answer && !answer.error && (!answer.text || answer.n !== undefined)) return answer;
    toast(answer?.error || answer?.text || text("level.failed"), "bad");
    return null;
  }

  hints() {
    return readKept().hints[this.run] ?? [];
  }

  async check() {
    this.verdict.replaceChildren(make("p", { text: text("level.checking") }));
    intoView(this.verdict);
    const answer = await this.ask("check", { hints: String(this.hints().length) });
    this.verdict.replaceChildren();
    if (!answer) return;
    if (answer.submitted) {
      const counts = changeTask(this.facts.key.replace(/^exam:/, ""), { run: `/r/${this.run}/`, result: { passed: answer.passed, at: Date.now(), report: answer.report } });
      this.verdict.replaceChildren(make("p", { text: text(counts ? "level.submitted" : "level.exam_over") }));
      intoView(this.verdict);
      return;
    }
    keepCheck(this.facts.key, answer.passed, answer.acts);
    showVerdict(this.verdict, answer, { checks: this.facts.checks, before: this.facts.before, ...this.runFacts() });
    const { store, playhead, clock } = this.page;
    this.passed = answer.passed && !clock.running ? { checks: answer.checks, head_seq: store.headSeq, end_ms: playhead.end_ms } : null;
    this.show();
    this.verdict.focus({ preventScroll: false });
    if (answer.grade) toast(answer.grade);
  }

  async hint() {
    const given = this.hints();
    const answer = await this.ask("hint", { given: given.map(({ n }) => n).join(",") });
    if (!answer) return;
    if (answer.nothing) {
      toast(answer.nothing);
      return;
    }
    changeKept(({ hints }) => (hints[this.run] = [...given, { n: answer.n, words: answer.text }]));
    this.showHints();
    const last = find("[data-level-hints]", this.element)?.lastElementChild;
    if (last instanceof HTMLElement) intoView(last);
  }

  /** The hints that were given in this run. */
  showHints() {
    const list = find("[data-level-hints]", this.element);
    const given = this.hints();
    list?.replaceChildren(...given.map(({ words }) => make("li", {}, inline(words))));
    if (list) setHidden(list, !given.length);
    this.showUsed();
  }

  /** Go to another attempt or to a solution; each is a branch of its own. @param {string} what */
  async leave(what) {
    const answer = await this.ask(what);
    if (answer?.nothing) toast(answer.nothing);
    else if (answer?.url) {
      const [, , other] = answer.url.split("/");
      if (what === "again") this.found.takeTo(other);
      location.assign(answer.url);
    }
  }
}

/** Scroll an answer into view above the bar of buttons. The bar stays where it is, so that a second click hits no other button. @param {HTMLElement} element */
function intoView(element) {
  const bar = /** @type {HTMLElement | null} */ (find("[data-level-bar]"));
  element.style.scrollMarginBlockEnd = `${bar?.offsetHeight ?? 0}px`;
  element.scrollIntoView({ block: "nearest" });
}

/** @param {any} page  the RunPage */
export function startLevel(page) {
  const element = find("#level");
  if (element) new LevelPanel(element, page);
  const story = find("[data-asks]");
  if (element || !story || !page.timeline) return;
  const marks = new LevelMarks(page.timeline);
  const asks = new Asks(page, JSON.parse(story.dataset.asks || "{}"), () => marks.show(asks?.marks() ?? []));
}
