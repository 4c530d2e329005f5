/// One entry that replay found for the history. A device keeps the entries beside a checkpoint, so that it
/// can show the history without replaying the log.
package enum JournalEntry: Hashable, Sendable {
    /// The record of a phase or, if it has a source, of a valid `record` event.
    case record(PhaseRecord)
    case amendment(Action.Amend)
    case correction(TimeCorrection)
}

extension HistorySink {
    /// Appends an entry as if replay had just found it.
    package mutating func append(_ entry: JournalEntry) {
        switch entry {
        case .record(let record):
            if record.source == nil { phaseEnded(record) } else { recorded(record) }
        case .amendment(let amend): amended(amend)
        case .correction(let correction): corrected(correction)
        }
    }
}

/// A sink that collects what replay finds for the history. It is a class, so that it can be emptied between
/// two events.
package final class JournalEntryCollector: HistorySink {
    /// The entries that were found since the last `removeAll`, in order.
    package private(set) var entries: [JournalEntry] = []

    /// Creates a sink without entries.
    package init() {}

    /// Appends the record of a phase.
    package func phaseEnded(_ record: PhaseRecord) { entries.append(.record(record)) }

    /// Appends the record of a `record` event.
    package func recorded(_ record: PhaseRecord) { entries.append(.record(record)) }

    /// Appends an amendment.
    package func amended(_ amend: Action.Amend) { entries.append(.amendment(amend)) }

    /// Appends a correction.
    package func corrected(_ correction: TimeCorrection) { entries.append(.correction(correction)) }

    /// Removes the entries found so far.
    package func removeAll() { entries.removeAll(keepingCapacity: true) }
}

/// The encoding of an entry. Entries are a cache like the checkpoint beside them, and have no version besides
/// the checkpoint's.
extension JournalEntry {
    private enum Kind: UInt8 {
        /// The record of a phase, and that of a `record` event.
        case phase, recordEvent
        case amendment, correction
    }

    /// Returns the entry as bytes.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .record(let record):
            writer.byte((record.source == nil ? Kind.phase : .recordEvent).rawValue)
            writer.record(record)
            if let source = record.source { writer.string(source) }
        case .amendment(let amend):
            writer.byte(Kind.amendment.rawValue)
            writer.raw(Action.amend(amend).encoded())
        case .correction(let correction):
            writer.byte(Kind.correction.rawValue)
            writer.run(correction.second)
            writer.raw(correction.action.encoded())
        }
        return writer.bytes
    }

    /// Creates the entry from its bytes. Throws if they aren't one whole entry.
    package init(encoded bytes: [UInt8]) throws(ByteReader.Failure) {
        var reader = ByteReader(bytes)
        guard let kind = Kind(rawValue: try reader.byte()) else { throw .invalidValue }
        switch kind {
        case .phase:
            self = .record(try reader.record(hasSource: false))
            try reader.end()
        case .recordEvent:
            self = .record(try reader.record(hasSource: true))
            try reader.end()
        case .amendment:
            guard case .amend(let amend) = Action(encoded: Array(try reader.raw(reader.remaining))) else {
                throw .invalidValue
            }
            self = .amendment(amend)
        case .correction:
            let second = try reader.run()
            let action = Action(encoded: Array(try reader.raw(reader.remaining)))
            guard let correction = TimeCorrection(action, second: second) else { throw .invalidValue }
            self = .correction(correction)
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
    fileprivate mutating func record(hasSource: Bool) throws(Failure) -> PhaseRecord {
        let run = try run()
        let ordinal = try natural()
        guard let activity = Activity(rawValue: try string()) else { throw .invalidValue }
        let startedAt = try naturalInstant()
        let endedAt = try naturalInstant()
        let spans = try spans()
        guard let outcome = Outcome(rawValue: try string()) else { throw .invalidValue }
        return PhaseRecord(
            run: run, ordinal: ordinal, startedAt: startedAt, endedAt: endedAt, label: try string(),
            spans: spans, activity: activity, outcome: outcome,
            source: hasSource ? try string() : nil)
    }
}
