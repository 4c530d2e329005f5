// The device: the WebAssembly module with what it needs of the browser. It runs in a worker (device-worker.js).
import { encodeRecord } from "./records.js";
import { failures, Storage } from "./storage.js";
import { completeWASI, makeWASI } from "./wasi.js";
import { offsetOf } from "./zones.js";

/** The largest number of random bytes that the browser gives at once. */
const mostRandom = 65_536;
/** The largest number of events of the WebSocket that are passed on while changes are being stored. */
const mostWhileStoring = 8;
/** The longest time that a timer of the browser can wait. */
const longestWait = 2 ** 31 - 1;

/** The device's phases by the results of the export `begin`. */
const phases = ["open", "damaged", "newer"];

/** The origin of a server at another site, if `focus web --export DIR` has written it here; otherwise null. */
const otherServer = null;
const site = () => otherServer ?? location.href;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The module, its WebSocket, its timer and its database.
 *
 * `tell` is called with each message for the tabs. If the module traps, or can't begin, it is called with the message
 * `trapped`, and the device does nothing any more. The message has the reason if the module isn't to blame.
 */
export class Device {
  #tell;
  #exports = null;
  #storage = null;
  #socket = null;
  /** The events of the WebSocket that the module hasn't got yet, as functions that pass them on. */
  #arrived = [];
  /** Lets the worker handle other messages before the next event of the WebSocket. */
  #turns = null;
  /** Whether the next event has its turn already. */
  #isTurnPlanned = false;
  /** Whether changes are being stored, and the number of events that were passed on meanwhile. */
  #isStoring = false;
  #passedOn = 0;
  #timer;
  /** The time zone of each page that follows. */
  #zones = new Map();
  #isOver = false;
  /** The steady clock's reading when the time origin was, fixed because the origin may be corrected. */
  #origin = performance.timeOrigin;

  constructor(tell) {
    this.#tell = tell;
  }

  /** Loads what is stored, and begins. `fence` is the worker's id, and `host` the browser's name. */
  async begin({ fence, host }) {
    try {
      const [records, module] = await Promise.all([
        because(failures.other, this.#open(fence)), because(failures.unloaded, compile("/focus.wasm")),
      ]);
      await this.#instantiate(module);
      this.#run(() => this.#exports._initialize());
      for (const record of records) this.#run(() => this.#load(record));
      const keeps = this.#storage !== null;
      const settings = JSON.stringify({ origin: new URL("/", site()).origin, host });
      const result = this.#pass("begin", encoder.encode(settings), ...this.#times());
      if (result !== 0) this.#storage?.keepState(null);
      if (!this.#isOver) this.#tell({ kind: "begun", phase: phases[result], keeps, isNew: records.length === 0 });
    } catch (failure) {
      this.#end(failure, failure.name === "QuotaExceededError" ? failures.quota : failure.reason);
    }
  }

  request({ id, method, path, body }) {
    this.#pass("request", encoder.encode(JSON.stringify({ method, path, body })), ...this.#times(), id);
  }

  follow({ page, zone }) {
    this.#zones.set(page, zone);
    this.#pass("follow", encoder.encode(zone), ...this.#times(), page);
  }

  unfollow({ page }) {
    this.#zones.delete(page);
    this.#call("unfollow", page);
  }

  resumed() {
    this.#call("resumed");
  }

  /** Opens the database, and returns its records. */
  async #open(fence) {
    this.#storage = await Storage.open(fence);
    return (await this.#storage?.records()) ?? [];
  }

  /** Writes a record into the module's memory. */
  #load(record) {
    const { length } = encodeRecord(record, (count) => {
      // The memory may have another buffer after this.
      const pointer = this.#exports.buffer(count);
      return new Uint8Array(this.#exports.memory.buffer, pointer, count);
    });
    this.#exports.stored(length);
  }

  /** Connects the module to the functions that it imports. None of them calls the module before it has returned. */
  async #instantiate(module) {
    const memory = () => this.#exports.memory;
    const read = (pointer, length) => new Uint8Array(memory().buffer, pointer, length);
    const copy = (pointer, length) => read(pointer, length).slice();
    const text = (pointer, length) => decoder.decode(read(pointer, length));
    const fill = (bytes) => {
      for (let at = 0; at < bytes.length; at += mostRandom) {
        crypto.getRandomValues(bytes.subarray(at, at + mostRandom));
      }
    };
    const log = (line) => console.info(line);
    const functions = makeWASI({ memory, wall: () => Date.now(), steady: () => this.#steady(), fill, log });
    const instance = await WebAssembly.instantiate(module, {
      wasi_snapshot_preview1: completeWASI(functions, module),
      lockstep: {
        connect: () => this.#connect(),
        send: (pointer, length) => this.#send(copy(pointer, length)),
        disconnect: () => this.#disconnect(),
        keep: (number, pointer, length) => this.#keep(number, read(pointer, length)),
        answer: (id, status, type, typeLength, body, bodyLength) => this.#tell({
          kind: "answer", id, status, type: text(type, typeLength), body: copy(body, bodyLength),
        }),
        state: (page, pointer, length) => this.#show(page, text(pointer, length)),
        unusable: () => {
          this.#storage?.keepState(null);
          this.#tell({ kind: "damaged" });
        },
        wake: (after) => this.#wake(after),
        random: (pointer, length) => fill(read(pointer, length)),
        offset: (pointer, length, wall) => offsetOf(text(pointer, length), wall),
        log: (pointer, length) => log(text(pointer, length)),
      },
    });
    this.#exports = instance.exports;
  }

  #steady() {
    return this.#origin + performance.now();
  }

  #times() {
    return [Date.now(), this.#steady()];
  }

  /** Calls an export without bytes. */
  #call(name, ...numbers) {
    return this.#run(() => this.#exports[name](...this.#times(), ...numbers));
  }

  /** Calls an export with bytes, the number of which is its last argument. */
  #pass(name, bytes, ...numbers) {
    return this.#run(() => {
      const pointer = this.#exports.buffer(bytes.length);
      new Uint8Array(this.#exports.memory.buffer).set(bytes, pointer);
      return this.#exports[name](...numbers, bytes.length);
    });
  }

  #run(body) {
    if (this.#isOver || this.#exports === null) return undefined;
    try {
      return body();
    } catch (failure) {
      return this.#end(failure);
    }
  }

  /** After a trap, the module's memory may be wrong. The changes that it gave away are stored, or none of them. */
  #end(failure, code = 0) {
    if (this.#isOver) return;
    this.#isOver = true;
    console.error(failure);
    clearTimeout(this.#timer);
    this.#disconnect();
    this.#storage?.close();
    this.#tell({ kind: "trapped", code });
  }

  #connect() {
    this.#disconnect();
    const address = new URL("/sync", site());
    address.protocol = address.protocol === "http:" ? "ws:" : "wss:";
    let socket;
    try {
      socket = new WebSocket(address);
    } catch {
      // Some browsers refuse at once if an extension or a policy forbids the connection.
      return setTimeout(() => this.#call("closed"));
    }
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    // A socket that was replaced or closed by the module isn't heard any more.
    const hear = (kind, act) => socket.addEventListener(kind, ({ data }) => {
      if (socket === this.#socket && typeof data !== "string") this.#arrive(() => act(data));
    });
    hear("open", () => this.#call("opened"));
    hear("message", (data) => this.#pass("received", new Uint8Array(data), ...this.#times()));
    hear("close", () => {
      this.#socket = null;
      this.#call("closed");
    });
  }

  /** Passes on an event of the WebSocket in a later turn, after those before it. Requests of pages come in between. */
  #arrive(event) {
    this.#arrived.push(event);
    this.#planTurn();
  }

  /**
   * Plans the turn of the next event, if there is one. Only a few have a turn while changes are being stored: the
   * worker is then free for requests, and the changes that wait don't become more and more.
   */
  #planTurn() {
    if (this.#isTurnPlanned || this.#arrived.length === 0) return;
    if (this.#isStoring && this.#passedOn === mostWhileStoring) return;
    if (this.#turns === null) {
      this.#turns = new MessageChannel();
      this.#turns.port1.onmessage = () => this.#takeTurn();
    }
    this.#isTurnPlanned = true;
    this.#turns.port2.postMessage(null);
  }

  #takeTurn() {
    this.#isTurnPlanned = false;
    if (this.#isStoring) this.#passedOn += 1;
    this.#arrived.shift()?.();
    this.#planTurn();
  }

  #send(bytes) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(bytes);
  }

  #disconnect() {
    const socket = this.#socket;
    this.#socket = null;
    this.#arrived = [];
    socket?.close();
  }

  #keep(number, bytes) {
    // The module has one set of changes stored at a time.
    this.#isStoring = true;
    this.#passedOn = 0;
    const end = (name, value) => {
      this.#isStoring = false;
      this.#call(name, value);
      this.#planTurn();
    };
    const kept = () => end("kept", number);
    // The module is called again only after it has returned.
    if (this.#storage === null) return queueMicrotask(kept);
    this.#storage.keep(bytes, kept, (code) => {
      end("failed", code);
      this.#tell({ kind: "failed", code });
    });
  }

  #show(page, json) {
    this.#tell({ kind: "state", page, json });
    this.#storage?.keepState({ zone: this.#zones.get(page), at: Date.now(), json });
  }

  #wake(after) {
    clearTimeout(this.#timer);
    if (!(after >= 0)) return;
    this.#timer = setTimeout(() => this.#call("woke"), Math.min(longestWait, Math.ceil(after)));
  }
}

/** Adds a reason to the failure of a promise. */
const because = (reason, promise) => promise.catch((failure) => { throw Object.assign(failure, { reason }); });

async function compile(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} can’t be loaded: ${response.status}`);
  try {
    return await WebAssembly.compileStreaming(response.clone());
  } catch {
    // The server gives it another media type, or the browser can't compile while it loads.
    return WebAssembly.compile(await response.arrayBuffer());
  }
}
