// @ts-check
/**
 * The part of the editor that every page loads. The rest comes when a reader wants to write.
 */

import { find } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import { loadStyles } from "../base/styles.js";
import { toast } from "../base/toast.js";

/** @type {Promise<any> | null} */
let loading = null;

/** The editor's modules, loaded once. */
export function load() {
  loading ??= import("./open.js").catch((error) => {
    loading = null;
    console.warn(error);
    toast(message("editor.failed"), "warn");
    return null;
  });
  return loading;
}

/** The button that was pressed last; it replaces an earlier press that is still waiting. @type {{ button: HTMLElement | null }} */
let latest = { button: null };

/** @param {MouseEvent} event */
async function clicked(event) {
  const button = event.target instanceof Element ? event.target.closest("[data-edit]") : null;
  const dialog = /** @type {HTMLDialogElement | null} */ (find("dialog#editor"));
  if (!(button instanceof HTMLElement) || !dialog) return;
  event.preventDefault();
  const press = { button };
  latest = press;
  // By the time the editor has loaded, the same button may belong to another object.
  const object = button.dataset.edit || "", namespace = button.dataset.editNs || "";
  button.setAttribute("aria-busy", "true");
  try {
    const [opened] = await Promise.all([load(), loadStyles(dialog.dataset.styles || "")]);
    if (press === latest) await opened?.openDialog(dialog, { object, namespace, text: fieldBeside(button), tab: button.dataset.editTab || "yaml" });
  } finally {
    // Pressed again, the button is busy with that press.
    if (press === latest || latest.button !== button) button.removeAttribute("aria-busy");
  }
}

/** The text typed into the plain field next to the button. @param {HTMLElement} button */
function fieldBeside(button) {
  const field = button.closest("form") && find("textarea[name=manifest]", /** @type {ParentNode} */ (button.closest("form")));
  return field instanceof HTMLTextAreaElement ? field.value : "";
}

export function wireEditor() {
  document.addEventListener("click", clicked);
}
