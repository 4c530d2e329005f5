// The device of this browser, for one of its tabs. All tabs share one device: the tab with a lock owns it, and the
// others reach it through that tab. An owner that is about to be frozen gives the lock away. If it just doesn't answer,
// a visible tab takes the lock.
import { browserName } from "./browser-name.js";
import { Owner, lifeOf, patience } from "./owner.js";
import { ownBody, parseState } from "./sentences.js";
import { failures, Storage } from "./storage.js";

const lock = "lockstep-device";
/** The time between a visible tab's questions to the owner, in milliseconds. */
const pause = 10_000;
/** The reason for which a tab doesn't wait for the lock any more. */
const stealing = new DOMException("This tab steals the lock instead.", "AbortError");

export const unknown =
  "It isn’t known whether this was done: the part of this browser that had to do it is gone. Look before you press again.";
export const stopped = "The timer in this browser has stopped.";
export const notStarted = "The timer in this browser hasn’t started yet, so this wasn’t done.";

/**
 * A tab's side of the device: its requests and its stream of states.
 *
 * `surroundings` has `tab` (the tab's id), `channel` (a BroadcastChannel), `locks`, `isVisible`, `after` (sets a timer
 * and returns a function that cancels it), `wall` (the time of day in milliseconds), and what an `Owner` needs.
 */
export class Tabs {
  #surroundings;
  #onStatus = () => {};
  /** The `Owner`, in the tab that owns the device; otherwise null. */
  #own = null;
  /** The id of the worker that answers, as far as this tab knows; null before any has been announced. */
  #workerId = null;
  #status = null;
  /** The id of the worker that said last that the device is in a group; null if it is in none, or has left it. */
  #groupWorkerId = null;
  /** Releases the lock, if this tab has it. */
  #release = () => {};
  /** Ends the waiting for the lock, if this tab waits. */
  #waiting = null;
  /** The question to the owner, or the pause after its answer: `cancel` and `isPause`; null if there is neither. */
  #question = null;
  #requests = new Map();
  #lastNumber = 0;
  #stream = null;
  /** Resolves when other tabs can see whether this one lives. */
  #alive;
  /** While the tab is frozen: a promise for its end, and the function that resolves it. */
  #frozen = null;

  constructor(surroundings) {
    this.#surroundings = surroundings;
    const { channel, locks, tab } = surroundings;
    channel.onmessage = ({ data }) => this.#received(data);
    this.#alive = new Promise((resolve) => {
      locks.request(lifeOf(tab), {}, () => {
        resolve();
        return new Promise(() => {});
      });
    });
    this.#wait();
    this.#ask();
  }

  /**
   * Calls `onStatus` with the device's status, when it is known and at each change. Its member `isWiped` is whether the
   * device was in a group, and began again without its data.
   */
  watch(onStatus) {
    this.#onStatus = onStatus;
    if (this.#status !== null) this.#change(this.#status);
  }

  /** Sends a request. Returns a Response, as `fetch` does. */
  request(path, { method = "GET", body = "", signal } = {}) {
    return new Promise((resolve, reject) => {
      if (this.#status?.phase === "stopped") return reject(new Error(stopped));
      this.#lastNumber += 1;
      const number = this.#lastNumber;
      const request = { message: { kind: "request", number, method, path, body }, sentTo: null, times: 0, resolve, reject };
      // A press that was sent may still be done.
      const giveUp = () => reject(method === "GET" || request.sentTo !== null ? signal.reason : new Error(notStarted));
      if (signal?.aborted) return giveUp();
      this.#requests.set(number, request);
      signal?.addEventListener("abort", () => {
        this.#requests.delete(number);
        giveUp();
      });
      this.#submit(number);
      this.#ask();
      return undefined;
    });
  }

  /**
   * Follows the device's states, with times of this zone. Calls `onEnd` if the device has stopped. Returns a function
   * that ends it. A tab has one stream.
   */
  follow(zone, onState, onEnd) {
    const stream = { zone, onState, onEnd };
    this.#stream = stream;
    if (this.#status?.phase === "stopped") queueMicrotask(() => this.#stop());
    this.#alive.then(() => { if (stream === this.#stream) this.#subscribe(); });
    return () => {
      if (stream !== this.#stream) return;
      this.#stream = null;
      this.#post({ kind: "unfollow" });
    };
  }

  /**
   * Looks for the owner and connects again, because the tab is shown or the network is back. A connection that seems open
   * may be dead, even after a moment: a phone may have changed its network. A new one costs less than a wrong state.
   */
  resume() {
    this.#ask();
    this.#post({ kind: "resumed" });
  }

  /**
   * Leaves the device to another tab, because the browser is about to stop this one's code. Another tab couldn't go on
   * with a device that keeps nothing.
   */
  freeze() {
    if (this.#own !== null && this.#status?.keeps === false) return;
    const frozen = {};
    frozen.end = new Promise((resolve) => { frozen.thaw = resolve; });
    this.#frozen ??= frozen;
    // At once: a worker that stops in the midst of a transaction would keep all others out of the database.
    this.#own?.end();
    this.#own = null;
    this.#release();
    this.#waiting?.abort();
  }

  /** Takes part again. */
  thaw() {
    this.#frozen?.thaw();
    this.#frozen = null;
  }

  /** Starts the device again. */
  startAgain() {
    this.#post({ kind: "again" });
    // Requests wait for the new worker.
    this.#change({ ...this.#status, phase: "loading" });
  }

  /** Deletes what the device has stored, and starts it again. */
  erase() {
    this.#post({ kind: "erase" });
  }

  // MARK: The owner

  /** Waits until no other tab owns the device. */
  async #wait() {
    await this.#frozen?.end;
    const { locks } = this.#surroundings;
    const waiting = new AbortController();
    this.#waiting = waiting;
    try {
      await locks.request(lock, { signal: waiting.signal }, () => this.#begin());
    } catch (failure) {
      if (failure === stealing) return;
      this.#checkStolen(failure);
    }
    this.#end();
  }

  async #steal() {
    this.#waiting?.abort(stealing);
    try {
      await this.#surroundings.locks.request(lock, { steal: true }, () => this.#begin());
    } catch (failure) {
      this.#checkStolen(failure);
    }
    this.#end();
  }

  /** Throws the failure, unless it is that another tab has stolen the lock. */
  #checkStolen(failure) {
    if (failure.name !== "AbortError") throw failure;
  }

  /** Becomes the owner, unless the tab is frozen. Returns a promise that holds the lock. */
  #begin() {
    this.#waiting = null;
    // The tab got the lock just then.
    if (this.#frozen !== null) return undefined;
    const { tab, channel } = this.#surroundings;
    const send = (message) => {
      if (message.tab !== tab) channel.postMessage(message);
      // Not at once, because the owner may be in the midst of a change.
      if (message.tab === tab || message.tab === null) queueMicrotask(() => this.#received(message));
    };
    return new Promise((resolve) => {
      this.#release = resolve;
      this.#own = new Owner({ ...this.#surroundings, send, onSuperseded: () => this.#release() });
    });
  }

  /** Is the owner no longer, and waits again. */
  #end() {
    this.#own?.end();
    this.#own = null;
    this.#wait();
    // This tab has missed that another one became the owner.
    this.#ping();
    this.#ask();
  }

  /** Asks the owner to answer, if this tab is visible. If it doesn't, takes its place. Asks again a while later. */
  #ask() {
    const { isVisible, after } = this.#surroundings;
    if (this.#question !== null && !this.#question.isPause) return;
    this.#question?.cancel();
    this.#question = null;
    if (this.#own !== null || !isVisible()) return;
    this.#ping();
    const cancel = after(patience, () => {
      this.#question = null;
      if (this.#own === null && isVisible()) this.#steal();
    });
    this.#question = { cancel, isPause: false };
  }

  #ping() {
    this.#send({ kind: "ping", at: this.#surroundings.wall() });
  }

  /** An owner has answered, or has begun. */
  #found({ worker, status }) {
    this.#question?.cancel();
    this.#question = {
      isPause: true,
      cancel: this.#surroundings.after(pause, () => this.#ask()),
    };
    const isNew = worker !== this.#workerId;
    this.#workerId = worker;
    if (JSON.stringify(status) !== JSON.stringify(this.#status)) this.#change(status);
    this.#adopt();
    if (isNew && this.#stream !== null) this.#alive.then(() => this.#subscribe());
    if (status.phase === "stopped") this.#stop();
  }

  #change(status) {
    this.#status = status;
    this.#onStatus({ ...status, isWiped: this.#isWiped });
  }

  /** A worker that has begun with nothing can't know of the group that an earlier one was in. */
  get #isWiped() {
    return this.#status?.isNew === true && this.#groupWorkerId !== null && this.#groupWorkerId !== this.#workerId;
  }

  #take(state) {
    const wasWiped = this.#isWiped;
    if (state.group !== null) this.#groupWorkerId = this.#workerId;
    else if (!wasWiped) this.#groupWorkerId = null;
    if (wasWiped && !this.#isWiped) this.#change(this.#status);
    this.#stream?.onState(state);
  }

  /**
   * Sends the worker the requests that it hasn't got: the waiting ones, and reads that an earlier worker hasn't answered.
   * That one may have done a press, so no press is sent again. A read is sent twice at most, because it may be what ends
   * the workers.
   */
  #adopt() {
    for (const [number, { sentTo, times, message, reject }] of this.#requests) {
      if (sentTo === this.#workerId) continue;
      if (sentTo === null || (message.method === "GET" && times < 2)) {
        this.#submit(number);
        continue;
      }
      this.#requests.delete(number);
      reject(new Error(unknown));
    }
  }

  #stop() {
    for (const { reject } of this.#requests.values()) reject(new Error(stopped));
    this.#requests.clear();
    const stream = this.#stream;
    this.#stream = null;
    stream?.onEnd();
  }

  // MARK: Messages

  /** Sends a request, unless the worker hasn't begun yet. It would do a press that was given up meanwhile. */
  #submit(number) {
    if (this.#workerId === null || this.#status.phase === "loading") return;
    const request = this.#requests.get(number);
    request.sentTo = this.#workerId;
    request.times += 1;
    this.#post(request.message);
  }

  #subscribe() {
    if (this.#stream !== null) this.#post({ kind: "follow", zone: this.#stream.zone });
  }

  /** Sends a message to the worker that this tab knows, if there is one. */
  #post(message) {
    if (this.#workerId !== null) this.#send({ ...message, worker: this.#workerId });
  }

  #send(message) {
    const { tab, channel } = this.#surroundings;
    const whole = { ...message, to: "owner", tab };
    if (this.#own === null) channel.postMessage(whole);
    else this.#own.receive(whole);
  }

  #received(message) {
    if (message.to === "owner") return this.#own?.receive(message);
    if (message.tab !== null && message.tab !== this.#surroundings.tab) return undefined;
    // A former owner, which was frozen, may not know yet that this tab has taken its place.
    if (this.#own !== null && message.worker !== this.#own.id) return undefined;
    if (message.kind === "owner") return this.#found(message);
    if (message.worker !== this.#workerId) return undefined;
    if (message.kind === "state") return this.#take(parseState(message.json));
    return this.#answered(message);
  }

  #answered({ number, status, type, body }) {
    const request = this.#requests.get(number);
    if (!this.#requests.delete(number)) return;
    const hasBody = status !== 204 && status !== 304;
    const hasSentences = status >= 400 || request.message.method !== "GET";
    request.resolve(new Response(hasBody ? (hasSentences ? ownBody(body) : body) : null, { status, headers: { "Content-Type": type } }));
  }
}

/** Returns the device of this browser, for the page that this code runs in. */
export function openDevice() {
  if (!isSecureContext) {
    const lost = document.getElementById("lost");
    lost.textContent = "A browser shares a session only by https: open this page’s address with https:// in front.";
    lost.hidden = false;
    throw new Error(lost.textContent);
  }
  if (globalThis.WebAssembly === undefined) {
    throw new Error("it runs no WebAssembly, perhaps because of Lockdown Mode. Switch that off for this page, then reload it.");
  }
  const tabs = new Tabs({
    tab: crypto.randomUUID(),
    channel: new BroadcastChannel(lock),
    locks: navigator.locks,
    isVisible: () => document.visibilityState === "visible",
    after: (milliseconds, act) => {
      const timer = setTimeout(act, milliseconds);
      return () => clearTimeout(timer);
    },
    now: () => performance.now(),
    wall: () => Date.now(),
    startWorker,
    erase: async (id) => {
      const storage = await Storage.open(id);
      await storage?.erase();
      storage?.close();
    },
  });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) tabs.resume(); });
  document.addEventListener("freeze", () => tabs.freeze());
  document.addEventListener("resume", () => tabs.thaw());
  for (const kind of ["online", "pageshow"]) addEventListener(kind, () => tabs.resume());
  return tabs;
}

function startWorker(id, onMessage) {
  const worker = new Worker("/device-worker.js", { type: "module" });
  worker.onmessage = ({ data }) => onMessage(data);
  // Something else than the module has failed there, or the worker's files can't be loaded.
  worker.onerror = (event) => onMessage({ kind: "trapped", code: event instanceof ErrorEvent ? 0 : failures.unloaded });
  worker.postMessage({ kind: "begin", fence: id, host: browserName(navigator) });
  return { post: (message) => worker.postMessage(message), end: () => worker.terminate() };
}
