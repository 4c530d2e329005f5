// Moving in a list by keys: Tab reaches one row, and the arrows move on from it.
import { say } from "./messages.js";

/** Makes the rows of `container` (its `[data-row]`) a single Tab stop: the row `selected`, or the first. */
export function arrangeRows(container, selected) {
  const rows = rowsOf(container);
  const stop = rows.find((row) => row.dataset.row === selected) ?? rows[0];
  for (const row of rows) setStop(row, row === stop);
}

/** Returns the row that contains the focus, or null. */
export const focusedRow = () => document.activeElement?.closest("[data-row]") ?? null;

/** Moves the focus by `by` rows; infinity moves to an end. */
export function moveRow(container, by) {
  const rows = rowsOf(container);
  if (rows.length === 0) return;
  const stop = rows.findIndex((row) => row.tabIndex === 0);
  const from = rows.includes(focusedRow()) || Math.abs(by) === Infinity ? stop : stop - Math.sign(by);
  focusRow(rows[Math.min(rows.length - 1, Math.max(0, from + by))]);
}

/** Focuses a row. */
export function focusRow(row) {
  for (const other of rowsOf(row.closest("[data-rows]"))) setStop(other, other === row);
  row.focus();
}

/**
 * Clicks the button for `action` in the focused row, or says `notThis` if it has none. If no row is focused, focuses
 * one with that button and says so, or says `nothingThere`.
 */
export function actOnRow(container, action, nothingThere, notThis) {
  const buttonIn = (row) => row.querySelector(`[data-action="${action}"]`);
  const row = focusedRow();
  if (row !== null) return buttonIn(row) ? buttonIn(row).click() : say(notThis);
  const rows = rowsOf(container).filter(buttonIn);
  if (rows.length === 0) return say(nothingThere);
  focusRow(rows.find((row) => row.tabIndex === 0) ?? rows[0]);
  say(`None was selected. Now this one is: press the key again, or j and k for another.`);
}

/** Returns the place of the focus in a list, for `giveFocusBack` after the list was redrawn; null if it is in none. */
export function placeOfFocus() {
  const row = focusedRow();
  const container = row?.closest("[data-rows]");
  if (!container) return null;
  const { action } = document.activeElement.dataset;
  return { container, row: row.dataset.row, index: rowsOf(container).indexOf(row), action };
}

/** Focuses the same button or row again, or else the row at its place. Returns false if there is no row. */
export function giveFocusBack({ container, row: name, index, action }) {
  const rows = rowsOf(container);
  const row = rows.find((row) => row.dataset.row === name) ?? rows[Math.min(index, rows.length - 1)];
  if (!row) return false;
  arrangeRows(container, row.dataset.row);
  (row.querySelector(`[data-action="${action}"]`) ?? row).focus({ preventScroll: true });
  return true;
}

const rowsOf = (container) => [...container.querySelectorAll("[data-row]")];

/**
 * Makes the buttons of a row Tab stops only together with the row; otherwise there would be hundreds of
 * stops.
 */
function setStop(row, isStop) {
  row.tabIndex = isStop ? 0 : -1;
  for (const button of row.querySelectorAll("button")) button.tabIndex = isStop ? 0 : -1;
}
