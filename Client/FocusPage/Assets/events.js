// The stream of states: the present state at once, then a new one at each change.
import { withZone } from "./requests.js";

const firstWait = 500;
const longestWait = 10_000;

/**
 * Follows the agent's states, and keeps trying while the agent is gone.
 *
 * Calls `onState` with each state, and `onLost` when the agent doesn't answer.
 */
export class Events {
  constructor(onState, onLost) {
    this.onState = onState;
    this.onLost = onLost;
    this.wait = firstWait;
    this.source = null;
    // The stream has ended when a page comes back from the browser's back/forward cache.
    addEventListener("pageshow", (event) => { if (event.persisted) this.renew(); });
    addEventListener("online", () => this.renew());
  }

  /** Follows the agent, unless it does so already. */
  start() {
    if (!this.source) this.open();
  }

  /** Closes the stream until `start`. */
  rest() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  /** Opens the stream again, for example after sleep, when the old one may be dead without an error. */
  renew() {
    if (this.source) this.open();
  }

  open() {
    this.rest();
    const source = new EventSource(withZone("/events"));
    this.source = source;
    source.addEventListener("state", (event) => {
      this.wait = firstWait;
      this.onState(JSON.parse(event.data));
    });
    source.addEventListener("error", () => {
      if (source !== this.source) return;
      // The browser itself retries only after some kinds of failures.
      source.close();
      this.onLost();
      this.retry = setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 2, longestWait);
    });
  }
}
