// @ts-check
/** The socket that boot.js opens while the page is still being read, and what it has heard until there is a listener. */

/**
 * The socket that was opened for `path`, once; null where there is none or it is closed again, which a new one is told the reason of.
 * @param {string} path
 * @returns {{ socket: WebSocket, heard: [string, number][] } | null}  messages with the times they came at (performance.now)
 */
export function takeEarly(path) {
  const holder = /** @type {{ podscopeSocket?: { path: string, socket: WebSocket, heard: [string, number][] } }} */ (/** @type {unknown} */ (window));
  const early = holder.podscopeSocket;
  if (early?.path !== path) return null;
  // A second call must not get a socket that has a listener already.
  delete holder.podscopeSocket;
  return early.socket.readyState <= WebSocket.OPEN ? early : null;
}
