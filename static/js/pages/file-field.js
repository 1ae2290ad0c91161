// @ts-check
/**
 * File fields in the page's language, since the browser's own text is in the browser's language. The invisible field lies over the text, so
 * that clicking, keys, dropping and submitting work as usual; without scripts the browser's own field is shown.
 */

import { findAll, make } from "../base/dom.js";

/** @param {HTMLInputElement} field  with its texts in data-choose and data-none */
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
