// @ts-check
/** The task of the day: a result in a few characters that gives nothing away, and this browser's calendar. */

import { find, findAll, setHidden } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { readKept } from "./kept.js";

/** @param {import("./kept.js").LevelRecord | undefined} known */
const signOf = (known) => (known?.passed ? "✓" : known?.tries ? "✕" : "·");

/** @param {HTMLElement} main */
export function wireDaily(main) {
  const { levels } = readKept();
  const today = main.dataset.daily ?? "";
  for (const item of findAll("[data-day]", main)) {
    const known = levels[`!d${item.dataset.day}`];
    const sign = find("[data-day-sign]", item);
    item.dataset.is = known?.passed ? "done" : known?.tries ? "tried" : "open";
    sign?.replaceChildren(signOf(known));
    item.title = text(known?.passed ? "daily.done" : known?.tries ? "daily.tried" : "daily.open");
  }
  const known = levels[`!d${today}`];
  const place = find("[data-daily-result]", main);
  if (!known || !place) return;
  setHidden(place, false);
  const failed = "✕".repeat(Math.min(9, (known.tries ?? 1) - (known.passed ? 1 : 0)));
  const signs = `Podscope ${today} ${failed}${known.passed ? `✓ ${known.acts}` : ""}`;
  find("[data-daily-signs]", place)?.replaceChildren(signs);
  find("[data-daily-copy]", place)?.addEventListener("click", () => navigator.clipboard.writeText(`${signs} ${location.origin}/daily/`).then(() => toast(text("daily.copied")), () => {}));
}
