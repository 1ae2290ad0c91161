// @ts-check
/**
 * What the lanes of a run need only when a reader asks for it, as a file of its own, which later/load.js loads.
 *
 * A page that shows a run has a weight limit (tests/e2e/test_weight.py), and the code that opens it must be loaded before anything is
 * visible. So everything that is not needed to see the lanes, to play and to act is exported from here; until it is loaded a small stand-in
 * takes its place (later/stand-ins.js), or nothing at all.
 *
 * Beware: each bundle has its own copy of every module that it imports. What later.js imports from base/ or wire/ is not the copy that
 * run.js has, so module state is not shared between the two. State that both need is kept on the page (see keys/custom.js, which keeps it
 * on the root element) or passed as an argument, as the RunPage is.
 */

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
export { wireSplitters } from "./run/splitters.js";
export { showWaits } from "./run/waits.js";
export { ActMenu } from "./acts/act-menu.js";
export { LongList } from "./panels/long-list.js";
export { readFutures } from "./timeline/read-futures.js";
export { Gestures } from "./gestures/gestures.js";
export { startCoach } from "./learn/coach.js";
export { fillDebrief } from "./learn/debrief.js";
export { openHint } from "./learn/hints.js";
export { openPrediction } from "./learn/prediction.js";
export { FoldedLanes } from "./timeline/folded/folded-lanes.js";
export { CommandLine } from "./panels/kubectl.js";
export { showHelp } from "./keys/sheet.js";
export { changeKeys, keepShowingCustomKeys } from "./keys/custom-sheet.js";
export { SearchBox } from "./search/box.js";
export { savePng, saveSvg } from "./timeline/export.js";
export { Light } from "./timeline/light.js";
export { HoverCard } from "./timeline/hover-card.js";
export { NoteBook } from "./timeline/note-book.js";
export { tintRows } from "./timeline/row-tint.js";
export { fillStretch } from "./timeline/stretch-table.js";
export { orderByTrouble } from "./timeline/trouble.js";
export { TreeGrid } from "./timeline/treegrid.js";
export { shareMoment } from "./shares/moment-link.js";
export { openLinkOptions, linkOptionUsed } from "./shares/link-options.js";
