// The bell at the end of a phase, and at the warning before it. The browser makes the sound, so there is no file, and it
// is silent until the person has clicked or typed in this tab.

/** The strokes: when each begins, in seconds, and its frequency. */
const strokes = [[0, 659.26], [0.22, 523.25]];
/** The partials of a stroke: frequency and strength relative to the stroke's. */
const partials = [[1, 0.2], [2, 0.07], [2.76, 0.035]];
/** The length of a stroke, in seconds. */
const length = 1.2;
/** How close to its end a phase has ended by itself, in milliseconds: the page and the agent may differ a little. */
const tolerance = 1500;

let context = null;

/** Lets the bell sound from now on: browsers allow that only in a click or a key. */
function allow() {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
}
for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, allow, { once: true });

/**
 * Whether a phase ran out between two states, or got into overtime, or planned work began, and nobody pressed for it.
 *
 * `remaining` is the time that was left until then when the second state came, in milliseconds.
 */
export function hasRunOut(before, after, remaining) {
  if (after.run !== before.run || remaining > tolerance) return false;
  if (before.status === "waiting") return after.status === "running";
  // Only a press ends overtime.
  if (before.status !== "running" || before.overtimeMs !== null) return false;
  return after.ordinal === before.ordinal + (after.overtimeMs === null ? 1 : 0);
}

const units = { h: 3_600_000, m: 60_000, s: 1000 };
/** The work that ran at the last call of `isWarning`, and the time that it had left; null if none ran. */
let seen = null;

/** Returns a length of the settings, such as `1m30s`, in milliseconds; 0 for `off`. */
const lengthOf = (text) => [...text.matchAll(/(\d+)([hms])/g)].reduce((sum, [, count, unit]) => sum + count * units[unit], 0);

/**
 * Whether the warning before the end of work is due: the time left has come down to it since the last call.
 *
 * The agent does the same (`PhaseWarning`). `remaining` is the time left now, in milliseconds.
 */
export function isWarning({ run, ordinal, activity, status, overtimeMs, laptopSettings }, remaining) {
  const before = seen;
  seen = activity === "work" && status === "running" && overtimeMs === null ? { run, ordinal, remaining } : null;
  if (before === null || seen === null || before.run !== run || before.ordinal !== ordinal) return false;
  const lead = lengthOf(laptopSettings.warnBefore ?? "off");
  return before.remaining > lead && remaining <= lead && remaining > 0;
}

/** Whether the bell is the page's: the sound is on for the device, and its agent, if there is one, doesn't make it. */
export const isOwnBell = ({ laptopSettings, agentRings }) => laptopSettings.sound === "on" && !agentRings;

/** Rings, in one of the browser's tabs. */
export function ring() {
  if (context === null || context.state !== "running") return;
  navigator.locks.request("lockstep-bell", { ifAvailable: true }, (granted) => {
    if (!granted) return undefined;
    sound();
    // Meanwhile another tab that sees the same end doesn't ring.
    return new Promise((resolve) => { setTimeout(resolve, 3000); });
  });
}

function sound() {
  for (const [delay, frequency] of strokes) {
    for (const [ratio, strength] of partials) {
      const start = context.currentTime + delay;
      const tone = new OscillatorNode(context, { frequency: frequency * ratio });
      const volume = new GainNode(context, { gain: 0 });
      volume.gain.setValueAtTime(0.0001, start);
      volume.gain.exponentialRampToValueAtTime(strength, start + 0.01);
      volume.gain.exponentialRampToValueAtTime(0.0001, start + length / Math.sqrt(ratio));
      tone.connect(volume).connect(context.destination);
      tone.start(start);
      tone.stop(start + length);
    }
  }
}
