// @ts-check
/** What every page has, with or without a run: theme, forms, messages, links to copy, and the editor for who wants to write. */

import { wireAnswers } from "../acts/acts.js";
import { wireForms } from "../base/forms.js";
import { cycleTheme, showTheme } from "../base/theme.js";
import { wireEditor } from "../editor/boot.js";
import { wireCopyAndDialogs } from "../shares/address.js";

/** @param {() => void} wireLinkOptions  makes the options of a link work: at once, or when they are wanted */
export function wirePage(wireLinkOptions) {
  showTheme();
  wireCopyAndDialogs();
  wireForms();
  wireEditor();
  wireAnswers();
  wireLinkOptions();
  document.addEventListener("submit", ({ target }) => {
    const next = target instanceof Element && target.matches("#language-menu form") ? target.querySelector("[name=next]") : null;
    // In another language, but where one is by now: a run's page has changed its address since it came.
    if (next instanceof HTMLInputElement) next.value = location.pathname + location.search;
  });
  document.addEventListener("click", (event) => {
    // On a run page as well, where other actions have their own listener: the switch works before and without that.
    if (event.target instanceof Element && event.target.closest('[data-do="theme"]')) cycleTheme();
  });
}
