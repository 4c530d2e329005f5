// The keys, the same as in the full-screen view: one table for the actions and for the help.
import { find, make } from "./dom.js";
import { invite, share } from "./devices.js";
import { isDialogOpen, open } from "./dialogs.js";
import { addEntry } from "./entry.js";
import { showAll } from "./history.js";
import { goToInvite, leave } from "./joining.js";
import { areKeysOn, switchKeys } from "./key-switch.js";
import { closeMessages } from "./messages.js";
import { goTo, screens, shown } from "./screens.js";
import { actOnRow, moveRow } from "./rows.js";
import { isInBrowser } from "./source.js";
import { goBack, stepChart } from "./statistics.js";
import { answerQuestion, presses, stopEarlier } from "./timer.js";
import { ownDevice } from "./words.js";

const lists = { history: "days", devices: "device-list" };
const perPage = 10;

const sections = [
  { title: "The timer, on every screen", keys: [
    { keys: [" "], shownAs: "space", what: "start, pause or resume", act: () => presses.main() },
    { keys: ["s"], what: "skip to the next phase", act: () => presses.skip() },
    { keys: ["x"], what: "stop the session", act: () => presses.stop() },
    { keys: ["X"], what: "stop it as of a while ago", act: stopEarlier },
    { keys: ["D"], what: "the work is done, count it", act: () => presses.complete() },
    { keys: ["B"], what: "a break now", act: () => presses.break() },
    { keys: ["+", "="], shownAs: "+", what: "a minute more", act: () => presses.more() },
    { keys: ["-"], what: "a minute less", act: () => presses.less() },
    { keys: ["l"], what: "name the work, or start it by name", act: nameWork, on: (screen) => screen !== "statistics" },
    { keys: ["L"], what: "the same, on Statistics too", act: nameWork },
    { keys: ["u"], what: "undo", act: () => presses.undo() },
    { keys: ["U"], what: "redo", act: () => presses.redo() },
  ] },
  { title: "Getting around", keys: [
    { keys: ["1", "2", "3", "4", "5"], shownAs: "1–5", what: "the screens", act: (key) => goTo(screens[Number(key) - 1]) },
    { keys: ["j", "ArrowDown"], shownAs: "j ↓", what: "the next row", act: () => move(1) },
    { keys: ["k", "ArrowUp"], shownAs: "k ↑", what: "the row before", act: () => move(-1) },
    { keys: ["PageDown"], shownAs: "PgDn", what: "a page on", act: () => move(perPage), on: hasList },
    { keys: ["PageUp"], shownAs: "PgUp", what: "a page back", act: () => move(-perPage), on: hasList },
    { keys: ["g"], what: "the first row", act: () => move(-Infinity) },
    { keys: ["G"], what: "the last row", act: () => move(Infinity) },
    { keys: ["?"], what: "these keys", act: showKeys },
    { keys: ["Escape"], shownAs: "Esc", what: "close a message; show all of the history again", act: escape },
  ] },
  { title: "Timer, when it asks about time away", on: "timer", keys: [
    { keys: ["k"], what: "keep that time", act: () => answerQuestion("keep") },
    { keys: ["t"], what: "take it out", act: () => answerQuestion("drop") },
    { keys: ["p"], what: "pause the session as of then", act: () => answerQuestion("pause") },
  ] },
  { title: "History", on: "history", keys: [
    { keys: ["/"], what: "find", act: () => find("filter").focus() },
    { keys: ["a"], what: "add an entry", act: addEntry },
    { keys: ["Enter", "e"], shownAs: "Enter e", what: "relabel the selected entry", act: () => onEntry("Relabel") },
    { keys: ["t"], what: "say when it was: other times", act: () => onEntry("Times") },
    { keys: ["p"], what: "split it in two", act: () => onEntry("Split") },
    { keys: ["d"], what: "remove it from the history", act: () => onEntry("Remove") },
  ] },
  { title: "Statistics", on: "statistics", keys: [
    { keys: ["h", "ArrowLeft"], shownAs: "h ←", what: "the chart before", act: () => stepChart(-1) },
    { keys: ["l", "ArrowRight"], shownAs: "l →", what: "the next chart", act: () => stepChart(1) },
    { keys: ["j", "k"], shownAs: "j k", what: "on Year: the year before, the year after",
      act: (key) => goBack(key === "j" ? 1 : -1) },
  ] },
  { title: "Devices", on: "devices", keys: [
    { keys: ["i"], what: "invite another laptop", act: invite },
    { keys: ["e"], what: `rename this ${ownDevice}`, act: () => edit(find("rename")) },
    { keys: ["d"], what: "shut the selected one out", act: () => onDevice("Shut out", "No laptop here can be shut out.", "The selected laptop can’t be shut out.") },
    { keys: ["b"], what: "take that back", act: () => onDevice("Take back", "No laptop here was shut out.", "The selected laptop isn’t shut out.") },
    { keys: ["a"], what: "accept one that waits", act: () => onDevice("Accept", "No laptop here waits to be accepted.", "The selected laptop isn’t waiting to be accepted.") },
    ...(isInBrowser ? [] : [{ keys: ["S"], what: "share from this laptop", act: share }]),
    { keys: ["J"], what: "join a group with an invite", act: goToInvite },
    { keys: ["p"], what: "leave the group", act: leave },
  ] },
];

function nameWork() {
  goTo("timer");
  edit(find("label"));
}

function edit(field) {
  field.focus();
  field.select();
}

const onEntry = (action) => actOnRow(find("days"), action, "There is no entry here.");
const onDevice = (action, ...sentences) => actOnRow(find("device-list"), action, ...sentences);

function hasList(screen) {
  return screen in lists || screen === "settings";
}

function move(by) {
  if (shown in lists) moveRow(find(lists[shown]), by);
  else if (shown === "settings") moveField(by);
  else return false;
  return true;
}

/** Moves the focus in the settings form, which is a list of fields. In a list of choices, arrows choose. */
function moveField(by) {
  const fields = [...find("settings-form").querySelectorAll("input")];
  const from = fields.indexOf(document.activeElement);
  fields[Math.min(fields.length - 1, Math.max(0, from + by))].focus();
}

function escape() {
  if (!closeMessages() && shown === "history") showAll();
}

export function showKeys() {
  find("keys-on").checked = areKeysOn();
  open(find("keys-dialog"));
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.defaultPrevented) return;
  if (isDialogOpen()) return;
  const { key, target } = event;
  if (isTyped(target, key) || isOwn(target, key) || target.closest(".heatmap")) return;
  // Keys that type no character stay on, because speech input doesn't produce them by accident.
  if (!areKeysOn() && key.length === 1 && key !== "?") return;
  const found = sections
    .filter((section) => section.on === undefined || section.on === shown)
    .toReversed()
    .flatMap((section) => section.keys)
    .find((entry) => entry.keys.includes(key) && (entry.on?.(shown) ?? true));
  const repeated = shown === "timer" ? ["+", "-"] : ["j", "k", "+", "-"];
  if (!found || (event.repeat && !repeated.includes(key) && !key.startsWith("Arrow"))) return;
  if (found.act(key) !== false) event.preventDefault();
}

/** Whether the key is text for the focused field. A switch takes no text, only the space bar. */
function isTyped(target, key) {
  if (!target.matches("input, textarea, select") || target.readOnly) return false;
  // In a field of one line these keys type nothing, so they move between the settings.
  if (shown === "settings" && target.localName === "input" && (key === "ArrowUp" || key === "ArrowDown")) return false;
  return target.type !== "checkbox" || key === " ";
}

/** Whether the key activates the focused element itself. */
function isOwn(target, key) {
  if (key !== " " && key !== "Enter") return false;
  if (target.matches("button, summary")) return true;
  return key === "Enter" && target.matches("a");
}

function explanation({ title, keys }) {
  return make(
    "section", {}, make("h3", {}, title),
    make("dl", { class: "key-list" }, ...keys.flatMap((entry) => {
      const shownAs = (entry.shownAs ?? entry.keys[0]).split(" ");
      const signs = shownAs.flatMap((sign, index) => (index > 0 ? [" ", make("kbd", {}, sign)] : [make("kbd", {}, sign)]));
      return [make("dt", {}, ...signs), make("dd", {}, entry.what)];
    })));
}

find("key-sections").append(...sections.map(explanation));
find("keys-on").addEventListener("change", () => {
  switchKeys(find("keys-on").checked);
  find("setting-keys").checked = areKeysOn();
});
find("show-keys").addEventListener("click", showKeys);
addEventListener("keydown", pressed);
