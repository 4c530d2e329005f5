/// One thing that replay found for the history: what a device keeps beside a checkpoint, so that it can show the
/// history without replaying the log.
package enum JournalEntry: Hashable, Sendable {
    case phase(PhaseRecord)
    /// A `record` event that says something possible, with its source.
    case fact(PhaseRecord, source: String)
    case amendment(Action.Amend)
}

extension HistorySink {
    /// Takes an entry in as if replay had found it just now.
    package mutating func append(_ entry: JournalEntry) {
        switch entry {
        case .phase(let record): phaseEnded(record)
        case .fact(let record, let source): recorded(record, source: source)
        case .amendment(let amend): amended(amend)
        }
    }
}

/// An entry as bytes. A cache like a checkpoint, whose version stands for both.
extension JournalEntry {
    private enum Kind: UInt8 {
        case phase, fact, amendment
    }

    /// The entry as bytes.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .phase(let record):
            writer.byte(Kind.phase.rawValue)
            writer.record(record)
        case .fact(let record, let source):
            writer.byte(Kind.fact.rawValue)
            writer.record(record)
            writer.string(source)
        case .amendment(let amend):
            writer.byte(Kind.amendment.rawValue)
            writer.raw(Action.amend(amend).encoded())
        }
        return writer.bytes
    }

    /// The entry that `bytes` hold; throws where they are no whole entry.
    package init(encoded bytes: [UInt8]) throws(ByteReader.Failure) {
        var reader = ByteReader(bytes)
        guard let kind = Kind(rawValue: try reader.byte()) else { throw .invalidValue }
        switch kind {
        case .phase:
            self = .phase(try reader.record())
            try reader.end()
        case .fact:
            self = .fact(try reader.record(), source: try reader.string())
            try reader.end()
        case .amendment:
            guard case .amend(let amend) = Action(encoded: Array(try reader.raw(reader.remaining))) else {
                throw .invalidValue
            }
            self = .amendment(amend)
        }
    }
}

extension ByteWriter {
    fileprivate mutating func record(_ record: PhaseRecord) {
        run(record.run)
        signed(record.ordinal)
        string(record.activity.rawValue)
        signed(record.startedAt)
        signed(record.endedAt)
        spans(record.spans)
        string(record.outcome.rawValue)
        string(record.label)
    }
}

extension ByteReader {
    fileprivate mutating func record() throws(Failure) -> PhaseRecord {
        let run = try run()
        let ordinal = try natural()
        guard let activity = Activity(rawValue: try string()) else { throw .invalidValue }
        let startedAt = try natural()
        let endedAt = try natural()
        let spans = try spans()
        guard let outcome = Outcome(rawValue: try string()) else { throw .invalidValue }
        return PhaseRecord(
            run: run, ordinal: ordinal, startedAt: startedAt, endedAt: endedAt, label: try string(),
            spans: spans, activity: activity, outcome: outcome)
    }
}
