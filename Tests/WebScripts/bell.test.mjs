import assert from "node:assert/strict";
import { test } from "node:test";

// The bell waits for the first click.
globalThis.document = { addEventListener() {} };
const { hasRunOut, isOwnBell } = await import("../../Client/FocusPage/Assets/bell.js");

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
