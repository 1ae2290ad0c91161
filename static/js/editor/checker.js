// @ts-check
/** Has the server check the text. Typing never waits: a new text cancels the check of the old one. */

import { csrfToken } from "../base/dom.js";

const PAUSE_MS = 300;
/** How long the editor waits for an answer. */
export const ANSWER_MS = 15_000;

export class Checker {
  /**
   * @param {object} options
   * @param {string} options.url
   * @param {() => Record<string, string>} options.fields  what is sent along with the text, such as the version
   * @param {() => string} options.read  returns the current text
   * @param {(answer: any, text: string) => void} options.show  called only with answers about the current text
   * @param {(state: "waiting" | "done" | "failed") => void} options.onState
   */
  constructor({ url, fields, read, show, onState }) {
    this.url = url;
    this.fields = fields;
    this.read = read;
    this.show = show;
    this.onState = onState;
    this.timer = 0;
    /** @type {AbortController | null} */
    this.asked = null;
  }

  /** The text, or what it is checked against, has changed. */
  changed() {
    this.asked?.abort();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.ask(), PAUSE_MS);
  }

  stop() {
    clearTimeout(this.timer);
    this.asked?.abort();
  }

  async ask() {
    clearTimeout(this.timer);
    this.asked?.abort();
    const asked = new AbortController();
    const words = this.read();
    this.asked = asked;
    this.onState("waiting");
    try {
      const response = await fetch(this.url, {
        method: "POST",
        credentials: "same-origin",
        headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" },
        body: new URLSearchParams({ ...this.fields(), manifest: words }),
        signal: AbortSignal.any([asked.signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      if (!response.ok) throw new Error(`check answered ${response.status}`);
      const answer = await response.json();
      // Positions refer to the text that was sent.
      if (asked.signal.aborted || words !== this.read()) return;
      this.show(answer, words);
      this.onState("done");
    } catch (error) {
      if (asked.signal.aborted) return;
      console.warn(error);
      this.onState("failed");
    }
  }
}
