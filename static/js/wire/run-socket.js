// @ts-check
/**
 * The live stream of one run: a websocket that resumes by seq, acknowledges frames, notices gaps
 * and comes back after a loss.
 *
 * Server frames: hello{protocol,run,title,head_seq,head_ms,role,viewers,clock} · records{from,to,now_ms,records} · clock{…} ·
 * presence{viewers} · waits{process,who}. Client frames: {"ack":seq} · {"type":"ping"} · {"type":"away"} · {"type":"back"}. The socket only
 * delivers; the handlers decide what the frames mean.
 *
 * The state of the connection is what the page holds, not what the socket has sent: each new connection says `since=<last seq here>`, so
 * losing one costs nothing but time. Frames are handled one after the other through `queue`, because handling one may mean waiting for
 * HTTP: a records frame that begins after what the page holds is completed from the log first, and the frames behind it wait. An exception
 * in that queue closes the connection, and the next one resumes from what did arrive.
 *
 * A connection can die in three ways, and the browser reports only the first: it closes; it goes silent, as after a laptop has slept or a
 * router has dropped it, which Silence notices since the server sends something at least every 5 s; or it is open and the records promised
 * by the hello never come, which `expect` notices. All three end in `lost`. It may be called for a connection that has been given up
 * already, so anything from a socket other than `this.socket` is ignored.
 *
 * Reconnecting: full jitter over a bound that doubles with each attempt, so that a thousand browsers that lost a server do not return
 * together. A connection that merely opened proves nothing (a crowded server accepts, then closes with a reason); only one that has lasted
 * SOUND_MS or brought records resets the attempts. Close codes above 4000 carry a reason; some lengthen the wait, one ends it.
 *
 * boot.js opens the first socket before any module is loaded; `takeEarly` hands it over with the messages it has received and the times at
 * which they arrived, without which clock frames would be worthless.
 */

import { takeEarly } from "./early-socket.js";
import { fetchLog, fetchRecorded } from "./log-fetch.js";
import { Silence } from "./silence.js";
import { Watching } from "./watching.js";

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 15_000;
const PING_MS = 20_000;
const FRAMES_AN_ACK = 4;
const ACK_MS = 250;
/** Close codes with a reason to show: the run is deleted, too many sockets, its log is damaged, the database is down, too many messages
 * were sent. */
const REPORTED_CODES = new Set([4004, 4009, 4010, 4013, 4029]);
/** Codes after which reconnecting soon would make it worse: 4011 also says that the site is at its limit of computing. */
const CROWDED_CODES = new Set([4009, 4010, 4011, 4029]);
/** The run is deleted: there is nothing to come back to. */
const GONE_CODE = 4004;
const CROWDED_ATTEMPT = 5;
/** A socket that has been open for this long, or has brought records, is sound. Its hello proves little: many reasons to close come after
 * it. */
const SOUND_MS = 30_000;
/** The server sends the clock's state every 5 s, to paused runs too. */
const SILENT_MS = 20_000;
/** Not a server's close code: the page itself has given up the connection. */
const SILENT_CODE = 0;
/** How long records announced by the hello may take before they are fetched. */
const PATIENCE_MS = 4000;

/**
 * @typedef {object} SocketHandlers
 * @property {() => number} headSeq  last seq the page holds
 * @property {(rows: any[][], now_ms: number) => void} onRecords
 * @property {(clock: any, at: number) => void} onClock  at: when it arrived
 * @property {(hello: any, at: number) => void} onHello
 * @property {(viewers: number) => void} onPresence
 * @property {(waits: { process: string, who: string[] }) => void} [onWaits]
 * @property {(state: "connecting" | "open" | "closed" | "frozen") => void} onState
 * @property {(code: number) => void} onRefused  the server closed and gave a reason; called once until a socket is sound again
 */

export class RunSocket {
  /**
   * @param {{ socketPath: string, recordsUrl: string, handlers: SocketHandlers }} options
   */
  constructor({ socketPath, recordsUrl, handlers }) {
    this.socketPath = socketPath;
    this.recordsUrl = recordsUrl;
    this.handlers = handlers;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.attempt = 0;
    this.toldCode = 0;
    this.retryTimer = 0;
    this.pingTimer = 0;
    this.soundTimer = 0;
    this.ackTimer = 0;
    this.silence = new Silence(SILENT_MS, () => this.giveUp());
    this.acked = this.unsaid = 0;
    this.closed = false;
    this.watching = new Watching((isAway) => this.send({ type: isAway ? "away" : "back" }));
    /** @type {Promise<void>} frames are handled one after the other, also across a refetch */
    this.queue = Promise.resolve();
  }

  /** Connect, or fetch the whole log if the page is frozen. */
  start() {
    if (!this.socketPath) {
      this.queue = fetchRecorded(this.recordsUrl, this.handlers);
      return;
    }
    // When a tab or the network comes back, reconnecting may succeed at once.
    document.addEventListener("visibilitychange", () => this.wake());
    window.addEventListener("online", () => this.wake());
    window.addEventListener("offline", () => this.giveUp()); // a connection without a network is dead
    // A page kept for the Back button must not hold a socket; it resumes where it was when it is shown again.
    window.addEventListener("pagehide", () => this.stop());
    window.addEventListener("pageshow", (event) => event.persisted && this.restart());
    this.watching.start();
    this.connect();
  }

  /** Close for good. */
  stop() {
    this.closed = true;
    clearTimeout(this.retryTimer);
    this.stopTimers();
    this.silence.stop();
    this.socket?.close(1000);
  }

  restart() {
    this.closed = false;
    this.attempt = 0;
    this.connect();
  }

  connect() {
    clearTimeout(this.retryTimer);
    if (this.closed) return;
    this.handlers.onState("connecting");
    const since = this.handlers.headSeq();
    // Only the first connection is opened early; boot.js asks for everything, which is right only for an empty page.
    const early = since === 0 ? takeEarly(this.socketPath) : null;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = early?.socket ?? new WebSocket(`${scheme}//${location.host}${this.socketPath}?since=${since}`);
    this.socket = socket;
    this.silence.start();
    socket.onopen = () => this.opened();
    socket.onmessage = (message) => this.onMessage(socket, message.data, performance.now());
    socket.onclose = (event) => this.lost(socket, event.code);
    // It may have opened before there was a listener.
    if (early && socket.readyState === WebSocket.OPEN) this.opened();
    for (const [data, at] of early?.heard ?? []) this.onMessage(socket, data, at);
  }

  /** @param {WebSocket} socket @param {string} data @param {number} at  when it arrived */
  onMessage(socket, data, at) {
    // A message on an abandoned connection does not prove that the new one is alive.
    if (socket === this.socket) this.silence.received();
    // Never in parallel: a frame may wait for HTTP, and the next one builds on what it brings.
    this.queue = this.queue.then(() => this.receive(socket, data, at)).catch((error) => this.broken(socket, error));
  }

  opened() {
    this.handlers.onState("open");
    // The server counts a new connection as watched until told otherwise.
    if (this.watching.isAway) this.send({ type: "away" });
    this.stopTimers();
    this.pingTimer = window.setInterval(() => this.send({ type: "ping" }), PING_MS);
    this.soundTimer = window.setTimeout(() => this.markSound(), SOUND_MS);
  }

  /** Earlier failures are over: the next loss is a first one, and its reason is shown. */
  markSound() {
    this.attempt = 0;
    this.toldCode = 0;
  }

  /**
   * Acknowledge everything up to `seq`, once for several frames: otherwise a thousand viewers would answer each frame.
   * @param {number} seq
   */
  acknowledge(seq) {
    this.acked = seq;
    this.unsaid += 1;
    if (this.unsaid >= FRAMES_AN_ACK) this.sendAcknowledgement();
    else if (this.unsaid === 1) this.ackTimer = window.setTimeout(() => this.sendAcknowledgement(), ACK_MS);
  }

  sendAcknowledgement() {
    clearTimeout(this.ackTimer);
    this.unsaid = 0;
    this.send({ ack: this.acked });
  }

  stopTimers() {
    clearTimeout(this.ackTimer);
    this.unsaid = 0;
    clearInterval(this.pingTimer);
    clearTimeout(this.soundTimer);
  }

  /**
   * @param {WebSocket} socket
   * @param {unknown} error
   */
  broken(socket, error) {
    console.warn("run socket", error);
    socket.close();
  }

  /**
   * @param {WebSocket} socket
   * @param {number} code
   */
  lost(socket, code) {
    if (socket !== this.socket) return;
    this.stopTimers();
    this.silence.stop();
    this.socket = null;
    if (this.closed) return;
    this.handlers.onState("closed");
    this.reportCode(code);
    if (code === GONE_CODE) {
      this.closed = true;
      this.handlers.onState("frozen");
      return;
    }
    if (CROWDED_CODES.has(code)) this.attempt = Math.max(this.attempt, CROWDED_ATTEMPT);
    this.retryIn(this.backoff());
  }

  /** Nothing arrives any more: open another connection at once, since closing this one may take minutes. */
  giveUp() {
    const { socket } = this;
    if (!socket) return;
    socket.close();
    this.lost(socket, SILENT_CODE);
  }

  /** @param {number} code */
  reportCode(code) {
    if (!REPORTED_CODES.has(code) || code === this.toldCode) return;
    this.toldCode = code;
    this.handlers.onRefused(code);
  }

  /** Full jitter: anything between nothing and the doubling bound, so that many browsers do not come back together. */
  backoff() {
    const bound = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.attempt);
    this.attempt += 1;
    return Math.max(150, Math.random() * bound);
  }

  /** @param {number} wait_ms */
  retryIn(wait_ms) {
    clearTimeout(this.retryTimer);
    // A hidden tab waits until it is looked at again, to spare the server.
    if (document.hidden && this.attempt > 3) return;
    this.retryTimer = window.setTimeout(() => this.connect(), wait_ms);
  }

  wake() {
    if (document.hidden || this.closed || this.socket) return;
    this.attempt = 0;
    this.retryIn(Math.random() * RETRY_FIRST_MS);
  }

  /** @param {object} frame */
  send(frame) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  /**
   * @param {WebSocket} socket
   * @param {string} data
   * @param {number} at
   */
  async receive(socket, data, at) {
    if (socket !== this.socket) return;
    const frame = JSON.parse(data);
    switch (frame.type) {
      case "hello":
        this.handlers.onHello(frame, at);
        this.expect(socket, frame.head_seq);
        break;
      case "records":
        // Acknowledged only once they are in the store: the server sends only so much ahead of that.
        await this.takeRecords(frame);
        if (socket === this.socket) this.markSound();
        this.acknowledge(frame.to);
        break;
      case "clock":
        this.handlers.onClock(frame, at);
        break;
      case "presence":
        this.handlers.onPresence(frame.viewers);
        break;
      case "waits":
        this.handlers.onWaits?.(frame);
        break;
      default:
        break;
    }
  }

  /**
   * The server said how far the log goes; what has not arrived by itself after a while is fetched.
   * @param {WebSocket} socket
   * @param {number} head_seq
   */
  expect(socket, head_seq) {
    // Not awaited: the records that the hello announced come as frames, and would wait behind it in the queue.
    window.setTimeout(() => {
      if (socket !== this.socket || this.handlers.headSeq() >= head_seq) return;
      this.queue = this.queue.then(async () => void (await fetchLog(this.recordsUrl, this.handlers, head_seq))).catch((error) => this.broken(socket, error));
    }, PATIENCE_MS);
  }

  /**
   * Hand over a records frame; a frame that does not start where the page's records end is completed over HTTP first.
   * @param {{ from: number, to: number, now_ms: number, records: any[][] }} frame
   */
  async takeRecords(frame) {
    if (frame.from > this.handlers.headSeq()) await fetchLog(this.recordsUrl, this.handlers, frame.to);
    // A frame that was overtaken by a fetch brings rows that are here by now.
    const fresh = frame.records.filter((row) => row[0] > this.handlers.headSeq());
    this.handlers.onRecords(fresh, frame.now_ms);
  }
}
