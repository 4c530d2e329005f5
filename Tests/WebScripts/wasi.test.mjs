import assert from "node:assert/strict";
import { test } from "node:test";
import { completeWASI, makeWASI, ModuleExit } from "../../Client/FocusWeb/Assets/wasi.js";

function machine() {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const lines = [];
  const functions = makeWASI({
    memory: () => memory, wall: () => 1_763_624_700_000.25, steady: () => 12.5, fill: (bytes) => bytes.fill(7),
    log: (line) => lines.push(line),
  });
  return { memory, lines, functions, view: new DataView(memory.buffer) };
}

test("clocks give nanoseconds: the time of day, and a clock that only measures", () => {
  const { functions, view } = machine();
  assert.equal(functions.clock_time_get(0, 0n, 64), 0);
  assert.equal(view.getBigUint64(64, true), 1_763_624_700_000_250_000n);
  assert.equal(functions.clock_time_get(1, 0n, 64), 0);
  assert.equal(view.getBigUint64(64, true), 12_500_000n);
});

test("written text is logged by lines, also if a letter or a line comes in parts", () => {
  const { functions, view, memory, lines } = machine();
  const write = (descriptor, ...parts) => {
    let [at, vectors] = [1024, 512];
    for (const part of parts) {
      new Uint8Array(memory.buffer).set(part, at);
      view.setUint32(vectors, at, true);
      view.setUint32(vectors + 4, part.length, true);
      at += part.length;
      vectors += 8;
    }
    const result = functions.fd_write(descriptor, 512, parts.length, 64);
    return [result, view.getUint32(64, true)];
  };
  const text = [...new TextEncoder().encode("Fähre\nund ")];
  assert.deepEqual(write(1, text.slice(0, 2), text.slice(2)), [0, 11]);
  assert.deepEqual(lines, ["Fähre"]);
  assert.deepEqual(write(2, [...new TextEncoder().encode("trap\n")]), [0, 5]);
  assert.deepEqual(write(1, [10]), [0, 1]);
  assert.deepEqual(lines, ["Fähre", "trap", "und "]);
  assert.equal(write(3, [10])[0], 8);
});

test("there is no environment, there are no files, and random bytes come from outside", () => {
  const { functions, view, memory } = machine();
  view.setUint32(0, 5, true);
  view.setUint32(4, 5, true);
  assert.equal(functions.environ_sizes_get(0, 4), 0);
  assert.deepEqual([view.getUint32(0, true), view.getUint32(4, true)], [0, 0]);
  assert.equal(functions.fd_prestat_get(3, 0), 8);
  assert.equal(functions.random_get(100, 2), 0);
  assert.deepEqual([...new Uint8Array(memory.buffer, 99, 4)], [0, 7, 7, 0]);
});

test("the module's exit is an error for the caller", () => {
  const { functions } = machine();
  assert.throws(() => functions.proc_exit(3), (failure) => failure instanceof ModuleExit && failure.code === 3);
});

test("a function of WASI that isn't here fails, and doesn't keep the module from beginning", async () => {
  // (module (import "wasi_snapshot_preview1" "sock_accept" (func (result i32))) (export "f" (func 0)))
  const name = (text) => [text.length, ...new TextEncoder().encode(text)];
  const section = (id, ...bytes) => [id, bytes.length, ...bytes];
  const bytes = new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...section(1, 1, 0x60, 0, 1, 0x7f),
    ...section(2, 1, ...name("wasi_snapshot_preview1"), ...name("sock_accept"), 0, 0),
    ...section(7, 1, ...name("f"), 0, 0),
  ]);
  const module = await WebAssembly.compile(bytes);
  const functions = completeWASI(machine().functions, module);
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: functions });
  assert.equal(instance.exports.f(), 52);
});
