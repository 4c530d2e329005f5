import FocusCore

/// A record in a browser's database: a block of a file, a file's length, or one of the other names of
/// `StoredRecordName`.
package struct StoredRecord: Hashable, Sendable {
    /// The kind of a record, as it is encoded.
    package enum Kind: UInt8, Sendable {
        /// A block of a file, or a value of another kind, which its key names.
        case block = 0
        /// The length of a file, in the first 8 bytes of the value. Blocks beyond it are deleted.
        case length = 1
        /// The removal of a record, and of all blocks of the file with that path.
        case removal = 2
    }

    /// The kind.
    package let kind: Kind
    /// The key: the text of a `StoredRecordName`.
    package let key: [UInt8]
    /// The content, and after it the 8 bytes of its check. Empty for a removal.
    package let value: ArraySlice<UInt8>

    /// A record of these parts.
    package init(_ kind: Kind, key: [UInt8], value: [UInt8] = []) {
        self.init(kind, key, value[...])
    }

    private init(_ kind: Kind, _ key: [UInt8], _ value: ArraySlice<UInt8>) {
        self.kind = kind
        self.key = key
        self.value = value
    }

    /// Parses an encoded record; returns nil for other bytes.
    package init?(parsing bytes: [UInt8]) {
        var reader = RecordReader(bytes)
        guard let kind = reader.number(1).flatMap({ Kind(rawValue: UInt8(truncatingIfNeeded: $0)) }),
            let key = reader.number(2).flatMap({ reader.bytes($0) }),
            let value = reader.number(4).flatMap({ reader.bytes($0) }), reader.isAtEnd
        else { return nil }
        self.init(kind, Array(key), value)
    }

    /// The number of bytes that `append` adds.
    var encodedCount: Int { 7 + key.count + value.count }

    /// Appends the encoded record: kind, length of the key, key, length of the value, value.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        bytes.appendLittleEndian(UInt64(key.count), count: 2)
        bytes += key
        bytes.appendLittleEndian(UInt64(value.count), count: 4)
        bytes += value
    }
}

/// The name of a stored record.
enum StoredRecordName: Hashable {
    case length(path: String)
    case block(path: String, index: Int)
    /// The device's key.
    case deviceKey
    /// The sum of the checks of all other records.
    case sum

    /// The path and the index in the database's key. The length of a file has no index. The other records have
    /// keys like those of blocks, without the slash with which files' paths begin.
    private var parts: (path: String, index: Int?) {
        switch self {
        case .length(let path): (path, nil)
        case .block(let path, let index): (path, index)
        case .deviceKey: ("key", 0)
        case .sum: ("sum", 0)
        }
    }

    /// The key in the database.
    var key: [UInt8] {
        let (path, index) = parts
        guard let index else { return Array(path.utf8) }
        var number = ByteWriter()
        number.fixed(UInt32(truncatingIfNeeded: index))
        return Array("\(path)\0\(hexadecimal(number.bytes))".utf8)
    }

    /// The key of a removal, which removes the record, or all records of its file.
    var removalKey: [UInt8] { Array(parts.path.utf8) }

    /// The name of a record; nil if no record of this kind has this key.
    init?(_ kind: StoredRecord.Kind, _ key: [UInt8]) {
        let parts = key.split(separator: 0, omittingEmptySubsequences: false)
        guard let first = parts.first, let path = String(validating: first, as: UTF8.self) else { return nil }
        if kind == .length, parts.count == 1, path.hasPrefix("/") {
            self = .length(path: path)
            return
        }
        guard kind == .block, parts.count == 2, parts[1].count == 8,
            let digits = String(validating: parts[1], as: UTF8.self), let number = bytes(hexadecimal: digits)
        else { return nil }
        switch (path, number.reduce(0) { $0 << 8 | Int($1) }) {
        case ("key", 0): self = .deviceKey
        case ("sum", 0): self = .sum
        case (_, let index) where path.hasPrefix("/"): self = .block(path: path, index: index)
        default: return nil
        }
    }

    /// Returns the check of the record with this content. It detects accidental damage, and a content that is
    /// stored under another name.
    func check(of content: [UInt8]) -> UInt64 { check(of: content[...]) }

    /// Returns the check of the record with these bytes of an encoded record.
    func check(of content: ArraySlice<UInt8>) -> UInt64 {
        let name = key
        var check: UInt64 = 0xCBF2_9CE4_8422_2325
        check.mix(name.span.bytes)
        check.mix(content.span.bytes)
        return check
    }
}

extension UInt64 {
    /// The 8 bytes of the number, the lowest first.
    var littleEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(self, count: 8)
        return bytes
    }

    /// Mixes bytes into the number. A change within one word of 8 bytes always changes the result.
    fileprivate mutating func mix(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                offset += 8
            }
            while offset < bytes.count {
                mix(UInt64(bytes[offset]))
                offset += 1
            }
            mix(UInt64(bytes.count))
        }
    }

    private mutating func mix(_ word: UInt64) {
        self = (self ^ word) &* 0x9E37_79B9_7F4A_7C15
        self ^= self >> 29
    }
}

extension BidirectionalCollection<UInt8> {
    /// The number in these bytes, the lowest byte first.
    var littleEndianNumber: UInt64 { reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}

extension [UInt8] {
    /// Appends the low bytes of a number, the lowest first.
    mutating func appendLittleEndian(_ value: UInt64, count: Int) {
        for place in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place)))) }
    }
}

/// A reader of numbers and bytes from outside.
struct RecordReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether all bytes are read.
    var isAtEnd: Bool { rest.isEmpty }

    /// Reads `count` bytes without copying them; returns nil if there are fewer.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Reads a number of `count` bytes, at most 4; returns nil if there are fewer.
    mutating func number(_ count: Int) -> Int? {
        bytes(count).map { Int(truncatingIfNeeded: $0.littleEndianNumber) }
    }
}
