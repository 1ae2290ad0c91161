// @ts-check
/** Gives the act of a gesture as its own form would: the same address, fields and answers. */

import { find, make, post, randomKey } from "../dom.js";
import { text } from "../i18n.js";
import { toast } from "../toast.js";
import { momentFields } from "./holds.js";

/** So long one waits for the record of an act before the run is left standing. */
const PATIENCE_MS = 15_000;

export class Sending {
  /** @param {any} run */
  constructor(run) {
    this.run = run;
    /** @type {{ seq: number, by: number } | null} a run that was going went to a moment to come, and is to go on from there */
    this.goesOn = null;
    document.addEventListener("run:frame", () => this.goOn());
  }

  /**
   * @param {Record<string, string | number>} fields  of the form of the act
   * @param {string} sel
   * @param {import("./holds.js").Meaning} meaning
   */
  give(fields, sel, meaning) {
    const { clock, store, playhead } = this.run;
    const isGoing = clock.running || clock.frame.note === "resting";
    if (meaning.when === "ahead" && isGoing) this.goesOn = { seq: store.headSeq, by: performance.now() + PATIENCE_MS };
    if (meaning.when !== "past" && !playhead.live) playhead.goLive();
    this.submit({ ...fields, sel, client_key: randomKey(), ...momentFields(meaning) });
  }

  /** @param {Record<string, string | number>} fields */
  submit(fields) {
    const { main } = this.run;
    find("#gesture-act", main)?.remove();
    const url = main.dataset.commandsUrl || "";
    const all = { csrfmiddlewaretoken: document.body.dataset.csrf || "", ...fields };
    const inputs = Object.entries(all).map(([name, value]) => make("input", { type: "hidden", name, value: String(value) }));
    const form = /** @type {HTMLFormElement} */ (make("form", { id: "gesture-act", method: "post", action: url, hidden: true, "hx-post": url, "hx-swap": "none", "data-act": true, "data-moment": "own" }, inputs));
    main.append(form);
    /** @type {any} */ (window).htmx?.process(form);
    form.requestSubmit();
  }

  /** Once the run has taken the act at the moment it went to, it goes on as it did. */
  goOn() {
    const { goesOn } = this;
    if (!goesOn) return;
    const { store, controlUrl } = this.run;
    if (performance.now() > goesOn.by) this.goesOn = null;
    for (let seq = goesOn.seq + 1; seq <= store.headSeq && this.goesOn; seq += 1) {
      if (store.get(seq)?.kind !== "command") continue;
      this.goesOn = null;
      post(controlUrl, { do: "play" }).catch(() => toast(text("act.offline"), "bad"));
    }
  }
}
