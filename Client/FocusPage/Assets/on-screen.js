// The timer that the screen shows. It is sent with each press, so that the press applies to it only.

let shown = null;

/**
 * Records the timer that the screen shows, from a state, or from the answer to a press, which arrives
 * earlier.
 */
export function show({ status, run, ordinal }) {
  shown = { status, run, ordinal };
}

/** Returns the timer that the screen shows. */
export const onScreen = () => shown;
