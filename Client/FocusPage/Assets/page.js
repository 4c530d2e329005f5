// The page: it draws the states of the agent, or of the device in this browser. Each screen reads further data when the
// state changes.
import { hasRunOut, isOwnBell, isWarning, ring } from "./bell.js";
import { Countdown } from "./countdown.js";
import { drawDay, setRecords } from "./day-line.js";
import { forgetFailure, refreshDevices } from "./devices.js";
import { find, make, setText } from "./dom.js";
import { Events } from "./events.js";
import { refreshHistory } from "./history.js";
import { drawIcon, titleOf } from "./icon.js";
import "./keys.js";
import { forgetLabels } from "./labels.js";
import { announce, complain, retract } from "./messages.js";
import { followScreens, shown } from "./screens.js";
import { readDays, Refusal } from "./requests.js";
import { drawSettings, resumeSetting } from "./settings.js";
import { device, gone, isInBrowser } from "./source.js";
import { refreshStatistics, refreshTotals } from "./statistics.js";
import { drawClock, drawTimer, drawToday } from "./timer.js";
import { takeTurns } from "./turns.js";
import { clockAndStatus, clockText, goalsOf, ownDevice, spokenLength } from "./words.js";

/** The members of a state that change only because time passes. */
const passing = new Set([
  "now", "remainingMs", "overtimeMs", "clock", "elapsedMs", "progress", "endsAt", "endText", "pressText", "sync",
]);

const refresh = {
  timer: async ({ settings }) => {
    // A phase of yesterday may reach into today.
    setRecords((await readDays("/log.json?from=yesterday")).history);
    drawToday(await refreshTotals(), goalsOf(settings));
    drawDay(state, countdown.now, state.endsAt);
  },
  history: refreshHistory,
  statistics: refreshStatistics,
  settings: async () => {},
  devices: (state) => refreshDevices(state, countdown.now),
};

let state = null;
/** Whether the state is the last one of an earlier page: the device in this browser doesn't run yet. */
let isRecalled = false;
/** The screens that are being read, and the screens that must be read again. */
const reading = new Set();
const stale = new Set();
/** The state, without `passing`, of the last reading. While it is equal, there is nothing new to read. */
let known = "";
const countdown = new Countdown(drawSecond, () => {
  device?.then((tabs) => tabs.resume());
  events.renew();
});

/** Draws everything that changes each second. */
function drawSecond() {
  const { remaining, left } = countdown;
  drawClock(remaining, left);
  if (isWarning(state, remaining) && isOwnBell(state)) ring();
  if (shown === "timer") drawDay(state, countdown.now, state.endsAt);
  const clock = clockText(remaining);
  document.title = titleOf(state, clock);
  drawIcon(state, remaining, left);
  const asks = state.idle ? ", asks about time away" : "";
  setText(find("small-clock"), `${clockAndStatus(state, clock)}${asks}`);
}

/** Draws what a state says about the timer. */
function draw(newState) {
  state = newState;
  countdown.take(state);
  const { dataset } = document.documentElement;
  dataset.theme = state.theme;
  dataset.background = state.laptopSettings.theme;
  dataset.accent = state.laptopSettings.accent;
  dataset.status = state.status;
  document.documentElement.toggleAttribute("data-overtime", state.overtimeMs !== null);
  drawTimer(state);
  drawSecond();
}

/**
 * Draws the last state of this browser until the device runs. A press waits for the device, and does nothing if that
 * shows another timer.
 */
async function drawLast() {
  const { recallState } = await import("/last-state.js");
  const last = await recallState();
  // A hidden tab may not follow the device for long.
  if (last === null || state !== null || document.hidden) return;
  isRecalled = true;
  draw(last);
}

function take(newState) {
  const before = isRecalled ? null : state;
  isRecalled = false;
  const ranOut = before !== null && hasRunOut(before, newState, countdown.remaining);
  draw(newState);
  retract(gone);
  if (before !== null && before.sync.state !== "online" && state.sync.state === "online") forgetFailure();
  find("lost").hidden = true;
  setText(find("lost"), "");
  delete document.documentElement.dataset.lost;
  // The devices screen explains sharing.
  setText(find("sharing"), state.group === null ? `Only ${isInBrowser ? "in" : "on"} this ${ownDevice}` : state.sharing);
  find("sharing").dataset.connection = state.group === null ? "alone" : state.sync.state;
  drawTroubles();
  drawSettings(state);
  if (before) speak(before);
  if (ranOut && isOwnBell(state)) ring();
  browser?.show(state, ranOut);
  const news = JSON.stringify(state, (key, value) => (passing.has(key) ? undefined : value));
  if (news !== known) {
    forgetLabels();
    readShown();
  }
  known = news;
}

function spokenTime(isOver) {
  const length = spokenLength(state.remainingMs);
  if (state.status === "waiting") return ` in ${length}`;
  return isOver ? ", overtime" : `, ${length} left`;
}

/** Announces phases, presses and a question about time away to screen readers, but not seconds. */
function speak(before) {
  if (before.idle === null && state.idle !== null) return announce(find("away-text").textContent);
  const isOver = state.overtimeMs !== null;
  const same = ["status", "activity", "run", "ordinal", "addedText"].every((key) => before[key] === state[key]);
  if (same && isOver === (before.overtimeMs !== null)) return;
  announce(state.status === "stopped" ? "Stopped" : `${state.statusLabel}${spokenTime(isOver)}`);
}

function drawTroubles() {
  const troubles = state.notice === null ? state.troubles : [state.notice, ...state.troubles];
  find("troubles").hidden = troubles.length === 0;
  find("troubles").firstElementChild.replaceChildren(...troubles.map((trouble) => make("li", {}, trouble)));
}

/** Reads the data of the present screen, and reads it again if the state has changed meanwhile. */
async function readShown() {
  find("small-clock").hidden = shown === "timer" || state === null;
  if (state === null || isRecalled) return;
  const screen = shown;
  stale.add(screen);
  if (reading.has(screen)) return;
  reading.add(screen);
  while (stale.delete(screen)) {
    try {
      await refresh[screen](state);
    } catch (failure) {
      // Without the agent there is nothing to read. The stream shows that, and brings a state when the agent
      // is back.
      if (!(failure instanceof Refusal)) console.error(failure);
      else if (failure.isLate) complain(failure.message);
    }
  }
  reading.delete(screen);
}

/** Reloads the page if this browser isn't signed in any more. The server then sends a page that says so. */
async function leaveIfShutOut() {
  const response = await fetch("/", { cache: "no-store" }).catch(() => null);
  if (response?.status === 403) location.reload();
}

function lose() {
  // The status of the device in this browser says more, and why.
  if (!isInBrowser) {
    leaveIfShutOut();
    setText(find("lost"), `${gone} This page keeps trying to reach it.`);
    find("lost").hidden = false;
  }
  document.documentElement.dataset.lost = "";
  // Only the agent knows who is online.
  setText(find("sharing"), isInBrowser ? "The timer has stopped" : "The agent is gone");
  find("sharing").dataset.connection = "offline";
  // The reading that was under way may be lost.
  known = "";
}

const events = new Events(take, lose);
// A start without it takes longer.
if (isInBrowser) drawLast().catch(console.info);
/** The parts of a page with the device in this browser; null if there is an agent. */
const browser = isInBrowser ? await import("/browser.js") : null;
browser?.begin(() => events.renew(), lose);
takeTurns(() => events.start(), () => {
  events.rest();
  countdown.rest();
  // The time left is unknown until this tab's turn.
  document.title = "Lockstep";
});
followScreens(readShown);
resumeSetting();
// A field that is being changed isn't known to be wrong any more.
document.addEventListener("input", ({ target }) => {
  if (target.getAttribute("aria-invalid") !== "true") return;
  target.removeAttribute("aria-invalid");
  const problem = target.getAttribute("aria-describedby")?.split(" ").find((id) => id.endsWith("-problem"));
  if (problem) setText(find(problem), "");
});
// Texts such as "3m ago" change even if nothing else does.
setInterval(() => { if (shown === "devices" && !document.hidden) readShown(); }, 60_000);
// There is no event for midnight, when "today" changes.
document.addEventListener("visibilitychange", () => { if (!document.hidden) readShown(); });
