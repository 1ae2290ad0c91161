// @ts-check
/** The acts on a lane, a span or a mark as a menu: by right click, long press, Shift+F10 or X. The server says which acts are possible; a
 * button in the head pins the lane. */

import { find, findAll, make } from "../base/dom.js";
import { clockText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { Panel } from "../panels/panel.js";
import { laneOf } from "../timeline/selection.js";
import { parseSubject, shortPod } from "../wire/record.js";

const STEPS = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1 });
const EDGE_PX = 8;

/** The tile of the map that contains an element. @param {Element | null} element */
function tileIn(element) {
  return /** @type {HTMLElement | null | undefined} */ (element?.closest(".map [data-select]"));
}

export class ActMenu {
  /**
   * @param {any} page  the RunPage
   * @param {string} base  address of the panels
   */
  constructor(page, base) {
    this.page = page;
    this.subject = this.lane = "";
    this.title = make("h2", { class: "fault-menu__title" });
    this.when = make("p", { class: "fault-menu__when" });
    this.body = make("div", { class: "fault-menu__body" });
    this.pin = make("button", { type: "button", class: "button button--small fault-menu__pin" });
    this.element = make("div", { class: "fault-menu", role: "dialog", "aria-label": text("faults.title"), hidden: true }, [make("div", { class: "fault-menu__head" }, [this.title, this.pin]), this.when, this.body]);
    page.main.append(this.element);
    const { playhead } = page;
    this.panel = new Panel(this.body, "faults", { base, concerns: page.store.concerns, moment: () => ({ seq: playhead.seq, t_ms: playhead.t_ms, sel: this.subject, rec: 0 }) });
    this.body.addEventListener("panel:shown", () => this.shown());
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.pin.addEventListener("click", () => this.pinned());
    // After the form has been read: htmx takes its fields in this task.
    this.element.addEventListener("submit", () => window.setTimeout(() => this.close(), 0));
    document.addEventListener("pointerdown", (event) => {
      if (!this.element.hidden && !("unseen" in this.element.dataset) && !this.element.contains(/** @type {Node} */ (event.target))) this.close(false);
    });
  }

  /**
   * @param {string} subject
   * @param {{ x: number, y: number }} point  on the screen
   * @param {string} [lane]  the subject's own by default
   */
  open(subject, point, lane) {
    this.point = point;
    this.isFresh = true;
    this.tile = tileIn(document.activeElement) ?? null;
    delete this.element.dataset.unseen;
    this.aim(subject, lane);
    this.place();
    this.panel.load();
  }

  /** Fetch the acts that a subject has, and show nothing yet: the list of commands reads them. @param {string} subject */
  gather(subject) {
    this.isFresh = false;
    this.element.dataset.unseen = "";
    this.aim(subject);
    return this.panel.load();
  }

  /** Forget what was fetched. */
  leave() {
    if ("unseen" in this.element.dataset) this.element.hidden = true;
  }

  /** Show what was fetched, at the fields of one act. @param {HTMLFormElement} form */
  show(form) {
    const box = this.page.timeline?.stage.getBoundingClientRect();
    this.point = { x: (box?.left ?? 0) + 12, y: (box?.top ?? 0) + 40 };
    delete this.element.dataset.unseen;
    this.element.hidden = false;
    this.place();
    form.scrollIntoView({ block: "nearest" });
    find("input:not([type=hidden]), select", form)?.focus({ preventScroll: true });
  }

  /** @param {string} subject @param {string} [lane] */
  aim(subject, lane) {
    const { playhead, store, timeline } = this.page;
    const { type, pod, container, name } = parseSubject(subject);
    this.subject = subject;
    this.lane = lane ?? laneOf(store, subject, 0)?.id ?? "";
    this.pin.hidden = !this.lane;
    this.pin.textContent = text(timeline?.view.pins.includes(this.lane) ? "pins.unpin" : "pins.pin");
    this.title.textContent = [pod ? shortPod(pod) : "", container, type === "pod" || name === container ? "" : name].filter(Boolean).join(" ▸ ") || subject;
    const time = text("time.prefix", { time: clockText(playhead.t_ms) });
    this.when.textContent = playhead.live ? text("faults.now", { time }) : text("faults.past", { time });
    this.body.replaceChildren();
    // Fetched again even for the same moment: the subject is another one.
    this.panel.key = "";
    this.element.hidden = false;
  }

  /** The choices have come: focus the first one, so that the keyboard can go on from there. */
  shown() {
    if (this.element.hidden) return;
    this.place();
    if (!this.isFresh) return;
    this.isFresh = false;
    find("button", this.body)?.focus({ preventScroll: true });
  }

  /** Pin the lane above all others, or unpin it. */
  pinned() {
    this.close();
    this.page.timeline?.choices.pin(this.lane);
  }

  place() {
    const { x, y } = this.point ?? { x: 0, y: 0 };
    const { offsetWidth: width, offsetHeight: height } = this.element;
    this.element.style.setProperty("left", `${Math.max(EDGE_PX, Math.min(x, innerWidth - width - EDGE_PX))}px`);
    this.element.style.setProperty("top", `${Math.max(EDGE_PX, Math.min(y, innerHeight - height - EDGE_PX))}px`);
  }

  /** @param {boolean} [returns]  whether the focus goes back to where it was: the map or the lanes */
  close(returns = true) {
    if (this.element.hidden) return;
    this.element.hidden = true;
    if (returns) (this.tile?.isConnected ? this.tile : this.page.timeline?.element)?.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      this.close();
      return;
    }
    const step = STEPS[event.key];
    if (!step || event.target instanceof HTMLSelectElement || (event.target instanceof HTMLInputElement && event.target.type === "number")) return;
    event.preventDefault();
    const stops = findAll("button, input:not([type=hidden]), select", this.element).filter((stop) => !stop.hidden);
    const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    stops[(at + step + stops.length) % stops.length]?.focus();
  }

  /** Open at the focused tile of the map or lane, or at the selection. */
  openAtSelection() {
    const { timeline, sel } = this.page;
    if (!timeline) return;
    const tile = tileIn(document.activeElement);
    if (tile) {
      const { left, bottom } = tile.getBoundingClientRect();
      this.open(tile.dataset.select || "", { x: left, y: bottom + 2 });
      return;
    }
    const row = timeline.navigator.row;
    const box = timeline.stage.getBoundingClientRect();
    const y = row ? box.top + row.y - timeline.body.scrollTop + row.h : box.top + 40;
    this.open(row?.lane.subject || sel, { x: box.left + 12, y }, row?.lane.id);
  }
}
