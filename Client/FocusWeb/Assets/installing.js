// Installing the page as an app, as far as the browser says how.
import { make, once } from "./dom.js";
import { setting } from "./settings.js";

let offered = null;

/** Whether this is a tab on an iPhone or iPad. Only Safari's engine has the member, which is true in an installed page. */
export const isUninstalledSafari = () => navigator.standalone === false && navigator.maxTouchPoints > 0;

/** Returns the row about installing, which is hidden until the browser offers it; null if the page is installed. */
export function installRow() {
  if (navigator.standalone || matchMedia("(display-mode: standalone)").matches) return null;
  const button = make("button", { id: "setting-install", type: "button", class: "quiet", click: once(() => offered?.prompt()) }, "Install…");
  const hint = isUninstalledSafari() ? "Share, then “Add to Home Screen”" : "It then has an icon and a window of its own.";
  const row = setting("setting-install", "Install this page as an app", hint, button);
  row.hidden = !isUninstalledSafari();
  button.hidden = isUninstalledSafari();
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    offered = event;
    row.hidden = false;
  });
  addEventListener("appinstalled", () => { row.hidden = true; });
  return row;
}
