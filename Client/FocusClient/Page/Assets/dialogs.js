// Questions to the person, one at a time. A dialog keeps the focus within it, and gives it back.
import { find } from "./dom.js";

/** Asks yes or no. */
export async function ask(question, yes = "Do it") {
  find("ask-question").textContent = question;
  find("ask-yes").textContent = yes;
  return (await answer(find("ask-dialog"))) === "yes";
}

/** Asks for a line of text; null where nobody gives one. `typed` is told the line as it changes. */
export async function askText(title, label, text, typed) {
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
