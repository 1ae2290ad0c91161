// @ts-check
/** Entry of the page that compares two runs. */

import { find } from "./base/dom.js";
import { addTexts } from "./base/i18n.js";
import { COMPARE_MESSAGES } from "./compare/messages.js";
import { ComparePage } from "./compare/page.js";
import { wireLaterLinkOptions } from "./later/stand-ins.js";
import { wirePage } from "./pages/page.js";

addTexts(COMPARE_MESSAGES);
wirePage(wireLaterLinkOptions);
const main = find("main[data-compare]");
if (main) {
  new ComparePage(main).start();
  if (!location.hash) main.focus({ preventScroll: true });
}
