// Parts of the encodings of checkpoints and journal entries. Both are caches that may be damaged in the
// store. Values that replay can't have written are refused, because replay calculates with the values that it
// reads.

extension ByteWriter {
    /// Appends the number of spans, then the two ends of each.
    mutating func spans(_ spans: Spans) {
        let intervals = spans.intervals
        varint(UInt64(intervals.count))
        for interval in intervals {
            signed(interval.from)
            signed(interval.to)
        }
    }
}

extension ByteReader {
    /// Reads a signed integer in `range`.
    mutating func signed(in range: Range<Int64>) throws(Failure) -> Int64 {
        let value = try signed()
        guard range.contains(value) else { throw .invalidValue }
        return value
    }

    /// The range of ordinals, of counts, and of instants as numbers: below 2^48. A stamp's time is below
    /// 2^47, and a run ends at most some days after the last press on it.
    static let naturals: Range<Int64> = 0..<1 << 48

    /// Reads an ordinal, a count, or an instant as a number.
    mutating func natural() throws(Failure) -> Int64 { try signed(in: ByteReader.naturals) }

    /// Reads an instant that replay can have produced.
    mutating func naturalInstant() throws(Failure) -> SharedInstant {
        SharedInstant(milliseconds: try natural())
    }

    /// Reads a duration with a number of milliseconds in `range`.
    mutating func length(inMilliseconds range: Range<Int64>) throws(Failure) -> Duration {
        .milliseconds(try signed(in: range))
    }

    /// Reads the time that a phase has left: at most a day, and negative in overtime.
    mutating func timeLeft() throws(Failure) -> Duration {
        try length(inMilliseconds: -ByteReader.naturals.upperBound..<86_400_001)
    }

    /// Reads spans: in order, none empty, none touching.
    mutating func spans() throws(Failure) -> Spans {
        var spans = Spans.none
        var last: SharedInstant?
        for _ in 0..<(try varint()) {
            let from = try naturalInstant()
            let to = try naturalInstant()
            guard last.map({ $0 < from }) ?? true, from < to else { throw .invalidValue }
            spans.add(from: from, to: to)
            last = to
        }
        return spans
    }

    /// Reads a count of events. It is below 2^63, because replay adds one at a time and can't reach more.
    mutating func eventCount() throws(Failure) -> UInt64 {
        let count = try varint()
        guard count < 1 << 63 else { throw .invalidValue }
        return count
    }
}
