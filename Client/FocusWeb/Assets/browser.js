// The parts of a page with the device in this browser: the device's troubles, what the browser may do for it, and files.
import { ask } from "./dialogs.js";
import { find, make, once, setText } from "./dom.js";
import { installRow, isUninstalledSafari } from "./installing.js";
import { recall, remember } from "./memory.js";
import { complain, keepFocus, say } from "./messages.js";
import { persistenceRow, requestPersistence } from "./persistence.js";
import { filesIn } from "./records.js";
import { read } from "./requests.js";
import { setting } from "./settings.js";
import { device, send } from "./source.js";
import { failures, Storage } from "./storage.js";
import { followVersions, reloadPage } from "./versions.js";

const readingPatience = 40_000;
/** The time for which the sentence about saved files is shown, in milliseconds: it has a command. */
const shownFor = 60_000;
const starting = "Starting…";
/** The reasons for which the device has stopped, by the failure in the status. */
const ends = {
  0: "it ended by itself three times within a minute",
  [failures.quota]: "this browser’s storage is full",
  [failures.other]: "what this browser keeps can’t be read now",
  [failures.unloaded]: "its program can’t be loaded, perhaps because the server can’t be reached",
};
const wiped = "This browser’s data was deleted, so it is in no group any more. Join again with an invite.";

/** The device; null until it is loaded. */
let tabs = null;
let isRunning = false;
/** Whether the browser keeps the device's data after this window; null until it is known. */
let keeps = null;
/** How often the worker has had to start again, as the status said last. */
let starts = 0;
/** The trouble that is shown, and its buttons. */
let drawnTrouble = "";
const trouble = make("div", { id: "device-trouble", class: "banner", role: "alert", hidden: true });
const news = make("div", { class: "banner news", role: "status", hidden: true });
const warning = make("p", { class: "banner", hidden: true });

/** Adds the parts to the page. `renew` opens the stream of states again, and `lose` says that there will be no state. */
export async function begin(renew, lose) {
  // Safari on an iPhone looks for it when the page is installed.
  document.head.append(make("link", { rel: "apple-touch-icon", href: "/touch-icon.png" }));
  find("lost").after(trouble, news);
  find("join-hint").before(warning);
  followVersions(offerVersion);
  const rows = [awakeRow(), allowanceRow(), persistenceRow(), installRow()];
  find("setting-keys").closest("fieldset").append(...rows.filter((row) => row !== null));
  find("join-form").addEventListener("submit", requestPersistence);
  find("export-log").addEventListener("click", once(exportLog));
  drawWarning();
  // Until the first state. The module takes a while the first time.
  setText(find("sharing"), starting);
  try {
    tabs = await device;
  } catch (failure) {
    // A page without https has said so itself.
    if (isSecureContext) drawTrouble(`The timer in this browser can’t start: ${failure.message}`);
    throw failure;
  }
  tabs.watch((status) => {
    if (status.phase === "damaged" || status.phase === "newer") lose();
    drawStatus(status, renew);
  });
}

/** Draws a state. `hasRunOut` is whether a phase has ended by itself just now. */
export function show(state, hasRunOut) {
  isRunning = state.isRunning;
  holdScreen();
  if (hasRunOut && state.laptopSettings.notifications === "on") notify(state);
}

// MARK: The device

function drawStatus(status, renew) {
  if (status.starts > starts && status.phase !== "stopped") say("The timer in this browser had to start again.");
  ({ starts } = status);
  if (status.keeps !== null) ({ keeps } = status);
  drawWarning();
  const again = ["Try again", () => {
    tabs.startAgain();
    renew();
  }];
  if (status.phase === "stopped") {
    return drawTrouble(`The timer in this browser has stopped: ${ends[status.failure]}. What was kept before is still here.`, again, ["Save what is kept", saveFiles]);
  }
  if (status.phase === "damaged" || status.phase === "newer") return drawUnusable(status.phase, again);
  if (status.failure === failures.quota) return drawTrouble("This browser’s storage is full, so the timer can’t be used here. Make room on this machine, then try again.", again);
  if (status.failure !== 0) return drawTrouble("This browser doesn’t let the page store anything now, so the timer can’t be used here.", again);
  return drawTrouble(status.isWiped ? wiped : "");
}

/** Says why the device can't run on what is stored. It answers each request with the reason. */
async function drawUnusable(phase, again) {
  const reason = await read("/devices.json").then(() => "", (refusal) => refusal.message);
  const save = ["Save the files as they are", saveFiles];
  if (phase === "newer") return drawTrouble(reason, ["Reload", reloadPage], save);
  // Some failures pass, such as that of a machine without memory.
  return drawTrouble(reason, again, ["Save what can be read", exportLog], save, ["Start over here…", startOver]);
}

function drawTrouble(sentence, ...actions) {
  const wanted = JSON.stringify([sentence, ...actions.map(([word]) => word)]);
  if (wanted === drawnTrouble) return;
  drawnTrouble = wanted;
  keepFocus(trouble);
  trouble.hidden = sentence === "";
  if (!trouble.hidden && find("sharing").textContent === starting) setText(find("sharing"), "");
  const buttons = actions.map(([word, act]) => make("button", { type: "button", class: "quiet", click: once(act) }, word));
  trouble.replaceChildren(make("span", {}, sentence), make("div", { class: "line" }, ...buttons));
}

async function startOver() {
  const question = "Delete what this browser has kept, and start over in no group? The group’s other members keep the log, but changes that only this browser has are lost.";
  if (await ask(question, "Start over")) tabs.erase();
}

/** Says before joining what to know of this browser. */
function drawWarning() {
  const sentences = [
    keeps === false ? "This window keeps nothing, perhaps because it is private. It can join, but only until it is closed. The group lists it until somebody shuts it out." : null,
    isUninstalledSafari() ? "On an iPhone or iPad, install this page first: Share, then “Add to Home Screen”. Open it there, and join inside: the installed page has a memory of its own, and Safari deletes this one’s after a week without a visit. Copy the invite before." : null,
  ].filter((sentence) => sentence !== null);
  setText(warning, sentences.join(" "));
  warning.hidden = sentences.length === 0;
}

function offerVersion(use) {
  news.replaceChildren(
    make("span", {}, "A new version is ready."),
    make("div", { class: "line" }, make("button", { type: "button", class: "quiet", click: once(use) }, "Reload")));
  news.hidden = false;
}

// MARK: Files

async function exportLog() {
  try {
    const response = await send("/log.jsonl", { signal: AbortSignal.timeout(readingPatience) });
    if (!response.ok) throw new Error((await response.json()).error);
    save("lockstep-log.jsonl", await response.blob());
  } catch (failure) {
    complain(`The log can’t be saved: ${failure.message}`);
  }
}

/** Saves the device's files, under the names that they have in a laptop's folder: a database of SQLite. */
async function saveFiles() {
  try {
    const storage = await Storage.open(crypto.randomUUID());
    const records = (await storage?.records()) ?? [];
    storage?.close();
    const files = [...filesIn(records)].filter(([, bytes]) => bytes.length > 0);
    if (files.length === 0) return say("Nothing is kept here.");
    for (const [path, bytes] of files) save(path.split("/").at(-1), new Blob([bytes]));
    say("Saved. Put these files into an empty folder of a laptop: “FOCUS_HOME=FOLDER focus export” writes their log. They have the group’s keys, so keep them to yourself.", shownFor);
  } catch (failure) {
    complain(`The files can’t be read: ${failure.message}`);
  }
  return undefined;
}

function save(name, blob) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  // The browser reads it in its own time.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

// MARK: The screen and notifications

let sentinel = null;
let isAsking = false;

const isScreenWanted = () => recall("awake") === "on" && isRunning && !document.hidden;

/** Keeps the screen on while the timer runs, if the person has chosen that. */
async function holdScreen() {
  if (isScreenWanted() && !isAsking && (sentinel?.released ?? true)) {
    isAsking = true;
    // A browser refuses to save power, for example.
    sentinel = await navigator.wakeLock.request("screen").catch(() => null);
    isAsking = false;
  }
  // The timer may have stopped while the browser was asked.
  if (isAsking || isScreenWanted()) return;
  sentinel?.release();
  sentinel = null;
}

function awakeRow() {
  if (!("wakeLock" in navigator)) return null;
  document.addEventListener("visibilitychange", holdScreen);
  const field = make("input", {
    id: "setting-awake", type: "checkbox", role: "switch", "aria-describedby": "setting-awake-hint",
    change: () => {
      remember("awake", field.checked ? "on" : null);
      holdScreen();
    },
  });
  field.checked = recall("awake") === "on";
  return setting("setting-awake", "Keep the screen on while the timer runs", "only while this page is in front", field);
}

function allowanceRow() {
  if (!("Notification" in window)) return null;
  const button = make("button", { id: "setting-allow", type: "button", class: "quiet", "aria-describedby": "setting-allow-hint", click: once(allow) });
  const draw = () => {
    const { permission } = Notification;
    setText(button, { granted: "Allowed", denied: "Blocked" }[permission] ?? "Allow…");
    button.setAttribute("aria-disabled", String(permission !== "default"));
  };
  async function allow() {
    if (Notification.permission === "default") await Notification.requestPermission();
    draw();
  }
  draw();
  return setting("setting-allow", "Let this page notify you", "A locked phone stays silent: no page can ring there. If it is blocked, the browser’s settings of this page allow it again.", button);
}

async function notify(state) {
  if (!("Notification" in window) || Notification.permission !== "granted" || document.hasFocus()) return;
  const registration = await navigator.serviceWorker.getRegistration();
  // Several tabs show it as one.
  const title = state.overtimeMs === null ? state.statusLabel : "Work is over";
  await registration?.showNotification(title, { body: state.label, tag: "lockstep-phase", icon: "/icon.svg" });
}
