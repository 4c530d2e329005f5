// Which of the five pages is shown: the address says it, so that Back works, and it is remembered.
import { find } from "./dom.js";
import { recall, remember } from "./memory.js";

export const pages = ["timer", "history", "statistics", "settings", "devices"];

/** The page that is shown. */
export let shown = pages.includes(recall("page")) ? recall("page") : "timer";

let tell = () => {};

/** Calls `onShown` now, and whenever another page is shown. */
export function followPages(onShown) {
  tell = onShown;
  const asked = location.hash.slice(1);
  show(pages.includes(asked) ? asked : shown);
  addEventListener("hashchange", () => goTo(location.hash.slice(1)));
}

/** Goes to a page; what comes next may rely on its being there. */
export function goTo(page) {
  if (!pages.includes(page) || page === shown) return;
  show(page);
  location.hash = page;
  scrollTo(0, 0);
  // What has the focus may be hidden now. Whoever clicked a link goes on from there.
  if (!document.activeElement?.checkVisibility()) find("main").focus({ preventScroll: true });
}

function show(page) {
  shown = page;
  remember("page", page);
  for (const other of pages) find(`${other}-page`).hidden = other !== page;
  for (const link of document.querySelectorAll(".pages a")) {
    if (link.hash === `#${page}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  tell();
}
