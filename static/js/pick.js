// @ts-check
/** Picking checks of a level from the lanes: loaded when a reader wants to make a level, or has picks in this tab. */

import { addTexts } from "./base/i18n.js";
import { PICK_MESSAGES } from "./picking/messages.js";

addTexts(PICK_MESSAGES);

export { pickHere, resumePicking } from "./picking/picking.js";
