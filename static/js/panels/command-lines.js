// @ts-check
/** The kubectl line next to each act, with what the reader has typed into the fields of the form. */

import { findAll, setAttributes, setText } from "../base/dom.js";

/**
 * A command line for a shell: values are quoted where needed, and empty ones are written the way kubectl expects.
 * @param {string} template  with {name} in place of a field's value
 * @param {(name: string) => string | null} valueOf
 */
export function commandLine(template, valueOf) {
  const filled = template
    // First lists, which are one field of words: ["{value}"] becomes a JSON list, or null to clear it.
    .replace(/\["\{([a-z_]+)\}"\]/g, (whole, name) => {
      const list = valueOf(name)?.split(/[\s,]+/).filter(Boolean);
      return list ? quotable(list.length ? JSON.stringify(list) : "null") : whole;
    })
    .replace(/(\{[a-z_]+\})=\{([a-z_]+)\}/g, (whole, name, value) => (valueOf(value) === "" ? `${name}-` : whole));
  return filled
    .replace(/\{([a-z_]+)\}/g, (whole, name, at) => {
      const value = valueOf(name);
      if (value === null || name === "words") return value ?? whole;
      // After an odd number of quotes: inside a patch, where JSON's rules apply and not the shell's.
      const isQuoted = filled.slice(0, at).split("'").length % 2 === 0;
      if (isQuoted) return quotable(JSON.stringify(value).slice(1, -1));
      return /^[\w@%+=:,./-]*$/.test(value) ? value : `'${quotable(value)}'`;
    })
    // Finally, drop fields that were left empty; what remains has to be valid JSON.
    .replace(/"\w+":""(,|(?=\}))/g, "")
    .replace(/,(?=\})/g, "");
}

/** Text inside single quotes. @param {string} value */
function quotable(value) {
  return value.replaceAll("'", "'\\''");
}

/**
 * Update the command lines next to acts with what the visitor has typed into the fields.
 * @param {ParentNode} root
 */
export function showCommands(root) {
  for (const line of findAll("[data-command]", root)) {
    const form = line.closest("form");
    if (!form) continue;
    const words = commandLine(line.dataset.command || "", (name) => {
      const field = form.elements.namedItem(name);
      return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value : null;
    });
    setAttributes(line, { "data-copy": words });
    setText(line, words);
  }
}
