// @ts-check
/** The view of the lanes, as addresses carry it: the stretch on screen, what is folded, searched for and selected, notes, the clock. */

/**
 * The parameters of the address, each as text; empty for the default. `v`: the stretch of time, in ms as from_to; `fold`: what is folded;
 * `open`: unfolded pods; `q`: the search; `sort`: trouble first; `range`: the selected stretch; `old`: "0" hides the old future.
 *
 * @typedef {{ v: string, fold: string, open: string, q: string, sort: string, range: string, notes: string, clock: string, old: string, pins: string }} Look
 */

/** Maximum length of `open` in an address. A name that is cut off there matches no pod, and is ignored. */
const OPEN_MAX = 700;

const NOTHING = { v: "", fold: "", open: "", q: "", sort: "", range: "", notes: "", clock: "", old: "", pins: "" };

/**
 * @param {any} timeline
 * @returns {Look}
 */
export function lookOf(timeline) {
  if (!timeline) return NOTHING;
  const { viewport, view, search, stretch, notes, clock } = timeline;
  return {
    // A colon would be escaped in a query, and make the link longer and harder to read.
    v: viewport.range().replace(":", "_"),
    fold: view.foldWord(),
    open: [...view.open].join(",").slice(0, OPEN_MAX),
    q: search.input.value,
    sort: view.order ? "trouble" : "",
    range: stretch.word,
    notes: notes.word,
    clock: clock.kind === "run" ? "" : clock.kind,
    old: view.isOldShown ? "" : "0",
    pins: view.pinWord(),
  };
}

/**
 * Apply the view of an address. False if it has no stretch of time, so that the caller chooses one.
 * @param {any} timeline
 * @param {string} search  the address's query
 */
export function applyLook(timeline, search) {
  const query = new URLSearchParams(search);
  const { view } = timeline;
  // With a stretch of time the link is complete; without one, an empty list would unfold what this browser folds by itself.
  if (query.get("fold") || query.get("v")) view.readFolds(query.get("fold") || "");
  for (const pod of words(query.get("open"))) view.open.add(pod);
  if (query.get("sort") === "trouble") timeline.choices.sortByTrouble();
  if (query.get("old") === "0") view.showOld(false);
  view.readPins(query.get("pins") || "");
  if (query.get("q")) timeline.search.set(query.get("q"));
  timeline.stretch.read(query.get("range") || "");
  timeline.notes.read(query.get("notes") || "");
  timeline.choices.readClock(query.get("clock") || "");
  const [, from, to] = /^(-?\d{1,12})_(\d{1,12})$/.exec(query.get("v") || "") ?? [];
  if (!to || Number(to) <= Number(from)) return false;
  timeline.viewport.show(Number(from), Number(to));
  timeline.invalidate();
  return true;
}

/** @param {string | null} list */
function words(list) {
  return (list || "").split(",").filter(Boolean);
}
