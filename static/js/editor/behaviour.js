// @ts-check
/** The pane for the behaviour of containers: when they end, how they take the stop signal, what they answer, how their memory grows. */

import { find, make } from "../base/dom.js";
import { text as message } from "../base/i18n.js";
import * as words from "./behaviour-text.js";
import { containersOf, podHome } from "./pods.js";
import { readParts } from "./yaml-edit.js";

/** @type {{ id: string, write: (block: any, container: string, port: string) => void }[]} */
const PRESETS = [
  { id: "crash", write: (block, container) => words.writeEndings(block, container, [{ after: "3s", code: "1" }]) },
  { id: "recover", write: (block, container) => words.writeEndings(block, container, [{ after: "3s", code: "1" }, { after: "3s", code: "1" }, { after: "", code: "never" }]) },
  { id: "done", write: (block, container) => words.writeEndings(block, container, [{ after: "20s", code: "0" }]) },
  { id: "deaf", write: (block, container) => words.writeTerm(block, container, { how: "ignore", after: "", code: "0" }) },
  { id: "drain", write: (block, container) => words.writeTerm(block, container, { how: "after", after: "8s", code: "0" }) },
  { id: "slow", write: (block, container) => words.writeDelay(block, container, "15s") },
  { id: "sick", write: (block, container, port) => words.writeAnswers(block, container, [[port, "/", "0s 200, 40s 500"]]) },
  { id: "leak", write: (block, container) => words.writeMemory(block, container, [["0s", "32Mi"], ["60s", "256Mi"]]) },
];

export class BehaviourPane {
  /** @param {any} bench */
  constructor(bench) {
    this.bench = bench;
    this.element = make("div", { class: "form-pane" });
    this.chosen = "";
    this.element.addEventListener("change", (event) => /** @type {any} */ (event.target).write?.());
  }

  flush() {
    const { activeElement } = document;
    if (this.element.contains(activeElement)) /** @type {any} */ (activeElement).write?.();
  }

  show() {
    // Everything is redrawn after each change; ids identify the field that had the focus.
    const kept = this.element.contains(document.activeElement) ? document.activeElement?.id : "";
    const all = readParts(this.bench.text)
      .filter((part) => part.isSound && podHome(part.kind))
      .flatMap((part) => containersOf(part).map((own) => ({ ...own, part, id: `${part.part.index}/${own.group}/${own.index}` })));
    const own = all.find(({ id }) => id === this.chosen) ?? all.find(({ group }) => group === "containers") ?? all[0];
    this.chosen = own?.id ?? "";
    this.element.replaceChildren(...(own ? this.drawn(all, own) : [make("p", { class: "empty", text: message("form.no_pod") })]));
    if (kept) find(`#${CSS.escape(kept)}`, this.element)?.focus();
  }

  /** @param {any[]} all @param {any} own */
  drawn(all, own) {
    const block = words.behaviourOf(own.part);
    const several = new Set(all.map((each) => each.part)).size > 1;
    const chips = all.map((each) => {
      const pod = several ? `${each.part.get(["metadata", "name"]) ?? "?"}/` : "";
      const chip = make("button", { type: "button", class: "chip", "aria-pressed": String(each === own), text: `${pod}${each.name || "?"}` });
      chip.addEventListener("click", () => {
        this.chosen = each.id;
        this.show();
      });
      return chip;
    });
    const head = [make("p", { class: "muted small", text: message("behaviour.about") }), make("div", { class: "cluster", role: "group", "aria-label": message("form.containers") }, chips)];
    // An annotation that cannot be read is left alone: writing one field would lose the rest.
    if (!block.isSound) return [...head, make("p", { class: "callout", "data-tone": "bad", text: message("behaviour.unreadable") })];
    return [...head, ...this.presumed(own, block), this.presets(own), this.ends(own, block), this.term(own, block), this.answers(own, block), this.exec(own, block), this.memory(own, block), this.log(own, block)];
  }

  /** @param {any} own @param {(block: any) => void} change */
  edit(own, change) {
    // The text has changed since this was drawn, and with it its positions; the next redraw is right again.
    if (own.part.whole !== this.bench.text) return;
    const block = words.behaviourOf(own.part);
    change(block);
    words.writeBehaviour(own.part, block);
    const edit = own.part.change();
    if (edit) this.bench.view.dispatch({ changes: edit, userEvent: "input.form" });
    this.show();
  }

  /** The presumed behaviour of an unknown program, as a block to begin with. @param {any} own @param {any} block */
  presumed(own, block) {
    const said = this.bench.presumed.get(`${own.part.part.index}/${words.imagePath(own.path)}`);
    if (!said || block.has([own.name])) return [];
    const button = make("button", { type: "button", class: "button button--small", text: message("behaviour.start_from_presumed") });
    button.addEventListener("click", () => this.edit(own, (fresh) => words.writePresumed(fresh, own)));
    return [make("p", { class: "callout", "data-tone": "info", "data-presumed": "" }, [make("span", { text: said }), button])];
  }

  /** @param {any} own */
  presets(own) {
    const port = String(own.part.get([...own.path, "ports", 0, "containerPort"]) ?? "8080");
    const buttons = PRESETS.map(({ id, write }) => {
      const button = make("button", { type: "button", class: "chip", title: message(`behaviour.preset.${id}.help`), text: message(`behaviour.preset.${id}`) });
      button.addEventListener("click", () => this.edit(own, (block) => write(block, own.name, port)));
      return button;
    });
    return this.group("presets", [make("div", { class: "cluster" }, buttons)]);
  }

  /** @param {any} own @param {any} block */
  ends(own, block) {
    const endings = words.endingsOf(block, own.name);
    const write = (/** @type {any[]} */ next) => this.edit(own, (fresh) => words.writeEndings(fresh, own.name, next));
    const rows = endings.map((ending, at) => {
      const replace = (/** @type {any} */ more) => write(endings.map((each, index) => (index === at ? { ...each, ...more } : each)));
      const isLast = at === endings.length - 1;
      const never = ending.code === "never";
      return make("div", { class: "row" }, [
        make("span", { class: "row__name", text: message(isLast && endings.length > 1 ? "behaviour.attempt_last" : isLast ? "behaviour.attempt_every" : "behaviour.attempt", { n: at + 1 }) }),
        this.choice(`end-${at}-how`, message("behaviour.how"), [["exit", message("behaviour.exits")], ["never", message("behaviour.runs_on")]], never ? "never" : "exit", (value) => replace(value === "never" ? { code: "never" } : { after: "5s", code: "1" })),
        ...(never ? [] : [this.input(`end-${at}-after`, message("behaviour.after"), ending.after, (value) => replace({ after: value })), this.input(`end-${at}-code`, message("behaviour.code"), ending.code, (value) => replace({ code: value || "0" }))]),
        this.remove(() => write(endings.filter((_, index) => index !== at))),
      ]);
    });
    if (!rows.length) rows.push(make("p", { class: "muted small", text: message("behaviour.no_end") }));
    return this.group("ends", [...rows, this.add(message("behaviour.add_attempt"), () => write([...endings, { after: "5s", code: "1" }])), this.delay(own, block), this.program(own, block)]);
  }

  /** @param {any} own @param {any} block */
  delay(own, block) {
    return make("div", { class: "row" }, [make("span", { class: "row__name", text: message("behaviour.ready_after") }), this.input("delay", message("behaviour.ready_after"), words.delayOf(block, own.name), (value) => this.edit(own, (fresh) => words.writeDelay(fresh, own.name, value)), "0s")]);
  }

  /** @param {any} own @param {any} block */
  program(own, block) {
    const choices = /** @type {[string, string][]} */ ([["", message("behaviour.program_replace")], ["keep", message("behaviour.program_keep")]]);
    const value = words.programOf(block, own.name) === "keep" ? "keep" : "";
    return make("div", { class: "row" }, [make("span", { class: "row__name", text: message("behaviour.program") }), this.choice("program", message("behaviour.program"), choices, value, (next) => this.edit(own, (fresh) => words.writeProgram(fresh, own.name, next)))]);
  }

  /** @param {any} own @param {any} block */
  term(own, block) {
    const term = words.termOf(block, own.name);
    const write = (/** @type {any} */ more) => this.edit(own, (fresh) => words.writeTerm(fresh, own.name, { ...term, ...more }));
    const choices = /** @type {[string, string][]} */ ([["", message("behaviour.term_exit")], ["after", message("behaviour.term_after")], ["ignore", message("behaviour.term_ignore")]]);
    return this.group("term", [
      make("div", { class: "row" }, [
        this.choice("term", message("behaviour.group.term"), choices, term.how, (how) => write({ how, after: term.after || "5s" })),
        ...(term.how === "after" ? [this.input("term-after", message("behaviour.after"), term.after, (after) => write({ after })), this.input("term-code", message("behaviour.code"), term.code, (code) => write({ code }))] : []),
      ]),
    ]);
  }

  /** @param {any} own @param {any} block */
  answers(own, block) {
    // What the pane cannot show it must not write either.
    if (words.answersAreRich(block, own.name)) return this.group("answers", [make("p", { class: "muted small", text: message("behaviour.rich") })]);
    return this.table(own, "answers", words.answersOf(block, own.name), ["port", "path", "status"], ["8080", "/healthz", "0s 200, 40s 500"], words.writeAnswers);
  }

  /** @param {any} own @param {any} block */
  exec(own, block) {
    if (words.execIsRich(block, own.name)) return this.group("exec", [make("p", { class: "muted small", text: message("behaviour.rich") })]);
    return this.table(own, "exec", words.execOf(block, own.name), ["command", "exit_status"], ["cat /tmp/healthy", "0s 0, 20s 1"], words.writeExec);
  }

  /** @param {any} own @param {any} block */
  memory(own, block) {
    return this.table(own, "memory", words.memoryOf(block, own.name), ["at", "bytes"], ["0s", "64Mi"], words.writeMemory);
  }

  /** @param {any} own @param {any} block */
  log(own, block) {
    return this.table(own, "log", words.logOf(block, own.name), ["at", "text"], ["1s", "listening"], words.writeLog);
  }

  /**
   * Rows of a few short fields each.
   * @param {any} own @param {string} id @param {string[][]} rows @param {string[]} names @param {string[]} starts
   * @param {(block: any, container: string, rows: any) => void} writer
   */
  table(own, id, rows, names, starts, writer) {
    const write = (/** @type {string[][]} */ next) => this.edit(own, (fresh) => writer(fresh, own.name, next));
    const drawn = rows.map((row, at) =>
      make("div", { class: "row" }, [
        ...row.map((value, column) => this.input(`${id}-${at}-${column}`, message(`behaviour.${names[column]}`), value, (fresh) => write(rows.map((each, index) => (index === at ? each.map((old, place) => (place === column ? fresh : old)) : each))), starts[column])),
        this.remove(() => write(rows.filter((_, index) => index !== at))),
      ]),
    );
    return this.group(id, [...drawn, this.add(message(`behaviour.add_${id}`), () => write([...rows, starts]))]);
  }

  /** @param {string} id @param {HTMLElement[]} inside */
  group(id, inside) {
    return make("fieldset", { class: "knobs knobs--rows", "data-group": id }, [make("legend", { text: message(`behaviour.group.${id}`) }), ...inside]);
  }

  /** @param {string} id @param {string} label @param {string} value @param {(value: string) => void} write @param {string} [placeholder] */
  input(id, label, value, write, placeholder = "") {
    const input = /** @type {HTMLInputElement} */ (make("input", { class: "input", id: `behaviour-${id}`, type: "text", title: label, "aria-label": label, placeholder: placeholder || label, spellcheck: "false", autocomplete: "off" }));
    input.value = value;
    return Object.assign(input, { write: () => input.value.trim() !== value && write(input.value.trim()) });
  }

  /** @param {string} id @param {string} label @param {[string, string][]} choices @param {string} value @param {(value: string) => void} write */
  choice(id, label, choices, value, write) {
    const select = /** @type {HTMLSelectElement} */ (make("select", { class: "select", id: `behaviour-${id}`, "aria-label": label }, choices.map(([name, shown]) => make("option", { value: name, selected: name === value, text: shown }))));
    return Object.assign(select, { write: () => select.value !== value && write(select.value) });
  }

  /** @param {string} label @param {() => void} act */
  add(label, act) {
    const button = make("button", { type: "button", class: "button button--small", text: `+ ${label}` });
    button.addEventListener("click", act);
    return button;
  }

  /** @param {() => void} act */
  remove(act) {
    const button = make("button", { type: "button", class: "iconbtn", title: message("behaviour.remove"), "aria-label": message("behaviour.remove"), text: "✕" });
    button.addEventListener("click", act);
    return button;
  }
}
