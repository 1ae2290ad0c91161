// @ts-check
/** The form beside the YAML: the common settings of a pod, reading from and writing to the one text. */

import { find, make } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import { CONTAINER_GROUPS, POD_KNOBS } from "./knobs.js";
import { containersOf, podHome } from "./pods.js";
import { readParts } from "./yaml-edit.js";

const PAUSE_MS = 250;

export class FormPane {
  /** @param {any} bench */
  constructor(bench) {
    this.bench = bench;
    this.element = make("div", { class: "form-pane" });
    /** @type {any[]} */
    this.parts = [];
    this.document = 0;
    this.container = "";
    this.timer = 0;
    /** @type {(() => void) | null} */
    this.due = null;
    this.writing = false;
    this.element.addEventListener("input", (event) => this.typed(event, PAUSE_MS));
    this.element.addEventListener("change", (event) => this.typed(event, 0));
  }

  /** The text has changed, or the pane comes into view. */
  show() {
    // The text changed because of this form, which shows it already.
    if (this.writing) return;
    const kept = document.activeElement instanceof HTMLElement && this.element.contains(document.activeElement) ? document.activeElement.id : "";
    this.parts = readParts(this.bench.text).filter((part) => podHome(part.kind) || !part.isSound);
    this.document = Math.min(this.document, Math.max(0, this.parts.length - 1));
    const part = this.parts[this.document];
    this.writing = true; // A field that is removed while it has the focus fires another change event.
    this.element.replaceChildren(...(part ? this.drawn(part) : [make("p", { class: "empty", text: message("form.no_pod") })]));
    this.writing = false;
    if (kept) find(`#${CSS.escape(kept)}`, this.element)?.focus();
  }

  /** @param {any} part */
  drawn(part) {
    if (!part.isSound) return [make("p", { class: "callout", "data-tone": "bad", text: message("form.unreadable") })];
    const home = /** @type {string[]} */ (podHome(part.kind));
    const all = containersOf(part);
    const chosen = all.find((own) => key(own) === this.container) ?? all.find((own) => own.group === "containers") ?? all[0];
    this.container = chosen ? key(chosen) : "";
    return [
      ...(this.parts.length > 1 ? [this.documents()] : []),
      this.group("pod", POD_KNOBS, part, home),
      this.containers(all, chosen, part),
      ...(chosen ? CONTAINER_GROUPS.filter(({ id }) => chosen.group === "containers" || chosen.isSidecar || ["container", "resources"].includes(id)).map(({ id, knobs }) => this.group(id, knobs, part, chosen.path)) : []),
    ];
  }

  documents() {
    const chips = this.parts.map((/** @type {any} */ part, /** @type {number} */ at) =>
      this.chip(`${part.kind} ${part.get(["metadata", "name"]) ?? ""}`, at === this.document, () => {
        this.document = at;
        this.container = "";
        this.show();
      }),
    );
    return make("div", { class: "cluster", role: "group", "aria-label": message("form.documents") }, chips);
  }

  /** @param {any[]} all @param {any} chosen @param {any} part */
  containers(all, chosen, part) {
    const chips = all.map((own) =>
      this.chip(own.name || "?", own === chosen, () => {
        this.container = key(own);
        this.show();
      }, own.isSidecar ? "sidecar" : own.group === "initContainers" ? "init" : ""),
    );
    const adds = [this.addButton("init", part, all), this.addButton("container", part, all)];
    if (chosen && (chosen.group !== "containers" || all.filter((own) => own.group === "containers").length > 1)) adds.push(this.button(message("form.remove", { name: chosen.name }), () => this.edit(part, () => part.remove(chosen.path))));
    return make("div", { class: "form-pane__containers" }, [
      make("div", { class: "cluster", role: "group", "aria-label": message("form.containers") }, chips),
      make("div", { class: "cluster" }, adds),
    ]);
  }

  /** @param {"init" | "container"} what @param {any} part @param {any[]} all */
  addButton(what, part, all) {
    return this.button(message(`form.add.${what}`), () => {
      const base = what === "init" ? "init" : "app";
      let name = base;
      for (let n = 2; all.some((own) => own.name === name); n += 1) name = `${base}-${n}`;
      const group = what === "init" ? "initContainers" : "containers";
      const fresh = what === "init" ? { name, image: "busybox:1.36", command: ["sh", "-c", "sleep 5"] } : { name, image: "nginx:1.27" };
      const home = /** @type {string[]} */ (podHome(part.kind));
      this.container = `${group}/${all.filter((own) => own.group === group).length}`;
      this.edit(part, () => part.add([...home, "spec", group], fresh));
    });
  }

  /** @param {string} words @param {() => void} act */
  button(words, act) {
    const button = make("button", { type: "button", class: "button button--small", text: words });
    button.addEventListener("click", act);
    return button;
  }

  /** @param {string} words @param {boolean} on @param {() => void} act @param {string} [badge] */
  chip(words, on, act, badge = "") {
    const chip = make("button", { type: "button", class: "chip", "aria-pressed": String(on) }, [words, ...(badge ? [make("span", { class: "badge", text: badge })] : [])]);
    chip.addEventListener("click", act);
    return chip;
  }

  /** @param {string} id @param {any[]} knobs @param {any} part @param {(string | number)[]} path */
  group(id, knobs, part, path) {
    const shown = knobs.filter((knob) => !knob.when || knob.when(part, path));
    return make("fieldset", { class: "knobs", "data-group": id }, [make("legend", { text: message(`form.group.${id.replace("Probe", "").toLowerCase()}`) }), ...shown.map((knob) => this.knob(knob, part, path))]);
  }

  /** @param {any} knob @param {any} part @param {(string | number)[]} path */
  knob(knob, part, path) {
    const id = `knob-${path.join("-")}-${knob.id}`;
    const value = knob.read(part, path);
    const control = this.control(knob, id, value);
    const isLocked = knob.locked?.(part, path) === true;
    if (isLocked) for (const [name, words] of [["disabled", ""], ["title", message("form.locked")]]) control.setAttribute(name, words);
    Object.assign(control, { write: (/** @type {any} */ fresh, /** @type {string} */ words) => knob.read(fresh, path) !== words && knob.write(fresh, path, words) });
    const name = make("label", { class: "field__label", for: id }, [make("code", {}, breakable(knob.id.split(".").pop() === "kind" ? message("form.kind") : knob.id.split(".").slice(-2).join(".").replace(/^\w+Probe\./, "")))]);
    return make("div", { class: `field${knob.as === "lines" || knob.wide ? " field--lines" : ""}` }, [name, control]);
  }

  /** @param {any} knob @param {string} id @param {string} value */
  control(knob, id, value) {
    if (knob.as === "select") {
      const options = ["", ...knob.choices, ...(value && !knob.choices.includes(value) ? [value] : [])];
      return make("select", { class: "select", id }, options.map((choice) => make("option", { value: choice, selected: choice === value, text: choice || message("form.not_set") })));
    }
    if (knob.as === "lines") {
      const area = /** @type {HTMLTextAreaElement} */ (make("textarea", { class: "textarea", id, rows: String(Math.min(6, Math.max(2, value.split("\n").length))), spellcheck: "false", placeholder: knob.placeholder }));
      area.value = value;
      return area;
    }
    const input = /** @type {HTMLInputElement} */ (make("input", { class: "input", id, type: "text", inputmode: knob.as === "number" ? "numeric" : undefined, spellcheck: "false", autocomplete: "off", placeholder: knob.placeholder }));
    input.value = value;
    return input;
  }

  /** @param {Event} event @param {number} pause_ms */
  typed(event, pause_ms) {
    const control = /** @type {any} */ (event.target);
    if (!control?.write || this.writing) return;
    const part = this.parts[this.document];
    clearTimeout(this.timer);
    this.due = () => {
      this.due = null;
      // A choice decides which fields exist; a text field that is redrawn would lose its caret.
      const redraws = control instanceof HTMLSelectElement;
      this.edit(part, (fresh) => control.write(fresh, control.value), redraws);
    };
    if (pause_ms) this.timer = window.setTimeout(() => this.flush(), pause_ms);
    else this.flush();
  }

  /** Write pending edits. */
  flush() {
    clearTimeout(this.timer);
    this.due?.();
  }

  /**
   * @param {any} part @param {(fresh: any) => void} change @param {boolean} [redraws]  whether other knobs appear or disappear with it
   */
  edit(part, change, redraws = true) {
    // The text was edited in the meantime: positions read before are no longer valid.
    if (part.whole !== this.bench.text) return;
    change(part);
    const edit = part.change();
    this.writing = true;
    if (edit) this.bench.view.dispatch({ changes: edit, userEvent: "input.form" });
    this.writing = false;
    this.parts = readParts(this.bench.text).filter((own) => podHome(own.kind) || !own.isSound);
    if (redraws) this.show();
  }
}

/** @param {{ group: string, index: number }} own */
function key(own) {
  return `${own.group}/${own.index}`;
}

/** Let long names break before a capital. @param {string} name */
function breakable(name) {
  return name.split(/(?=[A-Z])/).flatMap((part, at) => (at ? [make("wbr"), part] : [part]));
}
