// @ts-check
/** Entry of the pages that show no run. */

import { wireComforts } from "./comforts.js";
import { find } from "./dom.js";
import { wireFields } from "./editor/field.js";
import { wireFileFields } from "./file-field.js";
import { wirePage } from "./page.js";
import { wireWays } from "./ways/ways.js";

wirePage(wireWays);
wireComforts();
wireFields();
wireFileFields();
find(".topbar nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" }); // on phones it may be out of sight
document.documentElement.dataset.ready = "page";
