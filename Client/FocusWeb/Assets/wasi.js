// The functions of WASI that the module's C library calls. There are clocks, random numbers and a console, but no files,
// arguments or environment.

const success = 0;
const badDescriptor = 8;
const notImplemented = 52;
/** Descriptors for output. */
const [output, errors] = [1, 2];
/** The clock that shows the time of day. The others only measure. */
const realtime = 0;

/** The end of the module by itself. It can't be called any more. */
export class ModuleExit extends Error {
  constructor(code) {
    super(`The module has ended with ${code}.`);
    this.code = code;
  }
}

/**
 * Returns the functions.
 *
 * `memory` returns the module's memory, `wall` and `steady` a time in milliseconds, `fill` fills an array with random
 * bytes, and `log` writes a line.
 */
export function makeWASI({ memory, wall, steady, fill, log }) {
  const view = () => new DataView(memory().buffer);
  const bytes = (pointer, length) => new Uint8Array(memory().buffer, pointer, length);
  const decoders = new Map([[output, new LineDecoder(log)], [errors, new LineDecoder(log)]]);

  const nothing = (countPointer, sizePointer) => {
    view().setUint32(countPointer, 0, true);
    view().setUint32(sizePointer, 0, true);
    return success;
  };
  const functions = {
    clock_time_get(clock, _precision, pointer) {
      const milliseconds = clock === realtime ? wall() : steady();
      view().setBigUint64(pointer, BigInt(Math.round(milliseconds * 1000)) * 1000n, true);
      return success;
    },
    clock_res_get(_clock, pointer) {
      view().setBigUint64(pointer, 1_000_000n, true);
      return success;
    },
    random_get(pointer, length) {
      fill(bytes(pointer, length));
      return success;
    },
    fd_write(descriptor, vectors, count, writtenPointer) {
      const decoder = decoders.get(descriptor);
      if (decoder === undefined) return badDescriptor;
      let written = 0;
      for (let index = 0; index < count; index += 1) {
        const [pointer, length] = [0, 4].map((offset) => view().getUint32(vectors + 8 * index + offset, true));
        decoder.write(bytes(pointer, length));
        written += length;
      }
      view().setUint32(writtenPointer, written, true);
      return success;
    },
    fd_close: () => badDescriptor,
    fd_seek: () => badDescriptor,
    fd_read: () => badDescriptor,
    fd_fdstat_get: () => badDescriptor,
    fd_prestat_get: () => badDescriptor,
    environ_sizes_get: nothing,
    environ_get: () => success,
    args_sizes_get: nothing,
    args_get: () => success,
    sched_yield: () => success,
    proc_exit(code) {
      throw new ModuleExit(code);
    },
  };
  return functions;
}

/** Adds a function that fails for each name of WASI that a module imports and that isn't there. */
export function completeWASI(functions, module) {
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (from === "wasi_snapshot_preview1" && kind === "function") functions[name] ??= () => notImplemented;
  }
  return functions;
}

/** Makes lines of written bytes. */
class LineDecoder {
  #decoder = new TextDecoder();
  #rest = "";
  #log;

  constructor(log) {
    this.#log = log;
  }

  write(bytes) {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop();
    lines.forEach(this.#log);
  }
}
