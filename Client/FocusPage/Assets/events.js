// The stream of states: the present state at once, then a new one at each change.
import { withZone } from "./requests.js";
import { openStates } from "./source.js";

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
    /** Closes the present stream; null if there is none. */
    this.close = null;
    // The stream has ended when a page comes back from the browser's back/forward cache.
    addEventListener("pageshow", (event) => { if (event.persisted) this.renew(); });
    addEventListener("online", () => this.renew());
  }

  /** Follows the agent, unless it does so already. */
  start() {
    if (!this.close) this.open();
  }

  /** Closes the stream until `start`. */
  rest() {
    clearTimeout(this.retry);
    this.close?.();
    this.close = null;
  }

  /** Opens the stream again, for example after sleep, when the old one may be dead without an error. */
  renew() {
    if (this.close) this.open();
  }

  open() {
    this.rest();
    const close = openStates(withZone("/events"), (state) => {
      this.wait = firstWait;
      this.onState(state);
    }, () => {
      if (close !== this.close) return;
      this.onLost();
      this.retry = setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 2, longestWait);
    });
    this.close = close;
  }
}
