// @ts-check
/** Entry of the page of two runs. */

import { find } from "../dom.js";
import { ComparePage } from "./page.js";

export function openComparePage() {
  const main = find("main[data-compare]");
  if (!main) return;
  new ComparePage(main).start();
  if (!location.hash) main.focus({ preventScroll: true });
}
