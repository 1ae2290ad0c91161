// @ts-check
/** Entry of the pages that show no run. */

import { wirePage } from "./page.js";

wirePage();
document.documentElement.dataset.ready = "page";
