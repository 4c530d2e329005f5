// Short ways to find and make elements. Text is only ever set as text, so that no label can be read as markup.

/** The element of this id, which page.html has. */
export const find = (id) => document.getElementById(id);

/** Makes an element; `attributes` whose value is null or false are left out, functions become listeners. */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for a drawing. */
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

/** Sets text only where it changes: a screen reader may read what was touched. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A list that a screen reader still calls one although it looks like none. */
export const list = (attributes, ...items) => make("ul", { role: "list", ...attributes }, ...items);
