// @ts-check
/** Files that are opened or dropped become the text; several files become several documents. */

import { text as message } from "../base/i18n.js";
import { toast } from "../base/toast.js";

export const SIZE_MAX = 16_000_000;

/**
 * @param {FileList | File[]} files
 * @returns {Promise<string | null>} null if nothing could be read
 */
export async function textOf(files) {
  const list = [...files];
  if (list.reduce((sum, file) => sum + file.size, 0) > SIZE_MAX) {
    toast(message("editor.file_large"), "bad");
    return null;
  }
  try {
    const words = await Promise.all(list.map((file) => file.text()));
    // An image, or UTF-16: no manifest contains a NUL.
    if (words.some((part) => part.includes("\u0000"))) throw new Error("not a text");
    // A byte order mark in the middle of the text would become part of the next document.
    return words.map((part) => part.replace(/\r\n?/g, "\n").replace(/^\uFEFF/, "")).reduce((all, part) => (/^---/.test(part) ? `${all.trimEnd()}\n${part}` : `${all.trimEnd()}\n---\n${part}`));
  } catch {
    toast(message("editor.file_failed"), "bad");
    return null;
  }
}

/**
 * Let files be dropped on an element.
 * @param {HTMLElement} element
 * @param {(files: FileList) => void} onFiles
 */
export function acceptDrops(element, onFiles) {
  const carries = (/** @type {DragEvent} */ event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  element.addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    element.dataset.drop = "true";
  });
  element.addEventListener("dragleave", (event) => {
    if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) delete element.dataset.drop;
  });
  element.addEventListener(
    "drop",
    (event) => {
      delete element.dataset.drop;
      if (!carries(event) || !event.dataTransfer?.files.length) return;
      event.preventDefault();
      event.stopPropagation();
      onFiles(event.dataTransfer.files);
    },
    true,
  );
}
