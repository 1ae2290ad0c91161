// @ts-check
/** Entry of the page of two runs. */

import { find } from "./dom.js";
import { ComparePage } from "./compare/page.js";
import { wirePage } from "./page.js";

wirePage();
const main = find("main[data-compare]");
if (main) {
  new ComparePage(main).start();
  if (!location.hash) main.focus({ preventScroll: true });
}
