// @ts-check
/**
 * What a pupil can do in a class besides watching: their name, a raised hand, a run of their own, and votes on what will happen.
 *
 * Theory. The socket of the class only says that there is news; the news itself is fetched (simulator/web/classes/members.py). When the
 * teacher sends everybody to a run of their own, each page goes there after a delay of its own (`wait_ms`), since a whole class that asks
 * at once would have to wait for the last. A pupil who already has a run there goes to it, the others start one, and try again while the
 * site is busy. Each such start has a number, and the tab remembers the one it went to: going back to the teacher does not lead there
 * again.
 */

import { find, findAll, setHidden, make, post, setAttributes, setText } from "../base/dom.js";
import { text } from "../base/i18n.js";
import { toast } from "../base/toast.js";

/** How often the site is asked even without news, which also tells it that the pupil is still here (ms). */
const HERE_MS = 30_000;
/** Delay before a busy site is asked for a run again (ms), and the number of tries: a minute in all. */
const AGAIN_MS = 3000;
const AGAIN_MOST = 20;
/** sessionStorage key for the start that this tab went to, as `code:number`. */
const STARTED = "podscope.class.start";

/** @typedef {{ id: number, question: string, choices: string[], round: number, open: boolean, mine: number | null, right: number | null, counts: number[][] }} Vote */
/** @typedef {{ url: string, start: number, wait_ms: number }} Own  the pupil's own run, to which the teacher has just sent everybody */
/** @typedef {{ name: string, hand: boolean, run: string, apart: boolean, start: number, begun: boolean, wait_ms: number, ask: Vote | null }} Me */

export class ClassWork {
  /** @param {any} classroom */
  constructor(classroom) {
    this.classroom = classroom;
    this.base = `/class/${classroom.code}/`;
    /** @type {Me | null} */
    this.me = null;
    /** The number of the news last fetched. */
    this.news = -1;
    /** Timers: until the site is asked again, and until it is this page's turn to go to its own run. */
    this.timer = 0;
    this.turn = 0;
    /** Whether a run of their own is being requested. */
    this.isBeginning = false;
    /** The content of the vote on the page, which is left alone while that stays the same. */
    this.drawn = "";
    this.hand = button("class.hand", () => this.change({ hand: this.me?.hand ? "0" : "1" }));
    this.mine = make("a", { class: "button button--small", text: text("class.mine") });
    this.name = make("input", { class: "input", name: "name", maxlength: "40", required: true, autocomplete: "off", placeholder: text("class.name"), "aria-label": text("class.name") });
    this.joining = make("form", { class: "cluster" }, [this.name, make("button", { class: "button button--small", text: text("class.join") })]);
    this.joining.addEventListener("submit", (event) => {
      event.preventDefault();
      this.change({ name: /** @type {HTMLInputElement} */ (this.name).value });
    });
    this.element = make("div", { class: "cluster" }, [this.joining, this.mine, this.hand]);
    this.panel = make("section", { class: "class-vote", "aria-label": text("class.vote") });
    this.show();
  }

  /** A message from the class socket. News is fetched once; a run to go to is part of the message. @param {{ leads: boolean, news: number, own?: Own | null }} room */
  onRoom({ leads, news, own }) {
    if (leads || (news === this.news && !own)) return;
    this.news = news;
    if (own && started() !== `${this.classroom.code}:${own.start}`) this.goIn(own);
    else this.ask();
  }

  async ask() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.ask(), HERE_MS);
    const run = this.classroom.page.main.dataset.run || "";
    try {
      const answer = await fetch(`${this.base}me/?run=${encodeURIComponent(run)}`, { headers: { Accept: "application/json" }, credentials: "same-origin" });
      if (answer.ok) this.take(await answer.json());
    } catch {
      // It is asked again after HERE_MS, and then says the same.
    }
  }

  /** @param {Me} me */
  take(me) {
    this.me = me;
    this.show();
    if (!me.apart || !me.name || started() === `${this.classroom.code}:${me.start}`) return;
    if (me.begun) this.goIn({ url: me.run, start: me.start, wait_ms: me.wait_ms });
    else this.inTurn(me.wait_ms, () => this.begin());
  }

  /** Go to an existing run when it is this page's turn. @param {Own} own */
  goIn(own) {
    this.inTurn(own.wait_ms, () => this.go(own));
  }

  /** Wait for this page's turn, then act. @param {number} wait_ms @param {() => void} act */
  inTurn(wait_ms, act) {
    if (this.isBeginning) return;
    clearTimeout(this.turn);
    this.turn = window.setTimeout(act, wait_ms);
  }

  /** @param {{ url: string, start: number }} own */
  go({ url, start }) {
    remember(`${this.classroom.code}:${start}`);
    this.classroom.alone();
    if (url !== location.pathname) location.assign(url);
  }

  /** Go to the pupil's own run to which the teacher has sent everybody; if the site is busy, try again after a while. @param {number} [tries] */
  async begin(tries = 0) {
    if (this.isBeginning && !tries) return;
    this.isBeginning = true;
    const answer = await this.send("mine/", {}, tries < AGAIN_MOST);
    if (answer === "again") {
      this.timer = window.setTimeout(() => this.begin(tries + 1), AGAIN_MS);
      return;
    }
    this.isBeginning = false;
    if (answer) this.go(answer);
  }

  /** @param {Record<string, string>} fields */
  async change(fields) {
    const me = await this.send("me/", fields);
    if (!me) return;
    this.take(me);
    if ("name" in fields) this.hand.focus();
  }

  /** @param {number} choice */
  async vote(choice) {
    const me = await this.send("vote/", { ask: String(this.me?.ask?.id ?? 0), choice: String(choice) });
    if (!me) return;
    this.take(me);
    toast(text("class.voted"), "ok");
  }

  /** @param {string} path @param {Record<string, string>} fields @param {boolean} [isPatient]  whether to ask a busy site again @returns {Promise<any>} */
  async send(path, fields, isPatient = false) {
    try {
      const answer = await post(this.base + path, fields);
      if (answer.ok) return await answer.json();
      if (isPatient && (answer.status === 429 || answer.status === 503)) return "again";
      const told = await answer.json().catch(() => ({}));
      toast(told.text || text("class.failed"), "bad");
    } catch {
      if (isPatient) return "again";
      toast(text("class.failed"), "bad");
    }
    return null;
  }

  show() {
    const { me } = this;
    setHidden(this.joining, !me || Boolean(me.name));
    setHidden(this.hand, !me?.name);
    setHidden(this.mine, !me?.run || me.run === location.pathname);
    if (!me) return;
    setAttributes(this.mine, { href: me.run });
    setAttributes(this.hand, { "aria-pressed": String(me.hand) });
    setText(this.hand, text(me.hand ? "class.hand_down" : "class.hand"));
    this.showVote(me);
  }

  /** @param {Me} me */
  showVote({ ask, name }) {
    const state = JSON.stringify([ask, Boolean(name)]);
    // A focused radio button is left alone.
    if (state === this.drawn) return;
    this.drawn = state;
    if (!ask) {
      this.panel.remove();
      return;
    }
    const isFocused = this.panel.contains(document.activeElement);
    this.panel.replaceChildren(make("h2", { text: ask.question }), ask.open ? this.voteForm(ask, name) : votes(ask));
    if (!this.panel.isConnected) find(".classbar")?.after(this.panel);
    if (isFocused) find("input:checked, button", this.panel)?.focus();
  }

  /** @param {Vote} ask @param {string} name */
  voteForm(ask, name) {
    const choices = ask.choices.map((choice, n) =>
      make("label", { class: "check" }, [make("input", { type: "radio", name: "choice", value: String(n), required: true, checked: ask.mine === n, disabled: !name }), choice]),
    );
    const told = !name ? "class.vote_name" : ask.mine !== null ? "class.vote_given" : ask.round > 1 ? "class.vote_again" : "class.vote_alone";
    const form = make("form", { class: "cluster" }, [
      make("fieldset", { class: "cluster" }, [make("legend", { class: "visually-hidden", text: ask.question }), ...choices]),
      make("button", { class: "button button--small button--primary", text: text("class.vote_send"), disabled: !name }),
      make("small", { role: "status", text: text(told) }),
    ]);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const chosen = findAll("input", form).findIndex((input) => /** @type {HTMLInputElement} */ (input).checked);
      if (chosen >= 0) this.vote(chosen);
    });
    return form;
  }

  stop() {
    clearTimeout(this.timer);
    clearTimeout(this.turn);
    this.panel.remove();
  }
}

/** How the class has voted, round by round. @param {Vote} ask */
function votes({ choices, counts, mine, right }) {
  const most = Math.max(1, ...counts.flat());
  const rounds = counts.length > 1 ? counts.map((_each, n) => make("th", { scope: "col", text: text("class.round", { n: n + 1 }) })) : [];
  const rows = choices.map((choice, n) =>
    make("tr", { "data-mine": n === mine || undefined, "data-right": n === right || undefined }, [
      make("th", { scope: "row", text: [n === right ? "✓" : "", n === mine ? text("class.vote_mine", { choice }) : choice, n === right ? `(${text("class.vote_right")})` : ""].filter(Boolean).join(" ") }),
      ...counts.map((round) => make("td", {}, [make("progress", { max: String(most), value: String(round[n]), "aria-hidden": "true" }), ` ${round[n]}`])),
    ]),
  );
  return make("table", {}, [...(rounds.length ? [make("thead", {}, [make("tr", {}, [make("td"), ...rounds])])] : []), make("tbody", {}, rows)]);
}

/** @param {string} key @param {() => void} press */
function button(key, press) {
  const element = make("button", { type: "button", class: "button button--small", text: text(key) });
  element.addEventListener("click", press);
  return element;
}

/** The start that this tab last went to. */
function started() {
  try {
    return sessionStorage.getItem(STARTED) || "";
  } catch {
    return "";
  }
}

/** @param {string} start */
function remember(start) {
  try {
    sessionStorage.setItem(STARTED, start);
  } catch {
    // Without storage, a reloaded page goes there again.
  }
}
