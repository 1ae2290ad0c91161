// @ts-check
/** What every named action of a run page does; buttons (`data-do`) and keys share these names. */

import { openHelp } from "./keys.js";
import { toggleState } from "./panels.js";

const SPEEDS = 6;

/**
 * @param {any} page  the RunPage
 * @returns {Record<string, () => void>}
 */
export function runActions(page) {
  const { transport, timeline } = page;
  /** @type {Record<string, () => void>} */
  const actions = {
    play: () => transport.play(),
    first: () => page.stepped(() => transport.first()),
    last: () => {
      transport.last();
      timeline?.follow();
    },
    prev: () => page.stepped(() => transport.previous()),
    next: () => page.stepped(() => transport.next()),
    nextInteresting: () => page.stepped(() => transport.nextInteresting()),
    previousInteresting: () => page.stepped(() => transport.previousInteresting()),
    secondOn: () => page.stepped(() => transport.nudge(1000)),
    secondBack: () => page.stepped(() => transport.nudge(-1000)),
    tenOn: () => page.stepped(() => transport.nudge(10_000)),
    tenBack: () => page.stepped(() => transport.nudge(-10_000)),
    goto: () => transport.openGoTo(),
    live: () => page.live(),
    share: () => page.share(),
    why: () => page.why(),
    yaml: () => page.openTab("yaml"),
    describe: () => page.openTab("describe"),
    events: () => page.openTab("events"),
    logs: () => page.openTab("logs"),
    map: () => page.openTab("map"),
    machine: () => page.openTab("machine"),
    kubectl: () => page.commandLine?.open(),
    drawer: () => toggleState(page.main, "drawer"),
    rail: () => toggleState(page.main, "rail"),
    act: () => page.menu.openAtSelection(),
    help: () => openHelp(),
    escape: () => page.escape(),
    zoomIn: () => timeline?.zoom(0.7),
    zoomOut: () => timeline?.zoom(1 / 0.7),
    panLeft: () => timeline?.pan(-0.15),
    panRight: () => timeline?.pan(0.15),
    fit: () => timeline?.fit(),
    centre: () => timeline?.navigator.centre(),
    table: () => timeline?.grid.toggle(),
    laneUp: () => timeline?.navigator.lane(-1),
    laneDown: () => timeline?.navigator.lane(1),
    spanNext: () => timeline?.navigator.span(1),
    spanPrevious: () => timeline?.navigator.span(-1),
    selectFocused: () => timeline?.navigator.select(),
  };
  for (let index = 0; index < SPEEDS; index += 1) actions[`speed${index + 1}`] = () => transport.setRateByIndex(index);
  return actions;
}
