/// The encoding of several journal entries in one row of a device's store. A block writes an entry as its
/// difference from the entry before it. Consecutive records take a third of the space that they take
/// separately. A block is a cache, as the entries are (`JournalEntry`).
package enum JournalBlock {
    /// The first byte of a block.
    fileprivate static let mark: UInt8 = 0x80

    /// Returns the entries in the bytes of a row, in order.
    ///
    /// - Throws: `ByteReader.Failure` if the bytes aren't whole entries, or hold values that replay can't
    ///   have written.
    package static func entries(encoded bytes: [UInt8]) throws(ByteReader.Failure) -> [JournalEntry] {
        guard bytes.first == mark else { throw .invalidValue }
        var reader = JournalBlockReader(bytes.dropFirst())
        return try reader.entries()
    }

    fileprivate enum Kind: UInt8 {
        /// `phase` is a record without a source, and `fact` is a record with one.
        case phase, fact
        /// An entry in the encoding that it has outside a block.
        case other
    }

    /// The flags in the byte that holds the kind of a record.
    fileprivate enum Flag {
        /// The stamp of the record's run has the counter 0.
        static let isFirst: UInt8 = 4
        /// The record's activity, outcome and label equal those of the record before.
        static let isAlike: UInt8 = 8
    }
}

/// The values that a block has so far. Most later entries refer to them.
private struct BlockContext {
    /// The last record.
    var last: PhaseRecord?
    /// The different replicas so far. Later entries refer to them by their number in this list.
    var replicas: [ReplicaID] = []
    /// The different activities, outcomes, labels and sources so far. Later entries refer to them likewise.
    var texts: [String] = []

    /// The time of the stamp of the last record's run, in milliseconds.
    var lastRun: Int64 { last?.run.position.stamp.time.milliseconds ?? 0 }

    /// Returns the expected beginning of a phase with this ordinal. The first phase of a run
    /// begins with the run, and any other when the phase before it ended.
    func start(of ordinal: Int64, run: Int64) -> Int64 {
        ordinal == 0 ? run : last?.endedAt.milliseconds ?? 0
    }
}

/// A writer of a block, entry by entry.
package struct JournalBlockWriter: Sendable {
    /// The number of entries that were appended.
    package private(set) var count = 0
    private var writer = ByteWriter()
    private var context = BlockContext()

    /// Creates a block without entries.
    package init() { writer.byte(JournalBlock.mark) }

    /// The bytes of the block so far.
    package var bytes: [UInt8] { writer.bytes }

    /// Appends an entry that replay has found.
    package mutating func append(_ entry: JournalEntry) {
        count += 1
        guard case .record(let record) = entry else {
            writer.byte(JournalBlock.Kind.other.rawValue)
            writer.sized(entry.encoded())
            return
        }
        let isFirst = record.run.position.stamp.counter == 0
        let isAlike =
            context.last.map {
                $0.activity == record.activity && $0.outcome == record.outcome && $0.label == record.label
            } ?? false
        writer.byte(
            (record.source == nil ? JournalBlock.Kind.phase : .fact).rawValue
                | (isFirst ? JournalBlock.Flag.isFirst : 0) | (isAlike ? JournalBlock.Flag.isAlike : 0))
        name(record)
        times(record)
        if !isAlike {
            text(record.activity.rawValue)
            text(record.outcome.rawValue)
            text(record.label)
        }
        if let source = record.source { text(source) }
        context.last = record
    }

    private mutating func name(_ record: PhaseRecord) {
        let stamp = record.run.position.stamp
        writer.signed(stamp.time.milliseconds &- context.lastRun)
        if stamp.counter != 0 { writer.varint(UInt64(stamp.counter)) }
        let replica = record.run.position.replica
        if !refer(to: context.replicas.firstIndex(of: replica)) {
            writer.fixed(replica.rawValue)
            context.replicas.append(replica)
        }
        writer.signed(record.ordinal)
    }

    private mutating func times(_ record: PhaseRecord) {
        let (start, end) = (record.startedAt.milliseconds, record.endedAt.milliseconds)
        let run = record.run.position.stamp.time.milliseconds
        writer.signed(start &- context.start(of: record.ordinal, run: run))
        rise(from: start, to: end)
        let intervals = record.spans.intervals
        writer.varint(UInt64(intervals.count))
        var last = start
        for interval in intervals {
            rise(from: last, to: interval.from.milliseconds)
            rise(from: interval.to.milliseconds, to: end)
            last = interval.to.milliseconds
        }
    }

    /// Writes the distance from one instant to another, which is usually later.
    private mutating func rise(from earlier: Int64, to later: Int64) {
        writer.varint(UInt64(bitPattern: later &- earlier))
    }

    private mutating func text(_ text: String) {
        guard !refer(to: context.texts.firstIndex(of: text)) else { return }
        writer.string(text)
        context.texts.append(text)
    }

    /// Writes a reference to a value that the block already has. Returns false if there is none, and the
    /// value has to be written.
    private mutating func refer(to index: Int?) -> Bool {
        writer.varint(index.map { UInt64($0) + 1 } ?? 0)
        return index != nil
    }
}

/// A reader of a block, for bytes that may have been damaged.
private struct JournalBlockReader {
    private var reader: ByteReader
    private var context = BlockContext()

    /// - Parameter bytes: The bytes after the mark.
    init(_ bytes: ArraySlice<UInt8>) { reader = ByteReader(bytes) }

    mutating func entries() throws(ByteReader.Failure) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        while reader.remaining > 0 {
            let byte = try reader.byte()
            let flags = byte & (JournalBlock.Flag.isFirst | JournalBlock.Flag.isAlike)
            switch JournalBlock.Kind(rawValue: byte - flags) {
            case .phase: entries.append(.record(try record(flags, hasSource: false)))
            case .fact: entries.append(.record(try record(flags, hasSource: true)))
            case .other where flags == 0:
                entries.append(try JournalEntry(encoded: Array(try reader.sized())))
            case .other, nil: throw .invalidValue
            }
        }
        return entries
    }

    private mutating func record(
        _ flags: UInt8, hasSource: Bool
    ) throws(ByteReader.Failure) -> PhaseRecord {
        let time = try instant(context.lastRun &+ (try reader.signed())).milliseconds
        let counter = flags & JournalBlock.Flag.isFirst == 0 ? try reader.varint() : 0
        guard counter < 1 << 16 else { throw .invalidValue }
        let stamp = Stamp(rawValue: UInt64(bitPattern: time) << 16 | counter)
        let run = RunID(Position(stamp: stamp, replica: try replica()))
        let ordinal = try reader.natural()
        let start = try instant(context.start(of: ordinal, run: time) &+ (try reader.signed()))
        let end = try instant(start.milliseconds &+ (try distance()))
        let spans = try spans(from: start, to: end)
        let (activity, outcome, label) = try texts(areAlike: flags & JournalBlock.Flag.isAlike != 0)
        let record = PhaseRecord(
            run: run, ordinal: ordinal, startedAt: start, endedAt: end, label: label, spans: spans,
            activity: activity, outcome: outcome, source: hasSource ? try text() : nil)
        context.last = record
        return record
    }

    private mutating func texts(
        areAlike: Bool
    ) throws(ByteReader.Failure) -> (Activity, Outcome, label: String) {
        if areAlike {
            guard let last = context.last else { throw .invalidValue }
            return (last.activity, last.outcome, last.label)
        }
        guard let activity = Activity(rawValue: try text()), let outcome = Outcome(rawValue: try text())
        else { throw .invalidValue }
        return (activity, outcome, try text())
    }

    /// Reads the spans of a phase: in order, none empty, none touching.
    private mutating func spans(
        from start: SharedInstant, to end: SharedInstant
    ) throws(ByteReader.Failure) -> Spans {
        var spans = Spans.none
        var last: SharedInstant?
        for _ in 0..<(try reader.varint()) {
            let from = try instant((last ?? start).milliseconds &+ (try distance()))
            let to = try instant(end.milliseconds &- (try distance()))
            guard last.map({ $0 < from }) ?? true, from < to else { throw .invalidValue }
            spans.add(from: from, to: to)
            last = to
        }
        return spans
    }

    private mutating func distance() throws(ByteReader.Failure) -> Int64 {
        Int64(bitPattern: try reader.varint())
    }

    /// Returns the instant with this count of `SharedInstant`. Throws if replay can't produce that
    /// instant (`ByteReader.naturalInstant`).
    private func instant(_ count: Int64) throws(ByteReader.Failure) -> SharedInstant {
        guard ByteReader.naturals.contains(count) else { throw .invalidValue }
        return SharedInstant(milliseconds: count)
    }

    private mutating func replica() throws(ByteReader.Failure) -> ReplicaID {
        if let known = try known(among: context.replicas) { return known }
        let replica = ReplicaID(rawValue: try reader.fixed())
        context.replicas.append(replica)
        return replica
    }

    private mutating func text() throws(ByteReader.Failure) -> String {
        if let known = try known(among: context.texts) { return known }
        let text = try reader.string()
        context.texts.append(text)
        return text
    }

    /// Reads a reference to an earlier value, or returns nil if the value itself follows.
    private mutating func known<Value>(among values: [Value]) throws(ByteReader.Failure) -> Value? {
        let number = try reader.varint()
        guard number > 0 else { return nil }
        guard number <= UInt64(values.count) else { throw .invalidValue }
        return values[Int(number) - 1]
    }
}
