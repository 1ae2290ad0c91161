// @ts-check
/** Submits the act of a gesture as its own form would: with the same address, fields and answers. */

import { find, make, randomKey } from "../base/dom.js";
import { momentFields } from "./holds.js";

export class Sending {
  /** @param {any} run */
  constructor(run) {
    this.run = run;
  }

  /**
   * @param {Record<string, string | number>} fields  of the act's form
   * @param {string} sel
   * @param {import("./holds.js").Meaning} meaning
   */
  give(fields, sel, meaning) {
    const { playhead } = this.run;
    // What follows from acting now happens at the present, and the reader wants to see it.
    if (meaning.when !== "past" && !playhead.live) playhead.goLive();
    this.submit({ ...fields, sel, client_key: randomKey(), ...momentFields(meaning) });
  }

  /** @param {Record<string, string | number>} fields */
  submit(fields) {
    const { main } = this.run;
    find("#gesture-act", main)?.remove();
    const url = main.dataset.commandsUrl || "";
    // A real form, so that it is handled like every act: with its moment, its key and its answers (acts/acts.js).
    const all = { csrfmiddlewaretoken: document.body.dataset.csrf || "", ...fields };
    const inputs = Object.entries(all).map(([name, value]) => make("input", { type: "hidden", name, value: String(value) }));
    const form = /** @type {HTMLFormElement} */ (make("form", { id: "gesture-act", method: "post", action: url, hidden: true, "hx-post": url, "hx-swap": "none", "data-act": true, "data-moment": "own" }, inputs));
    main.append(form);
    /** @type {any} */ (window).htmx?.process(form);
    form.requestSubmit();
  }
}
