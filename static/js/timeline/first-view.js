// @ts-check
/** What a page shows first: where something happened. */

/**
 * In a log that is still being received, it is only known at the end what happened: until then the view follows along, unless the reader
 * has looked elsewhere.
 * @param {any} timeline  the Timeline; named without its module, which loads this one
 */
export function showFirst(timeline) {
  const { viewport, run } = timeline;
  const until_ms = run.playhead.end_ms;
  let shown = "";
  const fit = () => {
    if (shown && viewport.range() !== shown) return;
    timeline.fit();
    shown = viewport.follow ? "" : viewport.range();
  };
  if (!timeline.isEmptyAfter()) return;
  fit();
  document.addEventListener("run:frame", () => {
    if (shown && run.store.active_ms <= until_ms) fit();
  });
}
