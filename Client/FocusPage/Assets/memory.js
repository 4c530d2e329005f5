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

/** What was half typed in this tab's dialog of this name; null where nothing was. */
export function recallDraft(name) {
  try {
    return JSON.parse(sessionStorage.getItem(`lockstep-draft-${name}`));
  } catch {
    return null;
  }
}

/** Keeps what is half typed in a dialog, as long as this tab lives; null forgets it. */
export function keepDraft(name, draft) {
  try {
    if (draft === null) sessionStorage.removeItem(`lockstep-draft-${name}`);
    else sessionStorage.setItem(`lockstep-draft-${name}`, JSON.stringify(draft));
  } catch {
    // Then it goes with a reload.
  }
}

/** Forgets all of it. */
export function forgetAll() {
  fallback.clear();
  for (const kind of ["localStorage", "sessionStorage"]) {
    try {
      const names = Object.keys(window[kind]).filter((name) => name.startsWith("lockstep-"));
      for (const name of names) window[kind].removeItem(name);
    } catch {
      // What can't be read wasn't written either.
    }
  }
}
