import assert from "node:assert/strict";
import { test } from "node:test";

// The bell waits for the first click.
globalThis.document = { addEventListener() {} };
const { hasRunOut, isOwnBell, isWarning } = await import("../../Client/FocusPage/Assets/bell.js");

const running = { run: "1", ordinal: 0, status: "running", overtimeMs: null };
const next = { ...running, ordinal: 1 };
const over = { ...running, overtimeMs: 0 };

test("a phase that ends by itself rings, also if work goes on in overtime", () => {
  for (const after of [next, over]) {
    assert.equal(hasRunOut(running, after, 0), true);
    assert.equal(hasRunOut(running, after, 1400), true);
  }
});

test("planned work rings when it begins", () => {
  assert.equal(hasRunOut({ ...running, status: "waiting" }, running, 0), true);
});

test("a press doesn't ring: neither before the end, nor in overtime, nor after a pause", () => {
  for (const after of [next, over]) assert.equal(hasRunOut(running, after, 60_000), false);
  assert.equal(hasRunOut(over, next, -5000), false);
  assert.equal(hasRunOut(over, { ...over, overtimeMs: 5000 }, -5000), false);
  assert.equal(hasRunOut(over, running, -5000), false);
  assert.equal(hasRunOut({ ...running, status: "paused" }, next, 0), false);
  assert.equal(hasRunOut(running, { ...over, run: "2" }, 0), false);
  assert.equal(hasRunOut(running, running, 0), false);
});

test("the page leaves the bell to an agent that makes the sound itself", () => {
  const state = { laptopSettings: { sound: "on" }, agentRings: false };
  assert.equal(isOwnBell(state), true);
  assert.equal(isOwnBell({ ...state, agentRings: true }), false);
  assert.equal(isOwnBell({ ...state, laptopSettings: { sound: "off" } }), false);
});

/** Returns whether each of these states, with the time left, has the warning's bell. */
function warnings(...shown) {
  return shown.map(([remaining, change = {}]) => isWarning(
    { ...running, activity: "work", laptopSettings: { warnBefore: "1m30s" }, ...change }, remaining));
}

test("the warning before the end rings once, when the time left has come down to it", () => {
  assert.deepEqual(warnings([91_000], [90_500], [90_000], [89_000]), [false, false, true, false]);
  // Added time lets another come.
  assert.deepEqual(warnings([150_000], [60_000]), [false, true]);
});

test("the warning doesn't ring in breaks, in other work, after a pause, in overtime, or if it is off", () => {
  const paused = { status: "paused" };
  assert.deepEqual(warnings([60_000, { run: "2" }]), [false]);
  assert.deepEqual(warnings([91_000, { activity: "shortBreak" }], [90_000, { activity: "shortBreak" }]), [false, false]);
  assert.deepEqual(warnings([91_000], [90_000, { ordinal: 2 }]), [false, false]);
  assert.deepEqual(warnings([91_000], [80_000, paused], [79_000]), [false, false, false]);
  assert.deepEqual(warnings([91_000], [-1000, { overtimeMs: 1000 }]), [false, false]);
  const off = { laptopSettings: { warnBefore: "off" } };
  assert.deepEqual(warnings([91_000, off], [1000, off], [0, off]), [false, false, false]);
});
