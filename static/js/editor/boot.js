// @ts-check
/**
 * What every page loads of the editor: it waits until somebody wants to write. Then the rest comes, and until it is there the plain
 * field does.
 */

import { find, findAll, make } from "../dom.js";
import { text as message } from "../i18n.js";
import { toast } from "../toast.js";

/** @type {Promise<any> | null} */
let loading = null;

/** The editor's modules, asked for once. */
function load() {
  loading ??= import("./open.js").catch((error) => {
    loading = null;
    console.warn(error);
    toast(message("editor.failed"), "warn");
    return null;
  });
  return loading;
}

/**
 * The field of a page's own form: it opens when it gets the focus, or by one of the tabs above it.
 * @param {HTMLTextAreaElement} field
 */
function wireField(field) {
  const form = field.closest("form");
  if (!form?.dataset.checkUrl) return;
  const start = async (/** @type {(bench: any) => void} */ then) => {
    const opened = await load();
    if (opened) then(opened.openField(field, form));
  };
  const bar = make("div", { class: "bench__bar bench__bar--waiting" }, [
    make(
      "div",
      { class: "tabs", role: "group", "aria-label": message("editor.views") },
      ["yaml", "form", "behaviour"].map((name) => {
        const tab = make("button", { type: "button", class: "tab", "aria-pressed": String(name === "yaml"), text: message(`editor.tab.${name}`) });
        tab.addEventListener("click", () =>
          start((bench) => {
            bench.open(name);
            if (name === "yaml") bench.view.focus();
            else bench.bar.focus();
          }),
        );
        return tab;
      }),
    ),
  ]);
  (field.closest(".editor") ?? field).before(bar);
  field.addEventListener("focus", () => start(() => {}));
  field.addEventListener("editor:opened", () => bar.remove(), { once: true });
  if (document.activeElement === field) start(() => {}); // whoever was quicker than this script
}

/** The editor's sheet, on pages that do without until then. @param {string} href */
function styles(href) {
  if (!href || find(`link[href="${CSS.escape(href)}"]`)) return Promise.resolve();
  const link = make("link", { rel: "stylesheet", href });
  return new Promise((resolve) => {
    link.addEventListener("load", () => resolve(undefined));
    link.addEventListener("error", () => resolve(undefined)); // ugly is better than not at all
    document.head.append(link);
  });
}

/** @param {MouseEvent} event */
async function clicked(event) {
  const button = event.target instanceof Element ? event.target.closest("[data-edit]") : null;
  const dialog = /** @type {HTMLDialogElement | null} */ (find("dialog#editor"));
  if (!(button instanceof HTMLElement) || !dialog) return;
  event.preventDefault();
  button.setAttribute("aria-busy", "true");
  const [opened] = await Promise.all([load(), styles(dialog.dataset.styles || "")]);
  await opened?.openDialog(dialog, { object: button.dataset.edit || "", text: fieldBeside(button) });
  button.removeAttribute("aria-busy");
}

/** What has been typed into the plain field that the button stands with. @param {HTMLElement} button */
function fieldBeside(button) {
  const field = button.closest("form") && find("textarea[name=manifest]", /** @type {ParentNode} */ (button.closest("form")));
  return field instanceof HTMLTextAreaElement ? field.value : "";
}

export function wireEditors() {
  for (const field of findAll("textarea[data-editor]")) wireField(/** @type {HTMLTextAreaElement} */ (field));
  document.addEventListener("click", clicked);
}
