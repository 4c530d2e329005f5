// Which of the five screens is shown: the address says it, so that Back works, and it is remembered.
import { find } from "./dom.js";
import { recall, remember } from "./memory.js";

export const screens = ["timer", "history", "statistics", "settings", "devices"];

/** The screen that is shown. */
export let shown = screens.includes(recall("screen")) ? recall("screen") : "timer";

let tell = () => {};

/** Calls `onShown` now, and whenever another screen is shown. */
export function followScreens(onShown) {
  tell = onShown;
  const asked = location.hash.slice(1);
  show(screens.includes(asked) ? asked : shown);
  addEventListener("hashchange", () => goTo(location.hash.slice(1)));
}

/** Goes to a screen; what comes next may rely on its being there. */
export function goTo(screen) {
  if (!screens.includes(screen) || screen === shown) return;
  show(screen);
  location.hash = screen;
  scrollTo(0, 0);
  // What has the focus may be hidden now. Whoever clicked a link goes on from there.
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
