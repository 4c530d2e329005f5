import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { recallState } from "../../Client/FocusWeb/Assets/last-state.js";
import { kinds } from "../../Client/FocusWeb/Assets/records.js";
import { Storage } from "../../Client/FocusWeb/Assets/storage.js";
import { change, encodeChanges, lengthValue } from "./changes.mjs";
import { Database } from "./database.mjs";

const zone = "Europe/Berlin";
const at = Date.UTC(2025, 10, 20, 9);
const minute = 60_000;
const settings = { idleLimit: 3600 };
const running = {
  now: at + 5, status: "running", isRunning: true, remainingMs: 10 * minute, endsAt: at + 5 + 10 * minute, overtimeMs: null,
  endText: "until 10:10", pressText: null, phaseIntervals: [[at, null]], settings,
};
const paused = {
  ...running, status: "paused", isRunning: false, endsAt: null, endText: "would end 10:10", pressText: "Paused by work, 2 min ago",
  phaseIntervals: [[at - minute, at]],
};

/** Returns a worker's storage with a record, in a database. */
async function makeStorage(database, fence = "worker") {
  const storage = await Storage.open(fence, database.factory);
  await new Promise((resolve, reject) =>
    storage.keep(encodeChanges([change(kinds.length, "/log.db", lengthValue(0))]), resolve, reject));
  return storage;
}

/** Keeps a state, and returns it as it is recalled after some milliseconds. */
async function recalled(state, passed, { readZone = zone } = {}) {
  const database = new Database();
  (await makeStorage(database)).keepState({ zone, at, json: JSON.stringify(state) });
  return recallState(readZone, at + passed, database.factory);
}

test("a running timer goes on while no page is open, up to the end of its phase", async () => {
  const state = await recalled(running, 4 * minute);
  assert.deepEqual(state, { ...running, now: running.now + 4 * minute, remainingMs: 6 * minute });
  assert.notEqual(await recalled(running, 10 * minute - 1), null);
  assert.equal(await recalled(running, 10 * minute), null);
  assert.equal(await recalled({ ...running, overtimeMs: 0 }, 1), null);
});

test("a timer that was planned counts down to its beginning", async () => {
  const waiting = { ...running, status: "waiting" };
  assert.equal((await recalled(waiting, minute)).remainingMs, 9 * minute);
  assert.equal(await recalled(waiting, 10 * minute), null);
});

test("a paused timer stays, without texts that are old by now, until its session may have closed", async () => {
  const state = await recalled(paused, 30 * minute);
  assert.deepEqual(state, { ...paused, now: paused.now + 30 * minute, endText: null, pressText: null });
  assert.equal(await recalled(paused, 60 * minute), null);
  assert.equal(await recalled({ ...paused, phaseIntervals: [] }, 0), null);
});

test("a stopped timer stays, and its sentences have a browser's words", async () => {
  const stopped = { ...paused, status: "stopped", notice: "Look at this laptop" };
  const state = await recalled(stopped, 10_000 * minute);
  assert.deepEqual([state.status, state.notice], ["stopped", "Look at this browser"]);
});

test("a state isn't recalled in another time zone, or if the clock was set back", async () => {
  assert.equal(await recalled(running, 0, { readZone: "Asia/Tokyo" }), null);
  assert.equal(await recalled(running, -1), null);
});

test("a state isn't recalled if another version of the page kept it", async () => {
  const database = new Database();
  (await makeStorage(database)).keepState({ zone, at, json: JSON.stringify(running) });
  assert.notEqual(await recallState(zone, at, database.factory), null);
  const kept = database.stores.get("fence").get("state");
  for (const version of ["another", undefined]) {
    database.set("fence", "state", { ...kept, version });
    assert.equal(await recallState(zone, at, database.factory), null);
  }
});

test("no state is recalled without the records, and none of a worker that was replaced", async () => {
  const database = new Database();
  assert.equal(await recallState(zone, at, database.factory), null);
  const former = await makeStorage(database, "former");
  const storage = await makeStorage(database);
  former.keepState({ zone, at, json: JSON.stringify(running) });
  assert.equal(await recallState(zone, at, database.factory), null);
  const keep = (one) => one.keepState({ zone, at, json: JSON.stringify(running) });
  keep(storage);
  assert.notEqual(await recallState(zone, at, database.factory), null);
  await storage.erase();
  const next = await makeStorage(database);
  assert.equal(await recallState(zone, at, database.factory), null, "it is erased with the records");
  keep(next);
  assert.notEqual(await recallState(zone, at, database.factory), null);
  database.stores.get("records").clear();
  assert.equal(await recallState(zone, at, database.factory), null);
});

test("states that follow each other at once are kept seldom, the last one among them, and their removal is at once", async () => {
  const database = new Database();
  const storage = await makeStorage(database);
  const timers = new Map();
  const setTimer = mock.method(globalThis, "setTimeout", (act, wait) => {
    timers.set(timers.size + 1, { act, wait });
    return timers.size;
  });
  const clearTimer = mock.method(globalThis, "clearTimeout", (timer) => { timers.delete(timer); });
  const keep = (now) => storage.keepState({ zone, at, json: JSON.stringify({ ...running, now }) });
  const kept = async () => (await recallState(zone, at, database.factory))?.now;
  for (const now of [at + 1, at + 2, at + 3]) keep(now);
  assert.equal(await kept(), at + 1);
  assert.equal(timers.size, 1);
  const [{ act, wait }] = timers.values();
  assert.ok(wait > 0 && wait <= 1000);
  act();
  assert.equal(await kept(), at + 3);
  keep(at + 4);
  storage.keepState(null);
  assert.equal(timers.size, 0);
  assert.equal(await kept(), undefined);
  setTimer.mock.restore();
  clearTimer.mock.restore();
});

test("no state is kept after a change that wasn't stored", async () => {
  const database = new Database();
  const storage = await makeStorage(database);
  database.failures = [new DOMException("full", "QuotaExceededError")];
  await new Promise((resolve) => storage.keep(encodeChanges([]), () => {}, resolve));
  storage.keepState({ zone, at, json: JSON.stringify(running) });
  assert.equal(await recallState(zone, at, database.factory), null);
});
