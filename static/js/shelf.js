// @ts-check
/** Entry of the pages around levels: this browser's progress, the calendar of daily tasks, and an exam. */

import { find } from "./base/dom.js";
import { addTexts } from "./base/i18n.js";
import { wireDaily } from "./levels/daily.js";
import { wireExam } from "./levels/exam.js";
import { LEVEL_MESSAGES } from "./levels/messages.js";
import { wireShelf } from "./levels/shelf.js";

addTexts(LEVEL_MESSAGES);
const main = find("main");
if (main?.dataset.levels !== undefined) wireShelf(main);
if (main?.dataset.daily) wireDaily(main);
if (main?.dataset.exam !== undefined) wireExam(main);
