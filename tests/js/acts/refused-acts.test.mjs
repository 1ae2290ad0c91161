import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

class Anchor {
  constructor() {
    this.dataset = { refusedActs: "0" };
    this.hidden = true;
    this.href = "";
    this.count = { textContent: "0" };
  }

  querySelector() {
    return this.count;
  }
}

globalThis.HTMLAnchorElement = /** @type {any} */ (Anchor);
const { commandRecorded } = await import("../../../static/js/acts/acts.js");

/** @type {Anchor} */
let badge;

beforeEach(() => {
  badge = new Anchor();
  globalThis.document.querySelector = /** @type {any} */ ((selector) => (selector === "[data-refused-acts]" ? badge : null));
});

test("the first refused act shows the badge, which leads to it, and each counts once", () => {
  commandRecorded({ seq: 7, target: "refused", data: {} });
  commandRecorded({ seq: 9, target: "refused", data: {} });
  commandRecorded({ seq: 9, target: "refused", data: {} });
  assert.deepEqual([badge.hidden, badge.href, badge.count.textContent], [false, "?rec=7", "2"]);
});

test("in a frame the badge leads to the page of the link", () => {
  Object.assign(badge.dataset, { page: "/s/abc/" });
  commandRecorded({ seq: 13, target: "refused", data: {} });
  assert.equal(badge.href, "/s/abc/?rec=13");
});

test("an accepted act is no refusal", () => {
  commandRecorded({ seq: 11, target: "accepted", data: {} });
  assert.equal(badge.hidden, true);
});
