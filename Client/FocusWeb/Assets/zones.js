// The clocks of time zones, from the browser's own tables.

/** The answer for a name that the browser doesn't know. */
export const noZone = 2 ** 31 - 1;

/** A zone's clocks change only at the ends of such spans, in milliseconds. */
const span = 900_000;
/** The instants with a year of three or four digits, which the formatter writes without an era. */
const [earliest, latest] = [Date.UTC(100, 0, 2), Date.UTC(9999, 11, 30)];
/** The number of offsets to remember. A year of history needs few: one for each span in which something happened. */
const mostOffsets = 20_000;

const formatters = new Map();
const offsets = new Map();

/**
 * Returns the number of seconds by which a zone's clocks are ahead of UTC at an instant, in milliseconds since 1970.
 * An empty name is the browser's zone. Returns `noZone` if there is no zone of this name.
 */
export function offsetOf(zone, wall) {
  const formatter = formatterOf(zone);
  if (formatter === null) return noZone;
  const instant = Math.floor(Math.min(latest, Math.max(earliest, wall || 0)) / span) * span;
  const name = `${zone} ${instant}`;
  if (!offsets.has(name)) {
    if (offsets.size >= mostOffsets) offsets.clear();
    offsets.set(name, measured(formatter, instant));
  }
  return offsets.get(name);
}

function formatterOf(zone) {
  if (!formatters.has(zone)) formatters.set(zone, makeFormatter(zone));
  return formatters.get(zone);
}

function makeFormatter(zone) {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone === "" ? undefined : zone, hourCycle: "h23", calendar: "gregory", numberingSystem: "latn",
      year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
    });
  } catch {
    return null;
  }
}

function measured(formatter, instant) {
  const shown = Object.fromEntries(formatter.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = shown;
  return (Date.UTC(year, month - 1, day, hour, minute, second) - instant) / 1000;
}
