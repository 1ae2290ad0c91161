// @ts-check
/** Entry of every page: wires what the page holds. */

import { wireAnswers } from "./acts.js";
import { find } from "./dom.js";
import { wireEditors } from "./editor/boot.js";
import { wireEmbed } from "./embed.js";
import { wireForms } from "./forms.js";
import { startCoach } from "./landing.js";
import { wireProgress } from "./progress.js";
import { RunPage } from "./run.js";
import { wireCopyAndDialogs } from "./share.js";
import { wireSteps } from "./story-steps.js";
import { cycleTheme, showTheme } from "./theme.js";

showTheme();
wireCopyAndDialogs();
wireForms();
wireEditors();
wireAnswers();
wireProgress();
document.addEventListener("click", (event) => {
  if (event.target instanceof Element && event.target.closest('[data-do="theme"]')) cycleTheme();
});

const main = find("main[data-run]");
if (main) {
  const page = new RunPage(main);
  page.start();
  wireSteps(page);
  wireEmbed(page);
  if (document.body.classList.contains("page-run") && !location.hash) main.focus({ preventScroll: true });
  startCoach();
} else {
  document.documentElement.dataset.ready = "page";
}
