// @ts-check
/** Entry of the pages that show no run. */

import { find } from "./base/dom.js";
import { wireFields } from "./editor/field.js";
import { wireProgress } from "./learn/progress.js";
import { wireEnhancements } from "./pages/enhancements.js";
import { wireFileFields } from "./pages/file-field.js";
import { wirePage } from "./pages/page.js";
import { wireLinkOptions } from "./shares/link-options.js";

wirePage(wireLinkOptions);
wireEnhancements();
wireFields();
wireProgress();
wireFileFields();
find(".topbar nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" }); // on phones it may be out of sight
document.documentElement.dataset.ready = "page";
