// @ts-check
/** The command line beside each act: what kubectl would be asked, with what the reader has typed into the fields of the form. */

import { findAll, put, say } from "../base/dom.js";

/**
 * A command line for a shell: what needs quotes gets them, what is empty is said as kubectl wants it.
 * @param {string} template  with {name} where the value of a field stands
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
      // An odd number of quotes before it: inside a patch, where JSON's rules hold and not the shell's.
      const isQuoted = filled.slice(0, at).split("'").length % 2 === 0;
      if (isQuoted) return quotable(JSON.stringify(value).slice(1, -1));
      return /^[\w@%+=:,./-]*$/.test(value) ? value : `'${quotable(value)}'`;
    })
    // At last: fields that were left empty are not sent, and what they leave behind has to stay JSON.
    .replace(/"\w+":""(,|(?=\}))/g, "")
    .replace(/,(?=\})/g, "");
}

/** A text inside single quotes. @param {string} value */
function quotable(value) {
  return value.replaceAll("'", "'\\''");
}

/**
 * Command lines beside acts say what the visitor has typed into the fields.
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
    put(line, { "data-copy": words });
    say(line, words);
  }
}
