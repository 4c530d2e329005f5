// What checkpoints and journal entries share. Both are caches that may have been damaged where they are kept, so
// values that replay can't have written are refused: it may count on with those it takes.

extension ByteWriter {
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

    /// Of ordinals, counts and what instants are counted in: below 2^48, since a stamp's time is below 2^47, and no run
    /// outlasts the last press on it by more than days.
    static let naturals: Range<Int64> = 0..<1 << 48

    /// Reads an ordinal, a count or what an instant is counted in.
    mutating func natural() throws(Failure) -> Int64 { try signed(in: ByteReader.naturals) }

    /// Reads an instant that replay can have come to.
    mutating func naturalInstant() throws(Failure) -> SharedInstant {
        SharedInstant(milliseconds: try natural())
    }

    /// Reads a length of time of so many milliseconds.
    mutating func length(inMilliseconds range: Range<Int64>) throws(Failure) -> Duration {
        .milliseconds(try signed(in: range))
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

    /// Reads how many there are of something that was counted one by one.
    mutating func tally() throws(Failure) -> UInt64 {
        let count = try varint()
        guard count < 1 << 63 else { throw .invalidValue }
        return count
    }
}
