import "./globals.mjs";
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { Database } from "./database.mjs";

const { Device } = await import("../../Client/FocusWeb/Assets/device.js");
const module = `${process.env.FOCUS_WEB ?? ".build/web"}/focus.wasm`;
const options = { skip: existsSync(module) ? false : `${module} isn't there (make web)` };
const decoder = new TextDecoder();

// The module's deadlines don't keep the test from ending.
const { setTimeout: setTimer } = globalThis;
globalThis.setTimeout = (...timer) => setTimer(...timer).unref();

let database;

beforeEach(() => {
  database = new Database();
  globalThis.indexedDB = database.factory;
  globalThis.location = { href: "https://focus.example/" };
  globalThis.fetch = async () => new Response(readFileSync(module), { headers: { "Content-Type": "application/wasm" } });
});

/** Begins a worker with the real module on the database. */
async function begin(fence) {
  const told = [];
  const waiting = [];
  const device = new Device((message) => {
    told.push(message);
    waiting.splice(0).forEach((check) => check());
  });
  /** Waits for a message. */
  const find = (isWanted) => new Promise((resolve) => {
    const check = () => {
      const found = told.findLast(isWanted);
      if (found === undefined) waiting.push(check);
      else resolve(found);
    };
    check();
  });
  let last = 0;
  await device.begin({ fence, host: "Firefox on Linux" });
  return {
    told,
    ask: async (method, path, body = "") => {
      last += 1;
      const id = last;
      device.request({ id, method, path, body: body && JSON.stringify(body) });
      const answer = await find((message) => message.kind === "answer" && message.id === id);
      return { status: answer.status, text: decoder.decode(answer.body) };
    },
    follow: () => device.follow({ page: 1, zone: "Europe/Berlin" }),
    /** Waits for a state of which this holds. */
    state: async (isWanted) => {
      const stateOf = (message) => (message.kind === "state" ? JSON.parse(message.json) : null);
      return stateOf(await find((message) => stateOf(message) !== null && isWanted(stateOf(message))));
    },
  };
}

test("the module keeps a press, and the next worker goes on with it", options, async () => {
  const first = await begin("first");
  first.follow();
  assert.equal((await first.state(() => true)).device, "Firefox on Linux");
  assert.deepEqual(await first.ask("POST", "/press?page=1", { press: "start", label: "Plan" }), { status: 204, text: "" });
  await first.state(({ status, label }) => status === "running" && label === "Plan");

  const second = await begin("second");
  second.follow();
  await second.state(({ status, label }) => status === "running" && label === "Plan");
  assert.match((await second.ask("GET", "/log.jsonl")).text, /"label":"Plan"/);
  assert.match((await second.ask("GET", "/stats.json?zone=UTC")).text, /"zone":\{"name":"UTC","offset":"\+00:00"\}/);
  // The former worker owns nothing any more.
  await first.ask("POST", "/press?page=1", { press: "stop" });
  assert.ok(first.told.some(({ kind, code }) => kind === "failed" && code === 2));
});

test("the module refuses presses that the browser doesn't store, and shows the kept ones", options, async () => {
  const device = await begin("worker");
  device.follow();
  await device.ask("POST", "/press?page=1", { press: "start" });
  database.failures = [new DOMException("full", "QuotaExceededError")];
  assert.equal((await device.ask("POST", "/press?page=1", { press: "pause" })).status, 503);
  await device.state(({ status }) => status === "running");
});

test("the module says that records are damaged, and saves what can be read", options, async () => {
  const before = await begin("before");
  for (const press of ["start", "pause", "resume", "stop"]) await before.ask("POST", "/press?page=1", { press });
  const records = database.stores.get("records");
  // The sum of all checks. Without a block of the database, the log might not be readable.
  records.delete("sum\0" + "0".repeat(8));
  const device = await begin("worker");
  assert.equal(device.told[0].phase, "damaged");
  assert.match((await device.ask("GET", "/devices.json")).text, /damaged/);
  assert.equal((await device.ask("GET", "/log.jsonl")).status, 200);
});
