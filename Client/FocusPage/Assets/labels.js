// The list of recent labels below a field in which a label is typed. It follows ARIA's pattern of a combobox
// with a listbox: the focus stays in the field.
import { make, setText } from "./dom.js";
import { read, Refusal } from "./requests.js";

const limit = 8;
/** The longest label or name, in Unicode scalars, as in the log. */
const longest = 200;
/** The recent labels, the most recent first, as they were when such a field got the focus. */
let labels = [];
/** Whether `labels` are those of the present log. To make them, the agent reads the whole history. */
let isCurrent = false;

/** Has the labels read again when the next field gets the focus, because the log has changed. */
export function forgetLabels() {
  isCurrent = false;
}

async function readLabels() {
  if (isCurrent) return;
  // A change during the reading makes them old again.
  isCurrent = true;
  try {
    ({ labels } = await read("/labels.json"));
  } catch (failure) {
    isCurrent = false;
    // Without labels to offer, the field is still a field.
    if (!(failure instanceof Refusal)) throw failure;
  }
}

/**
 * Returns the labels that contain each word of `typed`. The label that is typed already isn't offered. The full-screen
 * view does the same (`RecentLabels`).
 */
function matching(typed) {
  const words = typed.toLowerCase().split(/\p{White_Space}+/u).filter((word) => word !== "");
  const own = typed.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
  return labels
    .filter((label) => label !== own && words.every((word) => label.toLowerCase().includes(word)))
    .slice(0, limit);
}

/** Returns a label or name as the log keeps it: without white space around it, and cut to the longest. */
export const cut = (text) => [...text.trim()].slice(0, longest).join("");

/**
 * Says below `place` if a text that is typed into a field is too long. `textOf` returns the part of the line that counts.
 * Returns a function that ends this.
 */
export function warnOfLength(field, what, { place = field, textOf = (line) => line } = {}) {
  const problem = make("p", { class: "problem-text", role: "status", hidden: true });
  const ending = new AbortController();
  const on = (event, act) => field.addEventListener(event, act, { signal: ending.signal });
  const check = () => {
    const text = textOf(field.value).trim();
    problem.hidden = text === cut(text);
    setText(problem, problem.hidden ? "" : `A ${what} has ${longest} characters at most: the rest will be left out.`);
  };
  on("focus", check);
  on("input", check);
  on("blur", () => { problem.hidden = true; });
  place.after(problem);
  return () => {
    ending.abort();
    problem.remove();
  };
}

/**
 * Offers recent labels below a field, and says there if a label is too long. `onChosen` is called after a label was
 * put into the field by Enter or a click. `startOf` returns the place in a line at which the label begins, or null if
 * it has none yet. Returns a function that ends the offer.
 */
export function offerLabels(field, onChosen = () => {}, startOf = () => 0) {
  const list = make("ul", {
    role: "listbox", id: `${field.id}-labels`, class: "choices", "aria-label": "Recent labels", tabindex: "-1", hidden: true,
    // The focus stays in the field.
    mousedown: (event) => event.preventDefault(),
  });
  const labelIn = (line) => (startOf(line) === null ? null : line.slice(startOf(line)));
  const endWarning = warnOfLength(field, "label", { textOf: (line) => labelIn(line) ?? "" });
  const attributes = {
    role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id,
  };
  /** The text that the offered labels match; null while the list is closed. */
  let asked = null;
  let offered = [];
  /** The place of the chosen label; -1 if none is chosen. */
  let chosen = -1;

  function show(typed) {
    asked = typed;
    offered = typed === null ? [] : matching(typed);
    list.replaceChildren(...offered.map((label, place) =>
      make("li", {
        role: "option", id: `${list.id}-${place}`, dir: "auto", "aria-selected": "false", click: () => choose(label),
      }, label)));
    list.hidden = offered.length === 0;
    field.setAttribute("aria-expanded", String(!list.hidden));
    select(-1);
  }

  const close = () => show(null);

  function select(place) {
    chosen = place;
    [...list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === place)));
    const option = list.children[place];
    if (!option) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  /** Selects the next label or the one before. Past the ends of the list, none is selected. */
  function step(by) {
    const from = chosen < 0 && by < 0 ? offered.length : chosen;
    select(from + by < offered.length ? from + by : -1);
  }

  function fill(label) {
    field.value = field.value.slice(0, startOf(field.value) ?? 0) + label;
    // Drafts are stored at this event.
    field.dispatchEvent(new Event("input", { bubbles: true }));
    close();
  }

  function choose(label) {
    fill(label);
    onChosen();
  }

  function press(key) {
    if (key === "ArrowDown" && list.hidden && labelIn(field.value) !== null) {
      show("");
      step(1);
    } else if (key === "ArrowDown") step(1);
    else if (list.hidden) return false;
    else if (key === "ArrowUp") step(-1);
    else if (key === "Escape") close();
    else if (chosen < 0) {
      // Enter takes the text that was typed.
      if (key === "Enter") close();
      return false;
    } else if (key === "Enter") choose(offered[chosen]);
    else if (key === "Tab") fill(offered[chosen]);
    else return false;
    return true;
  }

  const ending = new AbortController();
  const on = (event, act) => field.addEventListener(event, act, { signal: ending.signal });
  on("focus", async () => {
    await readLabels();
    if (asked !== null && chosen < 0) show(asked);
  });
  on("input", () => show(labelIn(field.value)));
  on("click", () => { if (labelIn(field.value) === "") show(""); });
  on("blur", close);
  on("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (!press(event.key)) return;
    event.preventDefault();
    // Neither the field's own keys nor the page's shortcuts get it.
    event.stopImmediatePropagation();
  });

  for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
  field.after(list);
  return () => {
    ending.abort();
    close();
    for (const name of Object.keys(attributes)) field.removeAttribute(name);
    list.remove();
    endWarning();
  };
}
