// @ts-check
/**
 * A run page: store, clock, playhead, socket, and the parts of the page that follow them.
 *
 * Everything is derived from three things that change by themselves: the store grows as records come, the clock runs, and the playhead
 * moves. The page holds a fourth, the selection: `sel`, a subject, and `rec`, the record that was clicked. The timeline draws them, the
 * narrator puts them into words and panels fetch the server's view of them; each reads what it needs when a frame is drawn.
 *
 * The order at the beginning matters. `isSilent` holds the first frame back until there are records, or the socket has said that there are
 * none: otherwise an empty page would be laid out and painted for nothing. `prepare` then does everything that belongs to the first frame.
 * A page that is opened at a moment goes there when the log has reached it (`target_ms`), not before, and until then its panels, which came
 * with the page, are left as they are. `dataset.ready` says that all this is done; tests and panels wait for it.
 */

import { announceOpening, commandRecorded, wireActs } from "../acts/acts.js";
import { announce, find, throttle } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { wireKeys } from "../keys/bindings.js";
import { RecordStore } from "../lanes/record-store.js";
import { later } from "../later/load.js";
import { LaterMenu, wireLaterSplitters } from "../later/stand-ins.js";
import { showCountdowns } from "../panels/countdowns.js";
import { buildPanels, Turns } from "../panels/drawer.js";
import { wireLinks } from "../panels/links.js";
import { Tracks } from "../panels/tracks.js";
import { ENDS, endText, ServerClock } from "../playback/clock.js";
import { Playhead } from "../playback/playhead.js";
import { Transport, wireActions } from "../playback/transport.js";
import { applyLook, lookOf } from "../shares/view-address.js";
import { Timeline } from "../timeline/timeline.js";
import { GroupedActs } from "../timeline/together.js";
import { parseSubject } from "../wire/record.js";
import { RunSocket } from "../wire/run-socket.js";
import { runActions } from "./actions.js";
import { showConnection } from "./connection.js";
import { Narrator } from "./narrator.js";
import { writeState } from "./page-state.js";
import { LanesHeight, restoreRegions, showSheet, toggleRegion } from "./regions.js";
import { showViewers } from "./viewers.js";

/** How often at most the address is written and countdowns (tenths of a second) are shown. */
const [WRITE_MS, COUNT_MS] = [250, 100];

export class RunPage {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.main = main;
    this.role = main.dataset.role || "viewer";
    this.controlUrl = main.dataset.controlUrl || "";
    this.sel = main.dataset.sel || "";
    this.rec = Number(main.dataset.rec || 0);
    this.opening_ms = main.dataset.t ? Number(main.dataset.t) : null;
    this.target_ms = this.opening_ms;
    this.looked = throttle(WRITE_MS, () => this.writeState());
    this.store = new RecordStore(main.dataset.loads);
    this.clock = new ServerClock();
    this.playhead = new Playhead(this.store, this.clock);
    this.ghost = /** @type {any} the Futures of a branch */ (null);
    this.playhead.recorded = !main.dataset.socket;
    this.isSilent = true; // nothing is known about the run yet: it is first drawn with its first records
    this.isPrepared = false;
    this.select = this.select.bind(this);
    // Before the first record: a page opened in the past must not flash the present.
    if (this.opening_ms !== null) this.playhead.live = false;
    this.panelBase = main.dataset.panelBase || "";
    this.lanesHeight = new LanesHeight(main, this.playhead);
    const place = find("#timeline", main);
    this.tracks = new Tracks(this.panelBase.replace(/at\/$/, "track/"));
    this.timeline = place ? new Timeline(place, this) : null;
    this.together = this.timeline && new GroupedActs(this, () => this.timeline?.touch());
    this.transport = new Transport(main, this);
    /** Whether the page itself made the selection, so that Why follows what happens. */
    this.follows = false;
    const line = find("#narrator", main);
    this.narrator = line ? new Narrator(line, this) : null;
    this.panels = /** @type {import("../panels/panel.js").Panel[]} */ ([]);
    this.drawer = /** @type {import("../panels/drawer.js").Drawer | null} */ (null);
    this.commandLine = /** @type {import("../later/stand-ins.js").LaterCommandLine | null} */ (null);
    buildPanels(this);
    this.turns = new Turns(this.panels);
    this.menu = new LaterMenu(this, this.panelBase);
    this.socket = new RunSocket({ socketPath: main.dataset.socket || "", recordsUrl: main.dataset.recordsUrl || "", handlers: this.handlers() });
  }

  start() {
    if (this.main.dataset.clock) this.clock.set(JSON.parse(this.main.dataset.clock));
    if (!this.main.hasAttribute("tabindex")) this.main.tabIndex = -1;
    wireActs(this.main, this.playhead);
    restoreRegions(this.main);
    wireLaterSplitters(this.main, () => this.timeline?.invalidate());
    const actions = runActions(this);
    wireActions(document.body, actions);
    wireKeys(this.main, actions);
    wireLinks(this);
    const counted = throttle(COUNT_MS, () => showCountdowns(document, this.playhead.t_ms));
    this.playhead.onFrame(() => {
      this.followPanels();
      this.looked();
      counted();
    });
    this.socket.start();
    if (this.main.dataset.parentRecords) this.readFutures();
  }

  async readFutures() {
    this.ghost = await (await later()).readFutures(this);
    if (this.ghost) this.main.dataset.ghost = `${this.ghost.from_ms}:${this.ghost.store.headSeq}`;
    this.timeline?.invalidate();
  }

  /** Whether Why follows the narrator: yes, unless the reader has selected something other than its pod. */
  followsNarrator() {
    const told = this.store.get(this.narrator?.shown_seq ?? 0);
    return this.follows || this.playhead.step_seq > 0 || (this.sel.startsWith("pod/") && told !== undefined && parseSubject(told.subject).pod === this.sel.slice(4));
  }

  handlers() {
    return {
      headSeq: () => this.store.headSeq,
      onRecords: (/** @type {any[][]} */ rows, /** @type {number} */ now_ms) => this.received(rows, now_ms),
      onClock: (/** @type {any} */ clock, /** @type {number} */ at) => this.clockSet(clock, at),
      onHello: (/** @type {any} */ hello, /** @type {number} */ at) => this.hello(hello, at),
      onPresence: (/** @type {number} */ viewers) => showViewers(viewers),
      onWaits: async (/** @type {{ process: string, who: string[] }} */ waits) => (await later()).showWaits(this.main, waits),
      onState: (/** @type {"connecting" | "open" | "closed" | "frozen"} */ state) => this.connection(state),
      onRefused: (/** @type {number} */ code) => toast(text(`socket.code.${code}`), "warn"),
    };
  }

  /** @param {any} hello @param {number} at  when it arrived */
  hello(hello, at) {
    if (hello.role) this.role = hello.role;
    this.main.dataset.role = this.role;
    showViewers(hello.viewers ?? 1);
    this.clock.connected = true;
    if (hello.clock) this.clockSet(hello.clock, at);
    if (hello.head_seq === 0) requestAnimationFrame(() => this.ready()); // its records may already be here
  }

  /** @param {any[][]} rows @param {number} now_ms */
  received(rows, now_ms) {
    const held = this.store.headSeq;
    const added = this.store.append(rows);
    for (let seq = held + 1; seq <= held + added; seq += 1) {
      const record = this.store.get(seq);
      if (record?.kind === "command") commandRecorded(record);
    }
    // Before the playhead moves, since it can go no further than the clock.
    this.clock.atLeast(Math.max(now_ms || 0, this.store.head_ms));
    if (this.target_ms !== null && this.store.headSeq > 0) this.reachTarget();
    if (added) announce("run:frame", { head_seq: this.store.headSeq });
    if (this.isPrepared && !this.sel) this.selectFirst();
    this.ready();
  }

  /** Go to the moment at which the page was opened, as soon as it has been reached. */
  reachTarget() {
    const aim_ms = /** @type {number} */ (this.target_ms);
    this.playhead.seek(aim_ms);
    if (this.playhead.end_ms >= aim_ms) {
      this.target_ms = null;
      if (this.timeline && !applyLook(this.timeline, location.search)) this.timeline.reveal(aim_ms);
      if (this.sel || this.rec) this.timeline?.showSelection(this.sel, this.rec);
      for (const panel of this.panels) panel.adopt();
    }
  }

  ready() {
    this.isSilent = false;
    if (!this.isPrepared) this.prepare();
    this.playhead.changed();
  }

  /** Complete everything that belongs to the first frame, so that nothing is drawn twice. */
  prepare() {
    this.isPrepared = true;
    this.playhead.advance(0);
    if (this.opening_ms === null) this.timeline?.opened();
    if (!this.sel) this.selectFirst();
    else this.timeline?.showSelection(this.sel, this.rec);
    if (this.target_ms === null) this.adoptPanels();
    const shown = () => {
      document.documentElement.dataset.ready = "run";
      this.writeState();
      announceOpening(this.store);
      announce("run:ready");
      this.followPanels(); // the narrator has said something now, and no further frame may follow
    };
    document.addEventListener("run:playhead", shown, { once: true });
  }

  /** Keep the panels that came with the page without fetching them; the server, too, selects the first pod if none is named. */
  adoptPanels() {
    for (const panel of this.panels) if (panel.source.moment().rec === this.rec) panel.adopt(Number(this.main.dataset.shownSeq));
  }

  /** Always select something, so that the panels have a subject. */
  selectFirst() {
    const [pod] = this.store.lanes.pods.keys();
    if (pod && !this.sel) {
      this.sel = `pod/${pod}`;
      this.follows = true;
      this.timeline?.showSelection(this.sel, 0);
    }
  }

  /** @param {any} clock @param {number} at  when it arrived */
  clockSet(clock, at) {
    const before = this.clock.frame.state;
    this.clock.set(clock, at);
    if (clock.state !== before && ENDS.has(clock.state)) toast(endText(clock), "warn");
    // A replay starts at the speed the viewer was just watching at.
    if (this.playhead.live) this.playhead.rate = clock.rate || this.playhead.rate;
    this.showState();
    announce("run:clock", clock);
    announce("run:state", { state: clock.state });
    if (!this.isSilent) this.playhead.changed();
  }

  /** @param {"connecting" | "open" | "closed" | "frozen"} state */
  connection(state) {
    if (state === "closed") {
      this.isSilent = false;
      this.clock.lost();
    }
    this.main.dataset.connection = state;
    this.showState();
    if (!this.isSilent) this.playhead.changed();
  }

  showState() {
    showConnection(this.main.dataset.connection || "connecting", this.clock.frame, this);
  }

  /**
   * @param {string} sel  subject
   * @param {number} rec  record that was clicked, 0 for none
   */
  select(sel, rec) {
    this.follows = false;
    this.sel = sel;
    this.rec = rec;
    // Which of an object's machines was shown means nothing for the next object.
    delete this.drawer?.panel.parts.machine;
    this.timeline?.showSelection(sel, rec);
    announce("run:select", { sel, rec });
    this.followPanels();
    this.writeState();
  }

  /** @param {number} seq */
  seekTo(seq) {
    const record = this.store.get(seq);
    if (!record) return;
    this.playhead.seek(record.at_ms);
    this.select(record.subject, seq);
    this.timeline?.reveal(record.at_ms);
  }

  /** @param {string} sel @param {{ x: number, y: number }} point  on the screen @param {string} lane */
  actOn(sel, point, lane) {
    this.menu.open(sel, point, lane);
  }

  followPanels() {
    if (document.documentElement.dataset.ready === "run") this.turns.follow(this.playhead.moving);
  }

  moment() {
    const { t_ms, seq } = this.playhead;
    const { tab = "", part = "", line = "", did = 0, namespace = "", extra } = this.drawer?.panel || {};
    return { t_ms: Math.round(t_ms), seq, sel: this.sel, rec: this.rec, tab, line: tab === "kubectl" ? line : "", did, namespace: tab === "kubectl" ? namespace : "", part, ...(tab === "diff" ? extra : {}), ...lookOf(this.timeline) };
  }

  writeState() {
    writeState(this);
  }

  /** @param {"shareMoment" | "openLinkOptions"} way */
  share(way) {
    const moment = this.moment();
    later().then((parts) => parts[way](this.main.dataset.shareUrl || "", moment), () => {});
  }

  /** @param {string} tab */
  openTab(tab) {
    if (this.main.dataset.drawer === "closed") toggleRegion(this.main, "drawer");
    showSheet(this.main, "drawer");
    this.drawer?.choose(tab);
  }

  why() {
    // Why asks about a record: if none was clicked, the one that the focused lane shows.
    if (!this.rec) this.rec = this.timeline?.navigator.recordAtPlayhead() ?? 0;
    this.openTab("why");
  }

  live() {
    this.transport.toggleLive();
    if (this.playhead.live) this.timeline?.follow();
  }

  /** Step to another record: Why follows it, whatever record was chosen. @param {() => void} step */
  steppedOn(step) {
    if (this.rec) this.select(this.sel, 0);
    this.stepped(step);
  }

  /** @param {() => void} step then bring the moment on screen */
  stepped(step) {
    step();
    this.timeline?.reveal(this.playhead.t_ms);
  }

  escape() {
    if (this.timeline?.card.unpin() || this.timeline?.search.clear() || this.timeline?.stretch.clear()) return;
    this.select(this.sel, 0);
  }
}
