import assert from "node:assert/strict";
import { test } from "node:test";
import { noZone, offsetOf } from "../../Client/FocusWeb/Assets/zones.js";

const hour = 3600;

test("a zone's offset changes with its clocks", () => {
  assert.equal(offsetOf("Europe/Berlin", Date.UTC(2025, 9, 26, 0, 59, 59)), 2 * hour);
  assert.equal(offsetOf("Europe/Berlin", Date.UTC(2025, 9, 26, 1)), hour);
  assert.equal(offsetOf("Australia/Lord_Howe", Date.UTC(2025, 3, 5, 14, 59, 59, 999)), 11 * hour);
  assert.equal(offsetOf("Australia/Lord_Howe", Date.UTC(2025, 3, 5, 15)), 10.5 * hour);
  assert.equal(offsetOf("Australia/Adelaide", Date.UTC(2025, 9, 4, 16, 29, 59)), 9.5 * hour);
  assert.equal(offsetOf("Australia/Adelaide", Date.UTC(2025, 9, 4, 16, 30)), 10.5 * hour);
  assert.equal(offsetOf("Asia/Kathmandu", Date.UTC(2025, 0, 1)), 5.75 * hour);
  assert.equal(offsetOf("America/New_York", Date.UTC(2025, 0, 1)), -5 * hour);
});

test("an instant before 1970, or far away, has an offset too", () => {
  assert.equal(offsetOf("UTC", -1), 0);
  for (const wall of [-Infinity, Infinity, NaN, -(2 ** 62), 2 ** 62]) assert.ok(Math.abs(offsetOf("Europe/Berlin", wall)) <= 2 * hour);
});

test("an empty name is the browser's zone, and an unknown one has no offset", () => {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  assert.equal(offsetOf("", Date.UTC(2025, 6, 1)), offsetOf(here, Date.UTC(2025, 6, 1)));
  assert.equal(offsetOf("Europe/Nowhere", 0), noZone);
  assert.equal(offsetOf("Europe/Nowhere", 0), noZone);
});
