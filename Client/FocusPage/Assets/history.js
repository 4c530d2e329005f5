// The history screen: days with their phases, and searching, adding, relabelling, changing and removing
// entries.
import { find, list, make, setText } from "./dom.js";
import { ask, askText } from "./dialogs.js";
import { longName } from "./days.js";
import { offerLabels } from "./labels.js";
import { keepDraft, recall, recallDraft, remember } from "./memory.js";
import { forgive, say, sayUndoable } from "./messages.js";
import { post, press, readDays, withZone } from "./requests.js";
import { arrangeRows, giveFocusBack, moveRow, placeOfFocus } from "./rows.js";
import { activityWords, completedText, focusTimeText, goalsOf, lengthText, timeOfDay } from "./words.js";

const daysAtOnce = 30;
let log = null;
let goals = null;
let daysShown = daysAtOnce;

/** Reads the history again and draws it. */
export async function refreshHistory(state) {
  goals = goalsOf(state.settings);
  const isFirst = log === null;
  log = await readDays("/log.json");
  drawHistory();
  if (isFirst) resumeRelabelling();
}

function drawHistory() {
  const words = find("filter").value.toLowerCase().split(/\p{White_Space}+/u).filter((word) => word !== "");
  const records = log.history.filter((record) => matches(record, words));
  const days = Map.groupBy(records, (record) => record.day);
  const names = [...days.keys()].sort().reverse();
  const isFiltered = words.length > 0;
  const totals = new Map(log.days.map((day) => [day.date, day]));

  const focus = placeOfFocus();
  find("days").replaceChildren(
    ...names.slice(0, daysShown).map((day) =>
      daySection(day, totals.get(day), newestFirst(days.get(day)), isFiltered)));
  arrangeRows(find("days"), focus?.row);
  if (focus && !giveFocusBack(focus)) find("add-entry").focus({ preventScroll: true });
  find("older").hidden = names.length <= daysShown;
  setText(find("history-count"), countText(records.length, isFiltered));
}

/** Returns records by their beginning, the last one first. They come by their end. */
const newestFirst = (records) => records.toReversed().sort((left, right) => right.startedAt - left.startedAt);

/** Returns whether each word is in the label, the kind or the outcome. */
function matches(record, words) {
  const text = `${record.label} ${activityWords[record.activity]} ${record.outcome}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function countText(found, isFiltered) {
  if (log.history.length === 0) return "Finished sessions appear here.";
  if (!isFiltered) return "";
  return found === 0 ? "Nothing in the history matches." : `${found} of ${log.history.length} entries`;
}

function daySection(day, total, records, isFiltered) {
  const goal = goals.of(day);
  // Goals are for all work, so the sum isn't only of the entries that were found.
  const subject = isFiltered ? "Whole day: " : "";
  const summary = total ? `${subject}${focusTimeText(total, goal)}, ${completedText(total, goal)}` : "";
  const head = make("div", { class: "day-head" }, make("h3", { id: `day-${day}` }, longName(day)), make("p", {}, summary));
  return make(
    "section", { class: "day", "aria-labelledby": `day-${day}` }, head, list({}, ...records.map(row)));
}

function row(record) {
  const [from, to] = [timeOfDay(record.startedAt), timeOfDay(record.endedAt)];
  const name = record.label === "" ? activityWords[record.activity] : record.label;
  const action = (word, act) =>
    make("button", {
      type: "button", class: "link", "data-action": word, "aria-label": `${word} ${name}, ${from}`,
      click: () => act(record),
    }, word);
  const outcome = record.outcome === "completed" ? null : make("span", { class: "outcome" }, record.outcome);
  const laptop = record.otherLaptop === null ? null : make("span", { class: "laptop" }, "on ", make("bdi", {}, record.otherLaptop));
  const remarks = [outcome, laptop].filter((remark) => remark !== null)
    .flatMap((remark, index) => (record.label || index > 0 ? [" ", remark] : [remark]));
  return make(
    "li", { class: "row", "data-row": record.entry, "data-activity": record.activity },
    make("span", { class: "when" }, `${from}-${to}`), make("span", { class: "length" }, lengthText(record.activeMs)),
    make("span", { class: "kind" }, activityWords[record.activity]),
    make("span", { class: "what" }, make("bdi", {}, record.label), ...remarks),
    make("span", { class: "actions" }, action("Relabel", relabel), action("Times", retime),
      action("Split", split), action("Remove", remove)));
}

async function relabel(record, typed = record.label) {
  // Other questions have the same field.
  const endOffer = offerLabels(find("text-field"), () => find("text-dialog").close("yes"));
  const label = await askText(
    "Relabel an entry", "Label", typed, { typed: (text) => keepDraft("relabel", { entry: record.entry, text }) });
  endOffer();
  keepDraft("relabel", null);
  if (label !== null && label.trim() !== record.label) press({ press: "relabel", record: record.entry, label: label.trim() });
}

/** After a reload the dialog opens with the draft. */
function resumeRelabelling() {
  const draft = recallDraft("relabel");
  const record = log.history.find((record) => record.entry === draft?.entry);
  if (record) relabel(record, draft.text);
}

async function retime(record) {
  const shown = `${timeOfDay(record.startedAt)}-${timeOfDay(record.endedAt)}`;
  await askText("When was it?", "As 9:30-10:15, or 9:30 for when it began, or 45m for how long it took", shown, {
    send: async (line) => (line.trim() === shown ? null : change("retime", record, line)),
  });
}

async function split(record) {
  // The label comes after the time, which may have a date before it.
  const startOf = (line) => /^\s*(?:\d{4}-\S+\s+)?(?!\d{4}-)\S+\s+/.exec(line)?.[0].length ?? null;
  const endOffer = offerLabels(find("text-field"), () => {}, startOf);
  await askText("Split an entry", "When the second one began, and what it was: 9:30 Mail", "", {
    yes: "Split",
    send: async (line) => (line.trim() === "" ? null : change("split", record, line)),
  });
  endOffer();
}

/** Changes an entry. Returns the reason if that was refused, otherwise null. */
async function change(what, record, line) {
  try {
    const answer = await post(withZone("/press"), { press: what, record: record.entry, line: line.trim() });
    if (answer?.did) say(answer.did);
    else forgive();
    return null;
  } catch (refusal) {
    return refusal.message;
  }
}

async function remove(record) {
  const name = record.label === "" ? `this ${activityWords[record.activity]}` : `“${record.label}”`;
  const question = `Remove ${name}, ${timeOfDay(record.startedAt)}-${timeOfDay(record.endedAt)}, from the history?`;
  if (!(await ask(question, "Remove"))) return;
  if (await press({ press: "remove", record: record.entry })) sayUndoable("Removed from the history. Undo brings it back.");
}

find("filter").value = recall("filter") ?? "";
find("filter").addEventListener("input", () => {
  remember("filter", find("filter").value);
  daysShown = daysAtOnce;
  if (log) drawHistory();
});
find("filter").addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    showAll();
    find("filter").blur();
    moveRow(find("days"), 0);
  } else if (event.key === "ArrowDown" || event.key === "Enter") moveRow(find("days"), 1);
  else return;
  event.preventDefault();
});
find("filter-form").addEventListener("submit", (event) => event.preventDefault());
find("older").addEventListener("click", () => {
  daysShown += daysAtOnce;
  drawHistory();
});

/** Clears the search, and shows the whole history. */
export function showAll() {
  find("filter").value = "";
  remember("filter", null);
  daysShown = daysAtOnce;
  if (log) drawHistory();
}

