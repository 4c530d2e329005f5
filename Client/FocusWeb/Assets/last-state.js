// The last state of the device in this browser, which a page shows at its start until the device runs.
import { parseState } from "./sentences.js";
import { lastState } from "./storage.js";

/** Returns the last state as it is now; null if there is none for this time zone, or the timer may have gone on by itself. */
export async function recallState(
  zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "", wall = Date.now(), factory = null,
) {
  const last = await lastState(factory);
  return last?.zone === zone ? stateAfter(parseState(last.json), wall - last.at) : null;
}

/** Returns a state after some milliseconds; null if the timer may have gone on by itself, or the clock was set back. */
function stateAfter(state, passed) {
  const now = state.now + passed;
  if (passed < 0 || state.overtimeMs !== null || now >= nextChange(state)) return null;
  const { isRunning, endsAt, endText } = state;
  const remainingMs = isRunning ? Math.min(state.remainingMs, endsAt - now) : state.remainingMs;
  // The other texts may be old: they say how long ago a press was, and when a paused phase would end.
  return { ...state, now, remainingMs, endText: isRunning ? endText : null, pressText: null };
}

/** The instant up to which the timer surely stays as it is, unless somebody presses. A paused session closes some day. */
function nextChange({ status, isRunning, endsAt, phaseIntervals, settings }) {
  if (status === "stopped") return Infinity;
  return isRunning ? endsAt : (phaseIntervals.at(-1)?.[1] ?? -Infinity) + settings.idleLimit * 1000;
}
