// A browser keeps six connections to one address, and each stream holds one of them. So only one of the
// hidden tabs follows the agent, and the others wait for their turn.
const lock = "lockstep-behind";

/** Calls `onTurn` when this tab must follow the agent, and `onAside` when it must leave that to others. */
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
    // The tab is visible again.
    if (failure.name !== "AbortError") throw failure;
  }
}
