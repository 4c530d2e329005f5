// What the page is: it draws the state that the agent streams, and each screen reads what else it shows when that changes.
import { Countdown } from "./countdown.js";
import { refreshDevices } from "./devices.js";
import { find, make, setText } from "./dom.js";
import { Events } from "./events.js";
import { refreshHistory } from "./history.js";
import { drawIcon, titleOf } from "./icon.js";
import "./keys.js";
import { announce, complain } from "./messages.js";
import { followScreens, shown } from "./screens.js";
import { agentGone, Refusal } from "./requests.js";
import { drawSettings, resumeSetting } from "./settings.js";
import { refreshStatistics, refreshTotals } from "./statistics.js";
import { drawClock, drawTimer, drawToday } from "./timer.js";
import { takeTurns } from "./turns.js";
import { clockText, spokenLength } from "./words.js";

/** What a state says of the moment alone. */
const passing = new Set(["now", "remainingMs", "clock", "elapsedMs", "progress", "endsAt", "sync"]);

const refresh = {
  timer: async () => {
    const { today, goal } = await refreshTotals();
    drawToday(today, goal);
  },
  history: refreshHistory,
  statistics: refreshStatistics,
  settings: async () => {},
  devices: (state) => refreshDevices(state, countdown.now),
};

let state = null;
/** The screens that are just being read, and those that have to be read once more. */
const reading = new Set();
const stale = new Set();
/** What was read for: as long as this is the same, so is what there is to read. */
let known = "";
const countdown = new Countdown(drawSecond, () => events.renew());

/** Draws what changes from second to second. */
function drawSecond() {
  const { remaining, left } = countdown;
  drawClock(remaining, left);
  const clock = clockText(remaining);
  document.title = titleOf(state, clock);
  drawIcon(state, remaining, left);
  setText(find("small-clock"), `${clock} ${state.statusLabel}`);
}

function take(newState) {
  const before = state;
  state = newState;
  countdown.take(state);
  find("lost").hidden = true;
  setText(find("lost"), "");
  delete document.documentElement.dataset.lost;
  document.documentElement.dataset.theme = state.theme;
  document.documentElement.dataset.status = state.status;
  // What sharing takes is said where the devices are.
  setText(find("sharing"), state.group === null ? "On this laptop alone" : state.sharing);
  find("sharing").dataset.connection = state.group === null ? "alone" : state.sync.state;
  drawTroubles();
  drawTimer(state);
  drawSettings(state);
  drawSecond();
  if (before) speak(before);
  const news = JSON.stringify(state, (key, value) => (passing.has(key) ? undefined : value));
  if (news !== known) readShown();
  known = news;
}

/** Phases and presses are spoken; seconds aren't. */
function speak(before) {
  const same = ["status", "activity", "run", "ordinal"].every((key) => before[key] === state[key]);
  if (same) return;
  announce(state.status === "stopped" ? "Stopped" : `${state.statusLabel}, ${spokenLength(state.remainingMs)} left`);
}

function drawTroubles() {
  const troubles = state.notice === null ? state.troubles : [state.notice, ...state.troubles];
  find("troubles").hidden = troubles.length === 0;
  find("troubles").replaceChildren(...troubles.map((trouble) => make("li", {}, trouble)));
}

/** Reads what the screen that is shown needs besides; once more where the state has changed meanwhile. */
async function readShown() {
  find("small-clock").hidden = shown === "timer" || state === null;
  if (state === null) return;
  const screen = shown;
  stale.add(screen);
  if (reading.has(screen)) return;
  reading.add(screen);
  while (stale.delete(screen)) {
    try {
      await refresh[screen](state);
    } catch (failure) {
      // Without the agent there is nothing to read; the stream says so, and brings a state when it is back.
      if (!(failure instanceof Refusal)) console.error(failure);
      else if (failure.isLate) complain(failure.message);
    }
  }
  reading.delete(screen);
}

/** Where this browser isn't let in any more, what is served in the page's place says so, and nothing of the session. */
async function leaveIfShutOut() {
  const response = await fetch("/", { cache: "no-store" }).catch(() => null);
  if (response?.status === 403) location.reload();
}

const events = new Events(take, () => {
  leaveIfShutOut();
  setText(find("lost"), `${agentGone} This page tries to reach it by itself.`);
  find("lost").hidden = false;
  document.documentElement.dataset.lost = "";
  // Who is online is what the agent knew; nobody hears of that without it.
  setText(find("sharing"), "The agent is gone");
  find("sharing").dataset.connection = "offline";
  // What was being read may be lost too.
  known = "";
});
takeTurns(() => events.start(), () => {
  events.rest();
  countdown.rest();
  // What can't be known isn't shown.
  document.title = "Lockstep";
});
followScreens(readShown);
resumeSetting();
// What says how long ago something was goes on where nothing else changes.
setInterval(() => { if (shown === "devices" && !document.hidden) readShown(); }, 60_000);
// Nothing tells of midnight, when today is another day.
document.addEventListener("visibilitychange", () => { if (!document.hidden) readShown(); });
