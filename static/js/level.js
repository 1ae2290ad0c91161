// @ts-check
/** What only the page of an attempt at a level needs: it is loaded where a level stands beside the run. */

import { addTexts } from "./base/i18n.js";
import { LEARN_MESSAGES } from "./learn/messages.js";
import { LEVEL_MESSAGES } from "./levels/messages.js";

addTexts(LEARN_MESSAGES);
addTexts(LEVEL_MESSAGES);

export { startLevel } from "./levels/level-panel.js";
