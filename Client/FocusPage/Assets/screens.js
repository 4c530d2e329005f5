// The choice of the screen. The address contains it, so that Back works, and it is remembered.
import { find } from "./dom.js";
import { recall, remember } from "./memory.js";

export const screens = ["timer", "history", "statistics", "settings", "devices"];

/** The present screen. */
export let shown = screens.includes(recall("screen")) ? recall("screen") : "timer";

let tell = () => {};

/** Calls `onShown` now, and whenever the screen changes. */
export function followScreens(onShown) {
  tell = onShown;
  const asked = location.hash.slice(1);
  show(screens.includes(asked) ? asked : shown);
  addEventListener("hashchange", () => goTo(location.hash.slice(1)));
}

/** Goes to a screen, which is visible when this returns. */
export function goTo(screen) {
  if (!screens.includes(screen) || screen === shown) return;
  show(screen);
  location.hash = screen;
  scrollTo(0, 0);
  // The focused element may be hidden now. After a click on a link, Tab continues from the main part.
  if (!document.activeElement?.checkVisibility()) find("main").focus({ preventScroll: true });
}

function show(screen) {
  shown = screen;
  remember("screen", screen);
  for (const other of screens) find(`${other}-screen`).hidden = other !== screen;
  for (const link of document.querySelectorAll(".screens a")) {
    if (link.hash === `#${screen}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  tell();
}
