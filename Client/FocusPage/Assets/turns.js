// A browser keeps six connections to one address, and a stream holds one of them as long as it lasts. So of the tabs that
// nobody sees only one follows the agent, and the others wait for their turn.
const lock = "lockstep-behind";

/** Calls `onTurn` where this tab is to follow the agent, and `onAside` where it is to leave that to others. */
export function takeTurns(onTurn, onAside) {
  let leave = () => {};
  const change = () => {
    leave();
    if (!document.hidden) return onTurn();
    const seen = new AbortController();
    leave = () => seen.abort();
    followBehind(seen.signal, onTurn, onAside);
  };
  document.addEventListener("visibilitychange", change);
  change();
}

async function followBehind(signal, onTurn, onAside) {
  const follow = (granted) => {
    if (!granted) return false;
    onTurn();
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(true)));
  };
  try {
    const hadTurn = await navigator.locks.request(lock, { ifAvailable: true }, follow);
    if (hadTurn || signal.aborted) return;
    onAside();
    await navigator.locks.request(lock, { signal }, follow);
  } catch (failure) {
    // Somebody sees the tab again.
    if (failure.name !== "AbortError") throw failure;
  }
}
