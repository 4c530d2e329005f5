// Short functions that find and make elements. They set text only as text, so that a label is never read as
// markup.

/** Returns the element of page.html with this id. */
export const find = (id) => document.getElementById(id);

/** Makes an element. An attribute that is null or false is left out; a function becomes a listener. */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an SVG element in the same way. */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(key, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets text only if it changes, because a screen reader may read an element that was set. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Returns a listener for clicks that calls `act`, but for a double click only once. */
export const once = (act) => (event) => { if (event.detail < 2) act(); };

/** Makes a list that a screen reader announces as a list, although it doesn't look like one. */
export const list = (attributes, ...items) => make("ul", { role: "list", ...attributes }, ...items);
