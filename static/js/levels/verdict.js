// @ts-check
/** The result of *Check now*: passed or not, why, and what comes next. */

import { make } from "../base/dom.js";
import { clockText, secondsText } from "../base/format.js";
import { text } from "../base/i18n.js";
import { inline } from "../base/inline.js";

/**
 * @typedef {object} CheckTold
 * @property {string} id
 * @property {string} verdict
 * @property {number | null} at_ms
 * @property {number} seq
 * @property {string} subject
 * @property {string} reason
 */

/**
 * @typedef {object} Told  the server's answer
 * @property {boolean} passed
 * @property {number} seed
 * @property {number} own_seed
 * @property {{ seed: number, passed: boolean }[]} seeds
 * @property {string[]} forbidden
 * @property {boolean} is_whole
 * @property {number} acts
 * @property {number | null} best
 * @property {string[]} unneeded
 * @property {number} points
 * @property {number} points_max
 * @property {CheckTold[]} checks
 * @property {string} [more]  the page to continue from if no level follows, "" after the last
 * @property {string[]} [debrief]
 * @property {{ title: string, url: string }[]} [sources]
 * @property {{ title: string, url: string } | null} [next]
 */

/** @typedef {{ checks: { id: string, text?: string }[], end_ms: number, before: string, moment: (seq: number) => number | undefined }} RunTold  the run as the page knows it; `moment` is that of a record, if it has arrived; `before` compares it with the previous attempt */

/**
 * @param {HTMLElement} place
 * @param {Told} verdict
 * @param {RunTold} run
 */
export function showVerdict(place, verdict, run) {
  place.dataset.passed = String(verdict.passed);
  place.replaceChildren(
    make("p", { class: "level__result" }, [make("strong", { text: text(verdict.passed ? "level.passed" : "level.not_passed") }), " ", make("span", { class: "num", text: text("level.points", { points: verdict.points, max: verdict.points_max }) })]),
    ...(verdict.passed ? passed(verdict) : failed(verdict, run)),
    ...(run.before ? [make("p", {}, [make("a", { href: run.before, text: text("level.compare") })])] : []),
  );
}

/** @param {string} words */
const line = (words) => make("p", {}, inline(words));

/** @param {Told} verdict */
function passed(verdict) {
  const { acts, best, unneeded, debrief = [], sources = [], next, more } = verdict;
  const parts = [line(text("level.all_seeds", { n: verdict.seeds.length }))];
  if (best !== null && acts > best) parts.push(line(text("level.acts", { acts, best })));
  if (unneeded.length) parts.push(line(text("level.unneeded")), make("ul", {}, unneeded.map((words) => make("li", {}, inline(words)))));
  parts.push(...debrief.map(line));
  if (sources.length) parts.push(make("ul", {}, sources.map(({ title, url }) => make("li", {}, [make("a", { href: url, rel: "noreferrer", text: title })]))));
  const way = next ? { href: next.url, text: text("level.next", { title: next.title }) } : more ? { href: more, text: text("level.more") } : null;
  parts.push(way ? make("p", {}, [make("a", { class: "button button--small button--primary", ...way })]) : line(text("level.all_done")));
  return parts;
}

/** @param {Told} verdict @param {RunTold} run */
function failed(verdict, { checks, ...run }) {
  const parts = [];
  const isOwn = verdict.seed === verdict.own_seed;
  if (verdict.forbidden.length) parts.push(line(text("level.not_this_way", { acts: verdict.forbidden.join(", ") })));
  if (!verdict.is_whole) parts.push(line(text("level.too_much")));
  if (!isOwn) parts.push(line(text("level.other_seed", { seed: verdict.seed })));
  const missed = verdict.checks.filter(({ verdict }) => verdict !== "kept" && verdict !== "open");
  parts.push(make("ul", { class: "level__missed" }, missed.map((check) => {
    const words = checks.find(({ id }) => id === check.id)?.text ?? check.id;
    return make("li", {}, [make("strong", {}, inline(words)), " ", ...inline(check.reason), " ", ...(isOwn ? [goTo(check, run)] : [])]);
  })));
  return parts;
}

/**
 * For a check that the run has not decided yet: what *Check now* found at the end of the attempt, with its instant.
 * @param {CheckTold} check
 * @param {Pick<RunTold, "end_ms" | "moment">} run
 */
export function foundAhead(check, run) {
  const at_ms = run.moment(check.seq) ?? check.at_ms;
  const way = at_ms === null ? [] : [" ", goTo(check, run, clockText(at_ms))];
  return [...way, " ", make("span", { class: "level__until", text: text("level.ahead") })];
}

/**
 * A link to the deciding record or instant. If the run has already reached it, the run stays where it is: another act may still be wanted
 * there. Otherwise it can be led there.
 * @param {CheckTold} check
 * @param {Pick<RunTold, "end_ms" | "moment">} run
 * @param {string} [said]  the text of the link; by default "go to" its time
 */
function goTo({ at_ms: decided_ms, seq, subject }, { end_ms, moment }, said = "") {
  const at_ms = moment(seq) ?? decided_ms;
  if (at_ms === null) return "";
  const words = said || text("level.go_to", { time: clockText(at_ms) });
  if (at_ms > end_ms) return make("button", { type: "button", class: "linkbtn", "data-level-run-to": String(at_ms), "data-level-seq": String(seq), text: words });
  const more = seq ? `&sel=${encodeURIComponent(subject)}&rec=${seq}&tab=why` : "";
  const seek = seq ? { "data-seek-seq": String(seq), "data-open-tab": "why" } : { "data-seek": String(at_ms) };
  return make("a", { href: `?t=${secondsText(at_ms)}${more}`, ...seek, text: words });
}
