import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { blockKey, kinds } from "../../Client/FocusWeb/Assets/records.js";
import { failures, Storage } from "../../Client/FocusWeb/Assets/storage.js";
import { change, encodeChanges, lengthValue } from "./changes.mjs";
import { Database } from "./database.mjs";

const quota = new DOMException("full", "QuotaExceededError");

/** Stores changes. Returns 0 if they were stored, otherwise the reason. */
const keep = (storage, ...changes) =>
  new Promise((resolve) => storage.keep(encodeChanges(changes), () => resolve(0), resolve));

const file = (path, blocks) => [
  change(kinds.length, path, lengthValue(blocks * 4096)),
  ...Array.from({ length: blocks }, (_, index) => change(kinds.block, blockKey(path, index), [index])),
];

const keysIn = (database) => [...database.stores.get("records").keys()].sort();

test("what is stored is read by the next worker: the files' lengths first, then the blocks", async () => {
  const database = new Database();
  const first = await Storage.open("first", database.factory);
  assert.equal(await keep(first, ...file("/log.db", 600), ...file("/log.db-journal", 1)), 0);
  const records = await (await Storage.open("second", database.factory)).records();
  assert.deepEqual(records.slice(0, 2).map(({ key }) => key), ["/log.db", "/log.db-journal"]);
  assert.equal(records.length, 603);
  assert.deepEqual(records.find(({ key }) => key === blockKey("/log.db", 599)).value, new Uint8Array([599 & 255]));
});

test("records are read as of one moment, even if changes are stored meanwhile", async () => {
  const database = new Database();
  const storage = await Storage.open("worker", database.factory);
  await keep(storage, ...file("/a", 600));
  const [records] = await Promise.all([storage.records(), keep(storage, change(kinds.removal, "/a"), ...file("/b", 1))]);
  assert.equal(records.length, 601);
  assert.ok(records.every(({ key }) => key.startsWith("/a")));
});

test("a file that is shorter loses the blocks behind its end, and a removed one all of them", async () => {
  const database = new Database();
  const storage = await Storage.open("worker", database.factory);
  await keep(storage, ...file("/a", 20), ...file("/b", 2));
  await keep(storage, change(kinds.length, "/a", lengthValue(2 * 4096 + 1)));
  await keep(storage, change(kinds.removal, "/b"));
  assert.deepEqual(keysIn(database), ["/a", blockKey("/a", 0), blockKey("/a", 1), blockKey("/a", 2)]);
  // Changes apply in their order: a file that is removed and made again has only its new blocks.
  await keep(storage, change(kinds.removal, "/a"), ...file("/a", 1));
  assert.deepEqual(keysIn(database), ["/a", blockKey("/a", 0)]);
});

test("a worker that was replaced stores nothing any more", async () => {
  const database = new Database();
  const former = await Storage.open("former", database.factory);
  await keep(former, ...file("/a", 1));
  const present = await Storage.open("present", database.factory);
  assert.deepEqual(await Promise.all([keep(former, ...file("/b", 1)), keep(present, ...file("/c", 1))]), [failures.superseded, 0]);
  assert.deepEqual(keysIn(database), ["/a", blockKey("/a", 0), "/c", blockKey("/c", 0)]);
});

test("after changes that weren't stored, later ones aren't either, so that none is left out between others", async () => {
  const database = new Database();
  const storage = await Storage.open("worker", database.factory);
  database.failures = [null, quota];
  const results = await Promise.all(["/a", "/b", "/c"].map((path) => keep(storage, ...file(path, 1))));
  assert.deepEqual(results, [0, failures.quota, failures.quota]);
  assert.equal(await keep(storage, ...file("/d", 1)), failures.quota);
  assert.deepEqual(keysIn(database), ["/a", blockKey("/a", 0)]);
  // Another worker may store again.
  assert.equal(await keep(await Storage.open("next", database.factory), ...file("/e", 1)), 0);
});

test("no change is stored of a set with one that makes no sense", async () => {
  const database = new Database();
  const storage = await Storage.open("worker", database.factory);
  const error = mock.method(console, "error", () => {});
  assert.equal(await keep(storage, ...file("/a", 1), change(kinds.length, "/b", [1])), failures.other);
  error.mock.restore();
  assert.deepEqual(keysIn(database), []);
});

test("other failures have a reason of their own, also a database that the browser has closed", async () => {
  const database = new Database();
  const storage = await Storage.open("worker", database.factory);
  database.failures = [new DOMException("broken", "UnknownError")];
  assert.equal(await keep(storage, ...file("/a", 1)), failures.other);
  const closed = await Storage.open("other", database.factory);
  database.transaction = () => { throw new DOMException("closed", "InvalidStateError"); };
  assert.equal(await keep(closed, ...file("/a", 1)), failures.other);
});

test("a database that opens the second time, and one that can't be read, aren't taken for an empty one", async () => {
  const database = new Database();
  let opened = 0;
  const open = () => {
    opened += 1;
    if (opened === 1) throw new DOMException("lost", "UnknownError");
    return database.factory.open();
  };
  assert.notEqual(await Storage.open("worker", { open }), null);
  database.transaction = () => { throw new DOMException("lost", "InvalidStateError"); };
  await assert.rejects(Storage.open("worker", database.factory), /lost/);
});

test("a browser that opens no database, or in which nothing can be written, keeps nothing", async () => {
  const refusing = { open: () => { throw new DOMException("private", "SecurityError"); } };
  assert.equal(await Storage.open("worker", refusing), null);
  const failing = {
    open: () => {
      const opening = { error: new DOMException("broken", "UnknownError") };
      setImmediate(() => opening.onerror());
      return opening;
    },
  };
  assert.equal(await Storage.open("worker", failing), null);
  const database = new Database();
  database.failures = [quota];
  assert.equal(await Storage.open("worker", database.factory), null);
});

test("records that can be read but not written are an error, and not an empty memory", async () => {
  const database = new Database();
  await keep(await Storage.open("former", database.factory), ...file("/a", 1));
  database.failures = [quota];
  await assert.rejects(Storage.open("worker", database.factory), quota);
});

test("erasing leaves no record", async () => {
  const database = new Database();
  const storage = await Storage.open("worker", database.factory);
  await keep(storage, ...file("/a", 3));
  await storage.erase();
  assert.deepEqual(keysIn(database), []);
});
