// Questions to the person, one at a time. A dialog keeps the focus inside, and returns it at the end.
import { find } from "./dom.js";
import { giveFocusBack, placeOfFocus } from "./rows.js";

/** Asks a yes-or-no question. `yes` and `no` are the texts of the buttons. */
export async function ask(question, yes = "Do it", no = "Cancel") {
  return (await answerTo(question, yes, { no })) === "yes";
}

/**
 * Asks a yes-or-no question with a checkbox. `meant` is the checkbox's initial value; if `choice` is null,
 * there is no checkbox.
 */
export async function askWithChoice(question, yes, choice, meant = true) {
  const answered = await answerTo(question, yes, { choice, meant });
  return { yes: answered === "yes", chosen: choice !== null && find("ask-choice-on").checked };
}

/** Asks a question with two answers. Returns "yes" or "other", or null if the person cancels. */
export async function askForOne(question, yes, other) {
  const answered = await answerTo(question, yes, { other });
  return ["yes", "other"].includes(answered) ? answered : null;
}

async function answerTo(question, yes, { choice = null, meant = true, other = null, no = "Cancel" }) {
  find("ask-question").textContent = question;
  find("ask-no").textContent = no;
  find("ask-other").hidden = other === null;
  find("ask-other").textContent = other ?? "";
  find("ask-yes").textContent = yes;
  find("ask-choice").hidden = choice === null;
  find("ask-choice-text").textContent = choice ?? "";
  find("ask-choice-on").checked = meant;
  return answer(find("ask-dialog"));
}

/**
 * Asks for a line of text. Returns null if the person cancels. `typed` is called with the line at each
 * change. `send` receives the line before the dialog closes: while it returns a problem, the dialog shows
 * that and stays open. `yes` is the text of the button.
 */
export async function askText(title, label, text, { typed = () => {}, send = null, yes = "Save" } = {}) {
  find("text-title").textContent = title;
  find("text-yes").textContent = yes;
  find("text-label").textContent = label;
  const field = find("text-field");
  field.value = text;
  field.oninput = () => typed(field.value);
  showTextProblem("");
  find("text-form").onsubmit = send && ((event) => {
    event.preventDefault();
    sendText(send);
  });
  const answered = answer(find("text-dialog"));
  field.focus();
  field.select();
  return (await answered) === "yes" ? field.value : null;
}

async function sendText(send) {
  const form = find("text-form");
  const question = form.onsubmit;
  const problem = await send(find("text-field").value);
  // The answer is for this question, which may be closed by now. Another one may be open.
  if (form.onsubmit !== question || !find("text-dialog").open) return;
  showTextProblem(problem ?? "");
  if (problem === null) find("text-dialog").close("yes");
}

function showTextProblem(problem) {
  find("text-problem").textContent = problem;
  find("text-field").setAttribute("aria-invalid", String(problem !== ""));
}

/** Whether a dialog is open, which then receives all keys. */
export const isDialogOpen = () => document.querySelector("dialog[open]") !== null;

/** For each open dialog, the place of the focus before, and the function that receives the answer. */
const opened = new Map();

/** Opens a dialog. `resolve` is called with the answer: "" if the person cancels, or if it is opened anew. */
export function open(dialog, resolve = () => {}) {
  const earlier = opened.get(dialog);
  // The browser tells only a little later that a dialog has closed.
  earlier?.resolve(dialog.open ? "" : dialog.returnValue);
  opened.set(dialog, { place: earlier ? earlier.place : placeOfFocus(), resolve });
  dialog.returnValue = "";
  // The scrollbar's width stays free, so that nothing moves. It is free without a scrollbar too.
  const root = document.documentElement;
  if (!isDialogOpen()) root.style.setProperty("--gutter", `${innerWidth - root.getBoundingClientRect().width}px`);
  if (!dialog.open) dialog.showModal();
}

for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("close", () => closed(dialog));

function closed(dialog) {
  const ended = opened.get(dialog);
  if (dialog.open || !ended) return;
  opened.delete(dialog);
  // A key opened it without a focus, or the list was redrawn under it. The hidden dialog may still have the focus.
  const { activeElement } = document;
  const isLost = activeElement === document.body || dialog.contains(activeElement);
  if (isLost && !(ended.place && giveFocusBack(ended.place))) find("main").focus({ preventScroll: true });
  ended.resolve(dialog.returnValue);
}

const answer = (dialog) => new Promise((resolve) => open(dialog, resolve));

for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
