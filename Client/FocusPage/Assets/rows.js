// Moving in a list by keys: one row is reached by Tab, the arrows go on from there.
import { say } from "./messages.js";

/** Makes the rows of `container` (its `[data-row]`) one stop for Tab, the one named `selected` or the first. */
export function arrangeRows(container, selected) {
  const rows = rowsOf(container);
  const stop = rows.find((row) => row.dataset.row === selected) ?? rows[0];
  for (const row of rows) setStop(row, row === stop);
}

/** The row that has the focus, or in which something has. */
export const focusedRow = () => document.activeElement?.closest("[data-row]") ?? null;

/** Moves the focus by so many rows; to the ends by infinity. */
export function moveRow(container, by) {
  const rows = rowsOf(container);
  if (rows.length === 0) return;
  const stop = rows.findIndex((row) => row.tabIndex === 0);
  const from = rows.includes(focusedRow()) || Math.abs(by) === Infinity ? stop : stop - Math.sign(by);
  focusRow(rows[Math.min(rows.length - 1, Math.max(0, from + by))]);
}

/** Puts the focus on a row. */
export function focusRow(row) {
  for (const other of rowsOf(row.closest("[data-rows]"))) setStop(other, other === row);
  row.focus();
}

/** Does what a key asks of the row in focus; where none has it, puts it on one, which is said. */
export function actOnRow(container, action, nothingThere) {
  const row = focusedRow();
  if (row !== null) return row.querySelector(`[data-action="${action}"]`)?.click();
  moveRow(container, 1);
  if (focusedRow() === null) say(nothingThere);
  else say(`None was selected. This one is now: press the key again for it, or j and k for another.`);
}

const rowsOf = (container) => [...container.querySelectorAll("[data-row]")];

/** The buttons in a row can be reached by Tab from that row alone: else there would be hundreds of stops. */
function setStop(row, isStop) {
  row.tabIndex = isStop ? 0 : -1;
  for (const button of row.querySelectorAll("button")) button.tabIndex = isStop ? 0 : -1;
}
