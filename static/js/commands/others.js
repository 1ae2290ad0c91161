// @ts-check
/**
 * The acts of objects that are not selected, for the list of commands.
 *
 * The server knows which acts an object has at the moment, so each object's menu is fetched, but only once something is typed, and once per
 * moment. If a run has more objects than the limit, the rest of a kind are shown with the acts of one whose menu was fetched; when one of
 * those is chosen, the act is looked up again in the object's own menu.
 */

import { find, findAll } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { answerTimeout } from "../base/retry.js";
import { parseSubject, shortPod } from "../wire/record.js";

/** Menus are fetched for at most this many objects. */
const ASKED_MAX = 12;

/** @typedef {{ label: string, heading: string, code: string, also: string, more: string, refused: boolean }} Known  an act as a menu offers it; `heading` is the part of the object that it is about */

export class OtherActs {
  /** @param {any} page  the RunPage */
  constructor(page) {
    this.page = page;
    /** The moment and the selection that the acts were fetched for. */
    this.about = "";
    /** @type {Map<string, Known[]>} by object */
    this.known = new Map();
  }

  /** Fetch the acts of this moment, once. @param {() => void} changed  called whenever some have arrived */
  async gather(changed) {
    const { page } = this;
    const about = `${page.playhead.seq}|${page.sel}`;
    if (about === this.about) return;
    this.about = about;
    this.known = new Map();
    for (const subject of objectsOf(page.store).filter((each) => each !== ownerOf(page.sel)).slice(0, ASKED_MAX)) {
      const html = await menuOf(page, subject).catch(() => "");
      if (this.about !== about) return;
      this.known.set(subject, actsIn(html));
      changed();
    }
  }

  /** @returns {import("./match.js").Command[]} */
  commands() {
    const { page, known } = this;
    if (!known.size) return [];
    const likes = new Map([...known].map(([subject, acts]) => [parseSubject(subject).type, acts]));
    return objectsOf(page.store).flatMap((subject) => {
      const acts = subject === ownerOf(page.sel) ? [] : known.get(subject) ?? likes.get(parseSubject(subject).type) ?? [];
      return acts.map((act) => this.command(subject, act));
    });
  }

  /** @param {string} subject @param {Known} act @returns {import("./match.js").Command} */
  command(subject, act) {
    const name = shortName(subject);
    const part = act.heading && act.heading !== name && this.known.has(subject) ? act.heading : "";
    const code = this.known.has(subject) ? act.code : "";
    const note = [name, part, act.refused ? text("commands.refused") : ""].filter(Boolean).join(" · ");
    return { group: text("commands.others"), label: act.label, also: act.also, more: `${act.more} ${code} ${subject}`, code, note, refused: act.refused, run: () => this.perform(subject, act) };
  }

  /** Select the object and perform the act there; an act that has fields opens at them. @param {string} subject @param {Known} act */
  perform(subject, act) {
    const { page } = this;
    page.select(subject, 0);
    page.timeline?.showLane();
    page.menu.want(async (/** @type {any} */ menu) => {
      await menu.gather(subject);
      const button = buttonsIn(menu.body).find((each) => nameOf(each) === act.label && headingOf(each) === act.heading) ?? buttonsIn(menu.body).find((each) => nameOf(each) === act.label);
      if (!button) menu.leave();
      else if (button.form && asksIn(button.form)) menu.show(button.form);
      else button.click();
    });
  }
}

/** Objects with acts of their own: the workloads, nodes and pods that exist, in the order of their lanes. @param {any} store @returns {string[]} */
function objectsOf({ lanes }) {
  const pods = [...lanes.pods.values()].filter(({ status }) => status.spans.at(-1)?.tone !== "absent").map(({ status }) => status.subject);
  return [...lanes.workloads.keys(), ...[...lanes.nodes.keys()].map((name) => `node/${name}`), ...pods];
}

/** The pod of a container, a probe or a condition; anything else is its own owner. @param {string} subject */
function ownerOf(subject) {
  const { pod } = parseSubject(subject);
  return pod ? `pod/${pod}` : subject;
}

/** @param {string} subject */
function shortName(subject) {
  return shortPod(subject.slice(subject.indexOf("/") + 1));
}

/** @param {any} page @param {string} subject */
async function menuOf(page, subject) {
  const { seq, t_ms } = page.playhead;
  const query = new URLSearchParams({ sel: subject, t: String(Math.floor(t_ms)) });
  const answer = await fetch(`${page.panelBase}${seq}/panel/faults/?${query}`, { credentials: "same-origin", headers: { "HX-Request": "true" }, signal: answerTimeout() });
  return answer.ok ? answer.text() : "";
}

/** @param {string} html  of a menu, from the server @returns {Known[]} */
function actsIn(html) {
  const place = document.createElement("template");
  place.innerHTML = html;
  return buttonsIn(place.content).map((button) => ({
    label: nameOf(button),
    heading: headingOf(button),
    code: find("code.kubectl", button.form ?? undefined)?.textContent?.trim() || "",
    also: alsoOf(button.form),
    more: button.title,
    refused: button.getAttribute("aria-disabled") === "true",
  }));
}

/** @param {any} place @returns {HTMLButtonElement[]} */
function buttonsIn(place) {
  return /** @type {HTMLButtonElement[]} */ (findAll("form button:not([type=button])", place));
}

/** @param {HTMLElement} button */
function nameOf(button) {
  return button.textContent?.trim().replace(/\s+/g, " ") || button.title;
}

/** @param {HTMLElement} button */
function headingOf(button) {
  return find("h3", button.closest("section") ?? undefined)?.textContent?.trim() || "";
}

/** Whether an act has fields to fill in; without any it is done at once. @param {HTMLFormElement} form */
export function asksIn(form) {
  return findAll("input:not([type=hidden]), select", form).length > 0;
}

/** Acts that restart a container. */
const RESTARTS = new Set(["exit_container", "signal_container", "oom_container"]);

/** Words that find an act, besides its name. @param {HTMLFormElement | null} form */
export function alsoOf(form) {
  const kind = /** @type {HTMLInputElement | null} */ (form && find('input[name="do"]', form))?.value ?? "";
  return RESTARTS.has(kind) ? text("commands.also_restart") : "";
}
