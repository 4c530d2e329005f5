import "./globals.mjs";
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { beforeEach, mock, test } from "node:test";
import { change, encodeChanges, lengthValue } from "./changes.mjs";
import { Database } from "./database.mjs";

const { Device } = await import("../../Client/FocusWeb/Assets/device.js");
const { lastState, Storage } = await import("../../Client/FocusWeb/Assets/storage.js");
const assets = new URL("../../Client/FocusWeb/Assets/", import.meta.url);
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const pause = () => new Promise(setImmediate);
const { instantiate } = WebAssembly;

/** The module in the test: it records each call, and calls its imports as the test says. */
class Module {
  memory = new WebAssembly.Memory({ initial: 1 });
  calls = [];
  imports = null;
  /** What an export does besides, by its name. */
  acts = {};

  get exports() {
    const known = { memory: this.memory, buffer: () => 1024, _initialize: () => this.#call("_initialize") };
    return new Proxy(known, { get: (_, name) => known[name] ?? ((...numbers) => this.#call(name, ...numbers)) });
  }

  /** The calls of an export: its numbers without the times, and the bytes in its buffer. */
  got(name) {
    return this.calls.filter((call) => call.name === name);
  }

  /** Puts bytes into the memory, and returns their place and number. */
  put(bytes, at = 2048) {
    new Uint8Array(this.memory.buffer).set(bytes, at);
    return [at, bytes.length];
  }

  #call(name, ...numbers) {
    const withTimes = !["_initialize", "stored"].includes(name);
    const length = ["stored", "begin", "request", "follow", "received"].includes(name) ? numbers.at(-1) : 0;
    const bytes = new Uint8Array(this.memory.buffer).slice(1024, 1024 + length);
    this.calls.push({ name, numbers: numbers.slice(withTimes ? 2 : 0, length > 0 ? -1 : undefined), bytes });
    if (withTimes) assert.ok(Math.abs(numbers[0] - Date.now()) < 60_000 && Math.abs(numbers[1] - Date.now()) < 60_000);
    return this.acts[name]?.(bytes) ?? 0;
  }
}

/** A channel that doesn't keep the test from ending. */
class Channel {
  port1 = { onmessage: null };
  port2 = { postMessage: (data) => setImmediate(() => this.port1.onmessage({ data })) };
}

class Socket extends EventTarget {
  static OPEN = 1;
  static all = [];
  readyState = 0;
  sent = [];
  isClosed = false;

  constructor(address) {
    super();
    this.address = String(address);
    Socket.all.push(this);
  }

  send(bytes) { this.sent.push([...bytes]); }
  close() { this.isClosed = true; }

  happen(kind, members = {}) {
    if (kind === "open") this.readyState = Socket.OPEN;
    this.dispatchEvent(Object.assign(new Event(kind), members));
  }
}

let module;
let database;
let told;

beforeEach(() => {
  module = new Module();
  database = new Database();
  told = [];
  Socket.all = [];
  globalThis.location = { href: "https://focus.example/" };
  Object.defineProperty(globalThis, "indexedDB", { value: database.factory, configurable: true, writable: true });
  globalThis.WebSocket = Socket;
  globalThis.MessageChannel = Channel;
  mock.method(globalThis, "fetch", async () => new Response(new Uint8Array(8)));
  mock.method(WebAssembly, "compileStreaming", async () => ({}));
  mock.method(WebAssembly.Module, "imports", () => []);
  mock.method(WebAssembly, "instantiate", async (compiled, imports) => {
    // Node itself has a module for `fetch`.
    if (!imports.lockstep) return instantiate(compiled, imports);
    module.imports = imports.lockstep;
    return { exports: module.exports };
  });
  mock.method(console, "error", () => {});
});

async function begin(fence = "worker") {
  const device = new Device((message) => told.push(message));
  await device.begin({ fence, host: "Firefox on Linux" });
  return device;
}

const changes = encodeChanges([change(1, "/log.db", lengthValue(1)), change(0, "/log.db\0" + "0".repeat(8), [5])]);

test("the module begins with the origin, the browser's name and what is stored", async () => {
  await begin();
  assert.equal(told.at(-1).isNew, true);
  module.imports.keep(1, ...module.put(changes));
  while (module.got("kept").length === 0) await pause();
  assert.deepEqual(module.got("kept")[0].numbers, [1]);

  const former = module;
  module = new Module();
  await begin("next");
  assert.deepEqual(module.calls.map(({ name }) => name), ["_initialize", "stored", "stored", "begin"]);
  assert.deepEqual(module.got("stored").map(({ bytes }) => bytes[0]), [1, 0]);
  assert.deepEqual(
    JSON.parse(decoder.decode(module.got("begin")[0].bytes)),
    { origin: "https://focus.example", host: "Firefox on Linux" });
  assert.deepEqual(told.at(-1), { kind: "begun", phase: "open", keeps: true, isNew: false });
  assert.notEqual(former, module);
});

for (const [result, phase] of [[1, "damaged"], [2, "newer"]]) {
  test(`${phase} records are told, and pages don't show the last state any more`, async () => {
    const device = await begin();
    module.imports.keep(1, ...module.put(changes));
    device.follow({ page: 1, zone: "" });
    module.imports.state(1, ...module.put(encoder.encode("{}")));
    assert.notEqual(await lastState(database.factory), null);
    module = new Module();
    module.acts.begin = () => result;
    await begin("next");
    assert.deepEqual(told.at(-1), { kind: "begun", phase, keeps: true, isNew: false });
    assert.equal(await lastState(database.factory), null);
  });
}

test("damage that is found later is told too, and pages don't show the last state any more", async () => {
  const device = await begin();
  module.imports.keep(1, ...module.put(changes));
  device.follow({ page: 1, zone: "" });
  module.imports.state(1, ...module.put(encoder.encode("{}")));
  module.imports.unusable();
  assert.deepEqual(told.at(-1), { kind: "damaged" });
  assert.equal(await lastState(database.factory), null);
});

test("records are read while the module is compiled", async () => {
  await begin();
  module.imports.keep(1, ...module.put(changes));
  await lastState(database.factory);
  let finish;
  mock.method(WebAssembly, "compileStreaming", () => new Promise((resolve) => { finish = resolve; }));
  let isRead = false;
  const { records } = Storage.prototype;
  mock.method(Storage.prototype, "records", async function () {
    const found = await records.call(this);
    isRead = true;
    return found;
  });
  module = new Module();
  const begun = begin("next");
  while (!isRead || finish === undefined) await pause();
  assert.equal(module.calls.length, 0);
  finish({});
  await begun;
  assert.equal(module.got("stored").length, 2);
  mock.restoreAll();
});

const security = () => { throw new DOMException("private", "SecurityError"); };
for (const [what, property] of [
  ["has no database", { value: undefined }], ["throws when its database is named", { get: security }],
  ["throws when its database is opened", { value: { open: security } }],
]) {
  test(`a browser that ${what} keeps nothing, and the device begins all the same`, async () => {
    Object.defineProperty(globalThis, "indexedDB", { ...property, configurable: true });
    await begin();
    assert.deepEqual(told, [{ kind: "begun", phase: "open", keeps: false, isNew: true }]);
    await assert.rejects(lastState());
  });
}

test("without a database, changes count as kept, after the module has returned", async () => {
  globalThis.indexedDB = { open: security };
  const device = await begin();
  assert.equal(told[0].keeps, false);
  module.acts.request = () => {
    module.imports.keep(3, ...module.put(changes));
    assert.equal(module.got("kept").length, 0);
  };
  device.request({ id: 1, method: "POST", path: "/press", body: "{}" });
  await pause();
  assert.deepEqual(module.got("kept")[0].numbers, [3]);
});

test("requests and followers are passed to the module, and its answers and states to the tabs", async () => {
  const device = await begin();
  module.acts.request = () => {
    const [type, typeLength] = module.put(encoder.encode("text/plain"), 4000);
    module.imports.answer(7, 409, type, typeLength, ...module.put(encoder.encode("nö")));
  };
  device.request({ id: 7, method: "GET", path: "/log.json?zone=Europe/Berlin", body: "" });
  const [request] = module.got("request");
  assert.deepEqual(request.numbers, [7]);
  assert.deepEqual(JSON.parse(decoder.decode(request.bytes)), { method: "GET", path: "/log.json?zone=Europe/Berlin", body: "" });
  assert.deepEqual(told.at(-1), { kind: "answer", id: 7, status: 409, type: "text/plain", body: encoder.encode("nö") });

  device.follow({ page: 2, zone: "Europe/Berlin" });
  assert.deepEqual(module.got("follow").map(({ numbers, bytes }) => [numbers, decoder.decode(bytes)]), [[[2], "Europe/Berlin"]]);
  module.imports.state(2, ...module.put(encoder.encode("{}")));
  assert.deepEqual(told.at(-1), { kind: "state", page: 2, json: "{}" });
  const kept = await lastState(database.factory);
  assert.equal(kept, null, "there are no records");
  module.imports.keep(1, ...module.put(changes));
  const { zone, at, json } = await lastState(database.factory);
  assert.deepEqual([zone, json], ["Europe/Berlin", "{}"]);
  assert.ok(Math.abs(at - Date.now()) < 60_000);
  device.unfollow({ page: 2 });
  assert.deepEqual(module.got("unfollow")[0].numbers, [2]);
  device.resumed();
  assert.equal(module.got("resumed").length, 1);
});

test("a copy that names another server connects there", async () => {
  const folder = mkdtempSync(`${tmpdir()}/lockstep-`);
  try {
    cpSync(assets, folder, { recursive: true });
    writeFileSync(`${folder}/package.json`, JSON.stringify({ type: "module" }));
    const code = readFileSync(`${folder}/device.js`, "utf8");
    const line = 'const otherServer = "https://server.example";';
    writeFileSync(`${folder}/device.js`, code.replace("const otherServer = null;", line));
    const { Device: Copy } = await import(`${folder}/device.js`);
    await new Copy(() => {}).begin({ fence: "worker", host: "Firefox on Linux" });
    module.imports.connect();
    assert.equal(Socket.all[0].address, "wss://server.example/sync");
    assert.equal(JSON.parse(decoder.decode(module.got("begin")[0].bytes)).origin, "https://server.example");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a new connection replaces the former one, which isn't heard any more", async () => {
  await begin();
  module.imports.connect();
  module.imports.connect();
  const [former, present] = Socket.all;
  assert.equal(present.address, "wss://focus.example/sync");
  assert.ok(former.isClosed);
  former.happen("open");
  former.happen("close");
  await pause();
  assert.deepEqual([module.got("opened").length, module.got("closed").length], [0, 0]);
  module.imports.send(...module.put([1]));
  present.happen("open");
  module.imports.send(...module.put([1, 2, 3]));
  assert.deepEqual(present.sent, [[1, 2, 3]]);
  present.happen("message", { data: "text" });
  present.happen("message", { data: new Uint8Array([4, 5]).buffer });
  present.happen("close");
  while (module.got("closed").length === 0) await pause();
  assert.deepEqual(module.got("received").map(({ bytes }) => [...bytes]), [[4, 5]]);
  assert.deepEqual(module.calls.slice(-3).map(({ name }) => name), ["opened", "received", "closed"]);
});

test("requests of pages come between messages of the server that have arrived", async () => {
  const device = await begin();
  module.imports.connect();
  for (const byte of [1, 2, 3]) Socket.all[0].happen("message", { data: new Uint8Array([byte]).buffer });
  module.acts.received = ([byte]) => {
    if (byte === 1) setImmediate(() => device.request({ id: 1, method: "GET", path: "/log.json", body: "" }));
  };
  while (module.got("received").length < 3) await pause();
  const names = module.calls.map(({ name }) => name).filter((name) => ["received", "request"].includes(name));
  assert.equal(names.at(-1), "received");
  assert.ok(names.includes("request"));
  assert.deepEqual(module.got("received").map(({ bytes }) => [...bytes]), [[1], [2], [3]]);
});

test("only a few messages of the server are passed on while changes are being stored, and the others after that", async () => {
  const device = await begin();
  let end;
  const keep = mock.method(Storage.prototype, "keep", (_, onKept, onFailed) => { end = { onKept, onFailed }; });
  const turns = async () => { for (let turn = 0; turn < 100; turn += 1) await pause(); };
  module.imports.connect();
  const arrive = (count) => {
    for (let byte = 0; byte < count; byte += 1) Socket.all[0].happen("message", { data: new Uint8Array([byte]).buffer });
  };
  module.imports.keep(1, ...module.put(changes));
  arrive(20);
  await turns();
  assert.equal(module.got("received").length, 8);
  device.request({ id: 1, method: "GET", path: "/log.json", body: "" });
  assert.equal(module.got("request").length, 1);
  // The module has the next changes stored at once.
  module.acts.kept = () => {
    module.acts.kept = undefined;
    module.imports.keep(2, ...module.put(changes));
  };
  end.onKept();
  await turns();
  assert.equal(module.got("received").length, 16);
  end.onFailed(2);
  await turns();
  assert.deepEqual(module.got("received").map(({ bytes }) => bytes[0]), Array.from({ length: 20 }, (_, byte) => byte));
  arrive(20);
  await turns();
  assert.equal(module.got("received").length, 40);
  keep.mock.restore();
});

test("messages of a connection that the module has ended are dropped, and those of the next one are not", async () => {
  await begin();
  module.imports.connect();
  Socket.all[0].happen("message", { data: new Uint8Array([1]).buffer });
  module.imports.disconnect();
  module.imports.connect();
  Socket.all[1].happen("message", { data: new Uint8Array([2]).buffer });
  while (module.got("received").length === 0) await pause();
  assert.deepEqual(module.got("received").map(({ bytes }) => [...bytes]), [[2]]);
});

test("a connection that the module ends isn't reported as closed", async () => {
  await begin();
  module.imports.connect();
  module.imports.disconnect();
  const [socket] = Socket.all;
  assert.ok(socket.isClosed);
  socket.happen("close");
  await pause();
  assert.equal(module.got("closed").length, 0);
});

test("the module is woken at its last deadline only, and not at all after a negative one", async () => {
  await begin();
  const timers = new Map();
  const setTimer = mock.method(globalThis, "setTimeout", (act, wait) => {
    timers.set(timers.size, { act, wait });
    return timers.size - 1;
  });
  const clearTimer = mock.method(globalThis, "clearTimeout", (timer) => { timers.delete(timer); });
  module.imports.wake(1000);
  module.imports.wake(50.5);
  assert.equal(timers.size, 1);
  const [{ act, wait }] = timers.values();
  assert.ok(wait >= 50.5, "it isn't early");
  act();
  assert.equal(module.got("woke").length, 1);
  timers.clear();
  module.imports.wake(10);
  module.imports.wake(-1);
  assert.equal(timers.size, 0);
  setTimer.mock.restore();
  clearTimer.mock.restore();
});

test("random bytes fill any length, and zones have offsets", async () => {
  await begin();
  module.imports.random(0, 65_536);
  const bytes = new Uint8Array(module.memory.buffer);
  assert.ok(bytes.subarray(60_000).some((byte) => byte !== 0));
  assert.equal(module.imports.offset(...module.put(encoder.encode("Asia/Kathmandu")), Date.UTC(2025, 0, 1)), 20_700);
});

test("after a trap nothing is called any more, and the connection is over", async () => {
  const device = await begin();
  module.imports.connect();
  module.acts.request = () => { throw new WebAssembly.RuntimeError("unreachable"); };
  device.request({ id: 1, method: "GET", path: "/log.json", body: "" });
  assert.deepEqual(told.at(-1), { kind: "trapped", code: 0 });
  assert.ok(Socket.all[0].isClosed);
  const count = module.calls.length;
  device.resumed();
  device.follow({ page: 1, zone: "" });
  assert.equal(module.calls.length, count);
  assert.equal(told.filter(({ kind }) => kind === "trapped").length, 1);
});

test("a module or records that can't be loaded, or a full storage, end the worker for that reason", async () => {
  mock.method(globalThis, "fetch", async () => new Response("", { status: 502 }));
  await begin();
  mock.method(globalThis, "fetch", async () => new Response(new Uint8Array(8)));
  for (const failure of [new DOMException("gone", "UnknownError"), new DOMException("full", "QuotaExceededError")]) {
    const open = mock.method(Storage, "open", async () => { throw failure; });
    await begin();
    open.mock.restore();
  }
  assert.deepEqual(told, [4, 3, 1].map((code) => ({ kind: "trapped", code })));
});

test("a failure to store reaches the module and the tabs", async () => {
  await begin();
  database.failures = [new DOMException("full", "QuotaExceededError")];
  module.imports.keep(1, ...module.put(changes));
  while (module.got("failed").length === 0) await pause();
  assert.deepEqual(module.got("failed")[0].numbers, [1]);
  assert.deepEqual(told.at(-1), { kind: "failed", code: 1 });
});
