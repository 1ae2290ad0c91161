// @ts-check
/** The lines that acts were typed as, in the kubectl tab or by a client of the run's API: fetched once a reader looks at one. */

import { make } from "../base/dom.js";

export class TypedLines {
  /** @param {string} url  empty if there are none */
  constructor(url) {
    this.url = url;
    /** @type {Record<string, [string, string, number]>} by the number of the record */
    this.lines = {};
    this.asked = 0;
  }

  /**
   * The line of an act; undefined if it was not typed. Fetches what is newer than the last answer.
   * @param {number} seq
   * @param {number} head  last record that the page has
   */
  async of(seq, head) {
    if (this.url && seq > this.asked) {
      const answer = await fetch(this.url, { headers: { Accept: "application/json" } }).catch(() => null);
      if (answer?.ok) {
        this.lines = await answer.json();
        this.asked = head;
      }
    }
    return this.lines[seq];
  }

  /** @param {[string, string, number]} line */
  element([typed, by]) {
    return make("p", { class: "hover-card__typed" }, [make("code", { text: typed }), ...(by ? [` · ${by}`] : [])]);
  }
}
