import FocusCore
import FocusSync
import ServerSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

@Suite struct SegmentReadingTests {
    @Test("events are read from any seq on, across rows, up to about a number of bytes") func reading() throws
    {
        let fixture = try ServerFixture()
        var author = Author(1)
        var all: [UInt8] = []
        for count in [1, 3, 2, 1] {
            let segment = try author.write(count)
            all += segment.packed
            _ = try fixture.run([.merge(segment, ServerFixture.group, by: digest(1), from: 9)])
        }
        let each = all.count / 7
        for seq in 1...7 {
            for events in 1...7 {
                let found = try #require(
                    try fixture.store.read {
                        try $0.events(
                            of: author.replica, from: UInt64(seq), bytes: each * events, in: fixture.name)
                    })
                #expect(found.firstSeq == UInt64(seq))
                #expect(found.count == min(events, 8 - seq))
                #expect(found.packed == Array(all[((seq - 1) * each)...].prefix(events * each)))
            }
        }
        #expect(
            try fixture.store.read {
                try $0.events(of: author.replica, from: 8, bytes: 1000, in: fixture.name)
            } == nil)
        #expect(
            try fixture.store.read {
                try $0.events(
                    of: ReplicaID(rawValue: 2), from: 1, bytes: 1000, in: fixture.name)
            } == nil)
        #expect(try fixture.store.read { try $0.lastSeq(of: author.replica, in: fixture.name.number) } == 7)
    }

    @Test("a read's chain continues the chain of the events before it") func chains() throws {
        let fixture = try ServerFixture()
        var author = Author(1)
        var chains: [Chain] = []
        for _ in 0..<3 {
            var part = author
            for _ in 0..<2 {
                _ = try part.write(1)
                chains.append(part.chain)
            }
            _ = try fixture.run([.merge(author.write(2), ServerFixture.group, by: digest(1), from: 9)])
        }
        let heads = try fixture.store.read {
            try $0.chains(
                of: author.replica, at: [0, 1, 2, 3, 4, 5, 6, 7], in: fixture.name)
        }
        #expect(heads == chains.enumerated().map { Head(seq: UInt64($0.offset) + 1, chain: $0.element) })
        for seq in 2...6 {
            let found = try #require(
                try fixture.store.read {
                    try $0.events(
                        of: author.replica, from: UInt64(seq), bytes: 1000, in: fixture.name)
                })
            #expect(found.chainBefore == chains[seq - 2])
        }
    }
}
