// The texts for lengths, times, numbers and goals.
import { weekday } from "./days.js";
import { isInBrowser } from "./source.js";

/** Returns a time left as `mm:ss`, from 100 minutes on as `h:mm:ss`, rounded up; overtime with a plus sign. */
export function clockText(milliseconds) {
  if (milliseconds < 0) return `+${clockText(1000 * Math.floor(-milliseconds / 1000))}`;
  const seconds = Math.ceil(milliseconds / 1000);
  const twoDigits = (value) => String(value).padStart(2, "0");
  const [minutes, rest] = [Math.floor(seconds / 60), twoDigits(seconds % 60)];
  return minutes < 100
    ? `${twoDigits(minutes)}:${rest}` : `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}:${rest}`;
}

/** Returns a length as `1h 40m`, or in seconds if it is under a minute. */
export function lengthText(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds === 0) return "0m";
  if (seconds < 60) return `${seconds}s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours === 0) return `${minutes}m`;
  return minutes === 0 ? `${hours}h` : `${hours}h ${minutes}m`;
}

/** Returns a time left as spoken words: in hours and minutes, or in seconds if it is under a minute. */
export function spokenLength(milliseconds) {
  const seconds = Math.ceil(Math.max(0, milliseconds) / 1000);
  if (seconds < 60) return counted(seconds, "second");
  const whole = Math.ceil(seconds / 60);
  const [hours, minutes] = [Math.floor(whole / 60), whole % 60];
  if (hours === 0) return counted(minutes, "minute");
  return minutes === 0 ? counted(hours, "hour") : `${counted(hours, "hour")} ${counted(minutes, "minute")}`;
}

export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Returns a time zone as `CET (UTC+1)`, or as `UTC+5:30` if it has no name. */
export function zoneText({ name, offset }) {
  const [hours, minutes] = offset.slice(1).split(":").map(Number);
  const ahead = `${offset[0]}${hours}${minutes === 0 ? "" : `:${String(minutes).padStart(2, "0")}`}`;
  const utc = hours === 0 && minutes === 0 ? "UTC" : `UTC${ahead}`;
  return name === null || name === utc ? utc : `${name} (${utc})`;
}

/** Returns whether a time zone has the present offset of this browser's zone. */
export function isHere({ offset }) {
  const [hours, minutes] = offset.slice(1).split(":").map(Number);
  const ahead = (hours * 60 + minutes) * (offset[0] === "-" ? -1 : 1);
  return ahead === -new Date().getTimezoneOffset();
}

/** A goal that asks for nothing. */
export const noGoal = { focusMs: 0, completed: 0 };

/** Returns the goals in a state's settings: of a day, of a week, and of one day, which may be off. */
export function goalsOf({ dailyGoal, dailyFocus, weeklyGoal, weeklyFocus, daysOff }) {
  const daily = { focusMs: dailyFocus * 1000, completed: dailyGoal };
  return {
    daily,
    weekly: { focusMs: weeklyFocus * 1000, completed: weeklyGoal },
    hasDaysOff: daysOff !== 0,
    isOff: (day) => ((daysOff >> weekday(day)) & 1) === 1,
    of(day) { return this.isOff(day) ? noGoal : daily; },
  };
}

export const isSet = (goal) => goal.focusMs > 0 || goal.completed > 0;
export const isMet = (total, goal) =>
  isSet(goal) && total.focusMs >= goal.focusMs && total.completed >= goal.completed;

/**
 * Returns the focus time, and the goal for it if there is one: `3h 20m of 4h`, or `5h (goal 4h)` if there is more.
 * `unit` comes after the time.
 */
export function focusText({ focusMs }, goal, unit = "") {
  const [worked, length] = [focusMs, goal.focusMs].map(lengthText);
  if (goal.focusMs === 0) return worked + unit;
  return focusMs > goal.focusMs ? `${worked}${unit} (goal ${length})` : `${worked} of ${length}${unit}`;
}

/** Returns the same as a part of a sentence: `3h 20m of focus time`, or `3h 20m of 4h of focus time`. */
export const focusTimeText = (total, goal) => focusText(total, goal, " of focus time");

/** Returns the number of completed work phases in the same way: `2 of 8 work phases`, or `9 work phases (goal 8)`. */
export function completedText({ completed }, goal) {
  if (goal.completed === 0) return counted(completed, "work phase");
  if (completed > goal.completed) return `${counted(completed, "work phase")} (goal ${goal.completed})`;
  return `${completed} of ${counted(goal.completed, "work phase")}`;
}

/** Returns a goal in words: `8 work phases and 4h of focus time`. */
export function goalText(goal) {
  const phases = goal.completed > 0 ? [counted(goal.completed, "work phase")] : [];
  const focus = goal.focusMs > 0 ? [`${lengthText(goal.focusMs)} of focus time`] : [];
  return [...phases, ...focus].join(" and ");
}

/** The word for the device that the page shows, after "this". */
export const ownDevice = isInBrowser ? "browser" : "laptop";

/** Returns the time since an instant, such as `3m ago`. */
export function agoText(milliseconds) {
  if (milliseconds < 60_000) return "just now";
  if (milliseconds < 86_400_000) return `${lengthText(milliseconds)} ago`;
  return `${counted(Math.floor(milliseconds / 86_400_000), "day")} ago`;
}

/** Returns the time left with the status: `12:34 Work`, or `Work starts in 12:34`; `Stopped` if nothing runs. */
export function clockAndStatus({ status, statusLabel }, clock) {
  if (status === "stopped") return "Stopped";
  return status === "waiting" ? `${statusLabel} in ${clock}` : `${clock} ${statusLabel}`;
}

export const activityWords = { work: "work", shortBreak: "short break", longBreak: "long break" };

/** Returns an instant's time of day, such as `09:30`. */
export function timeOfDay(instant) {
  const date = new Date(instant);
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}
