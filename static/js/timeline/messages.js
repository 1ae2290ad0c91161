// @ts-check
/** The texts of the lanes' options in English; the page may send translations as for those of ../base/messages.js. */

export const LANE_MESSAGES = {
  "pins.unpin_lane": "Unpin {lane}",
  "pins.clear": "Unpin all lanes",
  "pins.pinned": "{lane} is pinned to the top",
  "pins.unpinned": "{lane} is no longer pinned",
  "pins.full": "No more lanes can be pinned: they would not fit into a link to this view",
  "pins.none": "No lane is selected: select one to pin with the arrow keys or a click",
  "pins.said": "{lane}, pinned",
  "density.close": "Compact lanes",
  "density.wide": "Spacious lanes",
  "density.normal": "Default lane height",
  "density.is_close": "Lanes are now compact",
  "density.is_wide": "Lanes are now spacious",
  "density.is_normal": "Lanes are back to the default height",
};
