// The page's own memory: the person's place and drafts. If the browser stores nothing (as in some private
// windows), it lasts until the page is closed.
const fallback = new Map();

/** Returns the text that is stored under this name, or null. */
export function recall(name) {
  try {
    return localStorage.getItem(`lockstep-${name}`);
  } catch {
    return fallback.get(name) ?? null;
  }
}

/** Stores a text; null removes it. */
export function remember(name, text) {
  try {
    if (text === null) localStorage.removeItem(`lockstep-${name}`);
    else localStorage.setItem(`lockstep-${name}`, text);
  } catch {
    fallback.set(name, text);
  }
}

/** Returns this tab's draft for the dialog of this name, or null. */
export function recallDraft(name) {
  try {
    return JSON.parse(sessionStorage.getItem(`lockstep-draft-${name}`));
  } catch {
    return null;
  }
}

/** Stores the draft of a dialog as long as this tab lives; null removes it. */
export function keepDraft(name, draft) {
  try {
    if (draft === null) sessionStorage.removeItem(`lockstep-draft-${name}`);
    else sessionStorage.setItem(`lockstep-draft-${name}`, JSON.stringify(draft));
  } catch {
    // The draft is lost at a reload.
  }
}

/** Removes everything that the page has stored. */
export function forgetAll() {
  fallback.clear();
  for (const kind of ["localStorage", "sessionStorage"]) {
    try {
      const names = Object.keys(window[kind]).filter((name) => name.startsWith("lockstep-"));
      for (const name of names) window[kind].removeItem(name);
    } catch {
      // Storage that can't be read has never been written.
    }
  }
}
