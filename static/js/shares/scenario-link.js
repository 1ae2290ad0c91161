// @ts-check
/**
 * A whole scenario in the fragment of a link: `v1d:` and base64url of deflate-raw of its JSON; simulator/scenarios/links.py for the
 * browser.
 */

export const TAG = "v1d:";
/** Longer links get cut by some chat and mail programs. */
export const LONG = 8 * 1024;
export const LENGTH_MAX = 64 * 1024;
const TEXT_MAX = 2_000_000;

/** @typedef {"large" | "none" | "damaged"} Trouble */

/** A link with no readable content, or a text too large for any link; the message is the key of a text. */
export class LinkTrouble extends Error {
  /** @param {Trouble} trouble */
  constructor(trouble) {
    super(`carry.${trouble}`);
  }
}

/**
 * @param {string} written
 * @returns {Promise<string>} the fragment, including the tag
 */
export async function packed(written) {
  const bytes = await piped(new TextEncoder().encode(written), new CompressionStream("deflate-raw"), Infinity);
  let binary = "";
  // A call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  const fragment = TAG + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (fragment.length > LENGTH_MAX) throw new LinkTrouble("large");
  return fragment;
}

/**
 * @param {string} link  a fragment, or an address with one
 * @returns {Promise<string>}
 */
export async function unpacked(link) {
  const fragment = link.trim().slice(link.trim().lastIndexOf("#") + 1);
  if (fragment.length > LENGTH_MAX) throw new LinkTrouble("large");
  if (!fragment.startsWith(TAG)) throw new LinkTrouble("none");
  const body = fragment.slice(TAG.length);
  if (!/^[A-Za-z0-9_-]*$/.test(body)) throw new LinkTrouble("damaged");
  try {
    const bytes = Uint8Array.from(atob(body.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(await piped(bytes, new DecompressionStream("deflate-raw"), TEXT_MAX));
  } catch (error) {
    throw error instanceof LinkTrouble ? error : new LinkTrouble("damaged");
  }
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {CompressionStream | DecompressionStream} through
 * @param {number} limit  maximum size of the output
 */
async function piped(bytes, through, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    // A link of 64 kB may unpack to gigabytes; it is read no further than the size of any valid scenario.
    if (length > limit) {
      await reader.cancel();
      throw new LinkTrouble("large");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
