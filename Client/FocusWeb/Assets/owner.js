// The tab that owns the device: it runs the worker, and passes messages between the worker and all tabs.
import { failures } from "./storage.js";

/** The number of ends of workers after which the device stays off, if they lie within `endsWithin` milliseconds. */
const mostEnds = 3;
const endsWithin = 60_000;
/** The time within which an owner answers a visible tab, in milliseconds. After it, the tab takes its place. */
export const patience = 1000;
/** All tabs say at once that the machine or the network is back. Only the first one within this time counts. */
const resumedWithin = 1000;

/** The locks that tabs hold as long as they live. */
export const lifeOf = (tab) => `lockstep-tab-${tab}`;

/**
 * The owner of the device.
 *
 * `startWorker` starts a worker for an id, with a function for its messages, and returns it with `post` and `end`.
 * `send` sends a message to a tab, or to all. `onSuperseded` is called after another tab has become the owner of the
 * database. `erase` deletes what is stored, for a worker's id.
 */
export class Owner {
  /** The present worker's id, which is also the fence in the database. It changes when the worker is replaced. */
  id = null;
  #surroundings;
  #worker = null;
  #status = null;
  /** The instants at which workers have ended by themselves. */
  #ends = [];
  /** The number of starts after such an end. */
  #starts = 0;
  /** The requests that the worker has: the tab of each, and its number there. */
  #asked = new Map();
  #lastNumber = 0;
  /** The number under which the worker knows each following tab. */
  #pages = new Map();
  #lastPage = 0;
  /** The tabs with locks that the owner waits for, to hear that they have closed. */
  #watched = new Set();
  #over = new AbortController();
  #resumed = -Infinity;

  constructor(surroundings) {
    this.#surroundings = surroundings;
    this.#start();
  }

  /** Ends the worker: another tab is the owner, or will be. */
  end() {
    this.#over.abort();
    this.#worker?.end();
    this.#worker = null;
  }

  /** Says to a tab, or to all, which worker there is, and how it is. */
  announce(tab = null) {
    this.#surroundings.send({ kind: "owner", tab, worker: this.id, status: this.#status });
  }

  /** Receives a tab's message to the present worker. */
  receive(message) {
    const { kind, tab } = message;
    // An owner that was frozen has lost its place to the tabs that asked meanwhile, and may not know it yet.
    if (kind === "ping" && this.#surroundings.wall() - message.at < patience) this.announce(tab);
    if (message.worker !== this.id || this.#over.signal.aborted) return;
    if (kind === "request") this.#request(message);
    else if (kind === "follow") this.#follow(tab, message.zone);
    else if (kind === "unfollow") this.#unfollow(tab);
    else if (kind === "resumed") this.#resume();
    else if (kind === "again") this.#startAgain();
    else if (kind === "erase") this.#erase();
  }

  #start() {
    this.#worker?.end();
    this.#asked.clear();
    this.#pages.clear();
    this.id = crypto.randomUUID();
    this.#status = { phase: "loading", keeps: null, isNew: false, failure: 0, starts: this.#starts };
    const { id } = this;
    this.#worker = this.#surroundings.startWorker(id, (message) => { if (id === this.id) this.#received(message); });
    this.announce();
  }

  #resume() {
    const now = this.#surroundings.now();
    if (now - this.#resumed < resumedWithin) return;
    this.#resumed = now;
    this.#worker?.post({ kind: "resumed" });
  }

  /** Starts the worker again because a person asks for it. Earlier ends don't count any more. */
  #startAgain() {
    this.#ends = [];
    this.#start();
  }

  async #erase() {
    this.#worker?.end();
    this.#worker = null;
    this.id = crypto.randomUUID();
    await this.#surroundings.erase(this.id).catch(console.error);
    if (!this.#over.signal.aborted) this.#startAgain();
  }

  #received(message) {
    if (message.kind === "answer") this.#answered(message);
    else if (message.kind === "state") this.#show(message);
    else if (message.kind === "begun") this.#change({ phase: message.phase, keeps: message.keeps, isNew: message.isNew });
    else if (message.kind === "damaged") this.#change({ phase: "damaged" });
    else if (message.kind === "trapped") this.#ended(message.code);
    else if (message.kind === "failed") this.#failed(message.code);
  }

  #change(status) {
    this.#status = { ...this.#status, ...status };
    this.announce();
  }

  /** The worker has ended, for a reason or by itself (0). Starts it again, unless that has happened several times. */
  #ended(code) {
    if (this.#mayStart()) return this.#start();
    this.#worker?.end();
    this.#worker = null;
    this.#change({ phase: "stopped", failure: code });
  }

  /** Storing has failed. Safari may lose the database of a page in the background, and gives it back to a new worker. */
  #failed(code) {
    if (code === failures.superseded) this.#surroundings.onSuperseded();
    else if (code === failures.other && this.#mayStart()) this.#start();
    else this.#change({ failure: code });
  }

  /** Counts an end of a worker. Returns whether to start again. */
  #mayStart() {
    const now = this.#surroundings.now();
    this.#ends = [...this.#ends.filter((end) => now - end < endsWithin), now];
    this.#starts += 1;
    return this.#ends.length < mostEnds;
  }

  #request({ tab, number, method, path, body }) {
    this.#lastNumber = (this.#lastNumber + 1) % 2 ** 31;
    this.#asked.set(this.#lastNumber, { tab, number });
    this.#worker?.post({ kind: "request", id: this.#lastNumber, method, path, body });
  }

  #answered({ id, status, type, body }) {
    const asked = this.#asked.get(id);
    if (!this.#asked.delete(id)) return;
    this.#surroundings.send({ kind: "answer", ...asked, worker: this.id, status, type, body });
  }

  #follow(tab, zone) {
    this.#unfollow(tab);
    this.#lastPage += 1;
    this.#pages.set(tab, this.#lastPage);
    this.#worker?.post({ kind: "follow", page: this.#lastPage, zone });
    this.#watch(tab);
  }

  #unfollow(tab) {
    const page = this.#pages.get(tab);
    if (this.#pages.delete(tab)) this.#worker?.post({ kind: "unfollow", page });
  }

  /** Waits for the lock that a tab holds as long as it lives. */
  async #watch(tab) {
    if (this.#watched.has(tab)) return;
    this.#watched.add(tab);
    const { locks } = this.#surroundings;
    // It is rejected only when this owner ends.
    await locks.request(lifeOf(tab), { signal: this.#over.signal }, () => this.#unfollow(tab)).catch(() => {});
    this.#watched.delete(tab);
  }

  #show({ page, json }) {
    for (const [tab, number] of this.#pages) {
      if (number === page) this.#surroundings.send({ kind: "state", tab, worker: this.id, json });
    }
  }
}
