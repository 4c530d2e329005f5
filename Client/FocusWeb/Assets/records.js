// The records of the device's files, as the module writes and reads them: each has a kind, a key and a value.

/** The kinds of changes: a block of a file, a file's length, and a file that is removed. */
export const kinds = { block: 0, length: 1, removal: 2 };
/** The length of a block in bytes. */
export const blockSize = 4096;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the key of a file's block. Keys of blocks sort by file, then by index. */
export const blockKey = (path, index) => `${path}\0${index.toString(16).padStart(8, "0")}`;
/** Returns the key that follows the keys of all blocks of a file. */
export const endOfBlocks = (path) => `${path}\u0001`;
/** Whether the key is that of a file's length, and not of a block. */
export const isLength = (key) => !key.includes("\0");

/**
 * Returns the changes in a message of the module: their number (32 bits), then the changes.
 *
 * Throws a RangeError if the message ends too early.
 */
export function decodeChanges(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const changes = [];
  let at = 4;
  const slice = (length) => {
    if (at + length > bytes.length) throw new RangeError("The changes are cut off.");
    at += length;
    return bytes.slice(at - length, at);
  };
  for (let count = view.getUint32(0, true); count > 0; count -= 1) {
    const kind = view.getUint8(at);
    const keyLength = view.getUint16(at + 1, true);
    at += 3;
    const key = decoder.decode(slice(keyLength));
    const valueLength = view.getUint32(at, true);
    at += 4;
    changes.push({ kind, key, value: slice(valueLength) });
  }
  return changes;
}

/**
 * Returns a stored record in the form in which the module reads it: as one change, without a number before it. `room`
 * returns the array that it is written to, for a length.
 */
export function encodeRecord({ key, value }, room = (length) => new Uint8Array(length)) {
  const name = encoder.encode(key);
  const bytes = room(3 + name.length + 4 + value.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  view.setUint8(0, isLength(key) ? kinds.length : kinds.block);
  view.setUint16(1, name.length, true);
  bytes.set(name, 3);
  view.setUint32(3 + name.length, value.length, true);
  bytes.set(value, 7 + name.length);
  return bytes;
}

/** Returns the length of a file that is in the value of its record. */
export const fileLength = (value) =>
  Number(new DataView(value.buffer, value.byteOffset, value.byteLength).getBigUint64(0, true));

/** Returns the files in these records, by path, without a check of their checksums. Missing blocks are zero. */
export function filesIn(records) {
  const files = new Map();
  for (const { key, value } of records) {
    if (isLength(key)) files.set(key, new Uint8Array(fileLength(value)));
  }
  for (const { key, value } of records) {
    const [path, index] = key.split("\0");
    const file = files.get(path);
    const offset = parseInt(index, 16) * blockSize;
    // A checksum follows the block.
    if (file && offset < file.length) file.set(value.subarray(0, Math.min(blockSize, file.length - offset)), offset);
  }
  return files;
}
