// @ts-check
/** Entry of the pages that show no run. */

import { wirePage } from "./page.js";
import { wireWays } from "./ways/ways.js";

wirePage(wireWays);
document.documentElement.dataset.ready = "page";
