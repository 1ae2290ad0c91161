// @ts-check
/** What the lanes of a run need only when somebody asks for it. A file of its own, loaded by soon.js. */

import { addTexts } from "./i18n.js";
import { LATER_MESSAGES } from "./later/messages.js";
import { SEARCH_MESSAGES } from "./search/messages.js";

addTexts(LATER_MESSAGES);
addTexts(SEARCH_MESSAGES);

export { branchHere, openComparison } from "./branches.js";
export { Classroom } from "./classroom/classroom.js";
export { openCommands } from "./commands/box.js";
export { wireEmbed } from "./embed.js";
export { FaultMenu } from "./fault-menu.js";
export { Fold } from "./fold.js";
export { readFutures } from "./futures-read.js";
export { Gestures } from "./gestures/gestures.js";
export { startCoach } from "./landing.js";
export { fillDebrief } from "./learn/debrief.js";
export { openHint } from "./learn/hints.js";
export { openPrediction } from "./learn/prediction.js";
export { FoldedLanes } from "./folded-lanes/folded-lanes.js";
export { CommandLine } from "./kubectl.js";
export { showHelp } from "./keys-sheet.js";
export { changeKeys, keepTelling } from "./own-keys/sheet.js";
export { SearchBox } from "./search/box.js";
export { savePng, saveSvg } from "./timeline/export.js";
export { Light } from "./timeline/light.js";
export { HoverCard } from "./timeline/hover-card.js";
export { NoteBook } from "./timeline/note-book.js";
export { tintRows } from "./timeline/row-tint.js";
export { fillStretch } from "./timeline/stretch-table.js";
export { TreeGrid } from "./timeline/treegrid.js";
export { shareMoment } from "./ways/moment-link.js";
export { openWays, waysUsed } from "./ways/ways.js";
