// @ts-check
/**
 * How the lanes are looked at, apart from time: what is folded, what a search leaves, in which
 * order, what is pinned, how dense.
 *
 * It is state and no more: rows.js reads it to build the rows, choices.js changes it for the
 * reader, addresses carry it. Each change that alters the rows raises `version`; the timeline
 * compares that number in every frame and rebuilds the rows when it differs, so that many changes
 * between two frames cost one rebuild.
 *
 * Folding is one rule and its exceptions: `folded` says what holds for all pods, Services and
 * nodes, `turned` names those that are the other way round. So "fold all" is one bit however many
 * pods there are, also those that come later, and a link stays short. `open` works the same way for
 * log lines, where LOGS stands for all containers.
 */

import { preference, setPreference } from "../base/preferences.js";
import { isGone } from "../lanes/gone.js";

/** A run with more pods than this has all of them folded until the reader folds or opens one. */
const MANY_PODS = 20;
/** So long may the word for what is folded be; beyond that a link says less rather than becoming too long. */
const WORD_MAX = 600;

/** How high lanes are, in the order in which they are gone through. */
export const DENSITIES = ["normal", "close", "wide"];

/** So few that are gone stay where they were. */
const GONE_MIN = 2;
/** The name under which it is kept that lanes of pods that are gone are shown. */
const GONE = "gone";

/** What stands for all containers among what is open. */
export const LOGS = "logs";

/** @typedef {"pinned" | "unpinned" | "full"} Pinned  what came of it: full where a link would not hold so many */

export class View {
  /** @param {boolean} compact @param {string | null} [density]  as it was kept @param {() => number} [scaleOf]  see `scale` */
  constructor(compact, density = null, scaleOf = () => 1) {
    this.scaleOf = scaleOf;
    /** @type {number | undefined} */
    this.known = undefined;
    /** Whether pods, Services and nodes are folded, but for those that are `turned`. */
    this.folded = false;
    /** @type {Set<string>} */
    this.turned = new Set();
    /** Whether the reader has chosen what is folded. */
    this.chosen = false;
    /** @type {Set<string>} pods with all conditions shown, containers whose log lines are (or are not, where `LOGS` is in it: then all others are) */
    this.open = new Set();
    this.compact = compact;
    this.density = DENSITIES.includes(density ?? "") ? /** @type {string} */ (density) : DENSITIES[0];
    /** @type {string[]} lanes that stand above all others, in the order in which they were pinned */
    this.pins = [];
    /** @type {{ pods: Set<string>, others: Set<string> } | null} */
    this.only = null;
    /** @type {string[] | null} */
    this.order = null;
    /** @type {Set<string>} keys of the pods that are gone, where they stand below the others */
    this.gone = new Set();
    /** Whether their lanes are shown. */
    this.isGoneOpen = preference(GONE) !== null;
    /** @type {any} the FoldedLanes; null until something is opened */
    this.more = null;
    if (preference(LOGS)) this.open.add(LOGS);
    /** Whether the future that a branch was made from is shown beside the new one. */
    this.isOldShown = true;
    /** @type {any} the Futures that lanes are split by; null where there is one future, or one is shown */
    this.futures = null;
    /** Raised whenever rows have to be rebuilt. */
    this.version = 0;
  }

  /** Ask again how large the reader's text is. */
  read() {
    this.known = undefined;
    this.version += 1;
  }

  /** How many times as large as usual the reader's text is. Asked for when rows are built: not sooner, for it asks for the page's style. */
  get scale() {
    return (this.known ??= this.scaleOf());
  }

  /** @param {string} key */
  isFolded(key) {
    return this.folded !== this.turned.has(key);
  }

  /** Whether the lane of what a container printed is shown. @param {string} subject */
  showsLogs(subject) {
    return this.open.has(LOGS) !== this.open.has(subject);
  }

  /** @param {any} lane  of a container */
  logsOf(lane) {
    return this.more && this.showsLogs(lane.subject) && !this.futures?.isOld(lane) ? this.more.logOf(lane) : null;
  }

  /**
   * Which pods stand below the others: none where all are gone, where a search chooses, or where two futures are shown.
   * @param {any} lanes @param {number} t_ms
   */
  readGone({ pods, left }, t_ms) {
    const gone = [...left.values()].filter((pod) => isGone(pod, t_ms)).map(({ key }) => key);
    this.gone = new Set(gone.length < GONE_MIN || gone.length === pods.size || this.only || this.futures ? [] : gone);
  }

  /** @param {boolean} isOpen @param {boolean} [isKept]  as the reader chose */
  showGone(isOpen, isKept) {
    if (isKept) setPreference(GONE, isOpen ? "open" : null);
    if (this.isGoneOpen === isOpen) return;
    this.isGoneOpen = isOpen;
    this.version += 1;
  }

  /** @param {"collapsed" | "open" | "logs" | "gone"} what @param {string} key */
  toggle(what, key) {
    if (what === "gone") {
      this.showGone(!this.isGoneOpen, true);
      return;
    }
    const set = what === "collapsed" ? this.turned : this.open;
    if (!set.delete(key)) set.add(key);
    this.chosen = this.chosen || what === "collapsed";
    this.version += 1;
  }

  /** Fold everything, or nothing where everything is folded. */
  toggleAll() {
    this.folded = !(this.folded && !this.turned.size);
    this.turned.clear();
    this.chosen = true;
    this.version += 1;
  }

  /** The density after the one that is. */
  get nextDensity() {
    return DENSITIES[(DENSITIES.indexOf(this.density) + 1) % DENSITIES.length];
  }

  turnDensity() {
    this.density = this.nextDensity;
    this.version += 1;
  }

  /** As many as there are pods: their names come first where they are many. @param {number} pods */
  adapt(pods) {
    if (!this.chosen) this.folded = pods > MANY_PODS;
  }

  /** What is folded, for addresses: names; `*` for all, `*,-default/web` for all but one. */
  foldWord() {
    const word = [...(this.folded ? ["*"] : []), ...[...this.turned].map((key) => (this.folded ? `-${key}` : key))].join(",");
    return word.length <= WORD_MAX ? word : this.folded ? "*" : "";
  }

  /** The reverse. @param {string} word */
  readFolds(word) {
    const parts = word.split(",").filter(Boolean);
    this.folded = parts[0] === "*";
    this.turned = new Set(parts.filter((part) => part !== "*").map((part) => (this.folded ? part.replace(/^-/, "") : part)));
    this.chosen = true;
    this.version += 1;
  }

  /** Pin a lane above all others, or let it go. @param {string} lane @returns {Pinned} */
  togglePin(lane) {
    const isIn = this.pins.includes(lane);
    const pins = isIn ? this.pins.filter((each) => each !== lane) : [...this.pins, lane];
    if (pins.join(",").length > WORD_MAX) return "full";
    this.pins = pins;
    this.version += 1;
    return isIn ? "unpinned" : "pinned";
  }

  /** What is pinned, for addresses. */
  pinWord() {
    return this.pins.join(",");
  }

  /** The reverse. @param {string} word */
  readPins(word) {
    if (word === this.pinWord() || word.length > WORD_MAX) return;
    this.pins = [...new Set(word.split(",").filter(Boolean))];
    this.version += 1;
  }

  /** @param {boolean} isShown */
  showOld(isShown) {
    this.isOldShown = isShown;
    this.version += 1;
  }

  /** @param {{ pods: Set<string>, others: Set<string> } | null} only */
  filter(only) {
    if (!only && !this.only) return;
    this.only = only;
    this.version += 1;
  }

  /**
   * An order of pods; it holds until it is asked for again, so that lanes don't jump.
   * @param {string[] | null} order  keys; null: that of creation
   */
  sort(order) {
    this.order = order;
    this.version += 1;
  }
}
