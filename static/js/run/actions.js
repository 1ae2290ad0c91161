// @ts-check
/** The named actions of a run page; buttons (`data-do`) and keys share these names. */

import { find } from "../base/dom.js";
import { later } from "../later/load.js";
import { laterFolded } from "../later/stand-ins.js";
import { revealSheet, showSheet, toggleRegion } from "./regions.js";

const SPEEDS = 7;

/**
 * An action that opens a dialog of later.js, unless another one has opened in the meantime.
 * @param {(parts: any) => void} open
 */
function opens(open) {
  return () => {
    // Two keys pressed while later.js loads would otherwise open two dialogs, one on top of the other.
    const before = find("dialog[open]");
    later().then((parts) => [null, before].includes(find("dialog[open]")) && open(parts), () => {});
  };
}

/** An action of later.js. @param {(parts: any) => void} use */
function wants(use) {
  return () => later().then(use, () => {});
}

/**
 * @param {any} page  the RunPage
 * @returns {Record<string, () => void>}
 */
export function runActions(page) {
  const { transport, timeline } = page;
  /** @param {string} id */
  const sheet = (id) => {
    showSheet(page.main, id);
    page.followPanels();
    revealSheet(id);
  };
  /** @type {Record<string, () => void>} */
  const actions = {
    play: () => transport.play(),
    first: () => page.stepped(() => transport.first()),
    last: () => {
      transport.last();
      timeline?.follow();
    },
    prev: () => page.steppedOn(() => transport.previous()),
    next: () => page.steppedOn(() => transport.next()),
    nextInteresting: () => (timeline?.search.isActive ? timeline.search.jump(1) : page.stepped(() => transport.nextInteresting())),
    previousInteresting: () => (timeline?.search.isActive ? timeline.search.jump(-1) : page.stepped(() => transport.previousInteresting())),
    note: () => timeline?.notes.open(),
    noteNext: () => timeline?.notes.step(1),
    notePrevious: () => timeline?.notes.step(-1),
    stretch: () => timeline?.stretch.fromSelection(),
    stretchFrom: () => timeline?.stretch.edge("from"),
    stretchTo: () => timeline?.stretch.edge("to"),
    stretchZoom: () => timeline?.stretch.zoom(),
    stretchClear: () => timeline?.stretch.clear(),
    saveSvg: () => timeline && later().then(({ saveSvg }) => saveSvg(timeline)),
    savePng: () => timeline && later().then(({ savePng }) => savePng(timeline)),
    clock: () => timeline?.choices.turnClock(),
    // A key without an action is left to the browser, so actions that make no sense on this page are not defined.
    ...(page.main.dataset.parentRecords ? { futures: () => timeline?.choices.turnFutures() } : {}),
    search: () => timeline?.search.focus(),
    foldAll: () => timeline?.choices.foldAll(),
    sortLanes: () => timeline?.choices.sortLanes(),
    pin: () => timeline?.choices.pin(),
    logLines: () => laterFolded(timeline, true),
    density: () => timeline?.choices.turnDensity(),
    unpinAll: () => timeline?.choices.unpinAll(),
    secondOn: () => page.stepped(() => transport.nudge(1000)),
    secondBack: () => page.stepped(() => transport.nudge(-1000)),
    tenOn: () => page.stepped(() => transport.nudge(10_000)),
    tenBack: () => page.stepped(() => transport.nudge(-10_000)),
    goto: () => transport.openGoTo(),
    live: () => page.live(),
    share: () => page.share("shareMoment"),
    shareMore: () => page.share("openLinkOptions"),
    why: () => page.why(),
    yaml: () => page.openTab("yaml"),
    describe: () => page.openTab("describe"),
    diff: () => page.openTab("diff"),
    branch: wants(({ branchHere }) => branchHere(page)),
    compare: wants(({ openComparison }) => openComparison(page.main)),
    events: () => page.openTab("events"),
    logs: () => page.openTab("logs"),
    map: () => page.openTab("map"),
    machine: () => page.openTab("machine"),
    kubectl: () => page.commandLine?.open(),
    drawer: () => toggleRegion(page.main, "drawer"),
    rail: () => toggleRegion(page.main, "rail"),
    sheetActs: () => sheet("inspector"),
    sheetWhy: () => {
      page.openTab("why");
      sheet("drawer");
    },
    sheetStory: () => sheet("rail"),
    hold: () => timeline?.gestures.begin(),
    ...(find('[data-do="predict"]', page.main) ? { predict: opens(({ openPrediction }) => openPrediction(page)) } : {}),
    act: () => page.menu.openAtSelection(),
    ...(page.main.dataset.pickStyles ? { pick: () => import("../pick.js").then(({ pickHere }) => pickHere(page), () => {}) } : {}),
    help: opens(({ showHelp }) => showHelp()),
    ownKeys: opens(({ changeKeys }) => changeKeys()),
    commands: opens(({ openCommands }) => openCommands(page, actions)),
    escape: () => page.escape(),
    zoomIn: () => timeline?.zoom(0.7),
    zoomOut: () => timeline?.zoom(1 / 0.7),
    panLeft: () => timeline?.pan(-0.15),
    panRight: () => timeline?.pan(0.15),
    fit: () => timeline?.fit(),
    centre: () => timeline?.navigator.centre(),
    table: () => timeline?.grid.toggle(),
    laneUp: () => timeline?.navigator.lane(-1),
    laneDown: () => timeline?.navigator.lane(1),
    spanNext: () => timeline?.navigator.span(1),
    spanPrevious: () => timeline?.navigator.span(-1),
    selectFocused: () => {
      timeline?.navigator.select();
      if (page.main.dataset.drawer === "closed") toggleRegion(page.main, "drawer");
    },
    card: () => timeline?.card.want((/** @type {any} */ card) => card.openFocused(timeline)),
  };
  for (let index = 0; index < SPEEDS; index += 1) actions[`speed${index + 1}`] = () => transport.setRateByIndex(index);
  return actions;
}
