// The device's records in the browser's database. A fence, the id of the worker that owns them, keeps a worker that was
// replaced while it was frozen from writing.
import { blockKey, blockSize, decodeChanges, endOfBlocks, fileLength, isLength, kinds } from "./records.js";

/** The reasons for which changes aren't stored, as the module knows them. `unloaded`: The module can't be loaded. */
export const failures = { quota: 1, superseded: 2, other: 3, unloaded: 4 };

/** The version of the page, a hash of its files. `scripts/web` writes it here. */
const version = "";
const names = ["records", "fence"];
/** The number of records in an answer of the browser's. */
const slice = 512;
/** The shortest time between two states that are kept, in milliseconds. A press may have to wait for each of them. */
const stateInterval = 1000;

/** The database of one worker. After a failure it stores nothing any more, so that no change is left out between others. */
export class Storage {
  #database;
  #fence;
  #failure = null;
  /** The timer for the state that is kept next, and the earliest instant for it. */
  #stateTimer;
  #stateDue = -Infinity;

  /**
   * Opens the database for the worker with this id. From then on, other workers can't write.
   *
   * Returns null if the browser keeps nothing here. Throws if it has records, or can't be read, and can't be written.
   */
  static async open(fence, factory = null) {
    // Safari may have lost its database process, and has another one the second time.
    const database = await openDatabase(factory).catch(() => openDatabase(factory)).catch(() => null);
    if (database === null) return null;
    const storage = new Storage(database, fence);
    try {
      await storage.#write((_, fences) => fences.put(fence, "owner"));
      return storage;
    } catch (failure) {
      const count = await storage.#count().catch(() => null);
      if (count !== 0) throw failure;
      database.close();
      return null;
    }
  }

  constructor(database, fence) {
    this.#database = database;
    this.#fence = fence;
    // Another tab deletes the database.
    database.onversionchange = () => database.close();
  }

  /** Returns all records, as of one moment: first the files' lengths, then the blocks. */
  async records() {
    const records = this.#records();
    const keys = await resultOf(records.getAllKeys());
    const reading = [];
    // All of them are asked for at once, because each answer takes a while.
    for (let start = 0; start < keys.length; start += slice) {
      const end = Math.min(start + slice, keys.length);
      reading.push(resultOf(records.getAll(IDBKeyRange.bound(keys[start], keys[end - 1]))));
    }
    const found = (await Promise.all(reading)).flat().map((value, index) => ({ key: keys[index], value }));
    return [...found.filter(({ key }) => isLength(key)), ...found.filter(({ key }) => !isLength(key))];
  }

  /**
   * Stores changes of the module, all or none. Calls `onKept` when they are on the disk, or `onFailed` with the reason
   * if they aren't. Calls are answered in order. The bytes may change afterwards.
   */
  keep(bytes, onKept, onFailed) {
    const changes = decodeChanges(bytes);
    const fail = (code) => {
      this.#failure ??= code;
      onFailed(this.#failure);
    };
    let transaction;
    try {
      transaction = this.#database.transaction(names, "readwrite", { durability: "strict" });
    } catch {
      // The browser has closed the database, for example because the person deletes the site's data.
      return queueMicrotask(() => fail(failures.other));
    }
    const owner = transaction.objectStore("fence").get("owner");
    owner.onsuccess = () => {
      // An earlier change that isn't stored has failed before this one begins.
      if (owner.result !== this.#fence) this.#failure ??= failures.superseded;
      if (this.#failure !== null) return transaction.abort();
      // Otherwise the browser would first report the success of each change.
      transaction.commit();
    };
    transaction.oncomplete = () => onKept();
    transaction.onabort = () => fail(transaction.error?.name === "QuotaExceededError" ? failures.quota : failures.other);
    try {
      // They are asked for before the owner is known, because each answer takes a while. An abort undoes them.
      applyChanges(changes, transaction.objectStore("records"));
    } catch (failure) {
      console.error(failure);
      transaction.abort();
    }
  }

  /**
   * Stores what a page shows, for `lastState`, at most once in a second; null removes it at once. It may fail: the next
   * start then takes a little longer.
   */
  keepState(state) {
    clearTimeout(this.#stateTimer);
    const wait = this.#stateDue - performance.now();
    if (state === null || wait <= 0) return this.#writeState(state);
    this.#stateTimer = setTimeout(() => this.#writeState(state), wait);
  }

  #writeState(state) {
    if (this.#failure !== null) return;
    this.#stateDue = performance.now() + stateInterval;
    try {
      const transaction = this.#database.transaction("fence", "readwrite", { durability: "relaxed" });
      const fences = transaction.objectStore("fence");
      const owner = fences.get("owner");
      owner.onsuccess = () => {
        if (owner.result === this.#fence) fences.put(state && { ...state, version }, "state");
        transaction.commit();
      };
    } catch {
      // The next change of the records says why.
    }
  }

  /** Deletes all records, and the last state. */
  erase() {
    return this.#write((records, fences) => {
      records.clear();
      fences.delete("state");
    });
  }

  /** Closes the database after the transactions that were begun. */
  close() {
    clearTimeout(this.#stateTimer);
    this.#database.close();
  }

  /** The records, in a transaction that only reads. */
  #records() {
    return this.#database.transaction("records").objectStore("records");
  }

  async #count() {
    return resultOf(this.#records().count());
  }

  #write(change) {
    return new Promise((resolve, reject) => {
      const transaction = this.#database.transaction(names, "readwrite", { durability: "strict" });
      change(...names.map((name) => transaction.objectStore(name)));
      transaction.commit();
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  }
}

/**
 * Returns what `keepState` stored last. Returns null if there is nothing, or no records any more of which it is the
 * state, or if another version of the page has stored it: its states may have other members.
 */
export async function lastState(factory = null) {
  const database = await openDatabase(factory);
  try {
    const transaction = database.transaction(names);
    const [records, fences] = names.map((name) => transaction.objectStore(name));
    const [state, keys] = await Promise.all([resultOf(fences.get("state")), resultOf(records.getAllKeys(null, 1))]);
    return keys.length > 0 && state?.version === version ? state : null;
  } finally {
    database.close();
  }
}

function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function applyChanges(changes, records) {
  for (const { kind, key, value } of changes) {
    if (kind === kinds.removal) records.delete(key);
    else records.put(value, key);
    if (kind === kinds.block) continue;
    // The blocks behind the end of the file; all of them if it is removed.
    const first = kind === kinds.removal ? 0 : Math.ceil(fileLength(value) / blockSize);
    records.delete(IDBKeyRange.bound(blockKey(key, first), endOfBlocks(key), false, true));
  }
}

function openDatabase(factory) {
  return new Promise((resolve, reject) => {
    // If pages may keep nothing, some browsers have no database, and others throw when it is named.
    const opening = (factory ?? globalThis.indexedDB).open("lockstep", 1);
    opening.onupgradeneeded = () => names.forEach((name) => opening.result.createObjectStore(name));
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
    opening.onblocked = () => reject(new DOMException("The database is in use.", "InvalidStateError"));
  });
}
