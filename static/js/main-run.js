// @ts-check
/** Entry of the pages that show a run. */

import { find } from "./base/dom.js";
import { wireLibraries } from "./base/libraries.js";
import { COACHED, preference } from "./base/preferences.js";
import { hasCustomKeys } from "./keys/custom.js";
import { later } from "./later/load.js";
import { wireLaterLinkOptions } from "./later/stand-ins.js";
import { wireSteps } from "./learn/story-steps.js";
import { wirePage } from "./pages/page.js";
import { RunPage } from "./run/run-page.js";

wireLibraries();
wirePage(wireLaterLinkOptions);
const main = find("main[data-run]");
if (main) {
  const page = new RunPage(main);
  page.start();
  wireSteps(page);
  if (find("#level, [data-asks]")) import("./level.js").then(({ startLevel }) => startLevel(page), () => {});
  if (main.dataset.pickStyles && document.documentElement.hasAttribute("data-picks")) document.addEventListener("run:ready", () => import("./pick.js").then(({ resumePicking }) => resumePicking(page), () => {}), { once: true });
  if (main.classList.contains("run--embed") && window.parent !== window) later().then(({ wireEmbed }) => wireEmbed(page), () => {});
  if (hasCustomKeys()) later().then(({ keepShowingCustomKeys }) => keepShowingCustomKeys(), () => {});
  if (document.documentElement.dataset.class && document.body.classList.contains("page-run")) later().then(({ Classroom }) => new Classroom(page).start(), () => {});
  if (document.body.classList.contains("page-run") && !location.hash) main.focus({ preventScroll: true });
  const coach = find("#coach");
  // The page comes first, its hints a little later.
  if (coach && !preference(COACHED)) document.addEventListener("run:ready", () => setTimeout(() => later().then(({ startCoach }) => startCoach(coach), () => {}), 600), { once: true });
}
