// @ts-check
/**
 * A class: pages that show what their teacher's page shows, until their reader explores on their own.
 *
 * Its state is kept for the browser tab: the code, whether this page follows, and where the class has sent it. The teacher's page reports
 * where it is; the others go there, within the page if they can. See runs/live/class_socket.py.
 */

import { post } from "../base/dom.js";
import { addTexts, text } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { momentQuery } from "../shares/address.js";
import { applyLook } from "../shares/view-address.js";
import { ClassBar } from "./bar.js";
import { ClassLine } from "./line.js";
import { keepClass, keptClass } from "./membership.js";
import { CLASS_MESSAGES } from "./messages.js";
import { ClassWork } from "./together.js";

addTexts(CLASS_MESSAGES);

const SAY_MS = 500;
/** How often a replay is reported, at most: pages that follow replay it themselves. */
const REPLAY_MS = 2000;
/** How far the replay of a following page may be from the teacher's. */
const APART_MS = 1500;

/** @typedef {{ code: string, path: string, query: string, is_led: boolean, calls: number, turn: number, news: number, leads: boolean, own?: { url: string, start: number, wait_ms: number } | null }} Room */

export class Classroom {
  /** @param {any} page  the RunPage */
  constructor(page) {
    this.page = page;
    const { code, follows, path, calls } = keptClass();
    this.code = code;
    /** A reader who has left for another page explores on their own. */
    this.follows = follows && path === location.pathname;
    this.calls = calls;
    /** @type {Room | null} */
    this.room = null;
    /** The connection is refused, since too many codes were tried from this address. */
    this.isGuessed = false;
    this.said = "";
    this.replayed = "";
    this.repliedAt = 0;
    this.look = "";
    this.timer = 0;
    this.together = new ClassWork(this);
    this.bar = new ClassBar(this);
    this.line = new ClassLine(code, { onRoom: (room, isFresh) => this.onRoom(room, isFresh), onEnd: () => this.ended(), onGuessed: () => this.guessed() });
  }

  start() {
    this.bar.show();
    this.line.start();
    for (const name of ["pointerdown", "keydown"]) this.page.main.addEventListener(name, (/** @type {Event} */ event) => this.touched(event), { capture: true });
  }

  /** @param {Room} room @param {boolean} isFresh  whether it is the first message of a connection: earlier reports may be lost */
  onRoom(room, isFresh) {
    const isFirst = this.room === null;
    this.room = room;
    this.isGuessed = false;
    if (room.leads) {
      if (isFresh) this.said = this.replayed = "";
      if (isFirst) this.timer = window.setInterval(() => this.say(), SAY_MS);
    } else {
      if (room.calls > this.calls && !this.follows) {
        this.follows = true;
        if (!isFirst) toast(text("class.called"), "info");
      }
      this.calls = room.calls;
      this.keep(this.follows ? room.path : "");
      // A page that joins late goes where the class is, even while it is not led.
      if (this.follows && (room.is_led || isFirst)) this.go(room);
    }
    this.bar.show();
    this.together.onRoom(room);
  }

  /** The connection comes back by itself; until then the bar says why it is down. */
  guessed() {
    this.isGuessed = true;
    this.bar.show();
  }

  /** The class is over, or never existed. */
  ended() {
    if (this.room) toast(text("class.ended"), "warn");
    this.leave();
  }

  leave() {
    clearInterval(this.timer);
    this.line.stop();
    keepClass(null);
    this.room = null;
    this.together.stop();
    this.bar.remove();
  }

  /** @param {string} path  where the class has sent this page */
  keep(path) {
    keepClass({ code: this.code, follows: this.follows, calls: this.calls, path });
  }

  // ---- the teacher's page
  /** Report where this page is, once. */
  say() {
    const { playhead } = this.page;
    const moment = new URLSearchParams(momentQuery(this.page.moment()));
    // When Live, every page moves along by itself; the moment and the view would differ with each network.
    if (playhead.live) for (const name of ["t", "v"]) moment.delete(name);
    if (playhead.replaying) {
      moment.delete("v");
      moment.set("rate", String(playhead.rate));
      const rest = withoutTime(moment);
      if (rest === this.replayed && performance.now() - this.repliedAt < REPLAY_MS) return;
      this.replayed = rest;
      this.repliedAt = performance.now();
    } else this.replayed = "";
    const place = `${location.pathname}?${moment}`;
    // Remembered only once it has been sent: what was not sent is reported again.
    if (place === this.said || !this.line.send({ path: location.pathname, query: String(moment) })) return;
    this.said = place;
  }

  /** Bring the whole class back here. */
  call() {
    this.said = "";
    this.say();
    this.line.send({ calls: true });
  }

  /** Everybody gets a run of their own from this moment of this one. */
  async startHere() {
    const { run = "" } = this.page.main.dataset;
    try {
      const answer = await post(`/class/${this.code}/wall/start/`, { run, t: String(Math.round(this.page.playhead.t_ms)) });
      const body = answer.ok ? {} : await answer.json();
      toast(answer.ok ? text("class.sent") : body.text || text("class.failed"), answer.ok ? "ok" : "bad");
    } catch {
      toast(text("class.failed"), "bad");
    }
  }

  /** @param {boolean} isLed  whether the class follows by itself */
  lead(isLed) {
    this.line.send({ is_led: isLed });
  }

  // ---- a page that follows
  /** A reader who touches the run explores on their own from then on. @param {Event} event */
  touched(event) {
    const isHeld = event instanceof KeyboardEvent && ["Tab", "Shift", "Control", "Alt", "Meta", "Escape"].includes(event.key);
    if (this.room && !this.room.leads && this.room.is_led && this.follows && !isHeld) this.alone();
  }

  alone() {
    this.follows = false;
    this.keep("");
    this.bar.show();
  }

  follow() {
    const { room } = this;
    if (!room) return;
    this.follows = true;
    this.look = "";
    this.keep(room.path);
    this.go(room);
    this.bar.show();
  }

  /** @param {Room} room */
  go({ path, query }) {
    if (!path) return;
    if (path !== location.pathname) location.assign(`${path}?${query}`);
    else this.apply(new URLSearchParams(query));
  }

  /** Show what the teacher shows; only what differs changes. @param {URLSearchParams} wanted */
  apply(wanted) {
    const { page } = this;
    const { timeline, drawer } = page;
    const sel = wanted.get("sel") || "";
    const rec = Number(wanted.get("rec") || 0);
    if (sel && (sel !== page.sel || rec !== page.rec)) page.select(sel, rec);
    const [tab, part] = [wanted.get("tab") || "", wanted.get("part") || ""];
    if (tab && drawer && tab !== drawer.panel.tab) page.openTab(tab);
    if (part && drawer && part !== drawer.panel.part) drawer.showPart(part);
    this.seek(wanted);
    const look = withoutTime(wanted);
    if (look !== this.look && timeline) {
      this.look = look;
      if (!wanted.get("q")) timeline.search.clear();
      if (!wanted.get("range")) timeline.stretch.clear();
      timeline.view.showOld(true);
      applyLook(timeline, `?${wanted}`);
      timeline.invalidate();
    }
  }

  /** @param {URLSearchParams} wanted */
  seek(wanted) {
    const { playhead, timeline } = this.page;
    if (!wanted.has("t")) {
      if (!playhead.live) playhead.goLive();
      timeline?.follow();
      return;
    }
    const t_ms = Math.round(Number(wanted.get("t")) * 1000);
    const rate = Number(wanted.get("rate") || 0);
    // Near enough: a replay that is corrected again and again would stutter.
    if (rate && playhead.replaying && Math.abs(playhead.t_ms - t_ms) < APART_MS * Math.max(1, rate / 1000)) return;
    playhead.freeze();
    playhead.seek(t_ms);
    timeline?.reveal(t_ms);
    if (!rate) return;
    playhead.rate = rate;
    playhead.replay();
  }
}

/** @param {URLSearchParams} moment */
function withoutTime(moment) {
  const rest = new URLSearchParams(moment);
  rest.delete("t");
  return rest.toString();
}
