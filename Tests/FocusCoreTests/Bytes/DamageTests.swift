import FocusCore
import TestSupport
import Testing

/// A checkpoint or a journal, which a device keeps beside its log, may be damaged on disk.
@Suite("Damaged checkpoints and journals")
struct DamageTests {
    /// Returns damaged copies of `bytes`. In each, one varint (or bytes that may be one) has an extreme
    /// value.
    private func damaged(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.indices.flatMap { start -> [[UInt8]] in
            let end = bytes[start...].firstIndex { $0 < 0x80 } ?? bytes.endIndex - 1
            return [Int64.max, .min, -1, 0].map { value in
                var writer = ByteWriter()
                writer.signed(value)
                return bytes[..<start] + writer.bytes + bytes[(end + 1)...]
            }
        }
    }

    @Test("a damaged checkpoint is refused, or can be shown", arguments: 0..<10 as Range<UInt64>)
    func checkpoints(seed: UInt64) throws {
        let (state, _) = try EventLog(RandomLog(seed: seed, count: 80).events).replayed()
        let now = (state.position?.stamp.time ?? 0) + 60_000
        for bytes in damaged(state.encoded()) {
            guard let state = try? ReplayState(encoded: bytes) else { continue }
            #expect(TimerState(state, at: now).settings == state.settings, "seed \(seed)")
        }
    }

    @Test("a damaged entry of the journal is refused, or can be shown", arguments: 0..<10 as Range<UInt64>)
    func journal(seed: UInt64) throws {
        var sink = JournalEntryCollector()
        var state = ReplayState()
        try EventLog(RandomLog(seed: seed, count: 80).events).replay(&state, history: &sink)
        for bytes in sink.entries.prefix(12).flatMap({ damaged($0.encoded()) }) {
            guard let entry = try? JournalEntry(encoded: bytes) else { continue }
            var journal = Journal()
            journal.append(entry)
            let records = History(journal, ReplayState(), at: 0).records
            #expect(records.allSatisfy { $0.active >= 0 }, "seed \(seed)")
        }
    }
}
