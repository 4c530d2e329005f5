// The page's messages: that something was done, or why it wasn't.
import { find, make, once } from "./dom.js";

const saidFor = 7000;
const savedFor = 2500;
const spokenFor = 20_000;
let fading;
let forgetting;

/** Shows that something was done. The message disappears after `time` milliseconds. */
export function say(sentence, time = saidFor) {
  show(find("said"), sentence);
  hide(find("problem"));
  clearTimeout(fading);
  fading = setTimeout(() => hide(find("said")), time);
}

/** Shows that something was done, with a button that takes it back. */
export function sayUndoable(sentence) {
  say(sentence);
  const undo = make("button", { type: "button", class: "quiet", click: once(() => find("undo").click()) }, "Undo");
  find("said").querySelector("button").before(undo);
}

/** Shows why something wasn't done. The message stays until it is closed or something is done. */
export function complain(sentence) {
  show(find("problem"), sentence);
  hide(find("said"));
}

/** Removes a complaint after the request has succeeded. */
export const forgive = () => hide(find("problem"));

/** Removes a complaint if it is this sentence, which isn't true any more. */
export function retract(sentence) {
  if (find("problem").firstElementChild?.textContent === sentence) forgive();
}

/** Shows that a value was saved. */
export function saySaved() {
  say("Saved.", savedFor);
  // It is too short to be in the way.
  find("said").querySelector("button").remove();
}

/** Removes the message that something was done, because something else wasn't. */
export const unsay = () => hide(find("said"));

/** Closes all messages. Returns false if there are none. */
export function closeMessages() {
  const shown = [find("problem"), find("said")].filter((message) => !message.hidden);
  shown.forEach(hide);
  return shown.length > 0;
}

/** Makes a screen reader say something that is visible anyway. It doesn't stay there to be read when it is old. */
export function announce(sentence) {
  find("announcement").textContent = sentence;
  clearTimeout(forgetting);
  forgetting = setTimeout(() => { find("announcement").textContent = ""; }, spokenFor);
}

function show(message, sentence) {
  const close = make("button", { type: "button", class: "quiet", click: () => hide(message) }, "Close");
  keepFocus(message);
  message.replaceChildren(make("span", {}, sentence), close);
  message.hidden = false;
}

function hide(message) {
  keepFocus(message);
  message.hidden = true;
  message.replaceChildren();
}

/** Moves the focus out of a message, because its buttons are about to go. */
export function keepFocus(message) {
  if (message.contains(document.activeElement)) find("main").focus({ preventScroll: true });
}
