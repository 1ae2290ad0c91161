// @ts-check
/** Poles of flags and the labels on bars, drawn where the layout put them. */

/** @typedef {{ context: CanvasRenderingContext2D, palette: any, viewport: any, end_ms: number }} Pen */
/** @typedef {{ y: number, h: number, size: number }} Box */
/** @typedef {{ kind: string, words: string, x0: number, x1: number, size: number, weight: number, tone: string, of: any }} Word */

/** Tones whose pattern would make labels hard to read: these get a background of their own. */
const GROUNDED = new Set(["backoff", "starting", "waiting"]);
const GROUND_PX = 3;

/**
 * @param {Pen} pen
 * @param {any[]} poles
 * @param {Box} box  of the bars
 */
export function drawPoles({ context, palette }, poles, { y, h }) {
  for (const { x, x1, worst } of poles) {
    context.fillStyle = flagColours(palette, worst.type).fill;
    context.fillRect(x - 1, y - 3, x1 - x + 2, h + 5);
  }
}

/**
 * @param {Pen} pen
 * @param {Word[]} words
 * @param {Box} box
 */
export function drawWords(pen, words, box) {
  for (const word of words) {
    pen.context.font = pen.palette.font(word.size, word.weight);
    pen.context.textAlign = "left";
    DRAW[word.kind](pen, word, box);
  }
}

/** @param {any} palette @param {string} type */
function flagColours(palette, type) {
  if (type === "Warning") return palette.tones.failed;
  if (type === "accepted") return { fill: palette.surface.accent, ink: palette.surface["accent-ink"] };
  return palette.tones.terminating;
}

/** @type {Record<string, (pen: Pen, word: Word, box: Box) => void>} */
const DRAW = {
  bar: ({ context, palette }, { words, x0, x1, tone, of }, { y, h }) => {
    const { ink, fill } = palette.tones[tone];
    // On a hatched bar letters and lines would run into each other.
    if (of.data.inferred || of.data.stale || GROUNDED.has(tone)) {
      context.fillStyle = fill;
      context.fillRect(x0, y + 2, x1 - x0, h - 4);
    }
    context.fillStyle = ink;
    context.fillText(words, x0 + GROUND_PX, y + h / 2 + (tone === "notready" ? h * 0.13 : 0) + 0.5);
  },
  hook: ({ context, palette }, { words, x0 }, { y, h }) => {
    context.fillStyle = palette.surface.text;
    context.fillText(words, x0 + GROUND_PX, y + h / 2 + 0.5);
  },
  exit: ({ context, palette }, { words, x0, x1, tone }, { y, h }) => {
    const { fill, ink } = palette.tones[tone];
    context.fillStyle = fill;
    context.beginPath();
    context.roundRect(x0, y + 3, x1 - x0, h - 6, [3, 0, 0, 3]);
    context.fill();
    context.fillStyle = ink;
    context.textAlign = "center";
    context.fillText(words, (x0 + x1) / 2, y + h / 2 + 0.5);
  },
  flag: ({ context, palette }, { words, x0, x1, tone }, { y }) => {
    const { fill, ink } = flagColours(palette, tone);
    context.beginPath();
    context.roundRect(x0, y - 3, x1 - x0, 12, 2);
    context.fillStyle = fill;
    context.fill();
    context.fillStyle = ink;
    context.fillText(words, x0 + 3, y + 3.5);
  },
  ghost: ({ context, palette }, { words, x0 }, { y, h }) => {
    context.fillStyle = palette.surface["tone-bad"];
    context.fillText(words, x0, y + h + 3);
  },
};
