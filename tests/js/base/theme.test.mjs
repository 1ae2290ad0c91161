import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { chooseTheme, currentTheme, cycleTheme } from "../../../static/js/base/theme.js";
import { text } from "../../../static/js/base/i18n.js";
import { FakeElement } from "../page.mjs";

/** The browser's storage, and the page's switch with its label. */
let kept;
let button;
let label;

beforeEach(() => {
  [kept, button, label] = [{}, new FakeElement("button"), new FakeElement("span")];
  globalThis.localStorage = /** @type {any} */ ({ setItem: (name, value) => (kept[name] = value) });
  const found = { '[data-do="theme"]': [button], "[data-theme-label]": [label] };
  Object.assign(globalThis.document, { documentElement: { dataset: {} }, querySelectorAll: (selector) => found[selector] ?? [] });
});

test("a page without a theme of its own, or with one that is not known, has that of the system", () => {
  const themes = [undefined, "", "light", "dark", "auto", "sepia"].map((theme) => {
    document.documentElement.dataset = theme === undefined ? {} : { theme };
    return currentTheme();
  });
  assert.deepEqual(themes, ["auto", "auto", "light", "dark", "auto", "auto"]);
});

test("themes follow each other in a circle", () => {
  const shown = [1, 2, 3].map(() => (cycleTheme(), currentTheme()));
  assert.deepEqual(shown, ["light", "dark", "auto"]);
});

test("a theme that is chosen is remembered and named at the switch", () => {
  chooseTheme("dark");
  assert.deepEqual([kept, button.attributes.title, button.attributes["aria-label"], label.textContent], [{ "podscope.theme": "dark" }, ...Array(3).fill(text("theme.dark"))]);
});

test("a theme is shown also where the browser remembers nothing", () => {
  globalThis.localStorage = /** @type {any} */ ({ setItem: () => { throw new Error("denied"); } });
  chooseTheme("light");
  assert.deepEqual([currentTheme(), label.textContent], ["light", text("theme.light")]);
});
