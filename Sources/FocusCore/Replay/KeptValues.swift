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

    /// Reads an instant, an ordinal or a count: below 2^48, since a stamp's time is below 2^47, and no run outlasts the
    /// last press on it by more than days.
    mutating func natural() throws(Failure) -> Int64 { try signed(in: 0..<1 << 48) }

    /// Reads spans: in order, none empty, none touching.
    mutating func spans() throws(Failure) -> Spans {
        var spans = Spans.none
        var last: Int64 = -1
        for _ in 0..<(try varint()) {
            let from = try natural()
            let to = try natural()
            guard last < from, from < to else { throw .invalidValue }
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
