// Whether the browser promises to keep the page's data. Without the promise it may delete them if it runs out of room.
import { make, once, setText } from "./dom.js";
import { setting } from "./settings.js";

/** Whether the browser has promised it; null until that is known. */
let isPromised = null;
let isAsked = false;
let draw = () => {};

/** Asks the browser for the promise, once in the life of this page. Browsers ask the person, or decide by the visits. */
export async function requestPersistence() {
  if (!isAsked) await ask();
}

/** Returns the row with the browser's answer, which can ask again; null if the browser promises nothing. */
export function persistenceRow() {
  if (!navigator.storage?.persist) return null;
  const button = make("button", {
    id: "setting-persistence", type: "button", class: "quiet", "aria-describedby": "setting-persistence-hint", click: once(ask),
  });
  const row = setting("setting-persistence", "Keep this page’s data", "the device’s key and log", button);
  draw = () => {
    setText(button, isPromised ? "Promised" : isAsked ? "Ask again…" : "Ask…");
    button.setAttribute("aria-disabled", String(isPromised === true));
    if (isAsked && !isPromised) setText(row.querySelector(".hint"), "This browser hasn’t promised it: it may delete the key and the log if it runs out of room.");
    else if (isPromised) setText(row.querySelector(".hint"), "the device’s key and log, until you delete them");
  };
  draw();
  learn(() => navigator.storage.persisted());
  return row;
}

async function ask() {
  if (isPromised || !navigator.storage?.persist) return;
  isAsked = true;
  await learn(() => navigator.storage.persist());
}

/** Draws the answer of the browser. One that can't answer has promised nothing. */
async function learn(answer) {
  isPromised = await answer().catch(() => false);
  draw();
}
