import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

class Form {
  constructor(dataset = {}) {
    this.dataset = dataset;
    this.action = "/r/run/commands/";
    this.fields = { at_seq: new Input(), at_ms: new Input(), client_key: new Input() };
    this.elements = { namedItem: (name) => this.fields[name] ?? null };
  }

  matches(selector) {
    return selector === "[data-act]";
  }

  get values() {
    return [this.fields.at_seq.value, this.fields.at_ms.value];
  }
}

class Input {
  value = "as it was";
}

/** What the page says. */
let told = [];
/** @type {Record<string, (event: object) => void>} */
const listeners = {};
Object.assign(globalThis, { HTMLFormElement: Form, HTMLInputElement: Input, HTMLAnchorElement: class {}, Element: class {}, FormData: class { [Symbol.iterator] = () => [][Symbol.iterator](); } });
globalThis.window = /** @type {any} */ (globalThis);
globalThis.sessionStorage = /** @type {any} */ ({ setItem() {}, removeItem() {} });
Object.assign(globalThis.document, { addEventListener: (name, listener) => (listeners[name] = listener), querySelectorAll: () => [] });
globalThis.document.querySelector = /** @type {any} */ ((selector) => (selector === "#toasts" ? { children: [], append: ({ textContent }) => told.push(textContent) } : null));
const { makeElements } = await import("../page.mjs");
makeElements();
const { wireActs } = await import("../../../static/js/acts/acts.js");

beforeEach(() => (told = []));

/** Send a form while the page shows record 7 at 1234.5 ms; what was kept from happening. */
function submit(form, { live = false } = {}) {
  const main = { dataset: {}, addEventListener() {}, querySelectorAll: () => [] };
  const stopped = [];
  wireActs(/** @type {any} */ (main), { live, seq: 7, t_ms: 1234.5 });
  listeners.submit({ target: form, submitter: null, preventDefault: () => stopped.push("sent"), stopImmediatePropagation: () => stopped.push("handed on") });
  return stopped;
}

test("an act in the past carries the moment that is looked at, one at the present none", () => {
  const [past, present] = [new Form(), new Form()];
  submit(past);
  submit(present, { live: true });
  assert.deepEqual([past.values, present.values], [["7", "1235"], ["", ""]]);
  assert.match(past.fields.client_key.value, /^[A-Za-z0-9-]{8,64}$/);
});

test("an act that has a moment of its own keeps it", () => {
  const form = new Form({ moment: "own" });
  submit(form);
  assert.deepEqual(form.values, ["as it was", "as it was"]);
});

test("an act that would be refused is not sent, and why is said", () => {
  const form = new Form({ whyNot: "The pod is gone" });
  assert.deepEqual([submit(form), form.values, told], [["sent", "handed on"], ["as it was", "as it was"], ["The pod is gone"]]);
});
