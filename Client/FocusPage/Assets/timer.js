// The timer screen: the ring, the clock, the label and the buttons.
import { setSummary } from "./day-line.js";
import { askText } from "./dialogs.js";
import { find, make, once, setText } from "./dom.js";
import { offerLabels } from "./labels.js";
import { forgetDescribed, press } from "./requests.js";
import { recall, remember } from "./memory.js";
import { onScreen, show } from "./on-screen.js";
import { activityWords, clockText, completedText, focusTimeText, isSet, lengthText, timeOfDay } from "./words.js";

/** A minute more or less, in seconds, as in the full-screen view. */
const step = 60;
/** The fields of the start: its length and its beginning. */
const startFields = ["start-length", "start-at"];

/** The ends of the status above the clock. */
const statusEnds = { stopped: ", stopped", waiting: " in" };

let state = null;
/** The half-typed label; null if the label isn't being changed. */
let draft = recall("label");

/** Draws a new state. */
export function drawTimer(newState) {
  state = newState;
  show(state);
  forgetDescribed();
  setText(find("status"), state.statusLabel + (statusEnds[state.status] ?? ""));
  setText(find("added"), state.addedText?.replace("-", "−") ?? "");
  setText(find("ends"), state.endText ?? "");
  setText(find("pressed"), state.pressText ?? "");
  setText(find("main-button"), state.mainButton);
  find("clock").dataset.endsAt = state.endsAt ?? "";
  drawOffers();
  drawCycles();
  drawLabel();
  drawQuestion();
}

/** Draws the question about time in which nobody was at the laptop. */
function drawQuestion() {
  const { idle } = state;
  const focused = find("away").contains(document.activeElement);
  find("away").hidden = idle === null;
  setText(find("away-text"), idle === null ? "" : `Nobody was here from ${timeOfDay(idle.from)} to ${timeOfDay(idle.until)} `
    + `(${lengthText(idle.until - idle.from)}), and the session ran. What becomes of that time? Another press on the timer here keeps it.`);
  if (focused && idle === null) find("main-button").focus();
}

/** Answers the question that is on the screen. Returns false if there is none. */
export function answerQuestion(answer) {
  if (!state?.idle) return false;
  press({ press: "idle", answer, from: state.idle.from, until: state.idle.until });
  return true;
}

/** Draws the clock and the ring, each second. */
export function drawClock(remaining, left) {
  const clock = clockText(remaining);
  setText(find("clock"), clock);
  find("clock").classList.toggle("long", clock.length > 5);
  find("clock").classList.toggle("longest", clock.length > 7);
  find("ring").setAttribute("stroke-dashoffset", String(1000 * (1 - left)));
}

/** Draws the progress towards today's goal, and towards this week's if there is one. */
export function drawToday({ day, today, week }, goals) {
  const text = (total, goal) =>
    completedText(total, goal) +
    (total.focusMs > 0 || goal.focusMs > 0 ? `, ${focusTimeText(total, goal)}` : "");
  const off = isSet(goals.daily) && goals.isOff(day) ? " (a day off)" : "";
  const thisWeek = isSet(goals.weekly) ? `. This week: ${text(week, goals.weekly)}` : "";
  setSummary(`Today: ${text(today, goals.of(day))}${off}${thisWeek}`);
}

function drawOffers() {
  const lost = document.activeElement;
  find("start-options").toggleAttribute("data-absent", state.status !== "stopped");
  if (state.status === "stopped") find("start-length").placeholder = lengthText(state.remainingMs);
  for (const button of document.querySelectorAll("[data-offer]")) {
    button.toggleAttribute("data-absent", !state.offers.includes(button.dataset.offer));
  }
  find("redo").disabled = find("redo").hasAttribute("data-absent");
  nameMinutes();
  // If the focused button or field disappears, the keyboard needs another element.
  if (lost?.closest("[data-absent]")) find("main-button").focus();
}

/** Names the buttons for a minute by the length that they change. Each name begins with the visible text. */
function nameMinutes() {
  const what = activityWords[state.activity] ?? "phase";
  const rest = state.status === "waiting" ? ". It begins at the same time" : "";
  for (const [id, length, change] of [["less", "shorter", "less"], ["more", "longer", "more"]]) {
    find(id).ariaLabel = `${find(id).textContent}, ${length} ${what}`;
    find(id).title = `The ${what} takes a minute ${change}${rest}`;
  }
}

function drawCycles() {
  const signs = { done: "done", present: "now", ahead: "to come" };
  const done = state.cycles.filter((cycle) => cycle === "done").length;
  find("cycles").setAttribute("aria-label", `${done} of ${state.cycles.length} work phases up to the long break`);
  find("cycles").replaceChildren(
    ...state.cycles.map((cycle) => make("span", { class: "cycle", "data-cycle": cycle, title: signs[cycle] })));
}

function drawLabel() {
  const field = find("label");
  if (draft === state.label) keepDraft(null);
  const shown = draft ?? state.label;
  if (field.value !== shown) field.value = shown;
  setText(find("label-hint"), hint());
}

function hint() {
  if (draft === null) return "";
  if (!state.offers.includes("label")) return draft === "" ? "" : "Enter starts with this name";
  return state.label === "" ? "Enter names the work" : `Enter renames, Esc leaves “${state.label}”`;
}

function keepDraft(text) {
  draft = text;
  remember("label", text);
}

async function sendLabel() {
  const label = find("label").value.trim();
  if (!state.offers.includes("label")) return pressMain();
  if (label === state.label || (await pressTimer({ press: "label", label }))) keepDraft(null);
  drawLabel();
}

/** Sends a press for the timer that is on the screen. */
function pressTimer(body) {
  return press({ ...body, shown: onScreen() });
}

/** Presses the main button. If nothing runs, it starts with the label that was typed. */
async function pressMain() {
  const label = (draft ?? "").trim();
  const options = state.status === "stopped" ? startOptions() : {};
  if (state.status !== "stopped" || (label === "" && Object.keys(options).length === 0)) {
    return pressTimer({ press: "toggle" });
  }
  if (await pressTimer({ press: "start", label: label === "" ? null : label, ...options })) {
    if ((draft ?? "").trim() === label) keepDraft(null);
    for (const id of startFields) find(id).value = "";
    drawLabel();
  }
}

/** The length and the beginning that were typed for the start. */
function startOptions() {
  startFields.forEach((id) => find(id).removeAttribute("aria-invalid"));
  const [length, clock] = startFields.map((id) => find(id).value.trim());
  const options = {};
  if (length !== "") options.length = length;
  if (clock !== "") options.begins = instantOf(clock);
  return options;
}

/** The instant of a time of day: today, or tomorrow if that was more than 12 hours ago. */
function instantOf(clock) {
  const [hours, minutes] = clock.split(":").map(Number);
  const instant = new Date();
  instant.setHours(hours, minutes, 0, 0);
  if (Date.now() - instant.getTime() > 12 * 3600 * 1000) instant.setDate(instant.getDate() + 1);
  return instant.getTime();
}

/** The presses for buttons and keys. A press that isn't offered does nothing. */
export const presses = {
  main: pressMain,
  stop: () => offered("stop", { press: "stop" }),
  skip: () => offered("skip", { press: "skip" }),
  complete: () => offered("complete", { press: "complete" }),
  break: () => offered("break", { press: "break" }),
  more: () => offered("addTime", { press: "add", seconds: step }),
  less: () => offered("addTime", { press: "add", seconds: -step }),
  undo: () => offered("undo", { press: "undo" }),
  redo: () => pressTimer({ press: "redo" }),
};

/**
 * Asks how long ago the session ended, and stops it as of then. The dialog stays open while the agent refuses the
 * line. A no to the agent's question closes it too.
 */
export async function stopEarlier() {
  await askText("Stop as of a while ago", "How long ago it ended, as 10m or 1h30m", "", {
    yes: "Stop",
    send: async (line) => {
      if (line.trim() === "") return null;
      let problem = null;
      await press({ press: "stop", ago: line, shown: onScreen() }, (sentence) => { problem = sentence; });
      return problem;
    },
  });
}

function offered(offer, body) {
  if (state.offers.includes(offer)) pressTimer(body);
}

// A minute more or less is pressed several times on purpose.
find("main-button").addEventListener("click", once(presses.main));
for (const id of ["stop", "skip", "complete", "break", "undo", "redo"]) find(id).addEventListener("click", once(presses[id]));
for (const id of ["more", "less"]) find(id).addEventListener("click", presses[id]);

// By the other button of the mouse, a long touch, or the menu key.
find("stop").addEventListener("contextmenu", (event) => {
  event.preventDefault();
  stopEarlier();
});

for (const button of document.querySelectorAll("[data-answer]")) {
  button.addEventListener("click", once(() => answerQuestion(button.dataset.answer)));
}

// Its keys come before the field's own.
offerLabels(find("label"), () => find("label-form").requestSubmit());
find("label").addEventListener("input", () => {
  keepDraft(find("label").value);
  drawLabel();
});
find("label").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  keepDraft(null);
  drawLabel();
  find("label").blur();
});
find("label-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sendLabel();
  // Without the focus in the field, the next key is a shortcut again.
  find("label").blur();
});
