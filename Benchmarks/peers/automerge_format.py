"""Automerge's documents as bytes, in its published binary format (automerge.org/automerge-binary-format-spec).

The package on PyPI reads and merges documents, but can't write them. A document has a list, `events`, to which replicas
append maps. It has a chunk for each change, and a change for each map, because each map is appended by itself."""

import hashlib
from itertools import groupby

SET, MAKE_MAP, MAKE_LIST = 1, 0, 2
# The actor that creates the list, the same for all replicas.
MAKER = bytes(16)


def unsigned(number):
    """Returns a number in LEB128."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def signed(number):
    out = bytearray()
    while not -0x40 <= number < 0x40:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number & 0x7F])


def sized(data):
    return unsigned(len(data)) + data


def runs(values, encode):
    """Returns a column in runs of equal values (None is null) and runs of different values. A column of only nulls is empty.
    The encoding is unique, because it is hashed."""
    out, alone = [], []

    def write_alone():
        if alone:
            out.append(signed(-len(alone)) + b"".join(map(encode, alone)))
            alone.clear()

    for value, same in groupby(values):
        count = sum(1 for _ in same)
        if value is not None and count == 1:
            alone.append(value)
            continue
        write_alone()
        out.append(b"\0" + unsigned(count) if value is None else signed(count) + encode(value))
    write_alone()
    return b"" if all(value is None for value in values) else b"".join(out)


def differences(values):
    """Returns a column of the differences between consecutive numbers."""
    last, steps = 0, []
    for value in values:
        steps.append(None if value is None else value - last)
        last = last if value is None else value
    return runs(steps, signed)


def switches(values):
    """Returns a column of the lengths of alternating runs of false and true, false first."""
    out, now, count = [], False, 0
    for value in values:
        if value != now:
            out.append(unsigned(count))
            now, count = value, 0
        count += 1
    return b"".join([*out, unsigned(count)])


def scalar(value):
    """Returns a value's kind and length in one number, and its bytes."""
    if value is None:
        return 0, b""
    data = value.encode() if isinstance(value, str) else signed(value)
    return len(data) << 4 | (6 if isinstance(value, str) else 4), data


def change(actor, others, seq, start, dependencies, operations):
    """Returns a change's chunk and its hash. An operation has an object, a key, whether it inserts, its kind and its value.
    Its name is its number and its actor's index; this actor has index 0."""
    objects, keys, inserts, kinds, values = zip(*operations)
    names = [key if isinstance(key, tuple) else (None, None) for key in keys]
    scalars = [scalar(value) for value in values]
    columns = [
        (0x01, runs([made[1] for made in objects], unsigned)),
        (0x02, runs([made[0] for made in objects], unsigned)),
        (0x11, runs([name[1] for name in names], unsigned)),
        (0x13, differences([name[0] for name in names])),
        (0x15, runs([key if isinstance(key, str) else None for key in keys], lambda key: sized(key.encode()))),
        (0x34, switches(inserts)),
        (0x42, runs(kinds, unsigned)),
        (0x56, runs([kind for kind, _ in scalars], unsigned)),
        (0x57, b"".join(data for _, data in scalars)),
        (0x70, runs([0] * len(operations), unsigned)),
    ]
    columns = [(name, data) for name, data in columns if data]
    body = b"".join([
        unsigned(len(dependencies)), *dependencies, sized(actor), unsigned(seq), unsigned(start), signed(0), sized(b""),
        unsigned(len(others)), *map(sized, others),
        unsigned(len(columns)), *(unsigned(name) + unsigned(len(data)) for name, data in columns),
        *(data for _, data in columns)])
    chunk = b"\1" + sized(body)
    digest = hashlib.sha256(chunk).digest()
    return b"\x85\x6f\x4a\x83" + digest[:4] + chunk, digest


def document(replica, events):
    """Returns a replica's document with these events."""
    made, head = change(MAKER, [], 1, 1, [], [((None, None), "events", False, MAKE_LIST, None)])
    chunks, actor, place, number = [made], bytes([replica + 1] * 16), (0, None), 2
    for seq, event in enumerate(events, 1):
        insert = ((1, 1), place, True, MAKE_MAP, None)
        fields = [((number, 0), key, False, SET, value) for key, value in sorted(event.items())]
        made, head = change(actor, [MAKER], seq, number, [head], [insert, *fields])
        chunks.append(made)
        place, number = (number, 0), number + 1 + len(fields)
    return b"".join(chunks)
