// The clock between two states: it counts from the last state, and knows nothing of phases.

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

  /** Whether work goes on past its end. */
  get isOvertime() {
    return this.state.overtimeMs !== null;
  }

  /** The time left now, in milliseconds; negative in overtime. */
  get remaining() {
    const { isRunning, remainingMs, overtimeMs, endsAt, now } = this.state;
    const left = this.isOvertime ? -overtimeMs : remainingMs;
    if (!isRunning) return left;
    const passed = performance.now() - this.taken;
    // If the log is ahead of the clock, a phase that begins in the future shows its full length.
    const leftNow = Math.min(left, endsAt - now - passed);
    return this.isOvertime ? leftNow : Math.max(0, leftNow);
  }

  /** The share of the phase that is left, 0...1; 1 in overtime too, when the ring is full. */
  get left() {
    const { status, phaseMs } = this.state;
    if (status === "stopped" || this.isOvertime || !(phaseMs > 0)) return 1;
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
    if (!this.state.isRunning || (remaining <= 0 && !this.isOvertime)) return;
    const rest = remaining % 1000;
    this.worker.postMessage((rest > 0 ? rest : rest + 1000) + 1);
  }
}
