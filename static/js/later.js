// @ts-check
/** What the lanes of a run need only when somebody asks for it. A file of its own, loaded by later/load.js. */

import { addTexts } from "./base/i18n.js";
import { COMMAND_MESSAGES } from "./commands/messages.js";
import { LATER_MESSAGES } from "./later/messages.js";
import { SEARCH_MESSAGES } from "./search/messages.js";

addTexts(COMMAND_MESSAGES);
addTexts(LATER_MESSAGES);
addTexts(SEARCH_MESSAGES);

export { branchHere, openComparison } from "./acts/branches.js";
export { Classroom } from "./classroom/classroom.js";
export { openCommands } from "./commands/box.js";
export { wireEmbed } from "./shares/embed.js";
export { ActMenu } from "./acts/act-menu.js";
export { Fold } from "./panels/long-list.js";
export { readFutures } from "./timeline/read-futures.js";
export { Gestures } from "./gestures/gestures.js";
export { startCoach } from "./learn/coach.js";
export { fillDebrief } from "./learn/debrief.js";
export { openHint } from "./learn/hints.js";
export { openPrediction } from "./learn/prediction.js";
export { FoldedLanes } from "./timeline/folded/folded-lanes.js";
export { CommandLine } from "./panels/kubectl.js";
export { showHelp } from "./keys/sheet.js";
export { changeKeys, keepTelling } from "./keys/custom-sheet.js";
export { SearchBox } from "./search/box.js";
export { savePng, saveSvg } from "./timeline/export.js";
export { Light } from "./timeline/light.js";
export { HoverCard } from "./timeline/hover-card.js";
export { NoteBook } from "./timeline/note-book.js";
export { tintRows } from "./timeline/row-tint.js";
export { fillStretch } from "./timeline/stretch-table.js";
export { TreeGrid } from "./timeline/treegrid.js";
export { shareMoment } from "./shares/moment-link.js";
export { openWays, waysUsed } from "./shares/link-options.js";
