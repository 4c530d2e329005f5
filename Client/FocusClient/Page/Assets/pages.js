// Which of the five pages is shown: the address says it, so that Back works, and it is remembered.
import { find } from "./dom.js";
import { recall, remember } from "./memory.js";

export const pages = ["timer", "history", "statistics", "settings", "devices"];

/** The page that is shown. */
export let shown = pages.includes(recall("page")) ? recall("page") : "timer";

/** Goes to a page. */
export const goTo = (page) => { location.hash = page; };

/** Calls `onShown` now, and whenever another page is shown. */
export function followPages(onShown) {
  const show = (takeFocus) => {
    const asked = location.hash.slice(1);
    if (pages.includes(asked)) shown = asked;
    remember("page", shown);
    for (const page of pages) find(`${page}-page`).hidden = page !== shown;
    for (const link of document.querySelectorAll(".pages a")) {
      if (link.hash === `#${shown}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    // What has the focus may be hidden now. Whoever clicked a link goes on from there.
    if (takeFocus && !document.activeElement?.checkVisibility()) find("main").focus({ preventScroll: true });
    if (takeFocus) scrollTo(0, 0);
    onShown();
  };
  addEventListener("hashchange", () => show(true));
  show(false);
}
