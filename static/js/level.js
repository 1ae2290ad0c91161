// @ts-check
/** What only the page of a level attempt needs: loaded where a level is shown next to the run. */

import { addTexts } from "./base/i18n.js";
import { LEARN_MESSAGES } from "./learn/messages.js";
import { LEVEL_MESSAGES } from "./levels/messages.js";

addTexts(LEARN_MESSAGES);
addTexts(LEVEL_MESSAGES);

export { startLevel } from "./levels/level-panel.js";
