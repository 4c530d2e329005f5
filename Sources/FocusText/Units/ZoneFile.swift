package import FocusCore

/// A time zone from one of the system's files (TZif, RFC 9636): the offsets of a place's clocks from UTC over
/// time, and their names.
package struct ZoneFile: Hashable, Sendable {
    /// The offset and its name between two changes of the clocks.
    package struct Stretch: Hashable, Sendable {
        /// The time by which the clocks are ahead of UTC: less than 26 hours in either direction.
        package let offset: Duration
        /// The name of the offset, like `CET`.
        package let abbreviation: String
    }

    /// The instants at which the clocks change, in seconds since the Unix epoch, in ascending order.
    private let changes: [Int64]
    /// The stretch that begins at each change.
    private let after: [Stretch]
    /// The stretch before the first change.
    private let before: Stretch
    /// The rule for the time after the last change; nil if the last stretch never ends.
    private let rule: ZoneRule?

    /// Returns the offset and its name at an instant.
    package func stretch(at instant: SharedInstant) -> Stretch {
        let seconds = instant.seconds
        if let rule, changes.last.map({ seconds >= $0 }) ?? true { return rule.stretch(at: seconds) }
        // Find the first later change.
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] > seconds { high = middle } else { low = middle + 1 }
        }
        return low == 0 ? before : after[low - 1]
    }

    /// Parses a file. Nil if it is malformed, has only version 1 (which ends in 2037), or counts leap
    /// seconds.
    package init?(_ bytes: [UInt8]) {
        do {
            var reader = ByteReader(bytes)
            let first = try Header(&reader)
            guard first.version >= UInt8(ascii: "2") else { return nil }
            // The data for readers of version 1, with 32-bit times, come first.
            _ = try reader.raw(first.length(ofTime: 4))
            let header = try Header(&reader)
            guard header.leaps == 0, header.changes <= 5000, (1...256).contains(header.types) else {
                return nil
            }
            var changes: [Int64] = []
            for _ in 0..<header.changes { changes.append(Int64(bitPattern: try reader.fixed(UInt64.self))) }
            let indices = Array(try reader.raw(header.changes))
            var types: [(offset: Int64, name: Int)] = []
            for _ in 0..<header.types {
                let offset = Int32(bitPattern: try reader.fixed(UInt32.self))
                // Whether this is daylight-saving time. It isn't used.
                _ = try reader.byte()
                types.append((Int64(offset), Int(try reader.byte())))
            }
            let names = Array(try reader.raw(header.characters))
            _ = try reader.raw(header.flags)
            let rest = Array(try reader.raw(reader.remaining))
            let stretches = try types.map { type throws(ByteReader.Failure) in
                guard abs(type.offset) < 26 * 3600, type.name < names.count else { throw .invalidValue }
                let name = names[type.name...].prefix { $0 != 0 }
                return Stretch(
                    offset: .seconds(type.offset), abbreviation: String(decoding: name, as: UTF8.self))
            }
            guard indices.allSatisfy({ Int($0) < stretches.count }), let before = stretches.first,
                zip(changes, changes.dropFirst()).allSatisfy({ $0 < $1 }),
                rest.first == UInt8(ascii: "\n"), rest.last == UInt8(ascii: "\n"), rest.count >= 2
            else { return nil }
            let text = String(decoding: rest.dropFirst().dropLast(), as: UTF8.self)
            let rule = ZoneRule(text)
            guard rule != nil || text.isEmpty else { return nil }
            self.changes = changes
            after = indices.map { stretches[Int($0)] }
            self.before = before
            self.rule = rule
        } catch {
            return nil
        }
    }

    /// The header before the data of one version.
    private struct Header {
        let version: UInt8
        /// The number of leap seconds.
        let leaps: Int
        /// The number of changes of the clocks.
        let changes: Int
        /// The number of different offsets with names.
        let types: Int
        /// The number of bytes of the names.
        let characters: Int
        /// The number of bytes of flags, which say how rules were written down. They aren't used.
        let flags: Int

        init(_ reader: inout ByteReader) throws(ByteReader.Failure) {
            guard try reader.raw(4).elementsEqual("TZif".utf8) else { throw .invalidValue }
            version = try reader.byte()
            _ = try reader.raw(15)
            var counts: [Int] = []
            for _ in 0..<6 { counts.append(Int(try reader.fixed(UInt32.self))) }
            guard counts.allSatisfy({ $0 <= 1 << 20 }) else { throw .invalidValue }
            // The file's order: two counts of flags, then the leap seconds, changes, types and characters.
            flags = counts[0] + counts[1]
            (leaps, changes, types, characters) = (counts[2], counts[3], counts[4], counts[5])
        }

        /// Returns the length of the data, in bytes.
        ///
        /// - Parameter size: The number of bytes of an instant: 4 or 8.
        func length(ofTime size: Int) -> Int {
            changes * (size + 1) + types * 6 + characters + leaps * (size + 4) + flags
        }
    }
}
