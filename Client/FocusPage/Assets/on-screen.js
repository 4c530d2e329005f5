// What the screen shows of the timer. It goes along with each press, which is meant for that and nothing else.

let shown = null;

/** Notes what the screen shows: what a state says, or the answer to a press just before its state comes. */
export function show({ status, run, ordinal }) {
  shown = { status, run, ordinal };
}

/** What the screen shows. */
export const onScreen = () => shown;
