// @ts-check
/**
 * Fields for a file in the page's language: what the browser writes on its own is in the browser's. The field lies over the words and
 * cannot be seen, so that it is clicked, reached by keys, dropped on and sent as ever; without scripts it is there as the browser has it.
 */

import { findAll, make } from "../base/dom.js";

/** @param {HTMLInputElement} field  whose data-choose and data-none are the words */
function wire(field) {
  const name = make("span", { class: "file__name" });
  const frame = make("span", { class: "file" }, [make("span", { class: "button", text: field.dataset.choose }), name]);
  const show = () => {
    name.textContent = [...(field.files ?? [])].map((file) => file.name).join(", ") || field.dataset.none || "";
  };
  field.replaceWith(frame);
  frame.append(field);
  field.addEventListener("change", show);
  field.form?.addEventListener("reset", () => setTimeout(show));
  show();
}

export function wireFileFields() {
  for (const field of findAll("input[type=file][data-choose]")) if (field instanceof HTMLInputElement) wire(field);
}
