// @ts-check
/** The texts of what is chosen of lanes in English; the page may send translations as for those of ../base/messages.js. */

export const LANE_MESSAGES = {
  "pins.unpin_lane": "Unpin {lane}",
  "pins.clear": "Unpin all lanes",
  "pins.pinned": "{lane} is pinned to the top",
  "pins.unpinned": "{lane} is not pinned any more",
  "pins.full": "No more lanes can be pinned: a link to this view would not hold them",
  "pins.none": "No lane is chosen: choose the one to pin with the arrow keys or a click",
  "pins.said": "{lane}, pinned",
  "density.close": "Lanes closer together",
  "density.wide": "Lanes further apart",
  "density.normal": "Lanes as usual",
  "density.is_close": "The lanes are closer together",
  "density.is_wide": "The lanes are further apart",
  "density.is_normal": "The lanes are as usual",
};
