// An IndexedDB in memory, as far as storage.js uses it. Transactions run one after the other, and each of them is done
// completely or not at all.

const later = (act) => setImmediate(act);

/** A range of keys. */
class KeyRange {
  constructor(lower, upper, lowerOpen, upperOpen) {
    Object.assign(this, { lower, upper, lowerOpen, upperOpen });
  }

  contains(key) {
    const isAbove = this.lowerOpen ? key > this.lower : key >= this.lower;
    return isAbove && (this.upperOpen ? key < this.upper : key <= this.upper);
  }
}
globalThis.IDBKeyRange = { bound: (...bounds) => new KeyRange(...bounds) };

export class Database {
  stores = new Map();
  /** The errors with which the next transactions that may change records fail when they are committed. */
  failures = [];
  /** The transactions that wait, the first of which runs. */
  #waiting = [];

  /** The factory that opens this database. */
  get factory() {
    return { open: () => this.#open() };
  }

  /** Writes without a transaction, as another worker would have done. */
  set(store, key, value) {
    this.stores.get(store).set(key, value);
  }

  #open() {
    const opening = { result: this };
    later(() => {
      if (this.stores.size === 0) opening.onupgradeneeded();
      opening.onsuccess();
    });
    return opening;
  }

  createObjectStore(name) {
    this.stores.set(name, new Map());
  }

  close() {}

  transaction(names, mode = "readonly", options = {}) {
    const changes = mode === "readwrite" && [names].flat().includes("records");
    const durability = changes ? "strict" : mode === "readwrite" ? "relaxed" : undefined;
    if (options.durability !== durability) throw new Error(`The transaction must be ${durability}.`);
    const transaction = new Transaction(this, [names].flat(), mode, () => {
      this.#waiting.shift();
      this.#waiting[0]?.run();
    });
    this.#waiting.push(transaction);
    if (this.#waiting.length === 1) later(() => transaction.run());
    return transaction;
  }
}

class Transaction {
  error = null;
  #database;
  #names;
  #mode;
  #onOver;
  #requests = [];
  #before = null;
  #isAborted = false;
  #isCommitted = false;

  constructor(database, names, mode, onOver) {
    this.#database = database;
    this.#names = names;
    this.#mode = mode;
    this.#onOver = onOver;
  }

  objectStore(name) {
    if (!this.#names.includes(name)) throw new Error(`${name} isn't in the transaction.`);
    const keys = (range) => [...this.#store(name).keys()].sort().filter((key) => range?.contains(key) ?? true);
    const values = (range) => keys(range).map((key) => this.#store(name).get(key));
    const change = (act) => this.#request(() => {
      if (this.#mode !== "readwrite") throw new Error("The transaction only reads.");
      return act(this.#store(name));
    });
    return {
      get: (key) => this.#request(() => this.#store(name).get(key)),
      count: () => this.#request(() => this.#store(name).size),
      getAllKeys: (range, count) => this.#request(() => keys(range).slice(0, count)),
      getAll: (range, count) => this.#request(() => values(range).slice(0, count)),
      put: (value, key) => change((store) => store.set(key, value)),
      clear: () => change((store) => store.clear()),
      delete: (key) => change((store) => (typeof key === "string" ? [key] : keys(key)).forEach((one) => store.delete(one))),
    };
  }

  abort() {
    if (this.#isCommitted) throw new DOMException("committed", "InvalidStateError");
    this.#isAborted = true;
  }

  commit() {
    this.#isCommitted = true;
  }

  run() {
    this.#before ??= new Map([...this.#database.stores].map(([name, store]) => [name, new Map(store)]));
    const next = this.#requests.shift();
    if (this.#isAborted || next === undefined) return this.#finish();
    next();
    return later(() => this.run());
  }

  #store(name) {
    return this.#database.stores.get(name);
  }

  #request(act) {
    if (this.#isCommitted || this.#isAborted) throw new DOMException("over", "TransactionInactiveError");
    const request = {};
    this.#requests.push(() => {
      request.result = act();
      request.onsuccess?.();
    });
    return request;
  }

  #finish() {
    const changes = this.#mode === "readwrite" && this.#names.includes("records");
    if (this.#mode === "readwrite" && !this.#isAborted && !this.#isCommitted) throw new Error("It isn't committed.");
    if (!this.#isAborted && changes) this.error = this.#database.failures.shift() ?? null;
    if (this.#isAborted || this.error !== null) {
      this.#database.stores = this.#before;
      this.onabort?.();
    } else {
      this.oncomplete?.();
    }
    this.#onOver();
  }
}
