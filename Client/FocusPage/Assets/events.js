// The stream of states: what every laptop shows, at once and then at each change.
const firstWait = 500;
const longestWait = 10_000;

/**
 * Follows the agent's states, and goes on trying where it is gone.
 *
 * `onState` is given each state, and `onLost` is called where the agent doesn't answer.
 */
export class Events {
  constructor(onState, onLost) {
    this.onState = onState;
    this.onLost = onLost;
    this.wait = firstWait;
    this.source = null;
    // A page that comes back out of the browser's memory has a stream that ended.
    addEventListener("pageshow", (event) => { if (event.persisted) this.renew(); });
    addEventListener("online", () => this.renew());
  }

  /** Follows the agent, if it doesn't do so already. */
  start() {
    if (!this.source) this.open();
  }

  /** Leaves the agent alone until `start`. */
  rest() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  /** Begins anew, as after sleep, when a stream may be dead without anybody having said so. */
  renew() {
    if (this.source) this.open();
  }

  open() {
    this.rest();
    const source = new EventSource("/events");
    this.source = source;
    source.addEventListener("state", (event) => {
      this.wait = firstWait;
      this.onState(JSON.parse(event.data));
    });
    source.addEventListener("error", () => {
      if (source !== this.source) return;
      // The browser would try again by itself only after some of the failures.
      source.close();
      this.onLost();
      this.retry = setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 2, longestWait);
    });
  }
}
