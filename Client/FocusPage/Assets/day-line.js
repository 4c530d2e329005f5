// The day at a glance: today's phases on a line of hours, up to now, and the rest of the present phase, or a phase that lies ahead.
import { find, make, setText } from "./dom.js";
import { activityWords, lengthText, timeOfDay } from "./words.js";

const minute = 60_000;
const hour = 60 * minute;
/** The number of hours that are shown at least, so that a day begins with room ahead. */
const leastHours = 8;

/** The records that touch today, as in log.json. */
let records = [];
/** The text about the day, which a pointed-at phase replaces. */
let summary = "";
let drawn = "";

/** Stores the records of today, for the next `drawDay`. */
export function setRecords(history) {
  records = history;
}

/** Shows the text about the whole day. */
export function setSummary(text) {
  summary = text;
  setText(find("today"), text);
}

/**
 * Draws the line if its look has changed, at most once a minute while time passes.
 *
 * `present` is the shared time, which is drawn to the minute. `endsAt` is the end of the present phase, or its beginning if it is waiting; null if it is paused.
 */
export function drawDay(state, present, endsAt) {
  const now = Math.floor(present / minute) * minute;
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const tomorrow = new Date(new Date(midnight).setDate(new Date(midnight).getDate() + 1)).getTime();
  const phases = [...records.map(ended), ...begun(state, now, endsAt)]
    .map((phase) => clipped(phase, midnight, tomorrow)).filter((phase) => phase.parts.length > 0);
  const range = rangeOf(phases, now, midnight, tomorrow);
  const wanted = JSON.stringify([phases, range, now]);
  if (wanted === drawn) return;
  drawn = wanted;
  const place = (instant) => `${(100 * (instant - range.from)) / (range.to - range.from)}%`;
  find("day-parts").replaceChildren(...phases.map((phase) => item(phase, place)));
  find("day-labels").replaceChildren(...labelled(phases, range).map((group) =>
    at(make("span", { class: "day-label" }, make("bdi", {}, group.label)), place, group)));
  find("day-hours").replaceChildren(...hoursOf(range).map((instant) =>
    at(make("span", { class: "day-hour" }, timeOfDay(instant).slice(0, 2), make("span", { class: "minutes" }, ":00")), place, { from: instant })));
  find("day-hours").toggleAttribute("data-many", hoursOf(range).length > 11);
  find("day-now").style.left = place(now);
}

/** Returns a phase of the history: the spans in which it ran, and its text. */
function ended(record) {
  const outcome = record.outcome === "completed" ? "" : `, ${record.outcome}`;
  return {
    activity: record.activity, label: record.label,
    parts: record.intervals.map(([from, to]) => ({ from, to, isAhead: false })),
    text: `${textOf(record, record.startedAt, record.endedAt)}, ${lengthText(record.activeMs)}${outcome}`,
  };
}

/** Returns the present phase: the spans in which it ran, and the time that is left from now on, or from its beginning. */
function begun(state, now, endsAt) {
  if (state.status === "stopped") return [];
  if (state.status === "waiting") {
    const part = { from: endsAt, to: endsAt + state.lengthMs, isAhead: true };
    const text = `${textOf(state, part.from, part.to)}, waiting`;
    return [{ activity: state.activity, label: state.label, parts: [part], text }];
  }
  const parts = state.phaseIntervals.map(([from, to]) => ({ from, to: to ?? Math.max(from, now), isAhead: false }));
  const end = endsAt ?? now + state.remainingMs;
  parts.push({ from: parts.reduce((latest, part) => Math.max(latest, part.to), now), to: end, isAhead: true });
  const isRunning = state.status === "running";
  const rest = isRunning && state.overtimeMs !== null ? `now, overtime since ${timeOfDay(end)}`
    : isRunning ? `now, until ${timeOfDay(end)}` : `now, ${state.statusLabel.endsWith("paused") ? "paused" : "waiting"}`;
  return [{
    activity: state.activity, label: state.label, parts, text: `${textOf(state, parts[0].from)}: ${rest}`,
  }];
}

function textOf({ activity, label }, from, to = null) {
  const times = to === null ? timeOfDay(from) : `${timeOfDay(from)}-${timeOfDay(to)}`;
  return `${times} ${label === "" ? activityWords[activity] : `${label}, ${activityWords[activity]}`}`;
}

function clipped(phase, midnight, tomorrow) {
  const parts = phase.parts
    .map((part) => ({ ...part, from: Math.max(part.from, midnight), to: Math.min(part.to, tomorrow) }))
    .filter((part) => part.to > part.from);
  return { ...phase, parts };
}

/** Returns the whole hours to show: those of the phases and of now, and hours ahead up to `leastHours`. */
function rangeOf(phases, now, midnight, tomorrow) {
  const parts = phases.flatMap((phase) => phase.parts);
  const floor = (instant) => new Date(instant).setMinutes(0, 0, 0);
  let from = Math.max(midnight, floor(Math.min(now, ...parts.map((part) => part.from))));
  let to = Math.min(tomorrow, floor(Math.max(now, ...parts.map((part) => part.to)) - 1) + hour);
  while (to - from < leastHours * hour && to < tomorrow) to += hour;
  while (to - from < leastHours * hour && from > midnight) from -= hour;
  return { from, to };
}

function hoursOf({ from, to }) {
  const hours = [];
  for (let instant = from; instant <= to; instant += hour) hours.push(instant);
  return hours;
}

/** Returns the labels of consecutive phases of work. Each has the room up to the next one, if that is enough to read it. */
function labelled(phases, range) {
  const groups = [];
  for (const { label, parts } of phases.filter((phase) => phase.activity === "work")) {
    if (groups.at(-1)?.label !== label) groups.push({ label, from: parts[0].from });
  }
  return groups
    .map((group, index) => ({ ...group, to: Math.max(group.from, groups[index + 1]?.from ?? range.to) }))
    .filter((group) => group.label !== "" && group.to - group.from >= (range.to - range.from) / 40);
}

/** A list item with the phase's text for screen readers, and its spans as boxes on the line. */
function item(phase, place) {
  const boxes = phase.parts.map((part) => {
    const box = make("span", {
      class: "day-part", "aria-hidden": "true", "data-activity": phase.activity, "data-ahead": part.isAhead,
      pointerenter: () => setText(find("today"), phase.text),
      pointerleave: () => setText(find("today"), summary),
    });
    return at(box, place, part);
  });
  return make("li", {}, make("span", { class: "unseen" }, phase.text), ...boxes);
}

/** Places an element on the line. The Content-Security-Policy forbids styles in markup, but a script may set them. */
function at(element, place, { from, to = null }) {
  element.style.left = place(from);
  if (to !== null) element.style.width = `${parseFloat(place(to)) - parseFloat(place(from))}%`;
  return element;
}
