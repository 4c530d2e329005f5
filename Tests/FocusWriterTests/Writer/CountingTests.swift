import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

@Suite("What devices have brought is counted for people")
struct CountingTests {
    private let group = ServerFixture.group
    private let fixture: ServerFixture

    init() throws { fixture = try ServerFixture() }

    private func counted() throws -> [Int64] {
        try fixture.store.read { try $0.deviceSummaries() }.map(\.events).sorted()
    }

    @Test("once a second at most, and the batch's tally says whether counts are left") func onceASecond()
        throws
    {
        var authors = (1...3).map { Author($0) }
        func upload(_ indices: Range<Int>, at second: Int64) throws {
            let requests = try indices.map { index in
                WriterRequest.merge(
                    try authors[index].write(1), group, by: try digest(UInt8(index + 1)),
                    from: ConnectionID(index))
            }
            _ = try fixture.run(requests, after: second)
        }
        try upload(0..<3, at: 10)
        #expect(try counted() == [1, 1, 1])
        try upload(0..<3, at: 10)
        try upload(0..<1, at: 10)
        #expect(try counted() == [1, 1, 1])
        #expect(!fixture.writer.isAllCounted)
        try upload(0..<3, at: 11)
        #expect(try counted() == [3, 3, 4])
        #expect(fixture.writer.isAllCounted)
        try upload(0..<3, at: 11)
        #expect(!fixture.writer.isAllCounted)
        // The server sends this request once a second while something is uncounted, and when it stops.
        _ = try fixture.run([.note([:], greatestServed: ServerFixture.now)], after: 11)
        #expect(try counted() == [4, 4, 5])
        #expect(fixture.writer.isAllCounted)
    }

    @Test("for very many devices in several parts") func many() throws {
        func device(_ number: Int) throws -> Digest {
            let bytes = [UInt8(number % 256), UInt8(number / 256)] + [UInt8](repeating: 0, count: 30)
            return try #require(Digest(bytes: bytes))
        }
        for first in stride(from: 0, to: 600, by: 3) {
            let requests = try (first..<first + 3).map { number in
                var author = Author(UInt64(number + 1))
                return WriterRequest.merge(
                    try author.write(1), group, by: try device(number), from: ConnectionID(number))
            }
            _ = try fixture.run(requests, after: 5)
        }
        let before = try counted().reduce(0, +)
        #expect(before < 600)
        for second in 6..<10 as Range<Int64> {
            _ = try fixture.run([.note([:], greatestServed: ServerFixture.now)], after: second)
        }
        #expect(try counted() == [Int64](repeating: 1, count: 600))
    }
}
