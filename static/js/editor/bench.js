// @ts-check
/**
 * The editor as a whole: one text, and the panes that show it.
 *
 * The text in the CodeMirror view is the only truth. The form and the behaviour pane read it and write single fields back into it
 * (yaml-edit.js), so that comments and layout survive and each change can be undone like typing. The server's findings come back as a list
 * with positions, which move along with what is typed until the next answer replaces them.
 *
 * A pane writes with a delay while its reader types. Whatever takes the final text (apply, another tab, a file) calls `flush` first.
 */

import { find, make } from "../base/dom.js";
import { addTexts, text as message } from "../base/i18n.js";
import { BehaviourPane } from "./behaviour.js";
import { CHANGE_SIGNS, changeGutter, showChanges } from "./changes.js";
import { Checker } from "./checker.js";
import { EditorView, Prec, keymap } from "./cm.js";
import { completion } from "./complete.js";
import { drawFindings, showDefaults, showFindings } from "./diagnostics.js";
import { acceptDrops, textOf } from "./files.js";
import { openFixes } from "./fixes.js";
import { FormPane } from "./form.js";
import { hoverDocs } from "./hover.js";
import { EDITOR_MESSAGES } from "./messages.js";
import { ProblemList } from "./problems.js";
import { Schemas } from "./schema.js";
import { createView } from "./view.js";

addTexts(EDITOR_MESSAGES);

const KEPT = "podscope.editor.defaults";
const MOD = /^(Mac|iP)/.test(navigator.platform) ? "⌘" : "Ctrl";

/**
 * @typedef {object} Source
 * @property {string} text
 * @property {{ anchor: number, head: number }} [selection]  the initial selection
 * @property {string} id  prefix of ids on the page
 * @property {string} checkUrl
 * @property {string} schemaBase
 * @property {() => string} version
 * @property {() => Record<string, string>} fields  extra fields sent with every check
 * @property {boolean} [isLive]  the text may hold objects that exist
 * @property {any} bar  the Bar above the text
 * @property {(text: string) => void} onText
 * @property {() => void} apply  the action of Ctrl-Enter
 * @property {any[]} [panes]  more panes: { name, element, show() }
 */

export class Bench {
  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    this.bar = source.bar;
    this.live = new Set();
    /** @type {Map<string, string>} the presumed behaviour of containers, by document and path of the image */
    this.presumed = new Map();
    this.schemas = new Schemas(source.schemaBase, source.version);
    this.checker = new Checker({ url: source.checkUrl, fields: source.fields, read: () => this.text, show: (answer) => this.answered(answer), onState: (state) => this.problems.tell(state) });
    this.tab = "yaml";
    this.panes = { form: new FormPane(this), behaviour: new BehaviourPane(this), ...Object.fromEntries((source.panes ?? []).map((pane) => [pane.name, pane])) };
    this.yaml = make("div", { class: "bench__yaml" });
    this.side = make("div", { class: "bench__side", hidden: true });
    this.problems = new ProblemList(this);
    this.element = make("div", { class: "bench", "data-bench": "open" }, [make("div", { class: "bench__panes" }, [this.yaml, this.side]), this.problems.element, this.foot()]);
    this.element.prepend(this.bar.element);
    this.nameAreas();
    this.view = createView({ parent: this.yaml, text: source.text, selection: source.selection, label: message("editor.label"), leave: () => this.leave(), extensions: this.extensions() });
    this.wireBar();
    this.element.addEventListener("keydown", (event) => {
      // In the text the keymap handles it; this is for the panes beside it.
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
      event.preventDefault();
      this.source.apply();
    });
    acceptDrops(this.element, (files) => this.openFiles(files));
    this.showPlace();
    this.checker.ask();
  }

  get text() {
    return this.view.state.doc.toString();
  }

  extensions() {
    const act = (/** @type {() => any} */ task) => () => {
      task();
      return true;
    };
    return [
      // Before CodeMirror's own: Mod-Enter inserts a line there.
      Prec.highest(
        keymap.of([
          { key: "Mod-Enter", run: act(() => this.source.apply()) },
          { key: "F8", run: act(() => this.problems.next(1)), shift: act(() => this.problems.next(-1)) },
          { key: "Mod-.", run: act(() => openFixes(this)) },
        ]),
      ),
      hoverDocs(this.schemas, () => this.source.isLive === true && this.live.size > 0),
      completion(this.schemas),
      this.source.isLive ? changeGutter() : [],
      drawFindings(),
      EditorView.updateListener.of((/** @type {any} */ update) => {
        if (update.docChanged) this.changed();
        if (update.docChanged || update.selectionSet) this.showPlace();
      }),
    ];
  }

  nameAreas() {
    Object.assign(this.yaml, { id: `${this.bar.id}-pane-yaml` });
    this.yaml.setAttribute("role", "tabpanel");
    this.yaml.setAttribute("aria-labelledby", `${this.bar.id}-tab-yaml`);
    this.side.setAttribute("role", "tabpanel");
  }

  wireBar() {
    this.bar.onTab = (/** @type {string} */ name) => this.open(name);
    this.bar.onFiles = (/** @type {any} */ files) => this.openFiles(files);
    const shown = localStorageValue(KEPT) !== "0";
    const ghosts = make("button", { type: "button", class: "button button--small button--quiet", "aria-pressed": String(shown), title: message("editor.defaults_help"), text: message("editor.defaults") });
    ghosts.addEventListener("click", () => {
      const on = ghosts.getAttribute("aria-pressed") !== "true";
      ghosts.setAttribute("aria-pressed", String(on));
      showDefaults(this.view, on);
      localStorageValue(KEPT, on ? "1" : "0");
    });
    if (!shown) showDefaults(this.view, false);
    this.bar.end.prepend(ghosts);
  }

  foot() {
    this.place = make("span", { class: "num" });
    const keys = [["Ctrl Space", "editor.key.complete"], [`${MOD} .`, "editor.key.fix"], ["F8", "editor.key.next"], [`${MOD} Enter`, this.source.isLive ? "editor.key.apply" : "editor.key.run"], ["Esc", "editor.key.leave"]];
    const legend = this.source.isLive ? make("details", { class: "menu bench__legend" }, [make("summary", { class: "linkbtn", text: message("editor.legend") }), make("ul", {}, Object.entries(CHANGE_SIGNS).map(([change, sign]) => make("li", {}, [make("span", { class: "change-sign", "data-change": change, "aria-hidden": "true", text: sign }), ` ${message(`editor.change.${change}`)}`])))]) : "";
    return make("div", { class: "bench__foot" }, [this.place, legend, make("span", { class: "bench__keys" }, keys.flatMap(([key, words]) => [make("span", {}, [...key.split(" ").map((name) => make("kbd", { text: name })), ` ${message(words)}`])]))]);
  }

  showPlace() {
    const { head } = this.view.state.selection.main;
    const line = this.view.state.doc.lineAt(head);
    if (this.place) this.place.textContent = message("editor.place", { line: line.number, col: head - line.from + 1 });
  }

  changed() {
    this.source.onText(this.text);
    this.checker.changed();
    if (this.tab !== "yaml") /** @type {any} */ (this.panes)[this.tab]?.show();
  }

  /** @param {any} answer */
  answered(answer) {
    showFindings(this.view, answer.diagnostics.map(withGhost));
    const presumed = answer.diagnostics.filter((/** @type {any} */ own) => own.code === "presumed");
    this.presumed = new Map(presumed.map((/** @type {any} */ own) => [`${own.document}/${own.path}`, own.message]));
    if (this.tab === "behaviour") this.panes.behaviour.show();
    this.live = new Set(answer.documents.filter((/** @type {any} */ own) => own.exists).map((/** @type {any} */ own) => own.index));
    this.problems.show();
    if (this.source.isLive) showChanges(this.view, this.schemas, this.live);
    // Counted, so that tests know which answer they see.
    this.element.dataset.checked = String(Number(this.element.dataset.checked || 0) + 1);
  }

  /** The version has changed: check the text again. */
  versionChanged() {
    this.checker.ask();
  }

  /** @param {string} name  yaml, form, behaviour or the name of another pane */
  open(name) {
    /** @type {any} */ (this.panes)[this.tab]?.flush?.();
    this.tab = name;
    this.bar.mark(name);
    this.element.dataset.tab = name;
    const pane = /** @type {any} */ (this.panes)[name];
    this.side.hidden = !pane;
    if (pane) {
      this.side.id = `${this.bar.id}-pane-${name}`;
      this.side.setAttribute("aria-labelledby", `${this.bar.id}-tab-${name}`);
      this.side.replaceChildren(pane.element);
      pane.show();
    // It was hidden, or had another width: CodeMirror measures only what is visible.
    } else this.view.requestMeasure();
  }

  /** Write pending edits of a form back into the text. */
  flush() {
    /** @type {any} */ (this.panes)[this.tab]?.flush?.();
  }

  /** @param {FileList | File[]} files */
  async openFiles(files) {
    const words = await textOf(files);
    if (words === null) return;
    this.flush();
    this.replace(words);
    this.open("yaml");
    this.view.focus();
  }

  /** @param {string} words */
  replace(words) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: words }, selection: { anchor: 0 }, scrollIntoView: true, userEvent: "input.file" });
  }

  /** @param {number} position */
  goTo(position) {
    if (this.tab !== "yaml" && this.yaml.offsetParent === null) this.open("yaml");
    const at = Math.min(position, this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }

  /** @param {number} number  1-based */
  goToLine(number) {
    const { doc } = this.view.state;
    this.goTo(doc.line(Math.min(Math.max(number, 1), doc.lines)).from);
  }

  /** Leave the text, so that the next Tab goes on from there. */
  leave() {
    (find("[data-after-editor]", this.element.closest("form, dialog") ?? document) ?? find(".bench__foot summary, .finding__go", this.element))?.focus();
    if (this.element.contains(document.activeElement) && this.view.hasFocus) this.bar.focus();
  }

  close() {
    this.checker.stop();
    this.view.destroy();
    this.element.remove();
  }
}

/**
 * Defaults that the server fills in are shown at the end of the line, in the notation of the manifest.
 * @param {any} found
 */
function withGhost(found) {
  if (!found.defaults?.length) return found;
  const ghost = found.defaults.map((/** @type {any} */ own) => `${own.path.split(".").pop()}: ${typeof own.value === "object" ? JSON.stringify(own.value) : own.value}`);
  return { ...found, ghost };
}

/** @param {string} name @param {string} [value] */
function localStorageValue(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null; // The choice then lasts for this page only.
  }
}
