// The settings screen: a form that sends each field when it is left. The agent decides which values are
// valid.
import { find, make, once } from "./dom.js";
import { ask } from "./dialogs.js";
import { areKeysOn, switchKeys } from "./key-switch.js";
import { forgetAll, keepDraft, recallDraft } from "./memory.js";
import { complain, forgive, say, saySaved, sayUndoable, unsay } from "./messages.js";
import { post } from "./requests.js";
import { gone, isInBrowser } from "./source.js";
import { ownDevice } from "./words.js";

const shared = [
  { key: "workLength", title: "Work" },
  { key: "shortBreakLength", title: "Short break" },
  { key: "longBreakLength", title: "Long break" },
  { key: "longBreakFrequency", title: "Work phases before a long break" },
  { key: "autoStartBreaks", title: "Breaks begin by themselves", isSwitch: true },
  { key: "autoStartWork", title: "Work begins by itself", isSwitch: true },
  { key: "dailyGoal", title: "Daily goal, in work phases", hint: "off, or how many" },
  { key: "dailyFocus", title: "Daily goal, in focus time", hint: "off, or how long; if a day has both goals, both are to be met" },
  { key: "weeklyGoal", title: "Weekly goal, in work phases", hint: "off, or how many" },
  { key: "weeklyFocus", title: "Weekly goal, in focus time", hint: "off, or how long" },
  { key: "daysOff", title: "Days off", hint: "sat,sun or none: without a daily goal, they don’t break the streak" },
  { key: "idleLimit", title: "An idle session ends after" },
  { key: "overtime", title: "Work goes on in overtime", hint: "until somebody begins the break or stops", isSwitch: true },
];
/** Settings of this device. A browser has no tray, and knows nothing of its machine's sleep and of time away. */
const own = [
  { key: "notifications", title: "Notifications", isSwitch: true,
    hint: isInBrowser ? "about phases that end, while this page is open" : "about phases that end, and about presses of others" },
  { key: "sound", title: "Sound", hint: "when a phase ends, and with its notifications", isSwitch: true },
  { key: "warnBefore", title: "Warning before work ends", hint: "off, or how long before", isOfAgent: true },
  { key: "sleep", title: "Pause when this laptop sleeps", isSwitch: true, words: ["pause", "keep"], isOfAgent: true },
  { key: "idle", title: "Ask about time away during work", isSwitch: true, words: ["ask", "off"], isOfAgent: true },
  { key: "theme", title: "Theme", hint: isInBrowser ? "of this page" : "of this page and the full screen", names: ["system", "light", "dark"] },
  { key: "accent", title: "Colour of work", hint: "breaks are green", names: ["red", "orange", "violet"] },
  { key: "tray", title: "Icon in the tray", hint: "of this laptop’s desktop, with a menu; “focus doctor” says if it has no tray", isSwitch: true, isOfAgent: true },
].filter(({ isOfAgent }) => !(isInBrowser && isOfAgent));
const onOff = ["on", "off"];

/**
 * The half-typed values by setting. They come back after a reload, and a new state doesn't overwrite them.
 */
const drafts = recallDraft("settings") ?? {};
/** Settings with drafts from before a reload: the browser fires no change event when such a field is left. */
const broughtBack = new Set();
/** Settings that were saved and not typed in since. Their fields show the saved value even with the focus. */
const saved = new Set();
/** The time in which the state with a saved value arrives, if the value is new. */
const arrival = 500;

function keepTyped(key, text) {
  if (text === null) delete drafts[key];
  else drafts[key] = text;
  keepDraft("settings", Object.keys(drafts).length > 0 ? drafts : null);
}

/** Draws the settings of a state, except the fields that are being edited. */
export function drawSettings(state) {
  drawProfiles(state.profileTexts);
  const texts = { ...state.settingTexts, ...state.laptopSettings };
  for (const { key, isSwitch, words = onOff } of [...shared, ...own]) {
    const field = find(`setting-${key}`);
    if (isSwitch) field.checked = texts[key] === words[0];
    else if ((field !== document.activeElement || saved.has(key)) && drafts[key] === undefined) field.value = texts[key];
    field.dataset.value = texts[key];
    // The agent is back.
    if (find(`${field.id}-problem`).textContent === gone) showProblem(field, "");
  }
}

function row({ key, title, hint, isSwitch, names, words = onOff }) {
  const id = `setting-${key}`;
  if (names) return choiceRow(id, { key, title, hint, names });
  const field = make("input", {
    id, type: isSwitch ? "checkbox" : "text", role: isSwitch ? "switch" : null,
    "aria-describedby": `${id}-problem${hint ? ` ${id}-hint` : ""}`,
    inputmode: isSwitch ? null : "text",
    change: () => send(key, field, words),
    input: () => {
      broughtBack.delete(key);
      saved.delete(key);
      if (!isSwitch) keepTyped(key, field.value === field.dataset.value ? null : field.value);
    },
    // If another window takes the focus, the field is still this document's active element.
    blur: () => { if (document.activeElement !== field && broughtBack.delete(key)) send(key, field, words); },
    keydown: (event) => {
      if (isSwitch) return;
      if (event.key === "Enter" && broughtBack.delete(key)) send(key, field, words);
      if (event.key !== "Escape") return;
      broughtBack.delete(key);
      keepTyped(key, null);
      field.value = field.dataset.value;
      showProblem(field, "");
      field.blur();
    },
  });
  return setting(id, title, hint, field);
}

/** The row of a setting with a few named values, which is sent as soon as one is chosen. */
function choiceRow(id, { key, title, hint, names }) {
  const field = make(
    "select", { id, "aria-describedby": `${id}-problem ${id}-hint`, change: () => send(key, field, onOff) },
    ...names.map((name) => make("option", { value: name }, name[0].toUpperCase() + name.slice(1))));
  return setting(id, title, hint, field);
}

/** Returns the row of a setting: its title, hint and field, and room for a problem. */
export function setting(id, title, hint, field) {
  return make(
    "div", { class: "setting" },
    make("div", {}, make("label", { for: id }, title), hint ? make("p", { class: "hint", id: `${id}-hint` }, hint) : null),
    make("div", { class: "value" }, field),
    make("p", { class: "problem-text", id: `${id}-problem`, role: "alert" }));
}

async function send(key, field, [on, off]) {
  const isSwitch = field.type === "checkbox";
  const value = isSwitch ? (field.checked ? on : off) : field.value.trim();
  const before = field.dataset.value;
  try {
    const answer = await post("/press", { press: "set", setting: key, value });
    if (!isSwitch && field.value.trim() === value) showSaved(key, field, before);
    showProblem(field, "");
    sayDone(answer);
  } catch (refusal) {
    if (isSwitch) field.checked = !field.checked;
    else if (field.localName === "select") field.value = field.dataset.value;
    showProblem(field, refusal.message);
  }
}

/** Says that a value was saved, and from when on it applies if that isn't at once. */
function sayDone(answer) {
  forgive();
  if (answer?.did) say(`Saved. ${answer.did}`);
  else saySaved();
}

/** Shows the saved value in the words of the state, which may have arrived, or arrives soon if the value is new. */
function showSaved(key, field, before) {
  keepTyped(key, null);
  saved.add(key);
  const draw = () => { if (saved.has(key)) field.value = field.dataset.value; };
  if (field.dataset.value === before) setTimeout(draw, arrival);
  else draw();
}

const profileChoice = make("select", {
  id: "setting-profile", "aria-describedby": "setting-profile-hint setting-profile-problem",
  change: chooseProfile,
});
const profileName = make("input", {
  id: "profile-name", type: "text", placeholder: "name", "aria-label": "Name for the present lengths",
  keydown: (event) => { if (event.key === "Enter") saveProfile(); },
});
const removeProfile = make(
  "button", { type: "button", class: "quiet", click: once(() => removeChosen()) }, "Remove");
let profiles = [];
let drawnProfiles = "";
/** The profile that was chosen or saved last. Others may have the same values. */
let picked = "";

/** Draws the profiles. Chosen is the profile in use, of several the picked one, or an empty choice if none is in use. */
function drawProfiles(newProfiles) {
  profiles = newProfiles;
  const wanted = JSON.stringify([profiles, picked]);
  if (wanted === drawnProfiles) return;
  drawnProfiles = wanted;
  const inUse = profiles.filter((profile) => profile.isInUse);
  const used = inUse.find(({ name }) => name === picked) ?? inUse[0];
  profileChoice.replaceChildren(
    ...(used ? [] : [make("option", { value: "", disabled: true }, "none")]),
    ...profiles.map(({ name, text }) => make("option", { value: name, title: text }, name)));
  profileChoice.value = used?.name ?? "";
  find("setting-profile-hint").textContent = used?.text ?? "No profile has the present lengths.";
  removeProfile.hidden = !used?.isSaved;
}

function profileRow() {
  return make(
    "div", { class: "setting wide" },
    make("div", {}, make("label", { for: "setting-profile" }, "Profile"), make("p", { class: "hint", id: "setting-profile-hint" })),
    make("div", { class: "value several" }, profileChoice, removeProfile),
    make("div", {}, make("label", { for: "profile-name" }, "Save the present lengths as a profile")),
    make("div", { class: "value several" }, profileName, make("button", { type: "button", class: "quiet", click: once(saveProfile) }, "Save")),
    make("p", { class: "problem-text", id: "setting-profile-problem", role: "alert" }));
}

function chooseProfile() {
  picked = profileChoice.value;
  // No new state comes if it has the values of the profile before.
  if (profiles.some(({ name, isInUse }) => isInUse && name === picked)) drawProfiles(profiles);
  sendProfile("useProfile", picked);
}

async function removeChosen() {
  if (!(await sendProfile("removeProfile", profileChoice.value))) return;
  sayUndoable("Removed. Undo brings it back.");
  profileChoice.focus();
}

async function saveProfile() {
  picked = profileName.value.trim();
  if (await sendProfile("saveProfile", picked)) profileName.value = "";
}

async function sendProfile(name, profile) {
  try {
    const answer = await post("/press", { press: name, name: profile });
    showProblem(profileChoice, "");
    sayDone(answer);
    return true;
  } catch (refusal) {
    // The next drawing chooses the profile in use again.
    drawnProfiles = "";
    showProblem(profileChoice, refusal.message);
    return false;
  }
}

function showProblem(field, sentence) {
  find(`${field.id}-problem`).textContent = sentence;
  if (sentence === "") return field.removeAttribute("aria-invalid");
  field.setAttribute("aria-invalid", "true");
  unsay();
}

async function signOut() {
  const question = "Sign this browser out, in all of its tabs? “focus web” in a terminal lets it in again.";
  if (!(await ask(question, "Sign out"))) return;
  try {
    await post("/sign-out", {});
    forgetAll();
    location.replace("/");
  } catch (refusal) {
    complain(refusal.message);
  }
}

const group = (title, hint, rows) =>
  make("fieldset", {}, make("legend", {}, title), make("p", { class: "hint" }, hint), ...rows);

const keys = make("input", { id: "setting-keys", type: "checkbox", role: "switch", change: () => switchKeys(keys.checked) });
keys.checked = areKeysOn();

find("settings-form").append(
  group("The session", "For all laptops that share it. A length is written 25m, 90s or 1h30m; a number alone is minutes.",
    [...shared.map(row), profileRow()]),
  group(`This ${ownDevice}`, "The others don’t see these.", own.map(row)),
  group(isInBrowser ? "This page" : "This browser", "Keys, at the bottom of the page, lists what letters, digits and space do.", [
    make("div", { class: "setting" },
      make("div", {}, make("label", { for: "setting-keys" }, "Keyboard shortcuts")),
      make("div", { class: "value" }, keys)),
    isInBrowser ? null : make("div", { class: "setting" },
      make("div", {}, make("p", {}, "This browser is signed in"),
        make("p", { class: "hint" }, "for 30 days after the page was last opened")),
      make("div", { class: "value" },
        make("button", { id: "sign-out", type: "button", class: "quiet", click: signOut }, "Sign out…"))),
  ].filter((one) => one !== null)));
// After a reload the fields have their drafts again.
for (const key of Object.keys(drafts)) {
  const field = find(`setting-${key}`);
  if (field === null) continue;
  field.value = drafts[key];
  broughtBack.add(key);
  find(`${field.id}-problem`).textContent = "Not saved yet: Enter saves it, Esc leaves it as it was.";
}
/** Focuses a field with a draft if this screen is shown. */
export function resumeSetting() {
  const [key] = broughtBack;
  if (key === undefined || !find("settings-form").checkVisibility()) return;
  const field = find(`setting-${key}`);
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
// Enter sends the field, but doesn't submit the form.
find("settings-form").addEventListener("submit", (event) => event.preventDefault());
