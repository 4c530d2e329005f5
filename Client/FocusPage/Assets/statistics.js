// The statistics screen: today, the streak, bars by day and by week, the heatmap of a year, and, for days that
// can be chosen, averages and totals by hour, label and tag.
import { find, make, setText } from "./dom.js";
import { barChart, heatmap, heatmapLegend, nothing } from "./charts.js";
import { dayAndMonth, daysBetween, later, longName, mondayOf, nameOfMonth, shortName, weekOf } from "./days.js";
import { recall, remember } from "./memory.js";
import { readDays } from "./requests.js";
import {
  completedText, counted, focusText, goalsOf, goalText, isHere, isMet, lengthText, zoneText,
} from "./words.js";

const charts = ["days", "weeks", "year"];
const bars = 14;
const barsHint = "Bars are focus time. The number at the end counts completed work phases";
const hints = {
  days: `${barsHint}; ✓ marks a day that met the goal.`,
  weeks: `${barsHint}; ✓ marks a week that met its goal, if there is one.`,
  year: "Each square is a day, each column a week from Monday to Sunday: the stronger the colour, the more focus time.",
};
const rowsShown = 10;

/** The year up to today, the earlier year that is shown, if any, and the days that are chosen. */
let recent = null;
let earlier = null;
let chosen = null;
let goals = null;
const ranges = ["year", "month", "week", "days"];
let range = ranges.includes(recall("range")) ? recall("range") : "year";
let yearsBack = 0;
let chart = charts.includes(recall("chart")) ? recall("chart") : "days";

/** Reads the totals of the year up to today. Returns the day and its total, and that of its week. */
export async function refreshTotals() {
  recent = await readDays("/stats.json");
  return { day: recent.to, today: totalsByDay(recent).get(recent.to) ?? nothing, week: thisWeek() };
}

/** Reads the statistics again and draws them. */
export async function refreshStatistics({ settings }) {
  goals = goalsOf(settings);
  await refreshTotals();
  if (yearsBack > 0) await readEarlier();
  await readChosen();
  drawStatistics();
}

const thisWeek = () => recent.weeks.find((week) => week.week === weekOf(recent.to)) ?? nothing;

const totalsByDay = (statistics) => new Map(statistics.days.map((day) => [day.date, day]));

function drawStatistics() {
  drawFigures();
  for (const button of document.querySelectorAll("[data-chart]")) {
    button.setAttribute("aria-pressed", String(button.dataset.chart === chart));
  }
  setText(find("chart-hint"), hints[chart]);
  find("chart").replaceChildren(...{ days: dayBars, weeks: weekBars, year: yearMap }[chart]());
  drawChosen();
}

function drawFigures() {
  const today = totalsByDay(recent).get(recent.to) ?? nothing;
  const sum = (name, total, goal) => figure(name, focusText(total, goal), completedText(total, goal));
  const figures = [sum("Today", today, goals.of(recent.to)), sum("This week", thisWeek(), goals.weekly)];
  if (recent.streak) figures.push(streakFigure(recent.streak));
  find("figures").replaceChildren(...figures);
  const whose = isHere(recent.zone) ? "your" : "the laptop’s";
  setText(find("zone"), `Days are those of ${whose} time zone, now ${zoneText(recent.zone)}.`);
}

function figure(name, value, more) {
  return make("div", {}, make("dt", {}, name), make("dd", {}, value), make("dd", { class: "more" }, more));
}

function streakFigure({ unit, current, longest }) {
  const goal = goalText(unit === "day" ? goals.daily : goals.weekly);
  if (!longest) return figure("Streak", `0 ${unit}s`, `no ${unit} with ${goal} yet`);
  const count = current?.count ?? 0;
  const more = count === longest.count ? "the longest so far" : `the longest was ${counted(longest.count, unit)}`;
  return figure("Streak", counted(count, unit), `${more}; ${goal} a ${unit}`);
}

function dayBars() {
  const totals = totalsByDay(recent);
  const days = daysBetween(later(recent.to, 1 - bars), recent.to).reverse();
  return [
    barChart("Focus time by day", days.map((day) => {
      const total = totals.get(day) ?? nothing;
      return { name: shortName(day), total, met: isMet(total, goals.daily) };
    })),
  ];
}

function weekBars() {
  const totals = new Map(recent.weeks.map((week) => [week.week, week]));
  const mondays = Array.from({ length: bars }, (_, index) => later(mondayOf(recent.to), -7 * index));
  return [
    barChart("Focus time by week", mondays.map((monday) => {
      const total = totals.get(weekOf(monday)) ?? nothing;
      return { name: `${weekOf(monday).slice(5)}, from ${dayAndMonth(monday)}`, total, met: isMet(total, goals.weekly) };
    })),
  ];
}

function yearMap() {
  const shown = earlier ?? recent;
  const name = earlier ? String(yearOf(yearsBack)) : "Up to today";
  const step = (by, word, sign, isPossible) =>
    make("button", {
      type: "button", class: "quiet", "aria-label": word, disabled: !isPossible, click: () => goBack(by),
    }, sign);
  const head = make(
    "div", { class: "chart-head" }, step(1, "The year before", "‹", true), make("h3", { "aria-live": "polite" }, name),
    step(-1, "The year after", "›", yearsBack > 0));
  const map = heatmap(shown.from, shown.to, totalsByDay(shown));
  const total = make(
    "p", { class: "hint" },
    `${lengthText(shown.focusMs)} of focus time, ${counted(shown.completed, "work phase")} from ${longName(shown.from)}`);
  const months = shown.months.toReversed().map((month) => ({ name: nameOfMonth(month.month), total: month }));
  const byMonth = months.length > 0
    ? [make("h3", { class: "below" }, "By month"), barChart("Focus time by month", months)] : [];
  return [head, map, heatmapLegend(shown.from, shown.to, totalsByDay(shown)), total, ...byMonth];
}

/** Returns the first and the last of the days that were typed; null if they are no range. */
function typedDays() {
  const days = [find("range-from").value, find("range-to").value];
  return days.every((day) => /^\d{4}-\d\d-\d\d$/.test(day)) && days[0] <= days[1] ? days : null;
}

/** Returns the query for the chosen days; an empty one for the year up to today, and for days that are no range. */
function queryOfRange() {
  if (range === "month") return `?from=${recent.to.slice(0, 7)}`;
  if (range === "week") return `?from=${mondayOf(recent.to)}`;
  const days = range === "days" ? typedDays() : null;
  return days ? `?from=${days[0]}&to=${days[1]}` : "";
}

async function readChosen() {
  const query = queryOfRange();
  const read = query === "" ? recent : await readDays(`/stats.json${query}`);
  // Other days may have been chosen meanwhile.
  if (query === queryOfRange()) chosen = read;
}

function drawChosen() {
  const statistics = chosen ?? recent;
  find("range").value = range;
  find("range-days").hidden = range !== "days";
  if (range === "days" && !typedDays()) {
    for (const name of ["hours", "labels", "tags"]) find(name).replaceChildren();
    return setText(find("range-text"), "Choose two days. The second can’t be before the first.");
  }
  setText(find("range-text"), rangeText(statistics));
  drawHours(statistics.hours);
  drawLabels(statistics);
}

function rangeText({ from, to, focusMs, completed, average, before }) {
  const days = from === to ? `on ${longName(from)}` : `from ${longName(from)} to ${longName(to)}`;
  const total = `${lengthText(focusMs)} of focus time, ${counted(completed, "work phase")} ${days}.`;
  if (!average || from === to) return total;
  const inWords = ({ focusMs, completed }) => `${lengthText(focusMs)} and ${counted(completed, "work phase")} a day`;
  const off = goals.hasDaysOff ? ", days off left out" : "";
  const over = `, over ${counted(average.days, "day")} with focus time${off}.`;
  if (!before) return `${total} On average ${inWords(average)}${over}`;
  const count = daysBetween(before.from, before.to).length;
  const name = count <= 7 ? "The same days a week before" : `The ${count} days before`;
  const then = before.average ? inWords(before.average) : "none";
  return `${total} On average ${inWords(average)}${over} ${name}: ${then}.`;
}

function drawHours(hours) {
  const first = hours.findIndex((length) => length > 0);
  if (first < 0) return find("hours").replaceChildren();
  const rows = hours.slice(first, hours.findLastIndex((length) => length > 0) + 1).map((focusMs, index) => {
    return { name: `${String(first + index).padStart(2, "0")}:00`, total: { focusMs, completed: 0 } };
  });
  find("hours").replaceChildren(make("h3", {}, "By hour of the day"), barChart("Focus time by hour of the day", rows));
}

function drawLabels(statistics) {
  const named = statistics.labels.some(({ label }) => label !== "");
  const rows = statistics.labels.map((total) => ({ name: total.label === "" ? "(no label)" : total.label, total }));
  drawList(find("labels"), "label", named ? rows : []);
  drawList(find("tags"), "tag", statistics.tags.map((total) => ({ name: total.tag, total })));
}

function drawList(place, thing, rows) {
  if (rows.length === 0) return place.replaceChildren();
  const left = rows.length - rowsShown;
  place.replaceChildren(
    make("h3", {}, `By ${thing}`),
    barChart(`Focus time by ${thing}`, rows.slice(0, rowsShown), "labels"),
    ...(left > 0 ? [make("p", { class: "hint" }, `and ${counted(left, `more ${thing}`)}`)] : []));
}

const yearOf = (back) => Number(recent.to.slice(0, 4)) - back;

async function readEarlier() {
  const year = yearOf(yearsBack);
  earlier = await readDays(`/stats.json?from=${year}&to=${year}`);
}

/** Shows the year `by` years earlier, or later if negative. */
export async function goBack(by) {
  if (!recent || !goals || chart !== "year" || yearsBack + by < 0) return;
  const focused = document.activeElement?.getAttribute("aria-label");
  yearsBack += by;
  if (yearsBack > 0) await readEarlier();
  else earlier = null;
  drawStatistics();
  const button = [...find("chart").querySelectorAll("button")].find((button) => button.ariaLabel === focused);
  (button?.disabled ? find("chart").querySelector("button") : button)?.focus();
}

/** Goes to the next chart, or back. */
export const stepChart = (by) => choose(charts[Math.min(2, Math.max(0, charts.indexOf(chart) + by))]);

function choose(name) {
  chart = name;
  remember("chart", name);
  if (recent && goals) drawStatistics();
}

/** Reads and draws the days that are chosen now. */
async function showRange() {
  remember("range", range);
  for (const name of ["range-from", "range-to"]) remember(name, find(name).value || null);
  if (!recent || !goals) return;
  await readChosen();
  drawChosen();
}

find("range-from").value = recall("range-from") ?? "";
find("range-to").value = recall("range-to") ?? "";
find("range").addEventListener("change", () => {
  range = find("range").value;
  // Other days begin with the days that were shown.
  if (range === "days" && chosen) [find("range-from").value, find("range-to").value] = [chosen.from, chosen.to];
  showRange();
});
for (const name of ["range-from", "range-to"]) find(name).addEventListener("change", showRange);

for (const button of document.querySelectorAll("[data-chart]")) {
  button.addEventListener("click", () => choose(button.dataset.chart));
}
