// @ts-check
/**
 * Making a level on the lanes: the author points at records and says what must hold, and the tray collects it. The server says what a pick
 * means (web.levels.picks), so that the lanes and the form of a level agree. For the active pick the lanes show what a level would show:
 * the stretch in which something is forbidden or must last, the deadline, the records that are meant.
 */

import { csrfToken, find, make } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { loadStyles } from "../base/styles.js";
import { toast } from "../base/toast.js";
import { LevelMarks } from "../levels/marks.js";
import { endsOf, momentOf, PickEnds } from "./ends.js";
import { keepPicks, readPicks } from "./kept.js";
import { PickMenu } from "./menu.js";
import { PickTray } from "./tray.js";

/** @typedef {import("./kept.js").Pick} Pick */

const PAIRS = new Set(["before", "within"]);
const SECOND = 1000;
const DRAFTS = "podscope.draft:";

class Picking {
  /** @param {any} page  the RunPage */
  constructor(page) {
    this.page = page;
    this.timeline = page.timeline;
    this.run = page.main.dataset.run;
    // The first branch that is listed is the root of the tree.
    this.family = find("#branches .branches a")?.getAttribute("href") ?? `/r/${this.run}/`;
    this.kept = readPicks(this.family);
    /** @type {Pick | null} the pick that the lanes show */
    this.active = null;
    /** @type {{ way: string, seq: number, words: string } | null} the first record of a pair */
    this.first = null;
    this.marks = new LevelMarks(this.timeline);
    this.ends = new PickEnds(this.timeline, { moving: (pick) => this.moving(pick), moved: (pick) => this.edited(pick) });
    this.menu = new PickMenu(page.main, { facts: (seq) => this.ask({ seq }), chosen: (way, seq, facts) => this.chosen(way, seq, facts), closed: () => this.timeline.element.focus({ preventScroll: true }), at: (seq) => page.store.get(seq)?.at_ms ?? 0 });
    this.tray = new PickTray(page.main, {
      remove: (pick) => this.remove(pick),
      edited: (pick) => this.edited(pick),
      point: (pick) => this.point(pick),
      go: (pick) => this.go(pick),
      starts: (here) => this.changed({ starts_here: here }),
      send: () => this.send(),
      cancel: () => this.pair(null),
      close: () => this.leave(),
    });
    document.addEventListener("run:playhead", () => this.isOn && this.tray.showStart(this.kept.starts_here, this.start_ms));
    // Escape first cancels a pair that was begun, and only then the selection.
    page.main.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || !this.first) return;
      event.preventDefault();
      event.stopPropagation();
      this.pair(null);
    }, true);
    // Back from the form: what was taken there is removed here.
    window.addEventListener("pageshow", (event) => event.persisted && this.reread());
    this.enter();
  }

  get isOn() {
    return !this.tray.element.hidden;
  }

  get start_ms() {
    return Math.floor(this.page.playhead.t_ms / 100) * 100;
  }

  enter() {
    this.tray.element.hidden = false;
    this.page.main.dataset.picking = "";
    this.timeline.picker = (/** @type {any} */ hit, /** @type {any} */ item, /** @type {{ x: number, y: number }} */ point) => this.pointed(hit, item, point);
    this.active = this.kept.picks[this.kept.picks.length - 1] ?? null;
    this.changed({ on: true });
  }

  leave() {
    this.pair(null);
    this.menu.close(false);
    this.active = null;
    this.changed({ on: false });
    this.tray.element.hidden = true;
    delete this.page.main.dataset.picking;
    this.timeline.picker = null;
    this.timeline.element.focus({ preventScroll: true });
  }

  reread() {
    this.kept = readPicks(this.family);
    this.active = null;
    this.show();
  }

  /** @param {Partial<import("./kept.js").Kept>} change */
  changed(change = {}) {
    Object.assign(this.kept, change);
    keepPicks(this.family, this.kept);
    this.show();
  }

  show() {
    const { kept, active, first } = this;
    this.tray.show(kept, { active, first: first?.words ?? "", t_ms: this.start_ms });
    this.ends.show(this.isOn && active && this.isHere(active) ? active : null);
    this.mark();
  }

  /** Whether its records are those of the branch that is shown. @param {Pick} pick */
  isHere({ run, seq, at_ms }) {
    return run === this.run || this.page.store.get(seq)?.at_ms === at_ms;
  }

  mark() {
    const { kept, active } = this;
    const end_ms = this.page.playhead.end_ms;
    const here = kept.on ? kept.picks.filter((pick) => this.isHere(pick)) : [];
    this.marks.show(here.flatMap((pick) => marksOf(pick, String(kept.picks.indexOf(pick) + 1), pick === active, end_ms)));
  }

  /** A click on the lanes. @param {any} hit @param {any} item  what was hit there @param {{ x: number, y: number }} point  on the screen */
  pointed(hit, item, point) {
    const marks = (hit.marks ?? [item]).filter((/** @type {any} */ mark) => mark?.seq && this.page.store.get(mark.seq));
    if (!item?.seq || !marks.length) return;
    const meant = marks.filter((/** @type {any} */ mark) => mark !== item);
    const choices = [...meant, item].map((mark) => ({ seq: mark.seq, words: `${clockText(mark.t ?? mark.t0)} ${mark.text}` }));
    if (this.first && choices.length === 1) this.chosen("this", item.seq, null);
    else this.menu.open(choices, point, this.first !== null);
  }

  /** By key: at the selected record, else at the one that the focused lane shows. */
  atSelection() {
    const { page, timeline } = this;
    const seq = page.rec || timeline.navigator.recordAtPlayhead() || page.narrator?.shown_seq || 0;
    const record = page.store.get(seq);
    if (!record) {
      toast(text("pick.nothing"), "info");
      return;
    }
    if (this.first) {
      this.chosen("this", seq, null);
      return;
    }
    const { row } = timeline.navigator;
    const box = timeline.stage.getBoundingClientRect();
    const y = row ? box.top + row.y - timeline.body.scrollTop + row.h : box.top + 40;
    const x = box.left + Math.max(12, Math.min(timeline.viewport.xOf(record.at_ms), timeline.viewport.width - 40));
    this.menu.open([{ seq, words: "" }], { x, y: Math.min(y, innerHeight - 240) }, false);
  }

  /** @param {string} way @param {number} seq @param {any} facts  the server's description of the record, if it was fetched */
  async chosen(way, seq, facts) {
    if (PAIRS.has(way)) {
      const words = (facts ?? (await this.ask({ seq })))?.text;
      if (words) this.pair({ way, seq, words });
      return;
    }
    const { first } = this;
    const pick = first && way === "this" ? this.made(first.way, first.seq, seq) : this.made(way, seq, 0);
    if (pick.do === "within") pick.within_ms = Math.max(SECOND, Math.ceil((pick.then_ms - pick.at_ms) / SECOND) * SECOND);
    if (pick.do === "holds") Object.assign(pick, this.stretchOf(seq));
    if (!(await this.fill(pick))) return;
    this.first = null;
    this.active = pick;
    this.changed({ picks: [...this.kept.picks, pick] });
    this.tray.status.textContent = text("pick.added", { what: pick.text });
    this.tray.list.lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} way @param {number} seq @param {number} then @returns {Pick} */
  made(way, seq, then) {
    const at = (/** @type {number} */ of) => this.page.store.get(of)?.at_ms ?? 0;
    return { do: way, run: this.run, seq, then, at_ms: at(seq), then_ms: at(then), within_ms: 0, from_ms: 0, until_ms: 0, text: "", pattern: "", toml: "" };
  }

  /** How long the effect of a record lasts: its bar, if it has one. @param {number} seq */
  stretchOf(seq) {
    const { selected, run } = this.timeline;
    const { at_ms } = this.page.store.get(seq);
    const end_ms = run.playhead.end_ms;
    const until_ms = selected?.seq === seq && selected.t1 > selected.t0 ? Math.min(selected.t1, end_ms) : end_ms;
    const from_ms = Math.ceil(at_ms / 100) * 100;
    // Just before what ends it.
    return { from_ms, until_ms: Math.max(from_ms, Math.floor((until_ms - 1) / 100) * 100) };
  }

  /** @param {{ way: string, seq: number, words: string } | null} first */
  pair(first) {
    this.first = first;
    this.show();
  }

  /** An end is being moved. @param {Pick} pick */
  moving(pick) {
    this.tray.showEnds(this.kept, pick);
    this.mark();
  }

  /** @param {Pick} pick */
  async edited(pick) {
    this.active = pick;
    this.ends.place();
    this.mark();
    if (await this.fill(pick)) this.changed();
  }

  /** @param {Pick} pick */
  remove(pick) {
    if (this.active === pick) this.active = null;
    this.changed({ picks: this.kept.picks.filter((each) => each !== pick) });
    (this.tray.list.querySelector("button") ?? this.tray.send).focus({ preventScroll: true });
  }

  /** Show the pick that is pointed at in the tray on the lanes. @param {Pick} pick */
  point(pick) {
    if (this.active === pick) return;
    this.active = pick;
    for (const [n, item] of [...this.tray.list.children].entries()) item.toggleAttribute("data-active", this.kept.picks[n] === pick);
    this.ends.show(this.isHere(pick) ? pick : null);
    this.mark();
  }

  /** @param {Pick} pick */
  go(pick) {
    this.point(pick);
    if (this.isHere(pick)) this.page.seekTo(pick.seq);
  }

  /** Have the server say what a pick means. @param {Pick} pick @returns {Promise<boolean>} whether it answered for the current ends */
  async fill(pick) {
    const asked = `${pick.within_ms}/${pick.from_ms}/${pick.until_ms}`;
    const facts = await this.ask({ do: pick.do, seq: pick.seq, then: pick.then, within_ms: pick.within_ms, from_ms: pick.from_ms, until_ms: pick.until_ms }, pick.run);
    if (!facts || asked !== `${pick.within_ms}/${pick.from_ms}/${pick.until_ms}`) return false;
    Object.assign(pick, { text: facts.text, pattern: facts.pattern, toml: facts.toml });
    return true;
  }

  /** @param {Record<string, string | number>} query @param {string} [run] */
  async ask(query, run = this.run) {
    const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const answer = await fetch(`/r/${run}/level/pick/?${words}`, { headers: { Accept: "application/json", "HX-Request": "true" } }).then((response) => response.json()).catch(() => null);
    if (answer && !answer.error) return answer;
    toast(answer?.error || text("pick.failed"), "bad");
    return null;
  }

  /** Go to the form of the level, with what was typed into it before. */
  send() {
    const action = `/r/${this.run}/level/new/`;
    const fields = [...draftOf(action), ["picks", this.kept.picks.map(({ toml }) => toml).join("\n")], ["do", "picks"], ["csrfmiddlewaretoken", csrfToken()]];
    if (!fields.some(([name]) => name === "t")) fields.push(["t", this.kept.starts_here ? String(this.start_ms / 1000) : "0"]);
    const form = /** @type {HTMLFormElement} */ (make("form", { method: "post", action, hidden: true }, [...fields, ["family", this.family]].map(([name, value]) => make("textarea", { name, text: value }))));
    document.body.append(form);
    form.submit();
    form.remove();
  }
}

/** What was typed into the form of a level in this tab. @param {string} action  its address @returns {[string, string][]} */
function draftOf(action) {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFTS + action) || "[]");
  } catch {
    return [];
  }
}

/** As a level shows its checks: deadlines of all picks, and everything else for the active one. @param {Pick} pick @param {string} n @param {boolean} isActive @param {number} end_ms @returns {import("../levels/marks.js").Mark[]} */
function marksOf(pick, n, isActive, end_ms) {
  /** @type {import("../levels/marks.js").Mark[]} */
  const marks = endsOf(pick).map((end) => ({ kind: end.field === "from_ms" ? "flag" : "deadline", at_ms: momentOf(end), text: n }));
  if (!isActive) return marks;
  if (pick.do === "holds") marks.push({ kind: "stretch", at_ms: pick.from_ms, until_ms: pick.until_ms });
  if (pick.do === "within") marks.push({ kind: "stretch", at_ms: pick.at_ms, until_ms: pick.at_ms + pick.within_ms });
  if (pick.do === "never") marks.push({ kind: "stretch", at_ms: 0, until_ms: end_ms });
  if (pick.do === "must" || pick.do === "ask") marks.push({ kind: "flag", at_ms: pick.at_ms, text: n });
  if (pick.then) marks.push({ kind: "near", at_ms: pick.at_ms }, { kind: "near", at_ms: pick.then_ms });
  return marks;
}

/** @type {Picking | null} */
let picking = null;

/** Begin to pick; if that has begun, pick at the selected record. @param {any} page  the RunPage */
export async function pickHere(page) {
  if (!page.timeline) return;
  await loadStyles(page.main.dataset.pickStyles || "");
  if (picking?.isOn) picking.atSelection();
  else if (picking) picking.enter();
  else picking = new Picking(page);
}

/** Resume where the pages of this tree of branches were left in this tab. @param {any} page  the RunPage */
export function resumePicking(page) {
  const family = find("#branches .branches a")?.getAttribute("href") ?? `/r/${page.main.dataset.run}/`;
  if (readPicks(family).on) pickHere(page);
}
