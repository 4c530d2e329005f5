// Changes of the device's files, as the module writes them.

/** Returns a change with a value of these bytes. */
export const change = (kind, key, value = []) => ({ kind, key, value: [...value] });

/** Returns the value of a file's length: eight bytes of it, then others. */
export function lengthValue(length) {
  const bytes = new Uint8Array(12).fill(255, 8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  return [...bytes];
}

/** Returns the message of the module with these changes. */
export function encodeChanges(changes) {
  const number = (value, width) => Array.from({ length: width }, (_, index) => (value >>> (8 * index)) & 255);
  const parts = changes.flatMap(({ kind, key, value }) => {
    const name = [...new TextEncoder().encode(key)];
    return [kind, ...number(name.length, 2), ...name, ...number(value.length, 4), ...value];
  });
  return new Uint8Array([...number(changes.length, 4), ...parts]);
}
