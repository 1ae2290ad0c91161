// @ts-check
/** The socket of a class, which reconnects after a loss. */

import { Silence } from "../wire/silence.js";

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 15_000;
const PING_MS = 20_000;
/** Two pings without an answer. */
const SILENT_MS = 45_000;
/** Not a server's close code: the page itself has given up the connection. */
const SILENT_CODE = 0;
/** There is no such class (any more). */
const GONE_CODE = 4004;
/** Too many codes that do not exist were tried from this address. */
const GUESSED_CODE = 4028;

export class ClassLine {
  /**
   * @param {string} code
   * @param {{ onRoom: (room: any, isFresh: boolean) => void, onEnd: () => void, onGuessed: () => void }} handlers
   */
  constructor(code, handlers) {
    this.code = code;
    this.handlers = handlers;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.attempt = 0;
    this.timer = 0;
    this.pinging = 0;
    this.isOver = false;
    this.isFresh = true;
    this.silence = new Silence(SILENT_MS, () => this.giveUp());
  }

  start() {
    window.addEventListener("pagehide", () => this.stop());
    window.addEventListener("pageshow", (event) => event.persisted && this.restart());
    this.connect();
  }

  restart() {
    this.isOver = false;
    this.connect();
  }

  stop() {
    this.isOver = true;
    clearTimeout(this.timer);
    clearInterval(this.pinging);
    this.silence.stop();
    this.socket?.close(1000);
  }

  /** Nothing arrives any more: open another connection at once, since closing this one may take minutes. */
  giveUp() {
    const { socket } = this;
    if (!socket) return;
    socket.close();
    this.lost(socket, SILENT_CODE);
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/ws/class/${this.code}/`);
    this.socket = socket;
    this.isFresh = true;
    this.silence.start();
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      this.silence.received();
      this.onFrame(JSON.parse(data));
    };
    socket.onclose = ({ code }) => this.lost(socket, code);
    clearInterval(this.pinging);
    this.pinging = window.setInterval(() => this.send({ type: "ping" }), PING_MS);
  }

  /** @param {any} frame */
  onFrame(frame) {
    if (frame.type !== "room") return;
    // Not when the connection opens: one that is refused opens first.
    this.attempt = 0;
    this.handlers.onRoom(frame, this.isFresh);
    this.isFresh = false;
  }

  /** @param {WebSocket} socket @param {number} code */
  lost(socket, code) {
    if (this.isOver || socket !== this.socket) return;
    this.socket = null;
    this.silence.stop();
    if (code === GONE_CODE) {
      this.handlers.onEnd();
      return;
    }
    // Reconnect all the same: the limit is temporary.
    if (code === GUESSED_CODE) this.handlers.onGuessed();
    const wait = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.attempt);
    this.attempt += 1;
    this.timer = window.setTimeout(() => this.connect(), wait);
  }

  /** @param {object} message @returns {boolean} whether it was sent */
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}
