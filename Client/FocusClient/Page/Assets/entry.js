// The form for what was done without the timer.
import { find } from "./dom.js";
import { open } from "./dialogs.js";
import { keepDraft, recallDraft } from "./memory.js";
import { say } from "./messages.js";
import { post } from "./requests.js";

const fields = ["entry-label", "entry-day", "entry-from", "entry-to"].map(find);

/** Opens the form, with today filled in. */
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
  const startedAt = new Date(`${day}T${from}`).getTime();
  let endedAt = new Date(`${day}T${to}`).getTime();
  // Work over midnight ends on the day after.
  if (endedAt <= startedAt) endedAt = new Date(endedAt).setDate(new Date(endedAt).getDate() + 1);
  try {
    await post("/press", { press: "addPast", startedAt, endedAt, label: find("entry-label").value.trim() });
    find("entry-dialog").close();
    for (const id of ["entry-label", "entry-from", "entry-to"]) find(id).value = "";
    say("It is in the history.");
  } catch (refusal) {
    find("entry-problem").textContent = refusal.message;
  }
}

find("add-entry").addEventListener("click", addEntry);
find("entry-form").addEventListener("input", () => keepDraft("entry", fields.map((field) => field.value)));
find("entry-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sendEntry();
});
find("entry-dialog").addEventListener("close", () => keepDraft("entry", null));

// A reload finds the form as it was half filled in.
const draft = recallDraft("entry");
if (draft !== null) {
  fields.forEach((field, index) => { field.value = draft[index] ?? ""; });
  openForm();
}
