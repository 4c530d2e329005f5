// Arithmetic and names for days, which the program writes as `2025-11-20`. They are dates without a time, so
// they are computed in UTC, in which every day has the same length.
const dayLength = 86_400_000;

const dateOf = (day) => new Date(`${day}T00:00:00Z`);
const dayOf = (date) => date.toISOString().slice(0, 10);

/** Returns the day of an instant, in the browser's time zone. */
export function dayAt(instant) {
  const date = new Date(instant);
  return dayOf(new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())));
}

/** Returns the day `days` days later. */
export const later = (day, days) => dayOf(new Date(dateOf(day).getTime() + days * dayLength));

/** Returns the days from `first` to `last`, both included. */
export function daysBetween(first, last) {
  const days = [];
  for (let day = first; day <= last; day = later(day, 1)) days.push(day);
  return days;
}

/** Returns 0 for Monday to 6 for Sunday. */
export const weekday = (day) => (dateOf(day).getUTCDay() + 6) % 7;

export const mondayOf = (day) => later(day, -weekday(day));

/** Returns the name of a day's week in ISO 8601, `2025-W47`. A week belongs to the year of its Thursday. */
export function weekOf(day) {
  const thursday = later(mondayOf(day), 3);
  const year = thursday.slice(0, 4);
  const number = Math.floor((dateOf(thursday) - dateOf(`${year}-01-01`)) / dayLength / 7) + 1;
  return `${year}-W${String(number).padStart(2, "0")}`;
}

const named = (options) => {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options });
  return (day) => format.format(dateOf(day));
};
/** `Thursday, 20 November 2025`, and shorter forms. */
export const longName = named({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
export const shortName = named({ weekday: "short", day: "numeric", month: "short" });
export const dayAndMonth = named({ day: "numeric", month: "short" });
export const monthName = named({ month: "short" });

const monthAndYear = named({ month: "long", year: "numeric" });
/** Returns `November 2025` for `2025-11`. */
export const nameOfMonth = (month) => monthAndYear(`${month}-01`);
