// The clock between two states: it counts down from the last state, and knows nothing of phases.

export class Countdown {
  /** Calls `onSecond` at each new second of a running clock, and `onJump` after the machine has slept. */
  constructor(onSecond, onJump) {
    this.onSecond = onSecond;
    this.onJump = onJump;
    this.worker = new Worker("/ticks.js");
    this.worker.onmessage = () => this.tick();
    this.drift = Date.now() - performance.now();
  }

  take(state) {
    this.state = state;
    this.taken = performance.now();
    this.drift = Date.now() - performance.now();
    this.schedule();
  }

  /** Stops until the next state. */
  rest() {
    this.worker.postMessage(null);
  }

  /** The shared time now, in milliseconds since the Unix epoch. */
  get now() {
    return this.state.now + performance.now() - this.taken;
  }

  /** The time left now, in milliseconds. */
  get remaining() {
    const { isRunning, remainingMs, endsAt, now } = this.state;
    if (!isRunning) return remainingMs;
    const passed = performance.now() - this.taken;
    // If the log is ahead of the clock, a phase that begins in the future shows its full length.
    return Math.max(0, Math.min(remainingMs, endsAt - now - passed));
  }

  /** The share of the phase that is left, 0...1. */
  get left() {
    const { status, phaseMs } = this.state;
    if (status === "stopped" || !(phaseMs > 0)) return 1;
    return Math.min(1, this.remaining / phaseMs);
  }

  tick() {
    // While the machine sleeps, its clock goes on and the page's clock stops.
    const drift = Date.now() - performance.now();
    if (Math.abs(drift - this.drift) > 2000) this.onJump();
    this.drift = drift;
    this.onSecond();
    this.schedule();
  }

  schedule() {
    const remaining = this.remaining;
    if (!this.state.isRunning || remaining <= 0) return;
    this.worker.postMessage((remaining % 1000 || 1000) + 1);
  }
}
