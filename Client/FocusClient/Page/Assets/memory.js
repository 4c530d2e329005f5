// What the page remembers by itself: where somebody was, and what they had half typed. Where the browser keeps nothing
// (as in some private windows), it is remembered until the page goes.
const fallback = new Map();

/** What was remembered under this name; null where nothing was. */
export function recall(name) {
  try {
    return localStorage.getItem(`lockstep-${name}`);
  } catch {
    return fallback.get(name) ?? null;
  }
}

/** Remembers a text; null forgets it. */
export function remember(name, text) {
  try {
    if (text === null) localStorage.removeItem(`lockstep-${name}`);
    else localStorage.setItem(`lockstep-${name}`, text);
  } catch {
    fallback.set(name, text);
  }
}
