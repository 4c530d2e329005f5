// A document in memory, as far as the page's scripts in a browser use it, and a loader for fresh copies of them.
import { register } from "node:module";

class Element extends EventTarget {
  id = "";
  hidden = false;
  checked = false;
  children = [];
  parent = null;
  attributes = new Map();
  dataset = {};
  #document;
  #text = "";

  constructor(document, name) {
    super();
    this.#document = document;
    this.localName = name;
  }

  get textContent() { return this.#text + this.children.map((child) => child.textContent).join(""); }
  set textContent(text) {
    this.children = [];
    this.#text = text;
  }

  setAttribute(name, value) {
    this.attributes.set(name, value);
    if (name === "hidden") this.hidden = true;
    if (name !== "id") return;
    this.id = value;
    this.#document.elements.set(value, this);
  }

  removeAttribute(name) { this.attributes.delete(name); }

  append(...children) {
    for (const child of children) {
      const element = child instanceof Element ? child : Object.assign(new Element(this.#document, "#text"), { textContent: child });
      element.parent = this;
      this.children.push(element);
    }
  }

  replaceChildren(...children) {
    this.textContent = "";
    this.append(...children);
  }

  before(...others) { this.#around(others); }
  after(...others) { this.#around(others); }
  closest() { return this.parent ?? this.#document.getElementById(`around-${this.id}`); }
  contains() { return false; }
  focus() {}
  click() { this.dispatchEvent(Object.assign(new Event("click"), { detail: 1 })); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }

  /** Finds names of elements, and of classes after a point. */
  querySelectorAll(selector) {
    const fits = (one) => (selector.startsWith(".") ? one.attributes.get("class") === selector.slice(1) : one.localName === selector);
    return this.children.flatMap((child) => [...(fits(child) ? [child] : []), ...child.querySelectorAll(selector)]);
  }

  /** Adds elements beside this one. Their order isn't kept. */
  #around(others) { this.closest().append(...others); }
}

/** A document that has an element for each id. */
export class PageDocument extends EventTarget {
  elements = new Map();
  hidden = false;
  activeElement = null;
  head = new Element(this, "head");
  documentElement = Object.assign(new Element(this, "html"), { dataset: { device: "here" } });

  createElement(name) { return new Element(this, name); }
  createElementNS(_, name) { return new Element(this, name); }
  querySelectorAll() { return []; }
  hasFocus() { return !this.hidden; }

  getElementById(id) {
    if (!this.elements.has(id)) this.createElement("div").setAttribute("id", id);
    return this.elements.get(id);
  }

  /** Hides or shows the page. */
  setHidden(isHidden) {
    this.hidden = isHidden;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

const folders = ["FocusWeb", "FocusPage"].map((name) => new URL(`../../Client/${name}/Assets/`, import.meta.url).href);
// As on a server, the scripts of both folders are in one. Those that a fresh copy imports are fresh too. The device is
// `globalThis.device`.
const loader = `
  import { existsSync } from "node:fs";
  export const resolve = async (specifier, context, next) => {
    const [, copy] = context.parentURL?.split("?") ?? [];
    if (specifier === "/tabs.js") {
      return { url: "data:text/javascript,export const openDevice = () => globalThis.device;//" + copy, shortCircuit: true };
    }
    if (!copy?.startsWith("fresh") || !specifier.startsWith("./")) return next(specifier, context);
    const [url] = ${JSON.stringify(folders)}.map((folder) => new URL(specifier, folder)).filter((one) => existsSync(one));
    return { url: url + "?" + copy, shortCircuit: true };
  };
`;
register(`data:text/javascript,${encodeURIComponent(loader)}`, import.meta.url);

let copies = 0;

/** Loads a script of the page in a fresh copy. */
export function load(name) {
  copies += 1;
  return import(`../../Client/FocusWeb/Assets/${name}?fresh${copies}`);
}
