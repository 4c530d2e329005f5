// The statistics screen: today, the streak, bars by day and by week, the heatmap of a year, and totals by
// label.
import { find, make, setText } from "./dom.js";
import { barChart, heatmap, heatmapLegend, nothing } from "./charts.js";
import { dayAndMonth, daysBetween, later, longName, mondayOf, nameOfMonth, shortName, weekOf } from "./days.js";
import { recall, remember } from "./memory.js";
import { readDays } from "./requests.js";
import { completedText, counted, isHere, lengthText, zoneText } from "./words.js";

const charts = ["days", "weeks", "year"];
const bars = 14;
const barsHint = "Bars are focus time. The number at the end counts completed work phases";
const hints = {
  days: `${barsHint}; ✓ marks a day that met the goal.`,
  weeks: `${barsHint}.`,
  year: "Each square is a day, each column a week from Monday to Sunday: the stronger the colour, the more focus time.",
};
const rowsShown = 10;

/** The year up to today, and the earlier year that is shown, if any. */
let recent = null;
let earlier = null;
let yearsBack = 0;
let chart = charts.includes(recall("chart")) ? recall("chart") : "days";

/** Reads the statistics again and draws them. */
export async function refreshStatistics() {
  recent = await readDays("/stats.json");
  if (yearsBack > 0) await readEarlier();
  drawStatistics();
}

const totalsByDay = (statistics) => new Map(statistics.days.map((day) => [day.date, day]));

function drawStatistics() {
  drawFigures();
  for (const button of document.querySelectorAll("[data-chart]")) {
    button.setAttribute("aria-pressed", String(button.dataset.chart === chart));
  }
  setText(find("chart-hint"), hints[chart]);
  find("chart").replaceChildren(...{ days: dayBars, weeks: weekBars, year: yearMap }[chart]());
  drawLabels(chart === "year" && earlier ? earlier : recent);
}

function drawFigures() {
  const today = totalsByDay(recent).get(recent.to) ?? nothing;
  const week = recent.weeks.find((week) => week.week === weekOf(recent.to)) ?? nothing;
  const figures = [
    figure("Today", lengthText(today.focusMs), completedText(today.completed, recent.goal)),
    figure("This week", lengthText(week.focusMs), counted(week.completed, "work phase")),
  ];
  if (recent.streak) figures.push(streakFigure(recent.streak, recent.goal));
  find("figures").replaceChildren(...figures);
  const whose = isHere(recent.zone) ? "your" : "the laptop’s";
  setText(find("zone"), `Days are those of ${whose} time zone, now ${zoneText(recent.zone)}.`);
}

function figure(name, value, more) {
  return make("div", {}, make("dt", {}, name), make("dd", {}, value), make("dd", { class: "more" }, more));
}

function streakFigure({ current, longest }, goal) {
  const rule = `${counted(goal, "work phase")} a day`;
  if (!longest) return figure("Streak", "0 days", `with ${rule}: none yet`);
  const days = current?.days ?? 0;
  const more = days === longest.days ? "the longest so far" : `the longest was ${counted(longest.days, "day")}`;
  return figure("Streak", counted(days, "day"), `${more}; ${rule}`);
}

function dayBars() {
  const totals = totalsByDay(recent);
  const days = daysBetween(later(recent.to, 1 - bars), recent.to).reverse();
  return [
    barChart("Focus time by day", days.map((day) => {
      const total = totals.get(day) ?? nothing;
      return { name: shortName(day), total, met: recent.goal > 0 && total.completed >= recent.goal };
    })),
  ];
}

function weekBars() {
  const totals = new Map(recent.weeks.map((week) => [week.week, week]));
  const mondays = Array.from({ length: bars }, (_, index) => later(mondayOf(recent.to), -7 * index));
  return [
    barChart("Focus time by week", mondays.map((monday) => {
      return { name: `${weekOf(monday).slice(5)}, from ${dayAndMonth(monday)}`, total: totals.get(weekOf(monday)) ?? nothing };
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

function drawLabels(statistics) {
  const named = statistics.labels.some(({ label }) => label !== "");
  const rows = statistics.labels.map((total) => ({ name: total.label === "" ? "(no label)" : total.label, total }));
  drawList(find("labels"), "label", named ? rows : [], statistics);
  drawList(find("tags"), "tag", statistics.tags.map((total) => ({ name: total.tag, total })), statistics);
}

function drawList(place, thing, rows, statistics) {
  if (rows.length === 0) return place.replaceChildren();
  const left = rows.length - rowsShown;
  place.replaceChildren(
    make("h3", {}, `By ${thing}, ${statistics === recent ? "the year up to today" : yearOf(yearsBack)}`),
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
  if (!recent || chart !== "year" || yearsBack + by < 0) return;
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
  if (recent) drawStatistics();
}

for (const button of document.querySelectorAll("[data-chart]")) {
  button.addEventListener("click", () => choose(button.dataset.chart));
}
