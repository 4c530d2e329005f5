import "./globals.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { notStarted, stopped, unknown } from "../../Client/FocusWeb/Assets/tabs.js";
import { begun, Browser } from "./browser.mjs";

const text = (words) => new TextEncoder().encode(words);
const answer = (id, words) => ({ kind: "answer", id, status: 200, type: "application/json", body: text(words) });

/** Follows the states of a tab's device, and returns the list to which they are added. */
function follow(tab) {
  const states = [];
  tab.device.follow("Europe/Berlin", (state) => states.push(state), () => states.push("end"));
  return states;
}

/** Sends a request, and returns an object that has its answer or its failure later. */
function send(tab, path, options = {}) {
  const result = { text: null, failure: null };
  tab.device.request(path, options)
    .then(async (response) => { result.text = `${response.status} ${await response.text()}`; })
    .catch((failure) => { result.failure = failure.message; });
  return result;
}

test("the first tab owns the device, and each tab gets the answers to its own requests", async () => {
  const browser = new Browser();
  const [first, second] = [await browser.open("first"), await browser.open("second")];
  await browser.worker.say(begun);
  assert.equal(browser.worker.tab, first);
  const [mine, yours] = [send(first, "/labels.json"), send(second, "/press?page=2", { method: "POST", body: "{}" })];
  await browser.settle();
  const asked = browser.worker.got("request");
  assert.deepEqual(asked.map(({ method, path, body }) => [method, path, body]), [["GET", "/labels.json", ""], ["POST", "/press?page=2", "{}"]]);
  await browser.worker.say(answer(asked[1].id, "yours"));
  assert.deepEqual([mine.text, yours.text], [null, "200 yours"]);
  await browser.worker.say({ ...answer(asked[0].id, ""), status: 204 });
  assert.equal(mine.text, "204 ");
  assert.equal(second.statuses.at(-1).phase, "open");
});

test("states reach the tab that follows them, and a tab that has closed follows no more", async () => {
  const browser = new Browser();
  const [first, second] = [await browser.open("first"), await browser.open("second")];
  const [mine, yours] = [follow(first), follow(second)];
  await browser.settle();
  const pages = browser.worker.got("follow");
  assert.deepEqual(pages.map(({ zone }) => zone), ["Europe/Berlin", "Europe/Berlin"]);
  await browser.worker.say({ kind: "state", page: pages[1].page, json: "{\"now\":1}" });
  assert.deepEqual([mine, yours], [[], [{ now: 1 }]]);
  await browser.close(second);
  assert.deepEqual(browser.worker.got("unfollow"), [{ page: pages[1].page }]);
});

test("requests wait for an owner, and an aborted one fails", async () => {
  const browser = new Browser();
  const tab = await browser.open("tab");
  const late = new AbortController();
  const result = send(tab, "/log.json", { signal: late.signal });
  late.abort(new DOMException("late", "TimeoutError"));
  await browser.settle();
  assert.equal(result.failure, "late");
  // Its answer is for nobody.
  await browser.worker.say(answer(browser.worker.got("request")[0].id, "{}"));
});

test("if the owner closes, the next tab owns the device: reads are sent again, and presses are reported", async () => {
  const browser = new Browser();
  const [first, second] = [await browser.open("first"), await browser.open("second")];
  const states = follow(second);
  const [done, read, press] = [
    send(second, "/press", { method: "POST", body: "1" }), send(second, "/stats.json"),
    send(second, "/press", { method: "POST", body: "2" }),
  ];
  await browser.settle();
  await browser.worker.say(answer(browser.worker.got("request")[0].id, "done"));
  const former = browser.worker;
  await browser.close(first);
  assert.equal(browser.worker.tab, second);
  assert.notEqual(browser.worker.id, former.id);
  assert.deepEqual(browser.worker.got("request").map(({ path }) => path), ["/stats.json"]);
  assert.deepEqual([done.text, press.failure, read.failure], ["200 done", unknown, null]);
  await browser.worker.say(answer(browser.worker.got("request")[0].id, "numbers"));
  await browser.worker.say({ kind: "state", page: browser.worker.got("follow").at(-1).page, json: "7" });
  assert.deepEqual([read.text, states], ["200 numbers", [7]]);
});

test("a visible tab takes the place of an owner that is frozen, which follows when it is thawed", async () => {
  const browser = new Browser();
  const [first, second] = [await browser.open("first"), await browser.open("second")];
  const former = browser.worker;
  browser.freeze(first);
  const read = send(second, "/log.json");
  await browser.pass(999);
  assert.equal(browser.workers.length, 1);
  await browser.pass(2);
  assert.equal(browser.worker.tab, second);
  await browser.worker.say(answer(browser.worker.got("request")[0].id, "log"));
  assert.equal(read.text, "200 log");

  assert.deepEqual([browser.waiting(first), browser.waiting(second)], [0, 0]);

  await browser.thaw(first);
  assert.ok(former.isOver);
  assert.deepEqual([browser.waiting(first), browser.waiting(second)], [1, 0]);
  assert.equal(browser.worker.tab, second);
  const again = send(first, "/log.json");
  await browser.settle();
  await browser.worker.say(answer(browser.worker.got("request").at(-1).id, "log too"));
  assert.equal(again.text, "200 log too");
  await browser.pass(60_000);
  assert.equal(browser.workers.length, 2);
  // It waits for the lock like any other tab.
  await browser.close(second);
  assert.equal(browser.worker.tab, first);
});

test("a thawed owner that doesn't know yet that its place is taken takes no requests away", async () => {
  const browser = new Browser();
  const [first, second] = [await browser.open("first"), await browser.open("second")];
  const states = follow(second);
  await browser.settle();
  const former = browser.worker;
  browser.freeze(first);
  send(second, "/log.json");
  await browser.pass(1001);
  // The former owner has received questions, and its worker goes on.
  first.isFrozen = false;
  first.delayed.splice(0, 1).forEach((act) => act());
  first.isFrozen = true;
  await former.say(begun);
  await former.say({ kind: "state", page: former.got("follow")[0].page, json: "0" });
  const press = send(second, "/press", { method: "POST", body: "{}" });
  await browser.settle();
  assert.deepEqual(browser.worker.got("request").map(({ path }) => path), ["/log.json", "/press"]);
  await browser.worker.say(answer(browser.worker.got("request")[1].id, "done"));
  assert.deepEqual([press.text, states], ["200 done", []]);
});

test("a hidden owner that was frozen hears which tab has its place, and reports its press", async () => {
  const browser = new Browser();
  const [first, second] = [await browser.open("first"), await browser.open("second")];
  first.isVisible = false;
  const press = send(first, "/press", { method: "POST", body: "{}" });
  browser.freeze(first);
  send(second, "/log.json");
  await browser.pass(1001);
  assert.deepEqual([browser.worker.tab, press.failure], [second, null]);
  await browser.thaw(first);
  assert.equal(press.failure, unknown);
});

test("an owner that is told to freeze leaves the device at once to a tab that isn't frozen", async () => {
  const browser = new Browser();
  const [first, second, third] = [await browser.open("first"), await browser.open("second"), await browser.open("third")];
  const former = browser.worker;
  second.device.freeze();
  await browser.settle();
  browser.freeze(second);
  first.device.freeze();
  await browser.settle();
  assert.ok(former.isOver);
  assert.equal(browser.worker.tab, third);
  assert.deepEqual([browser.waiting(first), browser.waiting(second)], [0, 0]);

  first.device.thaw();
  second.device.thaw();
  await browser.thaw(second);
  assert.deepEqual([browser.waiting(first), browser.waiting(second)], [1, 1]);
  const read = send(first, "/log.json");
  await browser.settle();
  await browser.worker.say(answer(browser.worker.got("request").at(-1).id, "log"));
  assert.equal(read.text, "200 log");
  await browser.close(third);
  assert.equal(browser.worker.tab, first);
});

test("a tab that gets the device just before it freezes leaves it to the next one", async () => {
  const browser = new Browser();
  const [first, second, third] = [await browser.open("first"), await browser.open("second"), await browser.open("third")];
  const closed = browser.close(first);
  second.device.freeze();
  await closed;
  assert.deepEqual([browser.worker.tab, browser.workers.length], [third, 2]);
});

test("the only tab ends the device when it freezes, and starts it again when it is thawed", async () => {
  const browser = new Browser();
  const tab = await browser.open("tab");
  const former = browser.worker;
  for (const _ of [1, 2]) {
    tab.device.freeze();
    await browser.settle();
  }
  assert.deepEqual([former.isOver, browser.workers.length], [true, 1]);
  tab.device.thaw();
  await browser.settle();
  assert.deepEqual([browser.worker.tab, browser.workers.length], [tab, 2]);
});

test("a device that keeps nothing stays with a tab that freezes, because it would be lost", async () => {
  const browser = new Browser();
  const tab = await browser.open("tab");
  const { worker } = browser;
  await worker.say({ ...begun, keeps: false });
  tab.device.freeze();
  await browser.settle();
  assert.ok(!worker.isOver);
  tab.device.thaw();
  await browser.settle();
  assert.equal(browser.workers.length, 1);
});

test("a request whose time is over before it is sent fails at once", async () => {
  const browser = new Browser();
  const tab = await browser.open("tab");
  const signal = AbortSignal.abort(new DOMException("late", "TimeoutError"));
  const [read, press] = [send(tab, "/log.json", { signal }), send(tab, "/press", { method: "POST", signal })];
  await browser.settle();
  assert.deepEqual([read.failure, press.failure, browser.worker.got("request")], ["late", notStarted, []]);
});

test("a press that is given up before the device has begun isn't done, and a later one may be", async () => {
  const browser = new Browser();
  browser.begins = false;
  const [first, second] = [await browser.open("first"), await browser.open("second")];
  const late = new AbortController();
  const [press, read, kept] = [
    send(second, "/press", { method: "POST", body: "1", signal: late.signal }), send(second, "/log.json", { signal: late.signal }),
    send(first, "/press", { method: "POST", body: "2" }),
  ];
  await browser.settle();
  late.abort(new DOMException("late", "TimeoutError"));
  await browser.settle();
  assert.deepEqual([press.failure, read.failure], [notStarted, "late"]);
  await browser.worker.say(begun);
  assert.deepEqual(browser.worker.got("request").map(({ body }) => body), ["2"]);
  await browser.worker.say(answer(browser.worker.got("request")[0].id, "done"));
  assert.equal(kept.text, "200 done");

  const slow = new AbortController();
  const sent = send(second, "/press", { method: "POST", body: "3", signal: slow.signal });
  await browser.settle();
  slow.abort(new DOMException("late", "TimeoutError"));
  await browser.settle();
  assert.deepEqual([browser.worker.got("request").length, sent.failure], [2, "late"], "it may still be done");
});

test("a visible tab finds a frozen owner without a request, after some seconds", async () => {
  const browser = new Browser();
  const [first, second] = [await browser.open("first"), await browser.open("second")];
  browser.freeze(first);
  await browser.pass(12_000);
  assert.equal(browser.worker.tab, second);
});

test("a hidden tab takes nobody's place until it is shown", async () => {
  const browser = new Browser();
  const first = await browser.open("first");
  const second = await browser.open("second", { isVisible: false });
  browser.freeze(first);
  send(second, "/log.json");
  await browser.pass(60_000);
  assert.equal(browser.workers.length, 1);
  second.isVisible = true;
  second.device.resume();
  await browser.pass(1001);
  assert.equal(browser.worker.tab, second);
});

test("of two tabs that take a frozen owner's place at once, one owns the device", async () => {
  const browser = new Browser();
  const tabs = [await browser.open("first"), await browser.open("second"), await browser.open("third")];
  browser.freeze(tabs[0]);
  const reads = [send(tabs[1], "/log.json"), send(tabs[2], "/log.json")];
  await browser.pass(5000);
  for (const { id } of browser.worker.got("request")) await browser.worker.say(answer(id, "log"));
  assert.deepEqual(reads.map(({ text: got }) => got), ["200 log", "200 log"]);
  await browser.pass(60_000);
  assert.ok(browser.workers.length <= 3);
});

test("a worker that ends by itself is started again, and stays off the third time within a minute", async () => {
  const browser = new Browser();
  const [tab, other] = [await browser.open("tab"), await browser.open("other")];
  const states = follow(other);
  for (const count of [1, 2]) {
    const former = browser.worker;
    await former.say({ kind: "trapped", code: 0 });
    await browser.pass(10_000);
    assert.equal(other.statuses.at(-1).starts, count);
    // The former worker's messages may arrive late.
    await former.say({ kind: "state", page: browser.worker.got("follow")[0].page, json: "0" });
    assert.deepEqual([states, browser.worker.got("unfollow")], [[], []]);
  }
  const read = send(other, "/log.json");
  await browser.settle();
  await browser.worker.say({ kind: "trapped", code: 0 });
  assert.ok(browser.workers.every(({ isOver }) => isOver));
  assert.deepEqual([read.failure, states.at(-1), other.statuses.at(-1).phase], [stopped, "end", "stopped"]);
  assert.equal(tab.statuses.at(-1).phase, "stopped");

  other.device.startAgain();
  const seen = follow(other);
  await browser.settle();
  await browser.worker.say({ kind: "state", page: browser.worker.got("follow")[0].page, json: "1" });
  assert.deepEqual(seen, [1]);
});

test("a device that stops says the reason for which it couldn't begin the last time", async () => {
  const browser = new Browser();
  const tab = await browser.open("tab");
  for (const code of [0, 0, 4]) await browser.worker.say({ kind: "trapped", code });
  const { phase, failure } = tab.statuses.at(-1);
  assert.deepEqual([phase, failure], ["stopped", 4]);
  assert.ok(tab.statuses.slice(0, -1).every((status) => status.failure === 0));
});

test("workers that end by themselves a minute apart are always started again", async () => {
  const browser = new Browser();
  await browser.open("tab");
  for (let count = 0; count < 5; count += 1) {
    await browser.worker.say({ kind: "trapped", code: 0 });
    await browser.pass(30_001);
  }
  assert.equal(browser.workers.length, 6);
});

test("an owner that has lost the database gives the device to the next tab", async () => {
  const browser = new Browser();
  const [first, second] = [await browser.open("first"), await browser.open("second")];
  await browser.worker.say({ kind: "failed", code: 2 });
  assert.equal(browser.worker.tab, second);
  assert.ok(browser.workers.filter(({ tab }) => tab === first).every(({ isOver }) => isOver));
});

test("changes that aren't stored are said in all tabs", async () => {
  const browser = new Browser();
  const [, second] = [await browser.open("first"), await browser.open("second")];
  await browser.worker.say({ kind: "failed", code: 1 });
  assert.equal(second.statuses.at(-1).failure, 1);
});

test("a device that can't store starts again, and stays the third time within a minute", async () => {
  const browser = new Browser();
  const tab = await browser.open("tab");
  for (const count of [2, 3]) {
    await browser.worker.say({ kind: "failed", code: 3 });
    assert.deepEqual([browser.workers.length, tab.statuses.at(-1).failure], [count, 0]);
  }
  await browser.worker.say({ kind: "failed", code: 3 });
  assert.deepEqual([browser.workers.length, tab.statuses.at(-1).failure], [3, 3]);
});

test("a read during which two workers have ended isn't sent to the third", async () => {
  const browser = new Browser();
  const tab = await browser.open("tab");
  const read = send(tab, "/stats.json");
  await browser.settle();
  for (const sent of [1, 0]) {
    await browser.worker.say({ kind: "trapped", code: 0 });
    assert.equal(browser.worker.got("request").length, sent);
  }
  assert.equal(read.failure, unknown);
});

/** Lets the worker begin, and send a tab that follows it a state with this group. */
async function showGroup(browser, group, isNew) {
  await browser.worker.say({ ...begun, isNew });
  await browser.worker.say({ kind: "state", page: browser.worker.got("follow").at(-1).page, json: JSON.stringify({ group }) });
}

test("a device that begins again without its data is wiped if it was in a group, until it joins again", async () => {
  const browser = new Browser();
  const tab = await browser.open("tab");
  follow(tab);
  await showGroup(browser, "g", false);
  assert.equal(tab.statuses.at(-1).isWiped, false);
  await browser.worker.say({ kind: "failed", code: 3 });
  await showGroup(browser, null, true);
  assert.equal(tab.statuses.at(-1).isWiped, true);
  await showGroup(browser, "h", true);
  assert.equal(tab.statuses.at(-1).isWiped, false);
});

test("a device that was in no group, or has left it, or has its data, isn't wiped", async () => {
  const browser = new Browser();
  const tab = await browser.open("tab");
  follow(tab);
  // It joins a group and leaves it.
  for (const group of [null, "g", null]) await showGroup(browser, group, true);
  await browser.worker.say({ kind: "trapped", code: 0 });
  await showGroup(browser, null, true);
  await browser.pass(60_000);
  await showGroup(browser, "g", true);
  await browser.worker.say({ kind: "trapped", code: 0 });
  await showGroup(browser, "g", false);
  assert.ok(tab.statuses.every(({ isWiped }) => !isWiped));
});

test("all tabs that say at once that the network is back are heard once", async () => {
  const browser = new Browser();
  const [first, second] = [await browser.open("first"), await browser.open("second")];
  [first, second].forEach(({ device }) => device.resume());
  await browser.settle();
  assert.equal(browser.worker.got("resumed").length, 1);
  await browser.pass(1500);
  second.device.resume();
  await browser.settle();
  assert.equal(browser.worker.got("resumed").length, 2);
});

test("erasing ends the worker first, and begins another one afterwards", async () => {
  const browser = new Browser();
  const [, second] = [await browser.open("first"), await browser.open("second")];
  const former = browser.worker;
  second.device.erase();
  await browser.settle();
  assert.ok(former.isOver);
  assert.equal(browser.erased.length, 1);
  assert.ok(![former.id, browser.worker.id].includes(browser.erased[0]));
});

test("a device that finds damage after it has begun is shown as damaged", async () => {
  const browser = new Browser();
  const tab = await browser.open("tab");
  await browser.worker.say(begun);
  await browser.worker.say({ kind: "damaged" });
  assert.equal(tab.statuses.at(-1).phase, "damaged");
});
