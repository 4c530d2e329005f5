import FocusCore
import TestSupport
import Testing

@Suite("Bytes read and written")
struct ByteCodingTests {
    private func written(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        write(&writer)
        return writer.bytes
    }

    static let varints: [(UInt64, [UInt8])] = [
        (0, [0]), (1, [1]), (0x7F, [0x7F]), (0x80, [0x80, 1]), (0x3FFF, [0xFF, 0x7F]),
        (0x4000, [0x80, 0x80, 1]), (1 << 62, Array(repeating: 0x80, count: 8) + [0x40]),
        ((1 << 63) - 1, Array(repeating: 0xFF, count: 8) + [0x7F]),
        (1 << 63, Array(repeating: 0x80, count: 9) + [1]), (.max, Array(repeating: 0xFF, count: 9) + [1]),
    ]

    @Test(
        "a varint takes seven bits a byte, the low ones first, and is refused if it is cut short",
        arguments: varints)
    func varint(value: UInt64, bytes: [UInt8]) throws {
        #expect(written { $0.varint(value) } == bytes)
        var reader = ByteReader(bytes)
        #expect(try reader.varint() == value)
        try reader.end()
        var short = ByteReader(bytes.dropLast())
        #expect(throws: ByteReader.Failure.truncated) { try short.varint() }
    }

    @Test(
        "a varint of more than 64 bits or in a longer form than need be is refused",
        arguments: [
            [0x80, 0], [0xFF, 0], [0x80, 0x80, 0], Array(repeating: 0x80, count: 9) + [0],
            Array(repeating: 0x80, count: 9) + [2], Array(repeating: 0xFF, count: 9) + [3],
            Array(repeating: 0x80, count: 9) + [0x81, 0], Array(repeating: 0x80, count: 10) + [1],
            Array(repeating: 0xFF, count: 32),
        ] as [[UInt8]])
    func malformedVarint(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        #expect(throws: ByteReader.Failure.malformedVarint) { try reader.varint() }
    }

    @Test(
        "signed numbers of small size are short, below 0 too",
        arguments: [
            (0, [0]), (-1, [1]), (1, [2]), (-64, [0x7F]), (64, [0x80, 1]),
            (.max, [0xFE] + Array(repeating: 0xFF, count: 8) + [1]),
            (.min, Array(repeating: 0xFF, count: 9) + [1]),
        ] as [(Int64, [UInt8])])
    func signed(value: Int64, bytes: [UInt8]) throws {
        #expect(written { $0.signed(value) } == bytes)
        var reader = ByteReader(bytes)
        #expect(try reader.signed() == value)
    }

    @Test("integers in their full width have the most significant byte first")
    func fixed() throws {
        let bytes = written {
            $0.fixed(UInt8(1))
            $0.fixed(UInt16(0x0203))
            $0.fixed(UInt32(0x0405_0607))
            $0.fixed(UInt64(0x0809_0A0B_0C0D_0E0F))
        }
        #expect(bytes == Array(1...15))
        var reader = ByteReader(bytes)
        #expect(try reader.fixed(UInt8.self) == 1)
        #expect(try reader.fixed(UInt16.self) == 0x0203)
        #expect(try reader.fixed(UInt32.self) == 0x0405_0607)
        #expect(throws: ByteReader.Failure.truncated) {
            var short = ByteReader(Array(bytes[..<7]))
            _ = try short.fixed(UInt64.self)
        }
        #expect(try reader.fixed(UInt64.self) == 0x0809_0A0B_0C0D_0E0F)
        #expect(reader.remaining == 0)
    }

    @Test("a text has its length in bytes before it, and must be UTF-8")
    func string() throws {
        let bytes = written { $0.string("é") }
        #expect(bytes == [2, 0xC3, 0xA9])
        var reader = ByteReader(bytes)
        #expect(try reader.string() == "é")
        for invalid in [[1, 0xC3], [2, 0xC0, 0x80], [3, 0xED, 0xA0, 0x80], [1, 0xFF]] as [[UInt8]] {
            var reader = ByteReader(invalid)
            #expect(throws: ByteReader.Failure.malformedText) { try reader.string() }
        }
    }

    @Test(
        "a length beyond the bytes that are there is refused",
        arguments: [[1], [3, 0, 0], Array(repeating: 0xFF, count: 9) + [1, 0]] as [[UInt8]])
    func lyingLength(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        #expect(throws: ByteReader.Failure.truncated) { try reader.sized() }
        #expect(throws: ByteReader.Failure.truncated) { try reader.raw(bytes.count + 1) }
        #expect(throws: ByteReader.Failure.truncated) { try reader.raw(-1) }
    }

    @Test("a part of an array is read from its own beginning to its own end, and bytes left over are refused")
    func slice() throws {
        var reader = ByteReader([9, 9, 1, 7, 9][2..<4])
        #expect(throws: ByteReader.Failure.trailingBytes) { try reader.end() }
        #expect(try Array(reader.sized()) == [7])
        try reader.end()
        #expect(throws: ByteReader.Failure.truncated) { try reader.byte() }
    }
}
