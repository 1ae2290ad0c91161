// @ts-check
/** What was typed into a run's command line, each line with its moment: a link to that moment and its answer. */

import { make } from "../base/dom.js";
import { clockText, secondsText } from "../base/format.js";
import { text } from "../base/i18n.js";

/** @typedef {{ line: string, t_ms: number, did: number, ns?: string }} Said  did: the number of the command that carried it out, 0 for a read-only line; ns: the namespace of its context, if it is not the run's own */

const KEPT = 100;

/**
 * The transcript with one more line; a line that acts was previewed first, and is listed once.
 * @param {Said[]} lines @param {Said} more
 * @returns {Said[]}
 */
export function withLine(lines, more) {
  const last = lines[lines.length - 1];
  const isSame = last && last.line === more.line && last.ns === more.ns && (last.did === more.did || !last.did) && (more.did || last.t_ms === more.t_ms);
  return [...(isSame ? lines.slice(0, -1) : lines), more].slice(-KEPT);
}

export class Transcript {
  constructor() {
    this.store = `podscope.transcript${location.pathname}`;
    this.isOpen = false;
    this.said = this.kept();
  }

  /** @returns {Said[]} */
  kept() {
    try {
      const found = JSON.parse(sessionStorage.getItem(this.store) || "[]");
      return Array.isArray(found) ? found.filter((each) => typeof each?.line === "string" && Number.isFinite(each.t_ms) && Number.isFinite(each.did) && ["string", "undefined"].includes(typeof each.ns)) : [];
    } catch {
      return [];
    }
  }

  /** @param {Said} more */
  add(more) {
    this.said = withLine(this.said, more);
    try {
      sessionStorage.setItem(this.store, JSON.stringify(this.said));
    } catch {
      // A browser that keeps nothing still has this page's lines.
    }
  }

  /** The list, below the answer. @param {HTMLElement} answer */
  show(answer) {
    if (!this.said.length) return;
    const list = make("ol", {}, this.said.map(({ line, t_ms, did, ns }) => {
      const query = new URLSearchParams({ t: secondsText(t_ms), tab: "kubectl", k: line, ...(did ? { did: String(did) } : {}), ...(ns ? { ns } : {}) });
      const link = make("a", { href: `?${query}`, "data-seek": String(t_ms), "data-ask": line, "data-did": did ? String(did) : undefined, "data-ns": ns, text: clockText(t_ms) });
      return make("li", {}, [link, " ", make("code", { text: `$ kubectl ${line}` })]);
    }));
    const fold = /** @type {HTMLDetailsElement} */ (make("details", { id: "kubectl-transcript", open: this.isOpen }, [make("summary", { text: text("kubectl.transcript") }), list]));
    fold.addEventListener("toggle", () => (this.isOpen = fold.open));
    answer.after(fold);
  }
}
