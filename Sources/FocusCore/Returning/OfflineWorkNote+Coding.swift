// The encoding of the note, which a device keeps until it has merged the other devices' events.
extension OfflineWorkNote {
    private static let version: UInt8 = 1

    /// Returns the note as bytes.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(OfflineWorkNote.version)
        writer.signed(notedAt)
        writer.varint(UInt64(runs.count))
        for run in runs {
            writer.run(run.id)
            writer.signed(run.from)
            writer.fixed(run.lastPress.rawValue)
            writer.flag(run.isOwnAndEnded)
            writer.varint(UInt64(run.phases.count))
            for phase in run.phases { writer.phase(phase) }
        }
        writer.flag(present != nil)
        if let present {
            writer.phase(present.phase)
            writer.flag(present.isPaused)
            writer.signed(present.remaining)
        }
        return writer.bytes
    }

    /// Creates the note from its bytes. Throws if they aren't one whole note.
    package init(encoded bytes: [UInt8]) throws(ByteReader.Failure) {
        var reader = ByteReader(bytes)
        guard try reader.byte() == OfflineWorkNote.version else { throw .invalidValue }
        let notedAt = try reader.instant()
        var runs: [Run] = []
        for _ in 0..<(try reader.varint()) {
            let id = try reader.run()
            let from = try reader.instant()
            let lastPress = Stamp(rawValue: try reader.fixed())
            let isOwnAndEnded = try reader.flag()
            var phases: [PhaseRecord] = []
            for _ in 0..<(try reader.varint()) { phases.append(try reader.phase()) }
            runs.append(
                Run(id: id, from: from, lastPress: lastPress, isOwnAndEnded: isOwnAndEnded, phases: phases))
        }
        var present: Present?
        if try reader.flag() {
            let phase = try reader.phase()
            let isPaused = try reader.flag()
            let remaining = try reader.timeLeft()
            present = Present(phase: phase, isPaused: isPaused, remaining: remaining)
        }
        try reader.end()
        self.init(notedAt: notedAt, runs: runs, present: present)
    }
}

extension ByteWriter {
    fileprivate mutating func phase(_ phase: PhaseRecord) { sized(JournalEntry.record(phase).encoded()) }
}

extension ByteReader {
    fileprivate mutating func phase() throws(Failure) -> PhaseRecord {
        guard case .record(let phase) = try JournalEntry(encoded: Array(try sized())),
            phase.startedAt <= phase.endedAt, phase.endedAt < Stamp.timeLimit,
            phase.spans.intervals.allSatisfy({
                phase.startedAt <= $0.from && $0.from < $0.to && $0.to <= phase.endedAt
            })
        else { throw .invalidValue }
        return phase
    }

    /// Reads an instant that a stamp can have.
    fileprivate mutating func instant() throws(Failure) -> SharedInstant {
        let instant = try signedInstant()
        guard (.zero..<Stamp.timeLimit).contains(instant) else { throw .invalidValue }
        return instant
    }
}
