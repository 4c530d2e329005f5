// A browser in memory with tabs: their channel, locks and timers. A tab can be hidden, frozen, thawed and closed.
import { Tabs } from "../../Client/FocusWeb/Assets/tabs.js";

/** A worker's message that the device has begun. */
export const begun = { kind: "begun", phase: "open", keeps: true, isNew: false };

export class Browser {
  tabs = [];
  /** Whether each worker begins by itself, in no group and with data. */
  begins = true;
  /** All workers that were ever started, the newest last. */
  workers = [];
  /** The ids with which the stored records were erased. */
  erased = [];
  #now = 0;
  #timers = [];
  #held = new Map();
  #queue = [];

  /** Opens a tab. */
  async open(name, { isVisible = true } = {}) {
    const tab = { name, isVisible, isFrozen: false, isClosed: false, delayed: [], statuses: [] };
    this.tabs.push(tab);
    tab.channel = { onmessage: null, postMessage: (message) => this.#post(tab, message) };
    tab.device = new Tabs({
      tab: name,
      channel: tab.channel,
      locks: { request: (...request) => this.#request(tab, ...request) },
      isVisible: () => tab.isVisible,
      after: (wait, act) => this.#after(tab, wait, act),
      now: () => this.#now,
      wall: () => this.#now,
      startWorker: (id, onMessage) => this.#startWorker(tab, id, onMessage),
      erase: async (id) => { this.erased.push(id); },
    });
    tab.device.watch((status) => tab.statuses.push(status));
    await this.settle();
    return tab;
  }

  /** The only worker that runs and isn't frozen. */
  get worker() {
    const running = this.workers.filter(({ isOver, tab }) => !isOver && !tab.isFrozen);
    if (running.length !== 1) throw new Error(`${running.length} workers run.`);
    return running[0];
  }

  /** The number of requests for locks that a tab waits for. */
  waiting(tab) {
    return this.#queue.filter((entry) => entry.tab === tab && entry.name === "lockstep-device").length;
  }

  freeze(tab) {
    tab.isFrozen = true;
  }

  /** Lets everything happen in the tab that would have happened meanwhile. */
  async thaw(tab) {
    tab.isFrozen = false;
    tab.delayed.splice(0).forEach((act) => act());
    await this.settle();
  }

  async close(tab) {
    tab.isClosed = true;
    this.workers.filter((worker) => worker.tab === tab).forEach((worker) => { worker.isOver = true; });
    this.#queue = this.#queue.filter((entry) => entry.tab !== tab);
    for (const [name, entry] of [...this.#held]) {
      if (entry.tab === tab) this.#free(name);
    }
    await this.settle();
  }

  /** Lets time pass. */
  async pass(milliseconds) {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((left, right) => left.at - right.at)[0];
      if (next === undefined) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.#now = next.at;
      this.#do(next.tab, next.act);
      await this.settle();
    }
    this.#now = end;
  }

  /** Returns when nothing happens any more until time passes. */
  async settle() {
    for (let round = 0; round < 10; round += 1) await new Promise(setImmediate);
  }

  #do(tab, act) {
    if (tab.isClosed) return;
    if (tab.isFrozen) tab.delayed.push(act);
    else act();
  }

  #after(tab, wait, act) {
    const timer = { tab, at: this.#now + wait, act };
    this.#timers.push(timer);
    return () => { this.#timers = this.#timers.filter((one) => one !== timer); };
  }

  #post(from, message) {
    for (const tab of this.tabs.filter((one) => one !== from)) {
      const data = structuredClone(message);
      setImmediate(() => this.#do(tab, () => tab.channel.onmessage({ data })));
    }
  }

  #startWorker(tab, id, onMessage) {
    const worker = { tab, id, isOver: false, messages: [] };
    worker.say = async (message) => {
      onMessage(message);
      await this.settle();
    };
    /** The messages of a kind, without their kind. */
    worker.got = (kind) => worker.messages.filter((one) => one.kind === kind).map(({ kind: _, ...rest }) => rest);
    this.workers.push(worker);
    if (this.begins) setImmediate(() => this.#do(tab, () => onMessage(begun)));
    return {
      post: (message) => worker.messages.push(structuredClone(message)),
      end: () => { worker.isOver = true; },
    };
  }

  #request(tab, name, { signal, steal }, callback) {
    return new Promise((resolve, reject) => {
      const stolen = () => reject(new DOMException("", "AbortError"));
      const entry = { tab, name, callback, resolve, fail: () => this.#do(tab, stolen) };
      if (steal) {
        const former = this.#held.get(name);
        this.#held.delete(name);
        former?.fail();
        return this.#grant(entry);
      }
      signal?.addEventListener("abort", () => {
        if (!this.#queue.includes(entry)) return;
        this.#queue.splice(this.#queue.indexOf(entry), 1);
        reject(signal.reason);
      });
      this.#queue.push(entry);
      return this.#grantNext(name);
    });
  }

  #grantNext(name) {
    const next = this.#queue.find((entry) => entry.name === name);
    if (this.#held.has(name) || next === undefined) return;
    this.#queue.splice(this.#queue.indexOf(next), 1);
    this.#grant(next);
  }

  #grant(entry) {
    this.#held.set(entry.name, entry);
    setImmediate(() => this.#do(entry.tab, async () => {
      // It was stolen before the tab heard of it.
      if (this.#held.get(entry.name) !== entry) return;
      const value = await entry.callback();
      if (this.#held.get(entry.name) !== entry) return;
      this.#free(entry.name);
      entry.resolve(value);
    }));
  }

  #free(name) {
    this.#held.delete(name);
    this.#grantNext(name);
  }
}
