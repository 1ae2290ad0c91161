// @ts-check
/** What every page has, with or without a run: theme, forms, messages, links to copy, and the editor, loaded on demand. */

import { wireAnswers } from "../acts/acts.js";
import { wireForms } from "../base/forms.js";
import { cycleTheme, showTheme } from "../base/theme.js";
import { wireEditor } from "../editor/boot.js";
import { wireCopyAndDialogs } from "../shares/address.js";

/** @param {() => void} wireLinkOptions  sets up the options of a link: at once, or on demand */
export function wirePage(wireLinkOptions) {
  showTheme();
  wireCopyAndDialogs();
  wireForms();
  wireEditor();
  wireAnswers();
  wireLinkOptions();
  document.addEventListener("submit", ({ target }) => {
    const next = target instanceof Element && target.matches("#language-menu form") ? target.querySelector("[name=next]") : null;
    // Switch the language at the current address: a run's page may have changed it since it was loaded.
    if (next instanceof HTMLInputElement) next.value = location.pathname + location.search;
  });
  document.addEventListener("click", (event) => {
    // On run pages as well, whose other actions have a listener of their own: the switch works before that, and without it.
    if (event.target instanceof Element && event.target.closest('[data-do="theme"]')) cycleTheme();
  });
}
