// @ts-check
/** The socket that boot.js opens while the page is still being parsed, and the messages it has received until there is a listener. */

/**
 * The socket that was opened for `path`, handed over once; null if there is none or it has closed again: a new one will be told why.
 * @param {string} path
 * @returns {{ socket: WebSocket, heard: [string, number][] } | null}  messages with the times at which they arrived (performance.now)
 */
export function takeEarly(path) {
  const holder = /** @type {{ podscopeSocket?: { path: string, socket: WebSocket, heard: [string, number][] } }} */ (/** @type {unknown} */ (window));
  const early = holder.podscopeSocket;
  if (early?.path !== path) return null;
  // A second call must not get a socket that already has a listener.
  delete holder.podscopeSocket;
  return early.socket.readyState <= WebSocket.OPEN ? early : null;
}
