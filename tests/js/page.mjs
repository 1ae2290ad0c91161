/** The parts of an element that modules use: its text, attributes and children, and finding descendants by class. */
export class FakeElement {
  constructor(tag) {
    Object.assign(this, { tag, className: "", dataset: {}, attributes: {}, children: [], hidden: false, words: "", listeners: {}, parentNode: null });
    this.style = { set: {}, setProperty: (name, value) => (this.style.set[name] = value), removeProperty: (name) => delete this.style.set[name] };
  }

  get textContent() {
    return this.words + this.children.map((child) => child.textContent ?? child).join("");
  }

  set textContent(words) {
    this.words = String(words);
    this.children = [];
  }

  get lastElementChild() {
    return this.children.at(-1) ?? null;
  }

  append(...children) {
    this.children.push(...children);
  }

  replaceChildren(...children) {
    this.words = "";
    this.children = children;
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  removeAttribute(name) {
    delete this.attributes[name];
  }

  addEventListener(name, listener) {
    this.listeners[name] = listener;
  }

  contains(other) {
    return other === this || this.children.some((child) => child.contains?.(other));
  }

  /** @param {string} selector  of one class */
  querySelector(selector) {
    for (const child of this.children) {
      if (child.className?.split(" ").includes(selector.slice(1))) return child;
      const found = child.querySelector?.(selector);
      if (found) return found;
    }
    return null;
  }

  remove() {}

  focus() {}
}

/** Create these elements from now on. */
export function makeElements() {
  globalThis.document.createElement = (tag) => new FakeElement(tag);
}

/** The texts of all elements of a class, in order. @param {FakeElement[]} elements @param {string} name */
export function wordsOf(elements, name) {
  return elements.flatMap((element) => [...(element.className?.split(" ").includes(name) ? [element.textContent] : []), ...wordsOf(element.children ?? [], name)]);
}
