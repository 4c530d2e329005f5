import FocusCore
import TestSupport
import Testing

@Suite struct JournalBlockTests {
    /// Returns the journal entries that replaying `log` produces.
    private func found(in log: EventLog) -> [JournalEntry] {
        var state = ReplayState()
        var found = JournalEntryCollector()
        log.replay(&state, history: &found)
        return found.entries
    }

    private func block(_ entries: some Sequence<JournalEntry>) -> [UInt8] {
        var writer = JournalBlockWriter()
        for entry in entries { writer.append(entry) }
        return writer.bytes
    }

    @Test("entries come back from a block as they were", arguments: [1, 2, 4, 5] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        let entries = found(in: try EventLog(RandomLog(seed: seed, count: 150).events))
        #expect(!entries.isEmpty, "seed \(seed)")
        let bytes = block(entries)
        #expect(try JournalBlock.entries(encoded: bytes) == entries, "seed \(seed)")
        #expect(throws: (any Error).self) { try JournalBlock.entries(encoded: Array(bytes.dropLast())) }
        #expect(throws: (any Error).self) { try JournalBlock.entries(encoded: bytes + [0]) }
        for entry in entries {
            #expect(try JournalBlock.entries(encoded: block([entry])) == [entry], "seed \(seed)")
            #expect(throws: (any Error).self) { try JournalBlock.entries(encoded: entry.encoded()) }
        }
        #expect(try JournalBlock.entries(encoded: block([])) == [])
        #expect(throws: (any Error).self) { try JournalBlock.entries(encoded: []) }
    }

    @Test("in a block a record takes a third of its bytes by itself")
    func size() throws {
        var script = LogScript()
        var now: SharedInstant = 1_763_661_600_000
        for _ in 0..<20 {
            let run = script.start(now, label: "Write")
            script.pause(run, now + .seconds(300))
            script.resume(run, now + .seconds(600), by: .b)
            script.stop(run, now + .seconds(900))
            now += .seconds(1500)
        }
        let entries = found(in: try EventLog(script.events))
        #expect(entries.count == 20)
        #expect(block(entries).count * 3 < entries.reduce(0) { $0 + $1.encoded().count })
    }

    @Test("a damaged block is refused, or can be shown", arguments: 0..<10 as Range<UInt64>)
    func damage(seed: UInt64) throws {
        let entries = found(in: try EventLog(RandomLog(seed: seed, count: 80).events))
        let bytes = block(entries.prefix(12))
        for start in bytes.indices {
            let end = bytes[start...].firstIndex { $0 < 0x80 } ?? bytes.endIndex - 1
            for value in [Int64.max, .min, -1, 0] {
                var writer = ByteWriter()
                writer.signed(value)
                let damaged = bytes[..<start] + writer.bytes + bytes[(end + 1)...]
                guard let entries = try? JournalBlock.entries(encoded: Array(damaged)) else { continue }
                var journal = Journal()
                for entry in entries { journal.append(entry) }
                let records = History(journal, ReplayState(), at: 0).records
                #expect(records.allSatisfy { $0.active >= 0 }, "seed \(seed)")
            }
        }
    }
}
