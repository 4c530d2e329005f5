/// A source, split into its origin and its version (docs/timer-rules.md §4, `record`):
/// `ics/one@example.org;sequence=2`.
package struct SourceVersion: Hashable, Sendable {
    /// The source without its version, as UTF-8.
    package let origin: [UInt8]
    /// The version: 0 if the source names none, otherwise up to the greatest 32-bit integer.
    package let number: Int32

    /// The text between the origin and the version.
    private static let mark = ";sequence="

    /// Splits a source.
    package init(_ source: String) {
        let bytes = Array(source.utf8)
        let mark = SourceVersion.mark.utf8
        let digits = bytes.reversed().prefix { (0x30...0x39).contains($0) }.count
        let origin = bytes.dropLast(digits + mark.count)
        guard bytes.dropLast(digits).suffix(mark.count).elementsEqual(mark),
            let number = Int32(String(decoding: bytes.suffix(digits), as: UTF8.self)), number > 0,
            bytes[bytes.count - digits] != 0x30
        else {
            self.origin = bytes
            self.number = 0
            return
        }
        self.origin = Array(origin)
        self.number = number
    }

    /// Whether a source may name a version. Most sources don't, and this check copies nothing.
    fileprivate static func mayNameVersion(_ source: String) -> Bool {
        source.utf8.reversed().first { !(0x30...0x39).contains($0) } == UInt8(ascii: "=")
    }

    /// Returns the source of a version of an origin.
    ///
    /// - Parameter number: The version, at least 0.
    package static func source(_ origin: String, _ number: Int32) -> String {
        number > 0 ? "\(origin)\(mark)\(number)" : origin
    }
}

extension [PhaseRecord] {
    /// Removes each record if these records also contain a later version of it.
    ///
    /// Cost: linear in the sources.
    mutating func removeEarlierVersions() {
        var latest: [[UInt8]: Int32] = [:]
        for record in self {
            guard let source = record.source, SourceVersion.mayNameVersion(source) else { continue }
            let version = SourceVersion(source)
            if version.number > latest[version.origin, default: 0] { latest[version.origin] = version.number }
        }
        guard !latest.isEmpty else { return }
        removeAll { record in
            guard let source = record.source else { return false }
            let version = SourceVersion(source)
            return version.number < latest[version.origin, default: 0]
        }
    }
}

extension Journal {
    /// The latest version of each origin in the journal, and whether a person removed its record.
    ///
    /// Cost: linear in the records that `record` events have added.
    package var latestVersions: [[UInt8]: (number: Int32, isRemoved: Bool)] {
        let removed = removed
        var latest: [[UInt8]: (number: Int32, isRemoved: Bool)] = [:]
        for fact in facts {
            guard let source = fact.source else { continue }
            let version = SourceVersion(source)
            guard latest[version.origin].map({ $0.number < version.number }) ?? true else { continue }
            latest[version.origin] = (version.number, removed.contains(fact.name))
        }
        return latest
    }
}
