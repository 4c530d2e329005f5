import FocusCore
import TestSupport
import Testing

@Suite struct JournalEntryTests {
    @Test("an entry comes back from its bytes as it was", arguments: [1, 2, 4, 5] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        let log = try EventLog(RandomLog(seed: seed, count: 150).events)
        var state = ReplayState()
        var entries = JournalEntryCollector()
        log.replay(&state, history: &entries)
        #expect(!entries.entries.isEmpty, "seed \(seed)")
        for entry in entries.entries {
            let bytes = entry.encoded()
            #expect(try JournalEntry(encoded: bytes) == entry, "seed \(seed)")
            #expect(throws: (any Error).self) { try JournalEntry(encoded: Array(bytes.dropLast())) }
            #expect(throws: (any Error).self) { try JournalEntry(encoded: bytes + [0]) }
        }
    }
}
