// @ts-check
/** The server's view of two runs below their lanes: how they differ, and the selected object in both. */

import { find, throttle } from "../base/dom.js";
import { Retry, answerTimeout } from "../base/retry.js";

const RESULTS_MS = 3000;
const OBJECT_MS = 160;

export class Details {
  /** @param {HTMLElement} main @param {any} page */
  constructor(main, page) {
    this.main = main;
    this.page = page;
    this.noise = false;
    this.shown = "";
    this.object_part = /** @type {HTMLElement} */ (find("[data-object-part]", main));
    this.resultsRetry = new Retry(() => this.results());
    this.objectRetry = new Retry(() => this.object());
    this.request = 0;
    this.fetchResults = throttle(RESULTS_MS, () => this.results());
    this.fetchObject = throttle(OBJECT_MS, () => this.object());
  }

  /** @param {boolean} noise  whether to show fields that change with every write */
  choose(noise) {
    this.noise = noise;
    this.shown = "";
    this.fetchObject();
  }

  /** Fetch the differences again: one of the runs has gone on. */
  async results() {
    const place = find("[data-results-body]", this.main);
    const heads = this.page.sides.map((/** @type {any} */ side) => side.store.headSeq).join(":") + (this.page.query.get("show") || "");
    if (!place || place.dataset.heads === heads) return;
    const turn = (this.request += 1);
    const html = await this.part(this.main.dataset.results || "", this.page.query);
    if (turn !== this.request) return; // a newer request is on its way
    if (html === null) return this.resultsRetry.failed();
    this.resultsRetry.done();
    place.dataset.heads = heads;
    this.object_part.remove();
    place.innerHTML = html;
    this.placeObject();
    this.page.strip.read();
    this.page.differenceTold();
  }

  /** The part about the selected object is below the first difference, and stays when the rest is replaced. */
  placeObject() {
    find("[data-object-place]", this.main)?.replaceWith(this.object_part);
  }

  /** Fetch the selected object in both runs at the moment shown. */
  async object() {
    const place = find("[data-object]", this.object_part);
    if (!place || !this.page.sel || !this.page.fitted) return;
    const query = new URLSearchParams({ sel: this.page.sel, t: String(Math.round(this.page.playhead.t_ms - this.page.origin_ms)) });
    for (const name of ["align", "a", "b"]) if (this.page.query.has(name)) query.set(name, this.page.query.get(name) || "");
    if (this.noise) query.set("noise", "1");
    if (query.toString() === this.shown) return;
    this.shown = query.toString();
    const html = await this.part(this.main.dataset.diff || "", query);
    if (this.shown !== query.toString()) return;
    if (html === null) {
      this.shown = "";
      return this.objectRetry.failed();
    }
    this.objectRetry.done();
    place.innerHTML = html;
  }

  /** @param {string} url @param {URLSearchParams} query @returns {Promise<string | null>} */
  async part(url, query) {
    try {
      const response = await fetch(`${url}?${query}`, { credentials: "same-origin", headers: { "HX-Request": "true" }, signal: answerTimeout() });
      return response.ok ? await response.text() : null;
    } catch {
      return null; // What is shown stays, and is fetched again.
    }
  }
}
