// @ts-check
/** The faults of a level that were identified by their records, in this run or in the attempt before it. */

import { find, setHidden, make, setText } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { inline } from "../base/inline.js";
import { toast } from "../base/toast.js";
import { instantLink } from "./instant-link.js";
import { changeKept, readKept } from "./kept.js";

export class FoundFaults {
  /**
   * @param {HTMLElement} element  the level's card
   * @param {any} page  the RunPage
   * @param {(what: string, fields: Record<string, string>) => Promise<any>} ask  the site's answer, or null after an error was shown
   */
  constructor(element, page, ask) {
    this.element = element;
    this.page = page;
    this.ask = ask;
    this.run = page.main.dataset.run;
  }

  /** Claim that the selected record shows the fault. */
  async name() {
    const seq = this.page.rec || this.page.narrator?.shown_seq || 0;
    if (!seq) {
      toast(text("level.cause_select"), "warn");
      return;
    }
    const answer = await this.ask("cause", { seq: String(seq) });
    if (!answer) return;
    if (!answer.right) {
      toast(answer.told, "warn");
      return;
    }
    const { fault, told, of } = answer;
    const known = this.known();
    toast(text(known.some((each) => each.fault === fault) ? "level.cause_known" : "level.cause_right", { told }), "ok");
    const { at_ms, subject } = this.page.store.get(seq) ?? { at_ms: 0, subject: "" };
    changeKept(({ found }) => (found[this.run] = [...known.filter((each) => each.fault !== fault), { fault, told, of, seq, at_ms, subject }]));
    this.show();
  }

  known() {
    return readKept().found[this.run] ?? [];
  }

  show() {
    const place = find("[data-level-found]", this.element);
    const found = this.known().sort((one, other) => one.seq - other.seq);
    if (!place) return;
    setHidden(place, !found.length);
    if (!found.length) return;
    setText(/** @type {HTMLElement} */ (find("[data-found-count]", place)), text("level.count", { kept: found.length, all: found[0].of }));
    find("[data-found-list]", place)?.replaceChildren(...found.map(({ told, seq, at_ms, subject }) => {
      // In another attempt, that number may belong to another record.
      const record = this.page.store.get(seq);
      const isHere = !record || (record.at_ms === at_ms && record.subject === subject);
      return make("li", {}, [...inline(told), " ", isHere ? instantLink(at_ms, seq, subject, clockText(at_ms)) : make("span", { class: "num", text: clockText(at_ms) })]);
    }));
  }

  /** Faults found in another attempt count here, too. @param {string} other  the key of its run */
  takeTo(other) {
    if (this.known().length) changeKept(({ found }) => (found[other] = this.known()));
  }
}
