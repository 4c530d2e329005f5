import FocusWeb

/// The database of a page, which keeps a device's records (`storage.js`), in memory.
package struct BrowserDatabase {
    /// The values of all records, by their keys.
    package private(set) var records: [[UInt8]: [UInt8]] = [:]

    /// A database without records.
    package init() {}

    /// The keys of all records, in order.
    package var keys: [[UInt8]] { records.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    /// The records as a device gets them: lengths first, each in the order of the keys.
    package var encoded: [[UInt8]] {
        let keys = keys
        return [StoredRecord.Kind.length, .block].flatMap { kind in
            keys.filter { $0.contains(0) == (kind == .block) }.map { key in
                var bytes: [UInt8] = []
                StoredRecord(kind, key: key, value: records[key] ?? []).append(to: &bytes)
                return bytes
            }
        }
    }

    /// The files, by their paths, as a page saves them (`filesIn` of `records.js`).
    package var files: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for (path, length) in records where !path.contains(0) {
            // A check of 8 bytes follows the content of each record.
            let blocks = keys.filter { $0.starts(with: path + [0]) }.map {
                records[$0, default: []].dropLast(8)
            }
            let count = BrowserDatabase.number(Array(length.prefix(8)))
            files[String(decoding: path, as: UTF8.self)] = Array(blocks.joined().prefix(count))
        }
        return files
    }

    /// Replaces or removes a record.
    package mutating func replace(_ key: [UInt8], by value: [UInt8]?) { records[key] = value }

    /// Applies a set of changes, the bytes of a `keep` call, in one transaction.
    package mutating func apply(_ changes: [UInt8]) {
        // The number of records comes first.
        var rest = changes.dropFirst(4)
        func next(_ count: Int) -> [UInt8] {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        func nextNumber(_ count: Int) -> Int { BrowserDatabase.number(next(count)) }
        while !rest.isEmpty {
            let kind = nextNumber(1)
            let key = next(nextNumber(2))
            let value = next(nextNumber(4))
            let isRemoval = kind == Int(StoredRecord.Kind.removal.rawValue)
            let former = records.updateValue(value, forKey: key)
            if isRemoval {
                records[key] = nil
                removeBlocks(of: key, from: 0)
            } else if kind == Int(StoredRecord.Kind.length.rawValue), let former {
                let (old, new) = (BrowserDatabase.blockCount(former), BrowserDatabase.blockCount(value))
                if new < old { removeBlocks(of: key, from: new) }
            }
        }
    }

    /// The number of a file's blocks, by the record of its length.
    private static func blockCount(_ length: [UInt8]) -> Int {
        (number(Array(length.prefix(8))) + 4095) / 4096
    }

    /// Removes the blocks beyond a file's end.
    private mutating func removeBlocks(of file: [UInt8], from count: Int) {
        for key in records.keys where key.starts(with: file + [0]) {
            let index = Int(String(decoding: key.suffix(8), as: UTF8.self), radix: 16) ?? 0
            if index >= count { records[key] = nil }
        }
    }

    /// The number in these bytes, the lowest byte first.
    private static func number(_ bytes: [UInt8]) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
}
