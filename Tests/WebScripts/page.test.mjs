import "./globals.mjs";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Storage } from "../../Client/FocusWeb/Assets/storage.js";
import { change, encodeChanges, lengthValue } from "./changes.mjs";
import { Database } from "./database.mjs";
import { load, PageDocument } from "./document.mjs";

const set = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
const settle = () => new Promise(setImmediate);
const find = (id) => document.getElementById(id);
const open = { phase: "open", keeps: true, isNew: false, failure: 0, starts: 0, isWiped: false };
const running = { isRunning: true, laptopSettings: { notifications: "off" } };

/** The screen's locks that the page has asked for. */
let locks;
/** Memory that a browser keeps, or doesn't. */
let memory;
let isStandalone;

// The page's messages don't keep the test from ending.
const { setTimeout: setTimer } = globalThis;
globalThis.setTimeout = (...timer) => setTimer(...timer).unref();

beforeEach(() => {
  locks = [];
  memory = new Map();
  isStandalone = false;
  const events = new EventTarget();
  set("document", new PageDocument());
  set("window", globalThis);
  set("isSecureContext", true);
  set("addEventListener", (...listener) => events.addEventListener(...listener));
  set("dispatchEvent", (event) => events.dispatchEvent(event));
  set("matchMedia", () => ({ matches: isStandalone }));
  set("localStorage", {
    getItem: (name) => memory.get(name) ?? null, setItem: (name, text) => memory.set(name, text),
    removeItem: (name) => memory.delete(name),
  });
  set("sessionStorage", { getItem: () => null });
  set("navigator", { wakeLock: { request: async (kind) => lockScreen(kind) } });
  set("device", { watch: (onStatus) => { device.say = onStatus; } });
});

function lockScreen(kind) {
  assert.equal(kind, "screen");
  const lock = { released: false, release: async () => { lock.released = true; } };
  locks.push(lock);
  return lock;
}

/** Begins the page's parts, with a device of this status. */
async function begin(status = open) {
  const browser = await load("browser.js");
  await browser.begin(() => {}, () => {});
  device.say(status);
  await settle();
  return browser;
}

/** The sentence before the field for an invite, or null if there is none. */
const warning = () => {
  const [shown] = find("around-join-hint").children.filter((one) => one.attributes.get("class") === "banner");
  return shown.hidden ? null : shown.textContent;
};

/** The text of the button that asks the browser to keep the page's data, and the hint beside it. */
const promise = () => [find("setting-persistence").textContent, find("setting-persistence").parent.parent.querySelector(".hint").textContent];

/** Gives the browser persistent storage, with these answers to requests. Returns the number of them so far. */
function answerRequests(...answers) {
  let asked = 0;
  navigator.storage = {
    persisted: async () => false,
    persist: async () => {
      asked += 1;
      return answers[asked - 1];
    },
  };
  return () => asked;
}

async function submitInvite() {
  find("join-form").dispatchEvent(new Event("submit"));
  await settle();
}

async function click(id) {
  find(id).click();
  await settle();
}

test("the browser is asked once to keep the data, at the first try to join, and its promise is shown", async () => {
  const asked = answerRequests(true);
  await begin();
  assert.deepEqual([asked(), promise()[0]], [0, "Ask…"]);
  for (const _ of [1, 2]) await submitInvite();
  assert.deepEqual([asked(), ...promise()], [1, "Promised", "the device’s key and log, until you delete them"]);
  assert.equal(find("setting-persistence").attributes.get("aria-disabled"), "true");
  await click("setting-persistence");
  assert.equal(asked(), 1);
});

test("a browser that promises nothing is shown, and asked again only by a click", async () => {
  const asked = answerRequests(false, true);
  await begin();
  for (const _ of [1, 2]) await submitInvite();
  assert.equal(asked(), 1);
  assert.equal(promise()[0], "Ask again…");
  assert.match(promise()[1], /may delete the key and the log/);
  await click("setting-persistence");
  assert.deepEqual([asked(), promise()[0]], [2, "Promised"]);
});

test("a promise of an earlier visit is shown, and not asked for again", async () => {
  const asked = answerRequests();
  navigator.storage.persisted = async () => true;
  await begin();
  await submitInvite();
  assert.deepEqual([asked(), promise()[0]], [0, "Promised"]);
});

test("a browser that fails when it is asked has promised nothing", async () => {
  navigator.storage = { persisted: () => Promise.reject(new Error("no")), persist: () => Promise.reject(new Error("no")) };
  await begin();
  await submitInvite();
  assert.equal(promise()[0], "Ask again…");
});

test("the screen stays on while the timer runs, if the person has chosen that", async () => {
  const browser = await begin();
  browser.show(running, false);
  await settle();
  assert.equal(locks.length, 0);
  find("setting-awake").checked = true;
  find("setting-awake").dispatchEvent(new Event("change"));
  await settle();
  assert.deepEqual([locks.length, memory.get("lockstep-awake")], [1, "on"]);
  browser.show({ ...running, isRunning: false }, false);
  await settle();
  assert.equal(locks[0].released, true);
});

test("the screen is kept on again when the page is visible again, because browsers let it go with a hidden page", async () => {
  memory.set("lockstep-awake", "on");
  const browser = await begin();
  assert.equal(find("setting-awake").checked, true);
  browser.show(running, false);
  await settle();
  document.setHidden(true);
  locks[0].released = true;
  await settle();
  assert.equal(locks.length, 1);
  document.setHidden(false);
  await settle();
  assert.deepEqual(locks.map(({ released }) => released), [true, false]);
  // While it is kept on, a state asks for nothing more.
  browser.show(running, false);
  await settle();
  assert.equal(locks.length, 2);
});

test("a browser that refuses to keep the screen on is asked again at the next state", async () => {
  memory.set("lockstep-awake", "on");
  const browser = await begin();
  const { request } = navigator.wakeLock;
  navigator.wakeLock.request = () => Promise.reject(new DOMException("", "NotAllowedError"));
  browser.show(running, false);
  await settle();
  navigator.wakeLock.request = request;
  browser.show(running, false);
  await settle();
  assert.equal(locks.length, 1);
});

test("on an iPhone, a tab says before joining that the page is to be installed first", async () => {
  Object.assign(navigator, { standalone: false, maxTouchPoints: 5 });
  await begin();
  assert.match(warning(), /^On an iPhone or iPad, install this page first: Share, then “Add to Home Screen”\. Open it there, and join inside/);
  const row = find("setting-install").parent.parent;
  assert.deepEqual([row.hidden, find("setting-install").hidden], [false, true]);
  assert.match(row.textContent, /“Add to Home Screen”/);
});

test("neither an installed page on an iPhone, nor Safari on a Mac, nor another browser says that", async () => {
  for (const members of [{ standalone: true, maxTouchPoints: 5 }, { standalone: false, maxTouchPoints: 0 }, { maxTouchPoints: 5 }]) {
    document = new PageDocument();
    set("navigator", members);
    await begin();
    assert.equal(warning(), null, JSON.stringify(members));
  }
});

test("an installed page doesn't offer to be installed, and another one does when the browser can", async () => {
  await begin();
  const row = find("setting-install").parent.parent;
  assert.equal(row.hidden, true);
  let prompts = 0;
  const offer = Object.assign(new Event("beforeinstallprompt", { cancelable: true }), { prompt: () => { prompts += 1; } });
  dispatchEvent(offer);
  assert.deepEqual([row.hidden, offer.defaultPrevented], [false, true]);
  await click("setting-install");
  assert.equal(prompts, 1);
  dispatchEvent(new Event("appinstalled"));
  assert.equal(row.hidden, true);

  document = new PageDocument();
  isStandalone = true;
  await begin();
  assert.equal(document.elements.has("setting-install"), false);
});

test("a window that keeps nothing says before joining that it is a member only until it is closed", async () => {
  await begin({ ...open, keeps: null });
  assert.equal(warning(), null);
  device.say({ ...open, keeps: false });
  assert.match(warning(), /^This window keeps nothing, perhaps because it is private\. It can join, but only until it is closed\./);
  // It is still so after the worker has ended and another one hasn't begun.
  device.say({ ...open, keeps: null, phase: "loading" });
  assert.notEqual(warning(), null);
});

test("the page works if the browser's own memory can't be used either", async () => {
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(globalThis, name, { get: () => { throw new DOMException("", "SecurityError"); }, configurable: true });
  }
  const browser = await begin();
  find("setting-awake").checked = true;
  find("setting-awake").dispatchEvent(new Event("change"));
  browser.show(running, false);
  await settle();
  assert.equal(locks.length, 1);
});

test("a device that can't start says why", async () => {
  Object.defineProperty(globalThis, "device", { get: () => { throw new Error("it runs no WebAssembly."); }, configurable: true });
  await assert.rejects(begin());
  assert.equal(find("device-trouble").querySelector("span").textContent, "The timer in this browser can’t start: it runs no WebAssembly.");
});

test("what is kept is saved under its files' names, and the page says which command reads them", async () => {
  const database = new Database();
  set("indexedDB", database.factory);
  const storage = await Storage.open("worker", database.factory);
  const changes = [
    change(1, "/device/log.db", lengthValue(3)), change(0, "/device/log.db\0" + "0".repeat(8), [1, 2, 3, ...Array(8).fill(0)]),
    change(1, "/device/log.db-wal", lengthValue(0)), change(0, "key\0" + "0".repeat(8), [9]),
  ];
  await new Promise((resolve, reject) => storage.keep(encodeChanges(changes), resolve, reject));
  const links = [];
  const { createElement } = PageDocument.prototype;
  document.createElement = (name) => {
    const element = createElement.call(document, name);
    if (name === "a") links.push(element);
    return element;
  };
  await begin({ ...open, phase: "stopped" });
  const button = find("device-trouble").querySelectorAll("button").find(({ textContent }) => textContent === "Save what is kept");
  button.click();
  while (find("said").textContent + find("problem").textContent === "") await settle();
  const saved = await Promise.all(links.map(async (link) => {
    const bytes = await (await fetch(link.attributes.get("href"))).arrayBuffer();
    return [link.attributes.get("download"), [...new Uint8Array(bytes)]];
  }));
  assert.deepEqual(saved, [["log.db", [1, 2, 3]]]);
  assert.match(find("said").textContent, /“FOCUS_HOME=FOLDER focus export”.* group’s keys/);
});

test("an invite is asked for with the page's own address, and its link is named if it leads to another page", async () => {
  set("location", { origin: "https://focus.example" });
  const asked = [];
  let link = "https://focus.example/#lockstep1-a";
  device.request = async (path, { body }) => {
    asked.push([path, body]);
    return Response.json(path === "/invite" ? { invite: "lockstep1-a", link, lifetimeMs: 900_000, code: null } : { devices: [] });
  };
  Object.assign(find("invite-text"), { style: {}, select: () => {} });
  const screen = await load("../../FocusPage/Assets/devices.js");
  await screen.refreshDevices({ group: "1", device: "phone", joining: false }, 0);
  const invite = async () => {
    await screen.invite();
    return [find("invite-text").value, find("copy-link").hidden, find("invite-link").textContent];
  };
  assert.deepEqual(await invite(), ["lockstep1-a", false, ""]);
  assert.deepEqual(asked[1], ["/invite", '{"page":"https://focus.example"}']);
  link = "https://other.example/#lockstep1-a";
  assert.deepEqual(await invite(), ["lockstep1-a", false, "The link gives the invite to the page at https://other.example."]);
  link = null;
  assert.deepEqual(await invite(), ["lockstep1-a", true, ""]);
});

test("the service worker notifies of a phase that ends behind other windows, if the person and the browser allow it", async (context) => {
  set("Notification", { permission: "granted" });
  context.after(() => delete globalThis.Notification);
  const browser = await begin();
  const shown = [];
  const showNotification = async (title, { body, tag }) => { shown.push([title, body, tag]); };
  navigator.serviceWorker = { getRegistration: async () => ({ showNotification }) };
  const state = { isRunning: true, overtimeMs: null, statusLabel: "Short break", label: "Write", laptopSettings: { notifications: "on" } };
  const show = async (...one) => {
    browser.show(...one);
    await settle();
    return shown.splice(0);
  };
  assert.deepEqual(await show(state, true), []);
  document.setHidden(true);
  assert.deepEqual(await show(state, true), [["Short break", "Write", "lockstep-phase"]]);
  assert.deepEqual(await show({ ...state, overtimeMs: 1 }, true), [["Work is over", "Write", "lockstep-phase"]]);
  assert.deepEqual(await show(state, false), []);
  assert.deepEqual(await show({ ...state, laptopSettings: { notifications: "off" } }, true), []);
  Notification.permission = "denied";
  assert.deepEqual(await show(state, true), []);
});
