// @ts-check
/** The bar of a class below the head of a run page: its code, who follows whom, and the available actions. */

import { find, make, setText } from "../base/dom.js";
import { text } from "../base/i18n.js";

export class ClassBar {
  /** @param {any} room  the Classroom */
  constructor(room) {
    this.classroom = room;
    this.status = make("span", { class: "classbar__told", role: "status" });
    this.first = button("class.here", () => room.call(), "button button--small");
    this.second = button("class.release", () => this.pressed(), "button button--small");
    this.start = button("class.start", () => room.startHere(), "button button--small");
    this.wall = make("a", { class: "button button--small button--quiet", href: `/class/${room.code}/wall/`, target: "_blank", rel: "noopener", text: text("class.wall") });
    this.out = button("class.leave", () => room.leave(), "button button--small button--quiet");
    const code = `${room.code.slice(0, 3)}-${room.code.slice(3)}`;
    const named = text("class.code", { code });
    this.code = make("a", { class: "classbar__code", href: `/class/?from=${encodeURIComponent(location.pathname)}`, "aria-label": named }, [
      make("span", { class: "classbar__named", text: named }),
      make("span", { class: "classbar__short", text: code }),
    ]);
    this.element = make("section", { class: "classbar", "aria-label": text("class.label") }, [this.code, this.status, this.second, this.first, this.out, this.start, this.wall, room.together.element]);
  }

  show() {
    const { room, follows, isGuessed } = this.classroom;
    // At first only the code is known, and the bar shows it at once, so that nothing moves when the rest comes.
    if (!this.element.isConnected) find(".topbar")?.after(this.element);
    this.element.dataset.state = !room ? "" : room.leads ? "leads" : follows ? "follows" : "alone";
    for (const each of [this.first, this.start, this.wall]) each.hidden = !room?.leads;
    this.classroom.together.element.hidden = !room || room.leads;
    this.out.hidden = !room || room.leads;
    this.second.hidden = !room;
    if (isGuessed) setText(this.status, text("class.guessed"));
    if (!room) return;
    if (!isGuessed) setText(this.status, text(statusKeyOf(room, follows)));
    setText(this.second, text(room.leads ? (room.is_led ? "class.release" : "class.lead") : follows && room.is_led ? "class.alone" : "class.follow"));
  }

  pressed() {
    const { classroom } = this;
    const { room, follows } = classroom;
    if (room?.leads) classroom.lead(!room.is_led);
    else if (follows && room?.is_led) classroom.alone();
    else classroom.follow();
  }

  remove() {
    this.element.remove();
  }
}

/** @param {{ leads: boolean, is_led: boolean }} room @param {boolean} follows */
function statusKeyOf(room, follows) {
  if (room.leads) return room.is_led ? "class.led" : "class.released";
  if (!room.is_led) return "class.free";
  return follows ? "class.follows" : "class.is_alone";
}

/** @param {string} key @param {() => void} press @param {string} classes */
function button(key, press, classes) {
  const element = make("button", { type: "button", class: classes, text: text(key) });
  element.addEventListener("click", press);
  return element;
}
