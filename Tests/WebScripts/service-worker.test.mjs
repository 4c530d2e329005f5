import "./globals.mjs";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const source = readFileSync(new URL("../../Client/FocusWeb/Assets/service-worker.js", import.meta.url), "utf8");
const hash = (text) => createHash("sha256").update(text).digest("hex");

/** A browser's caches, and the server behind it. */
class World {
  caches = new Map();
  server = {};
  loads = [];
  pages = [];

  /** Runs the service worker of a version with these files, and returns a function that sends it an event. */
  start(files) {
    const listeners = {};
    const cache = (name) => ({
      match: async (path) => this.caches.get(name).get(path)?.clone(),
      put: async (path, response) => { this.caches.get(name).set(path, response); },
    });
    const context = {
      caches: {
        open: async (name) => {
          if (!this.caches.has(name)) this.caches.set(name, new Map());
          return cache(name);
        },
        keys: async () => [...this.caches.keys()],
        delete: async (name) => this.caches.delete(name),
      },
      fetch: async (request) => {
        const path = typeof request === "string" ? request : new URL(request.url).pathname;
        this.loads.push(path);
        return path in this.server ? new Response(this.server[path]) : new Response("", { status: 404 });
      },
      addEventListener: (kind, act) => { listeners[kind] = act; },
      location: { origin: "https://focus.example" },
      skipWaiting: () => { this.skipped = true; },
      clients: {
        claim: async () => { this.claimed = true; }, matchAll: async () => this.pages, openWindow: async (path) => { this.opened = path; },
      },
      crypto, TextEncoder, URL, Response,
    };
    const hashes = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, hash(text)]));
    assert.ok(source.includes("\nconst files = {};\n"));
    vm.runInNewContext(source.replace("const files = {};", `const files = ${JSON.stringify(hashes)};`), context);
    return async (kind, members = {}) => {
      let result;
      const wait = (promise) => { result = promise; };
      listeners[kind]({ waitUntil: wait, respondWith: wait, ...members });
      return result;
    };
  }
}

const request = (path, method = "GET") => ({ request: { method, url: new URL(path, "https://focus.example").href } });

test("an installed version is served without the network, also if the server has another one by now", async () => {
  const world = new World();
  world.server = { "/": "page 1", "/page.js": "script 1" };
  const send = world.start(world.server);
  await send("install");
  world.server = { "/": "page 2", "/other": "other" };
  world.loads = [];
  assert.equal(await (await send("fetch", request("/"))).text(), "page 1");
  assert.equal(await (await send("fetch", request("/page.js?x"))).text(), "script 1");
  assert.deepEqual(world.loads, []);
  assert.equal(await (await send("fetch", request("/other"))).text(), "other");
  assert.equal(await send("fetch", request("/", "POST")), undefined);
});

test("a version with a file that isn't of it, or is missing, isn't installed", async () => {
  const world = new World();
  world.server = { "/": "page 2", "/page.js": "script 1" };
  await assert.rejects(world.start({ "/": "page 1", "/page.js": "script 1" })("install"), /isn’t of this version/);
  await assert.rejects(world.start({ "/": "page 2", "/gone.js": "" })("install"), /404/);
});

test("a new version takes the same module from the one before, and replaces it when it is active", async () => {
  const world = new World();
  world.server = { "/": "page 1", "/focus.wasm": "module" };
  await world.start(world.server)("install");
  world.server = { "/": "page 2", "/focus.wasm": "module" };
  world.loads = [];
  const send = world.start(world.server);
  await send("install");
  assert.deepEqual(world.loads, ["/"]);
  assert.equal(world.caches.size, 2);
  await send("message", { data: "use" });
  assert.ok(world.skipped);
  await send("activate");
  assert.ok(world.claimed);
  assert.equal(world.caches.size, 1);
  assert.equal(await (await send("fetch", request("/focus.wasm"))).text(), "module");
});

test("a click on a notification brings the page to the front, or opens it", async () => {
  const world = new World();
  const send = world.start({});
  let closed = 0;
  let isInFront = false;
  const click = { notification: { close: () => { closed += 1; } } };
  await send("notificationclick", click);
  assert.deepEqual([world.opened, closed], ["/", 1]);
  delete world.opened;
  world.pages = [{ focus: async () => { isInFront = true; } }];
  await send("notificationclick", click);
  assert.deepEqual([isInFront, world.opened, closed], [true, undefined, 2]);
});
