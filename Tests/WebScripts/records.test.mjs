import assert from "node:assert/strict";
import { test } from "node:test";
import { blockKey, decodeChanges, encodeRecord, filesIn, kinds } from "../../Client/FocusWeb/Assets/records.js";
import { change, encodeChanges, lengthValue } from "./changes.mjs";

test("changes are read as the module writes them", () => {
  const changes = [
    change(kinds.length, "/log.db", lengthValue(5000)), change(kinds.block, blockKey("/log.db", 1), [1, 2, 3]),
    change(kinds.removal, "/log.db-journal"),
  ];
  const read = decodeChanges(encodeChanges(changes)).map(({ kind, key, value }) => ({ kind, key, value: [...value] }));
  assert.deepEqual(read, changes);
  assert.equal(blockKey("/log.db", 300), "/log.db\u00000000012c");
});

test("a value is a copy, also if the bytes lie within larger ones", () => {
  const bytes = new Uint8Array([9, 9, ...encodeChanges([change(kinds.block, "a\0" + "0".repeat(8), [7])])]);
  const [read] = decodeChanges(bytes.subarray(2));
  bytes.fill(0);
  assert.deepEqual([...read.value], [7]);
});

test("changes that are cut off are an error", () => {
  const bytes = encodeChanges([change(kinds.length, "/log.db", lengthValue(1))]);
  for (let length = 0; length < bytes.length; length += 1) {
    assert.throws(() => decodeChanges(bytes.subarray(0, length)), RangeError);
  }
});

test("a stored record is written as one change, without a number before it", () => {
  for (const [kind, key] of [[kinds.length, "/läng"], [kinds.block, blockKey("/läng", 2)]]) {
    const value = new Uint8Array([1, 2]);
    const wanted = [...encodeChanges([change(kind, key, [1, 2])])].slice(4);
    assert.deepEqual([...encodeRecord({ key, value })], wanted);
    const memory = new Uint8Array(100);
    assert.equal(encodeRecord({ key, value }, (length) => memory.subarray(10, 10 + length)).length, wanted.length);
    assert.deepEqual([...memory.subarray(10, 11 + wanted.length)], [...wanted, 0]);
  }
});

test("files are put together from their blocks, without what is behind the blocks", () => {
  const block = (byte) => new Uint8Array(4100).fill(byte, 0, 4096).fill(99, 4096);
  const files = filesIn([
    { key: "/log.db", value: new Uint8Array(lengthValue(5000)) }, { key: "/empty", value: new Uint8Array(lengthValue(0)) },
    { key: blockKey("/log.db", 0), value: block(1) }, { key: blockKey("/log.db", 1), value: block(2) },
    { key: blockKey("/log.db", 2), value: block(3) }, { key: blockKey("/other", 0), value: block(4) },
  ]);
  assert.deepEqual([...files.keys()], ["/log.db", "/empty"]);
  const bytes = files.get("/log.db");
  assert.deepEqual([bytes.length, bytes[4095], bytes[4096], bytes[4999]], [5000, 1, 2, 2]);
  assert.equal(files.get("/empty").length, 0);
});
