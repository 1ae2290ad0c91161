// @ts-check
/** Why a story went as it did: fetched when its steps are all ticked off and the reader opens it. */

import { find } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { answerTimeout } from "../base/retry.js";
import { toast } from "../base/toast.js";

/**
 * Rejects if it cannot be fetched, once the reader has been told.
 * @param {HTMLElement} card  the <details> to fill
 * @param {string} step  the step that was ticked off last
 */
export async function fillDebrief(card, step) {
  try {
    const answer = await fetch(`${card.dataset.debrief}?${new URLSearchParams({ step })}`, { credentials: "same-origin", signal: answerTimeout() });
    if (!answer.ok) throw new Error(`debrief answered ${answer.status}`);
    const place = find("[data-debrief-body]", card);
    if (place) place.innerHTML = await answer.text(); // the site's own markup
  } catch (error) {
    toast(text("panel.failed"), "bad");
    throw error;
  }
}
