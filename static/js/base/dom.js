// @ts-check
/** Small helpers around the DOM and fetch. Nothing here knows about runs. */

import { answerTimeout } from "./retry.js";

/**
 * First element matching `selector` below `root`.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement | null}
 */
export function find(selector, root = document) {
  return /** @type {HTMLElement | null} */ (root.querySelector(selector));
}

/**
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement[]}
 */
export function findAll(selector, root = document) {
  return /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)]);
}

/**
 * Set the text of the elements that match `selector`; each is hidden while there is no text. Repeating the same text changes nothing: a
 * live region would read it out again.
 * @param {string} selector
 * @param {string} value
 */
export function showText(selector, value) {
  for (const place of findAll(selector)) {
    setHidden(place, !value);
    setText(place, value);
  }
}

/**
 * Set the text of an element that has no other children. The same text changes nothing, and a new one replaces the data of the existing
 * text node, which costs the page less than a new node.
 * @param {Element | null} element
 * @param {string} value
 */
export function setText(element, value) {
  if (!element || element.textContent === value) return;
  const { firstChild } = element;
  // Called in every frame for clocks and countdowns.
  if (firstChild instanceof Text && firstChild === element.lastChild) firstChild.data = value;
  else element.textContent = value;
}

/** Set the attributes that differ: browsers treat even an unchanged value as a change. @param {Element | null} element @param {Record<string, string>} attributes */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) if (element && element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Hide or show an element, unless it already is. @param {HTMLElement} element @param {boolean} isHidden */
export function setHidden(element, isHidden) {
  if (element.hidden !== isHidden) element.hidden = isHidden;
}

/**
 * Create an element. Text is always set as text, never as markup.
 * @param {string} tag
 * @param {Record<string, string | boolean | undefined>} [attributes]  `text` and `class` are understood
 * @param {(Node | string)[]} [children]
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, children = []) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name === "text") element.textContent = String(value);
    else if (name === "class") element.className = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/**
 * @param {string} name
 * @param {object} [detail]
 */
export function announce(name, detail = {}) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/** The CSRF token the page was rendered with, or the empty string. */
export function csrfToken() {
  return document.body.dataset.csrf || "";
}

/**
 * POST a form. Resolves with the response whatever its status; rejects only when no response comes.
 * @param {string} url
 * @param {Record<string, string>} fields
 * @returns {Promise<Response>}
 */
export function post(url, fields) {
  return fetch(url, {
    method: "POST",
    credentials: "same-origin",
    headers: { "X-CSRFToken": csrfToken(), "HX-Request": "true", Accept: "application/json" },
    body: new URLSearchParams(fields),
    signal: answerTimeout(),
  });
}

/**
 * Parse the JSON of a `<script type="application/json" id=…>` block; null when absent or broken.
 * @param {string} id
 * @returns {any}
 */
export function jsonBlock(id) {
  const block = document.getElementById(id);
  if (!block) return null;
  try {
    return JSON.parse(block.textContent || "null");
  } catch {
    return null;
  }
}

/** True where the visitor asked for less motion. */
export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Call `task` at most once per `wait_ms`, the last call always included.
 * @template {any[]} A
 * @param {number} wait_ms
 * @param {(...args: A) => void} task
 * @returns {(...args: A) => void}
 */
export function throttle(wait_ms, task) {
  let last = -Infinity;
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    const left = last + wait_ms - performance.now();
    const run = () => {
      last = performance.now();
      task(...args);
    };
    // The first call runs at once and the last one is never lost; those in between may be dropped.
    if (left <= 0) run();
    else timer = window.setTimeout(run, left);
  };
}

/** A random key of 32 hex digits; unlike crypto.randomUUID it also works on plain-http origins. */
export function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * True when a key press belongs to a control that handles keys itself.
 * @param {EventTarget | null} target
 */
export function isTyping(target) {
  return target instanceof Element && target.closest("input, select, textarea, [contenteditable], dialog") !== null;
}

/** Size of a rem in px when the reader has not changed the browser's text size (base.css). */
const REM_PX = 15;

/** How much larger than the default the reader's text is; everything drawn or laid out in pixels scales with it. Forces a style
 * computation. */
export function textScale() {
  return Math.max(1, parseFloat(getComputedStyle(document.documentElement).fontSize) / REM_PX || 1);
}
