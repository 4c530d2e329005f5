// The source of states and answers: the agent of this laptop, or the device that runs in this browser if the page's
// markup says so.

/** Whether the device runs in this browser. */
export const isInBrowser = document.documentElement.dataset.device === "here";

/** A promise of the device in this browser; null if there is an agent. */
export const device = isInBrowser ? import("/tabs.js").then(({ openDevice }) => openDevice()) : null;

/** The sentence for a source that doesn't answer any more. */
export const gone = isInBrowser ? "The timer in this browser has stopped." : "The agent is gone: run “focus web” again.";

/** Sends a request, with the parameters and the result of `fetch`. */
export const send = (path, options) =>
  (isInBrowser ? device.then((tabs) => tabs.request(path, options)) : fetch(path, options));

/**
 * Opens a stream of states. Calls `onState` with each, and `onEnd` after it has ended by itself. Returns a function that
 * closes it.
 */
export function openStates(path, onState, onEnd) {
  if (isInBrowser) return followDevice(new URLSearchParams(path.split("?")[1]).get("zone") ?? "", onState, onEnd);
  const source = new EventSource(path);
  source.addEventListener("state", (event) => onState(JSON.parse(event.data)));
  source.addEventListener("error", () => {
    // The browser itself retries only after some kinds of failures.
    source.close();
    onEnd();
  });
  return () => source.close();
}

function followDevice(...request) {
  let close = () => {};
  let isClosed = false;
  device.then((tabs) => { if (!isClosed) close = tabs.follow(...request); });
  return () => {
    isClosed = true;
    close();
  };
}
