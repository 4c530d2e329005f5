import SQLiteKit
import TestSupport
import Testing

@testable import FocusWeb

@Suite("Stored records")
struct StoredRecordTests {
    @Test("a record is parsed as it was encoded, and no part of it is")
    func parses() {
        for record in [
            StoredRecord(.block, key: [1, 0, 2], value: [3, 4]), StoredRecord(.length, key: []),
            StoredRecord(.removal, key: [UInt8](repeating: 7, count: 300)),
        ] {
            var bytes: [UInt8] = []
            record.append(to: &bytes)
            #expect(StoredRecord(parsing: bytes) == record)
            for count in 0..<bytes.count { #expect(StoredRecord(parsing: Array(bytes.prefix(count))) == nil) }
            #expect(StoredRecord(parsing: bytes + [0]) == nil)
        }
        #expect(StoredRecord(parsing: [3, 0, 0, 0, 0, 0, 0]) == nil)
    }

    @Test("random records never end the program, and are damage")
    func random() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let records = (0..<3).map { _ in
                var bytes: [UInt8] = []
                let path: [UInt8] =
                    Bool.random(using: &random) ? Array("/log\u{0}0000000f".utf8) : Array("/log".utf8)
                let value = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                StoredRecord(Bool.random(using: &random) ? .block : .length, key: path, value: value)
                    .append(to: &bytes)
                return bytes
            }
            #expect(StoredContents(records).damage != nil)
        }
    }

    @Test("no records are an empty disk, without damage")
    func empty() {
        let contents = StoredContents([])
        #expect(contents.damage == nil)
        #expect(contents.image == DiskImage())
        #expect(contents.deviceKey == nil)
    }
}
