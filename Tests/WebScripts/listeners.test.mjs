import "./globals.mjs";
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

const { openDevice } = await import("../../Client/FocusWeb/Assets/tabs.js");
const begun = { kind: "begun", phase: "open", keeps: true, isNew: false };

class Channel {
  postMessage() {}
}

/** A worker in memory, which records the kinds of its messages. */
class FakeWorker {
  static all = [];
  kinds = [];
  isOver = false;

  constructor(path) {
    assert.equal(path, "/device-worker.js");
    FakeWorker.all.push(this);
  }

  /** The number of times that the device was told to connect again. */
  get resumed() { return this.kinds.filter((kind) => kind === "resumed").length; }

  postMessage({ kind }) { this.kinds.push(kind); }
  terminate() { this.isOver = true; }
}

/** The locks of a browser with one tab, which gets each of them. */
const locks = {
  request: async (name, options, callback) => {
    await null;
    return callback();
  },
};

const settle = async () => { for (let round = 0; round < 10; round += 1) await new Promise(setImmediate); };
const set = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

let now;
let page;

beforeEach(() => {
  now = 0;
  FakeWorker.all = [];
  page = Object.assign(new EventTarget(), { hidden: false });
  Object.defineProperty(page, "visibilityState", { get: () => (page.hidden ? "hidden" : "visible") });
  const events = new EventTarget();
  set("document", page);
  set("navigator", { locks, userAgent: "" });
  set("BroadcastChannel", Channel);
  set("Worker", FakeWorker);
  set("isSecureContext", true);
  set("addEventListener", (...listener) => events.addEventListener(...listener));
  set("dispatchEvent", (event) => events.dispatchEvent(event));
  mock.method(performance, "now", () => now);
  mock.method(Date, "now", () => now);
  // Timers don't keep the test from ending.
  mock.method(globalThis, "setTimeout", () => 0);
});

/** Opens the device, and lets its worker begin. */
async function open() {
  openDevice();
  await settle();
  const worker = FakeWorker.all.at(-1);
  worker.onmessage({ data: begun });
  await settle();
  return worker;
}

/** Hides the page, and shows it again after some milliseconds. */
async function hideFor(milliseconds) {
  page.hidden = true;
  page.dispatchEvent(new Event("visibilitychange"));
  now += milliseconds;
  page.hidden = false;
  page.dispatchEvent(new Event("visibilitychange"));
  await settle();
}

for (const seconds of [2, 9, 11, 3600]) {
  test(`a page that is visible again after ${seconds} seconds lets the device connect again`, async () => {
    const worker = await open();
    now = 5000;
    page.hidden = true;
    page.dispatchEvent(new Event("visibilitychange"));
    await settle();
    assert.equal(worker.resumed, 0);
    await hideFor(seconds * 1000);
    assert.equal(worker.resumed, 1);
  });
}

for (const kind of ["online", "pageshow"]) {
  test(`the event ${kind} lets the device connect again, although the page was never hidden`, async () => {
    const worker = await open();
    dispatchEvent(new Event(kind));
    await settle();
    assert.equal(worker.resumed, 1);
  });
}

test("a page that becomes visible, is shown and online at once lets the device connect again once", async () => {
  const worker = await open();
  await hideFor(20_000);
  for (const kind of ["online", "pageshow"]) dispatchEvent(new Event(kind));
  await settle();
  assert.equal(worker.resumed, 1);
});

test("a page that freezes ends its worker, and begins another one when it is thawed", async () => {
  const worker = await open();
  page.dispatchEvent(new Event("freeze"));
  await settle();
  assert.deepEqual([worker.isOver, FakeWorker.all.length], [true, 1]);
  page.dispatchEvent(new Event("resume"));
  await settle();
  assert.equal(FakeWorker.all.length, 2);
});

test("a browser without WebAssembly opens no device, and the reason is said", () => {
  const { WebAssembly: present } = globalThis;
  set("WebAssembly", undefined);
  try {
    assert.throws(() => openDevice(), /Lockdown Mode/);
  } finally {
    set("WebAssembly", present);
  }
  assert.deepEqual(FakeWorker.all, []);
});

test("a page without https says so, and opens no device", () => {
  const lost = { hidden: true, textContent: "" };
  page.getElementById = (id) => (id === "lost" ? lost : null);
  set("isSecureContext", false);
  assert.throws(() => openDevice());
  assert.equal(lost.hidden, false);
  assert.match(lost.textContent, /https/);
  assert.deepEqual(FakeWorker.all, []);
});
