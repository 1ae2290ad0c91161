// @ts-check
/**
 * How the lanes are shown, apart from time: folding, search, order, pins and density.
 *
 * It is pure state: rows.js reads it to build the rows, choices.js changes it for the reader, addresses carry it. Each change that affects
 * the rows raises `version`; the timeline compares that number in every frame and rebuilds the rows when it differs, so that many changes
 * between two frames cost one rebuild.
 *
 * Folding is one rule and its exceptions: `folded` is the rule for all pods, Services and nodes, `turned` names the exceptions. So "fold
 * all" is one bit however many pods there are, including later ones, and a link stays short. `open` works the same way for log lines, where
 * LOGS stands for all containers.
 */

import { preference, setPreference } from "../base/preferences.js";
import { isGone } from "../lanes/gone.js";

/** In a run with more pods than this all are folded until the reader folds or opens one. */
const MANY_PODS = 20;
/** Maximum length of the parameter for what is folded; beyond that a link says less rather than becoming too long. */
const WORD_MAX = 600;

/** The densities of lanes, in the order in which they are cycled. */
export const DENSITIES = ["normal", "close", "wide"];

/** Up to this many pods that are gone stay where they were. */
const GONE_MIN = 2;
/** The preference for showing the lanes of pods that are gone. */
const GONE = "gone";

/** Stands for all containers in `open`. */
export const LOGS = "logs";

/** @typedef {"pinned" | "unpinned" | "full"} Pinned  the outcome: full if a link could not hold that many */

export class View {
  /** @param {boolean} compact @param {string | null} [density]  as it was saved @param {() => number} [scaleOf]  see `scale` */
  constructor(compact, density = null, scaleOf = () => 1) {
    this.scaleOf = scaleOf;
    /** @type {number | undefined} */
    this.known = undefined;
    /** Whether pods, Services and nodes are folded, except for those in `turned`. */
    this.folded = false;
    /** @type {Set<string>} */
    this.turned = new Set();
    /** Whether the reader has chosen what is folded. */
    this.chosen = false;
    /** @type {Set<string>} pods with all conditions shown, containers with log lines shown (or, if `LOGS` is in it, hidden: then all others are shown) */
    this.open = new Set();
    this.compact = compact;
    this.density = DENSITIES.includes(density ?? "") ? /** @type {string} */ (density) : DENSITIES[0];
    /** @type {string[]} lanes shown above all others, in the order in which they were pinned */
    this.pins = [];
    /** @type {{ pods: Set<string>, others: Set<string> } | null} */
    this.only = null;
    /** @type {string[] | null} */
    this.order = null;
    /** @type {Set<string>} keys of the pods that are gone, if they are listed below the others */
    this.gone = new Set();
    /** Whether their lanes are shown. */
    this.isGoneOpen = preference(GONE) !== null;
    /** @type {any} the FoldedLanes; null until something is opened */
    this.more = null;
    if (preference(LOGS)) this.open.add(LOGS);
    /** Whether the future that a branch was made from is shown next to the new one. */
    this.isOldShown = true;
    /** @type {any} the Futures that lanes are split by; null if there is, or is shown, only one */
    this.futures = null;
    /** Raised whenever rows have to be rebuilt. */
    this.version = 0;
  }

  /** Forget the reader's text size, so that it is read again. */
  read() {
    this.known = undefined;
    this.version += 1;
  }

  /** How many times as large as the default the reader's text is. Read when rows are built, not sooner, because it forces a style
   * computation. */
  get scale() {
    return (this.known ??= this.scaleOf());
  }

  /** @param {string} key */
  isFolded(key) {
    return this.folded !== this.turned.has(key);
  }

  /** Whether the lane of a container's output is shown. @param {string} subject */
  showsLogs(subject) {
    return this.open.has(LOGS) !== this.open.has(subject);
  }

  /** @param {any} lane  of a container */
  logsOf(lane) {
    return this.more && this.showsLogs(lane.subject) && !this.futures?.isOld(lane) ? this.more.logOf(lane) : null;
  }

  /**
   * Which pods are listed below the others: none if all are gone, if a search chooses, or if two futures are shown.
   * @param {any} lanes @param {number} t_ms
   */
  readGone({ pods, left }, t_ms) {
    const gone = [...left.values()].filter((pod) => isGone(pod, t_ms)).map(({ key }) => key);
    this.gone = new Set(gone.length < GONE_MIN || gone.length === pods.size || this.only || this.futures ? [] : gone);
  }

  /** @param {boolean} isOpen @param {boolean} [isKept]  whether the reader chose it */
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

  /** Fold everything, or unfold everything if all is folded. */
  toggleAll() {
    this.folded = !(this.folded && !this.turned.size);
    this.turned.clear();
    this.chosen = true;
    this.version += 1;
  }

  /** The density after the current one. */
  get nextDensity() {
    return DENSITIES[(DENSITIES.indexOf(this.density) + 1) % DENSITIES.length];
  }

  turnDensity() {
    this.density = this.nextDensity;
    this.version += 1;
  }

  /** Fold by default if there are many pods: their names come first then. @param {number} pods */
  adapt(pods) {
    if (!this.chosen) this.folded = pods > MANY_PODS;
  }

  /** What is folded, for addresses: names; `*` for all, `*,-default/web` for all but one. */
  foldWord() {
    const word = [...(this.folded ? ["*"] : []), ...[...this.turned].map((key) => (this.folded ? `-${key}` : key))].join(",");
    return word.length <= WORD_MAX ? word : this.folded ? "*" : "";
  }

  /** Parse it. @param {string} word */
  readFolds(word) {
    const parts = word.split(",").filter(Boolean);
    this.folded = parts[0] === "*";
    this.turned = new Set(parts.filter((part) => part !== "*").map((part) => (this.folded ? part.replace(/^-/, "") : part)));
    this.chosen = true;
    this.version += 1;
  }

  /** Pin a lane above all others, or unpin it. @param {string} lane @returns {Pinned} */
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

  /** Parse it. @param {string} word */
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
   * Set an order of pods; it stays until another one is set, so that lanes don't jump.
   * @param {string[] | null} order  keys; null: in order of creation
   */
  sort(order) {
    this.order = order;
    this.version += 1;
  }
}
