// The form that adds past work without the timer.
import { find } from "./dom.js";
import { open } from "./dialogs.js";
import { offerLabels } from "./labels.js";
import { keepDraft, recallDraft } from "./memory.js";
import { say } from "./messages.js";
import { post, withZone } from "./requests.js";

const fields = ["entry-label", "entry-day", "entry-from", "entry-to", "entry-activity", "entry-length"].map(find);

/** The longest time from an entry's beginning to its end after midnight, in milliseconds. */
const longestNight = 12 * 3600 * 1000;

/** Opens the form with today's date. */
export function addEntry() {
  const now = new Date();
  find("entry-day").value = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0")).join("-");
  openForm();
}

function openForm() {
  find("entry-problem").textContent = "";
  open(find("entry-dialog"));
  find("entry-label").focus();
}

async function sendEntry() {
  const [day, from, to] = ["entry-day", "entry-from", "entry-to"].map((id) => find(id).value);
  const length = find("entry-length").value.trim();
  if ([from, to, length].filter((said) => said !== "").length !== 2) {
    find("entry-problem").textContent = "Say two of the three: from when, to when, how long.";
    return;
  }
  const body = { press: "addPast", label: find("entry-label").value.trim(), activity: find("entry-activity").value };
  if (from !== "") body.startedAt = new Date(`${day}T${from}`).getTime();
  if (to !== "") body.endedAt = new Date(`${day}T${to}`).getTime();
  if (length !== "") body.length = length;
  if (from !== "" && from === to) {
    find("entry-problem").textContent = "It has no length: it ends when it begins.";
    return;
  }
  // Work over midnight ends on the next day. Longer than half a day, that isn't meant, as in the terminal.
  const end = new Date(body.endedAt);
  if (body.endedAt <= body.startedAt) {
    body.endedAt = end.setDate(end.getDate() + 1);
    if (body.endedAt - body.startedAt > longestNight) {
      find("entry-problem").textContent = "It ends before it begins.";
      return;
    }
  }
  try {
    const answer = await post(withZone("/press"), body);
    find("entry-dialog").close();
    for (const id of ["entry-label", "entry-from", "entry-to", "entry-length"]) find(id).value = "";
    find("entry-activity").value = "work";
    say(answer?.did ?? "It is in the history.");
  } catch (refusal) {
    find("entry-problem").textContent = refusal.message;
  }
}

offerLabels(find("entry-label"));
find("add-entry").addEventListener("click", addEntry);
find("entry-form").addEventListener("input", () => {
  keepDraft("entry", fields.map((field) => field.value));
  // It was about the earlier values.
  find("entry-problem").textContent = "";
});
find("entry-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sendEntry();
});
find("entry-dialog").addEventListener("close", () => keepDraft("entry", null));

// After a reload the form opens with the draft.
const draft = recallDraft("entry");
if (draft !== null) {
  fields.forEach((field, index) => { field.value = draft[index] ?? field.value; });
  openForm();
}
