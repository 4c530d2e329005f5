// Questions to the person, one at a time. A dialog keeps the focus within it, and gives it back.
import { find } from "./dom.js";

/** Asks yes or no. */
export async function ask(question, yes = "Do it") {
  return (await askWithChoice(question, yes, null)).yes;
}

/** Asks yes or no, and with it for something that is `meant` to be so, or not, unless somebody says otherwise; null asks for nothing. */
export async function askWithChoice(question, yes, choice, meant = true) {
  find("ask-question").textContent = question;
  find("ask-yes").textContent = yes;
  find("ask-choice").hidden = choice === null;
  find("ask-choice-text").textContent = choice ?? "";
  find("ask-choice-on").checked = meant;
  const answered = await answer(find("ask-dialog"));
  return { yes: answered === "yes", chosen: choice !== null && find("ask-choice-on").checked };
}

/** Asks for a line of text; null where nobody gives one. `typed` is told the line as it changes. */
export async function askText(title, label, text, typed = () => {}) {
  find("text-title").textContent = title;
  find("text-label").textContent = label;
  const field = find("text-field");
  field.value = text;
  field.oninput = () => typed(field.value);
  const answered = answer(find("text-dialog"));
  field.focus();
  field.select();
  return (await answered) === "yes" ? field.value : null;
}

/** Whether one is open: keys belong to it then. */
export const isDialogOpen = () => document.querySelector("dialog[open]") !== null;

export function open(dialog) {
  dialog.returnValue = "";
  // What the scrollbar took stays free, so that nothing moves.
  const root = document.documentElement;
  if (!isDialogOpen()) root.style.setProperty("--gutter", `${innerWidth - root.clientWidth}px`);
  if (!dialog.open) dialog.showModal();
}

function answer(dialog) {
  open(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}

for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
