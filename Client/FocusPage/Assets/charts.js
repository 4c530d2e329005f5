// Bars, and the heatmap of a year, drawn from totals that the program has computed.
import { draw, list, make } from "./dom.js";
import { dayAndMonth, daysBetween, later, longName, monthName, weekday } from "./days.js";
import { counted, lengthText } from "./words.js";

export const nothing = { focusMs: 0, completed: 0 };

/**
 * Returns horizontal bars: the focus time as a length and in words, and the number of completed work phases.
 *
 * Each of `bars` has a `name` and a `total`; `met` is true if the goal was reached.
 */
export function barChart(label, bars, kind = "") {
  const most = Math.max(1, ...bars.map((bar) => bar.total.focusMs));
  return list({ class: `bars ${kind}`, "aria-label": label }, ...bars.map((bar) => barRow(bar, most)));
}

function barRow({ name, total, met = false }, most) {
  const bar = make("span", {});
  // The Content-Security-Policy forbids styles in markup, but a script may set them.
  bar.style.width = `${(100 * total.focusMs) / most}%`;
  const isEmpty = total.focusMs === 0;
  return make(
    "li", {},
    make("span", { class: "name", title: name }, name, make("span", { class: "unseen" }, ": ")),
    make("span", { class: `bar ${isEmpty ? "none" : ""}`, "aria-hidden": "true" }, bar),
    make("span", { class: "number" }, isEmpty ? "–" : lengthText(total.focusMs)),
    make(
      "span", { class: `number ${met ? "met" : ""}`, title: counted(total.completed, "work phase") },
      total.completed === 0 ? "" : String(total.completed),
      total.completed === 0 ? null : make("span", { class: "unseen" }, " completed"),
      met ? " ✓" : null, met ? make("span", { class: "unseen" }, " goal met") : null));
}

/** The number of colours besides the one for nothing, from a little to as much as on the busiest day. */
const levels = 4;
const mostOf = (days, totals) => Math.max(1, ...days.map((day) => totals.get(day)?.focusMs ?? 0));

/** Returns the legend for a heatmap of these days. */
export function heatmapLegend(first, last, totals) {
  const most = mostOf(daysBetween(first, last), totals);
  const fields = [...Array(levels + 1).keys()].map((level) => make("span", { class: "field", "data-level": level }));
  return make(
    "p", { class: "hint legend" }, make("span", {}, "nothing"), ...fields,
    make("span", {}, `up to ${lengthText(most)} a day`));
}

const field = 12;
const left = 28;
const top = 14;

/** Returns a field for each day of a range: a column for each week, with Monday at the top. */
export function heatmap(first, last, totals) {
  const days = daysBetween(first, last);
  const most = mostOf(days, totals);
  const before = weekday(first);
  const columns = before + days.length;
  const width = left + Math.ceil(columns / 7) * field;
  const busy = days.filter((day) => totals.has(day)).length;
  const words = `${longName(first)} to ${longName(last)}: focus time on ${counted(busy, "day")}`;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${top + 7 * field}`, role: "img", "aria-label": words });
  ["Mon", "Wed", "Fri"].forEach((name, index) => {
    svg.append(draw("text", { x: 0, y: top + 2 * index * field + 9 }, name));
  });
  let columnOfLast = -3;
  days.forEach((day, index) => {
    const column = Math.floor((before + index) / 7);
    const total = totals.get(day) ?? nothing;
    const level = total.focusMs > 0 ? 1 + Math.floor((total.focusMs * levels - 1) / most) : 0;
    const text = `${dayAndMonth(day)}: ${total.focusMs > 0 ? `${lengthText(total.focusMs)}, ${counted(total.completed, "work phase")}` : "nothing"}`;
    svg.append(draw(
      "rect",
      { x: left + column * field, y: top + weekday(day) * field, width: 10, height: 10, rx: 2, "data-level": level },
      draw("title", {}, text)));
    const beginsMonth = day.endsWith("-01") || day === first;
    if (beginsMonth && column - columnOfLast >= 3 && later(day, 7) <= last) {
      svg.append(draw("text", { x: left + column * field, y: 9 }, monthName(day)));
      columnOfLast = column;
    }
  });
  return make("div", { class: "heatmap", tabindex: "0", role: "group", "aria-label": "The days of the year" }, svg);
}
