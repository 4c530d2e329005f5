// What the page says besides what it draws: that something was done, or why it wasn't.
import { find, make } from "./dom.js";

const saidFor = 7000;
let fading;

/** Says that something was done; it goes by itself. */
export function say(sentence) {
  show(find("said"), sentence);
  hide(find("problem"));
  clearTimeout(fading);
  fading = setTimeout(() => hide(find("said")), saidFor);
}

/** Says why something wasn't done; it stays until it is closed or something is done. */
export function complain(sentence) {
  show(find("problem"), sentence);
  hide(find("said"));
}

/** Takes a complaint away: what was asked for has been done. */
export const forgive = () => hide(find("problem"));

/** Closes whatever is said; false where nothing is. */
export function closeMessages() {
  const shown = [find("problem"), find("said")].filter((message) => !message.hidden);
  shown.forEach(hide);
  return shown.length > 0;
}

/** Has a screen reader say something that everybody else sees anyway. */
export const announce = (sentence) => { find("announcement").textContent = sentence; };

function show(message, sentence) {
  const close = make("button", { type: "button", class: "quiet", click: () => hide(message) }, "Close");
  message.replaceChildren(make("span", {}, sentence), close);
  message.hidden = false;
}

function hide(message) {
  message.hidden = true;
  message.replaceChildren();
}
