package import FocusCore

/// A time zone as the system's files have it (TZif, RFC 9636): when the clocks of a place were and will be how far
/// ahead of UTC, and what people there call that.
package struct ZoneFile: Hashable, Sendable {
    /// How the clocks stand between two changes.
    package struct Stretch: Hashable, Sendable {
        /// How far they are ahead of UTC: less than 26 hours either way.
        package let offset: Duration
        /// As `CET`.
        package let abbreviation: String
    }

    /// The instants at which the clocks change, in seconds since the Unix epoch, the earliest first.
    private let changes: [Int64]
    /// How they stand from each of these on.
    private let after: [Stretch]
    /// How they stood before the first.
    private let before: Stretch
    /// How they stand after the last; nil where that goes on as it is.
    private let rule: ZoneRule?

    /// How the clocks stand at an instant.
    package func stretch(at instant: SharedInstant) -> Stretch {
        let seconds = instant.seconds
        if let rule, changes.last.map({ seconds >= $0 }) ?? true { return rule.stretch(at: seconds) }
        // The first change that is later.
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] > seconds { high = middle } else { low = middle + 1 }
        }
        return low == 0 ? before : after[low - 1]
    }

    /// Reads a file; nil where it is none, of the first version, which ends in 2037, or counts leap seconds.
    package init?(_ bytes: [UInt8]) {
        do {
            var reader = ByteReader(bytes)
            let first = try Header(&reader)
            guard first.version >= UInt8(ascii: "2") else { return nil }
            // What the first version would read comes before, in 32 bits.
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

    /// What stands before the data of one version.
    private struct Header {
        let version: UInt8
        let leaps: Int
        let changes: Int
        let types: Int
        let characters: Int
        /// How many bytes of flags there are, which say how rules were written down that nobody reads here.
        let flags: Int

        init(_ reader: inout ByteReader) throws(ByteReader.Failure) {
            guard try reader.raw(4).elementsEqual("TZif".utf8) else { throw .invalidValue }
            version = try reader.byte()
            _ = try reader.raw(15)
            var counts: [Int] = []
            for _ in 0..<6 { counts.append(Int(try reader.fixed(UInt32.self))) }
            guard counts.allSatisfy({ $0 <= 1 << 20 }) else { throw .invalidValue }
            flags = counts[0] + counts[1]
            (leaps, changes, types, characters) = (counts[2], counts[3], counts[4], counts[5])
        }

        /// How many bytes of data there are where an instant takes so many.
        func length(ofTime size: Int) -> Int {
            changes * (size + 1) + types * 6 + characters + leaps * (size + 4) + flags
        }
    }
}
